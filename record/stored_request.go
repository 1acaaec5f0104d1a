package record

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/wire"
)

// storedRequest holds everything of a request that no block holds. Together with the
// blocks of the snapshot it restores the body.
type storedRequest struct {
	API        provider.API      `json:"api,omitempty"`
	Path       string            `json:"path,omitempty"`
	Compacted  bool              `json:"compacted,omitempty"`  // the agent compacted the conversation before it
	Headers    map[string]string `json:"headers,omitempty"`    // those that change what the request means
	Parameters json.RawMessage   `json:"parameters,omitempty"` // with Frame, as they were read
	Frame      json.RawMessage   `json:"frame,omitempty"`
	Base       *base             `json:"base,omitempty"` // the attempt that has the frames of the first messages, nil for none
	Notes      wire.Notes        `json:"notes,omitzero"`
	SHA256     string            `json:"sha256,omitempty"`   // of the body
	Redacted   int               `json:"redacted,omitempty"` // how many values the recorder removed from the body
	Encoding   string            `json:"encoding,omitempty"` // how the client compressed the body
	Call       string            `json:"call,omitempty"`     // id of a past call in the log that it comes from

	Managed *managed `json:"managed,omitempty"` // the changes of a policy to the request that came, made or only observed

	Same   string          `json:"same,omitempty"`   // the earlier attempt that sent the same and holds all of the above
	Answer json.RawMessage `json:"answer,omitempty"` // the part of a broken answer that arrived
	About  json.RawMessage `json:"about,omitempty"`  // the report of the provider about the answer
	Erased bool            `json:"erased,omitempty"` // history.ErasedRequest: an erasure took all but API and numbers of About
	// history.ErasedCall: the id of the past call, keyed with the secret of the store
	ErasedCall string `json:"erased_call,omitempty"`
}

// json returns k as canonical JSON. If k was not read from a store, parameters and frame are those
// of its request. A frame is long: it is encoded once, and not parsed again.
func (k *storedRequest) json(parameters, frame canon.Any) (canon.Value, error) {
	text, err := json.Marshal(k)
	if err != nil {
		return "", err
	}
	value, err := canon.ParseDocument(text)
	if err != nil {
		return "", err
	}
	members := []canon.Member{{Name: "frame", Value: frame}, {Name: "parameters", Value: parameters}}
	return canon.Object(append(members, value.Members...)...).Value(), nil
}

// withAnswer adds the report and the content of an answer to the JSON of a request; either may be absent. The two
// members are the first in canonical order, so a long record is not encoded again.
func withAnswer(request canon.Value, about, content canon.Any) canon.Value {
	members := ""
	if about.Kind != canon.KindAbsent {
		members += `"about":` + string(about.Value()) + ","
	}
	if content.Kind != canon.KindAbsent {
		members += `"answer":` + string(content.Value()) + ","
	}
	return "{" + canon.Value(members) + request[1:]
}

func decodeStored(packed string) (*storedRequest, error) {
	text, err := history.UnpackRequest(packed)
	if err != nil {
		return nil, err
	}
	var k storedRequest
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return nil, fault.Wrap(fault.DocumentInvalid, err, "the record of the request cannot be read",
			"restore the store from a backup or an export")
	}
	return &k, nil
}

// beforeFrame reads from the record of a request what stands before the frame of the request: its API, the id of a past
// call, whether it was erased, and the report of the provider about the answer. The frame is as long as the request.
func beforeFrame(packed string) (*storedRequest, error) {
	k := &storedRequest{}
	err := history.ReadRequest(packed, func(r io.Reader) error {
		d := json.NewDecoder(r)
		if _, err := d.Token(); err != nil {
			return err
		}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return err
			}
			var into any = &json.RawMessage{}
			switch name {
			case "about":
				into = &k.About
			case "api":
				into = &k.API
			case "call":
				into = &k.Call
			case "compacted":
				into = &k.Compacted
			case "erased":
				into = &k.Erased
			case "erased_call":
				into = &k.ErasedCall
			case "frame", "same":
				return nil
			}
			if err := d.Decode(into); err != nil {
				return err
			}
		}
		return nil
	})
	return k, err
}

// Body is the body of a recorded request.
type Body struct {
	Bytes    []byte
	SHA256   string          // of Bytes, in hexadecimal, as it was recorded
	Attempt  history.Attempt // the attempt that sent it
	Path     string          // path of the URL that the client sent it to
	Redacted int             // how many values the recorder removed before it stored the body
	Encoding string          // compression on the wire, "" for none; Bytes are not compressed

	managed *managed     // the changes of a policy, nil for none
	api     provider.API // that it was sent to
}

// Requests restores requests of one context, and reads what they share once. It is not safe for concurrent use.
type Requests struct {
	c        *pact.Context
	contents contents
	records  *records
}

