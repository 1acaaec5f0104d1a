package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strconv"
	"strings"

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
	ID                string // attempt:<cycle>-<number>, in a fork with its suffix; the engine sets it
	Cycle             int64
	Status            AttemptStatus
	StartedNS         int64
	EndedNS           int64 // means nothing while the attempt is running
	Provider, Model   string
	Params            string // SHA-256 of the parameters of the call as canonical JSON, in hexadecimal
	TokenIn, TokenOut *int64 // nil if nobody counted
	Error             string // what the provider or the operator said; may be empty
	Thread            string // digest of the canonical thread that was sent, as Entry.Thread is
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

// NoThread stands for the hash of a thread whose digest an erasure removed, or that another edition writes.
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

// Limits of an attempt, in bytes.
const (
	MaxProvider     = 1 << 10 // of provider and model each
	MaxAttemptError = 64 << 10
	MaxTokens       = 1 << 42 // so that no sum over the attempts of a store overflows
)
