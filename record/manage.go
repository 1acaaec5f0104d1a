package record

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"time"

	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/worth"
)

// Managed counts the changes that a policy made to requests or, without Options.Manage, would have made.
type Managed struct {
	Shaped   int    // results that a rule shaped before they were first sent
	Cut      int    // results, and thinking, that left requests in which they were sent before
	Batches  int    // requests from which some of them were first left out
	Saved    int64  // bytes that the requests as they came have more than those that were sent, of all together
	Open     int    // requests without a decision in time, or whose store failed: what is new went as it came, what is due stayed
	Again    int    // calls of tools that asked again for what had been taken
	Ended    int    // conversations for which managing ended: a request was refused, or too many calls asked again
	Why      string // the last reason of the two
	Over     int    // requests above max_tokens, as the provider counted them
	Plain    int    // requests without a result of a tool: a policy changes nothing else but thinking
	Follows  bool   // the recorder does not manage, and follows what one that did had decided
	Computed Computed
}

// Computed has what the requests of a recorder with a policy count as they were sent, and as they would have been
// without one. It is computed from what the provider counted, with its rules of caching and [Options.Prices].
type Computed struct {
	Calls, Repeats  int64   // calls, and of these those that carry nothing but what had been asked for again
	Sent, Unmanaged int64   // tokens of the input; without a policy the repeats were not made
	Paid, Instead   float64 // what they cost, 0 if a model has no price
	Priced          bool
	Unpriced        string // a model without a price, "" for none
	NoMarker        int64  // calls that mark nothing for the cache, of a provider that caches what is marked
}

func computedOf(t manage.Total) Computed {
	c := Computed{Calls: t.Calls, Repeats: t.Again, Sent: t.Sent.Sent, Unmanaged: t.Asked.Sent, NoMarker: t.NoMarker, Unpriced: t.Unpriced}
	if t.Sent.Money != nil && t.Asked.Money != nil {
		c.Paid, c.Instead, c.Priced = *t.Sent.Money, *t.Asked.Money, true
	}
	return c
}

// managed is the part of an attempt about the request that the agent asked for.
type managed struct {
	In     string            `json:"in"`              // the context that keeps the originals
	Would  bool              `json:"would,omitempty"` // the recorder only observed, and sent the request as it came
	Shaped []string          `json:"shaped"`          // ids of the blocks with the originals, in the order of the request
	Bytes  int               `json:"bytes"`           // of the request that the agent asked for
	SHA256 string            `json:"sha256"`          // of its bytes; sum sets it
	Saved  int               `json:"saved"`           // bytes that the request as it came has more, also what the provider is asked to clear
	Gone   []removedThinking `json:"gone,omitempty"`  // thinking that is not sent
	Cut    int               `json:"cut,omitempty"`   // how many parts leave requests from this one on
	// Cleared is how many results the provider is asked to clear.
	Cleared int `json:"cleared,omitempty"`
	// Question is how many bytes behind the first brace ask the provider about its cache.
	Question int `json:"question,omitempty"`
	// Expects has the tokens that the provider should count, if anything goes by the policy.
	Expects *worth.Call `json:"expects,omitempty"`
	// Again is how many calls of the request asked again for what had been taken, Why the reason with which managing ended
	// at it.
	Again int    `json:"again,omitempty"`
	Why   string `json:"why,omitempty"`
}

// removedThinking is thinking that the agent asked to send.
type removedThinking struct {
	ID      string `json:"id"` // of the block that has it
	Message int    `json:"message"`
	At      int    `json:"at"` // its index in the message
}

// changes reports whether the body that is sent differs from the one that came.
func (m *managing) changes() bool {
	return m.kept != nil && len(m.kept.Shaped)+len(m.kept.Gone)+m.kept.Cleared > 0
}

// managing is a request on its way through a policy.
type managing struct {
	asked    []byte // the body as it came
	model    string // that the path names, "" for none
	compacts bool   // the provider is to compact the conversation
	hide     *hider
	kept     *managed // nil if the request goes out as it came

	question *manage.Request // nil if the body cannot be read
	sending  *manage.Sending
	ended    string             // why managing ends with the request, "" if it does not
	clears   *provider.Clearing // how the provider is asked to leave results out, nil if it is not asked
}

// sum completes the record of the request. No request waits for it.
func (m *managing) sum() *managed {
	if m.kept != nil && m.kept.SHA256 == "" {
		sum := sha256.Sum256(m.asked)
		m.kept.SHA256 = hex.EncodeToString(sum[:])
	}
	return m.kept
}

// originalsOf names the context with the originals of shaped results.
func originalsOf(name string) string { return name + "/originals" }

// manage gives a request the form that was decided, and decides about what is new in it. It returns the body to send:
// the one that came if no decision applies, and in doubt.
func (r *Recorder) manage(name provider.API, req *http.Request, body []byte) ([]byte, *http.Request, *managing) {
	hide := r.options.hider()
	path := req.URL.Path
	m := &managing{asked: body, model: provider.ModelInPath(path), compacts: provider.Compacts(path), hide: &hide}
	if !r.manages(req) {
		return body, req, m
	}
	m.hide.secretsOf(req)
	ctx := context.WithoutCancel(req.Context()) // a decision is kept even if the client stops waiting
	now := r.shape(ctx, name, body, m, time.Now().Add(patience))
	if !m.changes() {
		return body, req, m
	}
	r.count(func(s *Stats) { s.Managed.Saved += int64(m.kept.Saved) })
	req = withBody(req, now)
	if m.clears != nil {
		req.Header = m.clears.In(req.Header)
	}
	return now, req, m
}

// manages reports whether the form of a request depends on decisions. A compressed body is not read.
func (r *Recorder) manages(req *http.Request) bool {
	return encodingOf(req.Header) == "" && r.follows()
}

// follows reports whether the recorder gives requests the forms that were decided. One that does not manage follows an
// earlier one that did: what was once sent in another form is sent so again.
func (r *Recorder) follows() bool {
	if r.options.Manage {
		return r.entry != nil
	}
	select {
	case <-r.warm:
	case <-time.After(mostPatience):
		return false
	}
	return r.followed != nil
}

// observe returns the changes that manage would have made to a request.
func (r *Recorder) observe(ctx context.Context, k *storedRequest, body []byte, hide *hider) (*managed, *manage.Sending) {
	if r.entry == nil || r.options.Manage {
		return nil, nil
	}
	if <-r.warm; r.followed != nil {
		return nil, nil
	}
	m := &managing{asked: body, model: provider.ModelInPath(k.Path), compacts: provider.Compacts(k.Path), hide: hide}
	r.shape(ctx, k.API, body, m, time.Time{})
	if m.kept != nil {
		m.kept.Would = true
		r.count(func(s *Stats) { s.Managed.Saved += int64(m.kept.Saved) })
	}
	if m.question == nil {
		return m.sum(), nil
	}
	return m.sum(), m.question.AsAsked()
}

// withBody returns a request that sends another body.
func withBody(req *http.Request, body []byte) *http.Request {
	again := *req
	again.Body, again.ContentLength = readCloser{bytes.NewReader(body), req.Body}, int64(len(body))
	again.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return &again
}