// NewRequests returns a reader of the requests of a context.
func NewRequests(c *pact.Context) *Requests { return &Requests{c, contents{}, recordsOf(c)} }

// Request is the function Of of [Requests] for one request.
func Request(ctx context.Context, c *pact.Context, cycle, number int64) (*Body, error) {
	return NewRequests(c).Of(ctx, cycle, number)
}

// Of returns, byte for byte, the body that an attempt of a cycle sent: attempt:4-2 has the number 2 in cycle 4.
// For the number 0 it takes the last attempt that was recorded. The cycle may be the current one, whose call has no
// answer yet or failed. Of rebuilds the bytes from the blocks of the snapshot and from what the attempt keeps,
// and compares their SHA-256 with the recorded one. They are there until the next request is asked for.
//
// E_ATTEMPT_NOT_FOUND if no such request was recorded, E_CONFLICT if it was erased or the snapshot no longer holds
// what was sent. Cost: that of the thread; of requests one after another, that of what the one before does not begin with.
func (r *Requests) Of(ctx context.Context, cycle, number int64) (*Body, error) {
	attempts, err := r.c.Attempts(ctx, cycle, cycle)
	if err != nil {
		return nil, err
	}
	for i, a := range slices.Backward(attempts) {
		if _, n, _, _ := history.ParseAttemptID(a.ID); a.Request != "" && (number == 0 || n == number) {
			return r.sentBy(ctx, attempts, i, r.c.At)
		}
	}
	which := "cycle " + strconv.FormatInt(cycle, 10)
	if number != 0 {
		which = "attempt " + strconv.FormatInt(number, 10) + " of " + which
	}
	return nil, notRecorded(cycle, attempts, "no request of "+which+" was recorded")
}

// hasRequest reports whether a request was recorded, or was until it was erased: a program may record of a call only what
// its provider counted. k may be nil.
func (k *storedRequest) hasRequest() bool { return k != nil && (k.SHA256 != "" || k.Erased) }

// sentBy returns the body of the i-th of the attempts of a cycle, whose snapshot read returns.
func (r *Requests) sentBy(ctx context.Context, attempts []history.Attempt, i int,
	read func(context.Context, pact.Address) (*pact.Snapshot, error)) (*Body, error) {
	k, err := recordOf(attempts, i)
	if err != nil {
		return nil, err
	}
	cycle, s := attempts[i].Cycle, r.c.Working()
	if !k.hasRequest() {
		return nil, notRecorded(cycle, nil, "the request of "+attempts[i].ID+" was not recorded")
	}
	if last := r.c.Info().Cycle; cycle <= last {
		if s, err = read(ctx, pact.Cycle(cycle)); err != nil {
			return nil, err
		}
	}
	b, _, err := body(ctx, s, attempts[i], k, &r.contents, r.records)
	return b, err
}

// notRecorded returns the error for a request that is not there, and names those that are.
func notRecorded(cycle int64, attempts []history.Attempt, message string) error {
	there := ""
	for _, a := range attempts {
		if a.Request != "" {
			there += ", " + a.ID
		}
	}
	remedy := "Context.Attempts lists the attempts"
	if there != "" {
		remedy = "there are requests of " + there[2:]
	}
	return fault.At(fault.AttemptNotFound, fault.NoOffset, strconv.FormatInt(cycle, 10), message, remedy)
}

// recordOf returns the record that an attempt of a cycle keeps of its request, nil for none. If the attempt sent the
// same body as an earlier one, the earlier one has it.
func recordOf(attempts []history.Attempt, i int) (*storedRequest, error) {
	if attempts[i].Request == "" {
		return nil, nil
	}
	k, err := decodeStored(attempts[i].Request)
	if err != nil || k.Same == "" {
		return k, err
	}
	first := slices.IndexFunc(attempts, func(a history.Attempt) bool { return unforked(a.ID) == unforked(k.Same) })
	if first < 0 || attempts[first].Request == "" {
		return nil, nil
	}
	return decodeStored(attempts[first].Request)
}

// Broken is the part of an answer that arrived before the answer broke off.
type Broken struct {
	Attempt history.Attempt
	Content json.RawMessage // the message, content or items as JSON, as far as they arrived
	About   json.RawMessage // the report of the provider until then: id, model, tokens; an object
}

// BrokenAnswers returns, in the order of the attempts, the parts that arrived of the answers of a cycle that broke
// off. It leaves out attempts without any.
func BrokenAnswers(ctx context.Context, c *pact.Context, cycle int64) ([]Broken, error) {
	attempts, err := c.Attempts(ctx, cycle, cycle)
	if err != nil {
		return nil, err
	}
	var list []Broken
	for _, a := range attempts {
		if a.Request == "" {
			continue
		}
		k, err := decodeStored(a.Request)
		if err != nil {
			return nil, err
		}
		if k.Answer != nil {
			list = append(list, Broken{a, k.Answer, k.About})
		}
	}
	return list, nil
}
