package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// AttemptStatus says how far an attempt got (03 §6.1).
type AttemptStatus string

// The statuses.
const (
	Running   AttemptStatus = "running"
	Completed AttemptStatus = "completed"
	Canceled  AttemptStatus = "canceled"
	Failed    AttemptStatus = "error"
)

// Attempt is the record of one call of a provider (03 §6.2). It belongs to a cycle. The store
// keeps it beside the history: it has no revision and is in no snapshot.
//
// Specification: 03 §6.2.
type Attempt struct {
	ID                string // attempt:<cycle>-<number>, in a fork with its suffix; the store sets it
	Cycle             int64
	Status            AttemptStatus
	StartedNS         int64
	EndedNS           int64 // means nothing while the attempt is running
	Provider, Model   string
	Params            string // SHA-256 of the parameters of the call as canonical JSON, in hexadecimal
	TokenIn, TokenOut *int64 // nil if nobody counted
	Error             string // what the provider or the operator said; may be empty
	Thread            string // SHA-256 of the canonical thread that was sent, in hexadecimal
	Request           string // what the store keeps of the request besides the thread, from PackRequest; "" for nothing
}

// MarshalJSON writes the fields of 03 §6.2 under their names, with params as params_hash,
// and thread_hash. Unknown values are null; error is left out if there is none.
func (a Attempt) MarshalJSON() ([]byte, error) {
	var ended *string
	if a.Status != Running {
		at := tree.ISO(a.EndedNS)
		ended = &at
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // the caller's encoder decides that
	err := e.Encode(struct {
		ID       string        `json:"attempt_id"`
		Cycle    int64         `json:"cycle_id"`
		Status   AttemptStatus `json:"status"`
		Started  string        `json:"started_at"`
		Ended    *string       `json:"ended_at"`
		Provider string        `json:"provider"`
		Model    string        `json:"model"`
		Params   string        `json:"params_hash"`
		TokenIn  *int64        `json:"token_in"`
		TokenOut *int64        `json:"token_out"`
		Error    string        `json:"error,omitempty"`
		Thread   string        `json:"thread_hash"`
	}{a.ID, a.Cycle, a.Status, tree.ISO(a.StartedNS), ended, a.Provider, a.Model, a.Params, a.TokenIn, a.TokenOut, a.Error,
		a.Thread})
	return text.Bytes(), err
}

// NoThread stands for the hash of a thread whose hash an erasure removed.
var NoThread = strings.Repeat("0", 2*sha256.Size)

// AttemptID returns the id of the attempt with a number within its cycle. fork is the
// number of the fork that made it, 0 for a context that is not a fork.
func AttemptID(cycle, number, fork int64) string {
	id := attemptPrefix + strconv.FormatInt(cycle, 10) + "-" + strconv.FormatInt(number, 10)
	if fork > 0 {
		id += "-f" + strconv.FormatInt(fork, 10)
	}
	return id
}

const attemptPrefix = "attempt:"

// ParseAttemptID is the reverse of AttemptID. ok is false for a text that AttemptID never
// returns.
func ParseAttemptID(id string) (cycle, number, fork int64, ok bool) {
	rest, ok := strings.CutPrefix(id, attemptPrefix)
	if !ok {
		return 0, 0, 0, false
	}
	if rest, ok = strings.CutPrefix(rest, "-"); ok { // a cycle below 0, which an import may have
		rest = "\x00" + rest
	}
	first, rest, _ := strings.Cut(rest, "-")
	second, third, _ := strings.Cut(rest, "-f")
	cycle, _ = strconv.ParseInt(strings.Replace(first, "\x00", "-", 1), 10, 64)
	number, _ = strconv.ParseInt(second, 10, 64)
	fork, _ = strconv.ParseInt(third, 10, 64)
	return cycle, number, fork, number > 0 && AttemptID(cycle, number, fork) == id
}

// End copies from another record how and when the attempt ended, and the packed request if the
// other record has one. The end is never before the start.
func (a *Attempt) End(as Attempt) {
	as = as.clone()
	a.Status, a.EndedNS, a.Error = as.Status, max(as.EndedNS, a.StartedNS), as.Error
	a.TokenIn, a.TokenOut = as.TokenIn, as.TokenOut
	if as.Request != "" {
		a.Request = as.Request
	}
}

// clone returns a copy that shares nothing.
func (a Attempt) clone() Attempt {
	for _, n := range [...]**int64{&a.TokenIn, &a.TokenOut} {
		if *n != nil {
			count := **n
			*n = &count
		}
	}
	return a
}

// Limits of an attempt, in bytes.
const (
	MaxProvider     = 1 << 10 // of provider and model each
	MaxAttemptError = 64 << 10
)

// Check returns an error for an attempt that PutAttempt cannot keep: E_DOCUMENT_INVALID, or
// E_LIMIT for a text that is too long.
func (a *Attempt) Check() error {
	switch a.Status {
	case Running, Completed, Canceled, Failed:
	default:
		return invalidAttempt(string(a.Status), "the status of an attempt is unknown")
	}
	if (a.Status == Running) != (a.ID == "") {
		return invalidAttempt(string(a.Status), "an attempt starts as running and ends as completed, canceled or error")
	}
	for _, n := range [...]*int64{a.TokenIn, a.TokenOut} {
		if n != nil && *n < 0 {
			return invalidAttempt(strconv.FormatInt(*n, 10), "a number of tokens is negative")
		}
	}
	if len(a.Request) > MaxRequest {
		return requestTooLong()
	}
	if err := checkText("error", a.Error, MaxAttemptError); err != nil || a.ID != "" {
		return err
	}
	for _, digest := range [...]string{a.Params, a.Thread} {
		if b, err := hex.DecodeString(digest); err != nil || len(b) != sha256.Size {
			return invalidAttempt(digest, "this is not a SHA-256 in hexadecimal")
		}
	}
	if a.Provider == "" || a.Model == "" {
		return invalidAttempt("", "the attempt has no provider or no model")
	}
	if err := checkText("provider", a.Provider, MaxProvider); err != nil {
		return err
	}
	return checkText("model", a.Model, MaxProvider)
}

func checkText(name, text string, limit int) error {
	if len(text) > limit {
		return fault.New(fault.Limit, "the "+name+" of an attempt has more than "+strconv.Itoa(limit)+" bytes", "shorten it")
	}
	if !canon.ValidText(text) || strings.Contains(text, "\x00") {
		return invalidAttempt("", "the "+name+" of an attempt is not UTF-8, or holds a NUL")
	}
	return nil
}

func invalidAttempt(token, message string) error {
	return fault.At(fault.DocumentInvalid, fault.NoOffset, token, message, "")
}
