package record

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/splice"
	"github.com/contexttree/pact/internal/record/worth"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// Managed counts the changes that a policy made to requests or, without Options.Manage, would have made.
type Managed struct {
	Shaped  int    // results that a rule shaped before they were first sent
	Cut     int    // results, and thinking, that left requests in which they were sent before
	Batches int    // requests from which some of them were first left out
	Saved   int64  // bytes that the model read less, in all requests together
	Open    int    // requests without a decision in time, or whose store failed: what is new went as it came, what is due stayed
	Ended   int    // refused requests that ended managing for their conversation
	Why     string // the last reason of the two
}

// managed is the part of an attempt about the request that the agent asked for.
type managed struct {
	In     string   `json:"in"`              // the context that keeps the originals
	Would  bool     `json:"would,omitempty"` // the recorder only observed, and sent the request as it came
	Shaped []string `json:"shaped"`          // ids of the blocks with the originals, in the order of the request
	Bytes  int      `json:"bytes"`           // of the request that the agent asked for
	SHA256 string   `json:"sha256"`          // of its bytes; sum sets it
	Saved  int      `json:"saved"`           // bytes that the model reads less, or would
	Gone   []gone   `json:"gone,omitempty"`  // thinking that is not sent
	Cut    int      `json:"cut,omitempty"`   // how many parts leave requests from this one on
	// Cleared is how many results the provider is asked to clear.
	Cleared int `json:"cleared,omitempty"`
	// Question is how many bytes behind the first brace ask the provider about its cache.
	Question int `json:"question,omitempty"`
	// Expects has the tokens that the provider should count, if anything goes by the policy.
	Expects *worth.Call `json:"expects,omitempty"`
}

// gone is thinking that the agent asked to send.
type gone struct {
	ID      string `json:"id"` // of the block that has it
	Message int    `json:"message"`
	At      int    `json:"at"` // its index in the message
}

// managing is a request on its way through a policy.
type managing struct {
	asked   []byte // the body as it came
	model   string // that the path names, "" for none
	hide    *hider
	results []sentResult // those that are sent in another form than they came
	kept    *managed     // nil if the request goes out as it came

	question *question          // of the cutter, nil without one
	cut      int                // how many parts leave
	sending  *sending           // of its ledger
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

// manage shapes the new results of a request, and repeats earlier decisions about the others. It returns the body
// to send: the one that came if no decision applies, and in doubt.
func (r *Recorder) manage(name provider.API, req *http.Request, body []byte) ([]byte, *http.Request, *managing) {
	m := &managing{asked: body, model: provider.ModelInPath(req.URL.Path), hide: &hider{patterns: r.options.Redact}}
	if r.entry == nil || !r.options.Manage || encodingOf(req.Header) != "" {
		return body, req, m
	}
	m.hide.secretsOf(req)
	ctx := context.WithoutCancel(req.Context()) // a decision is kept even if the client stops waiting
	now := r.shape(ctx, name, body, m, time.Now().Add(patience))
	if m.kept == nil {
		return body, req, m
	}
	r.count(func(s *Stats) { s.Managed.Saved += int64(m.kept.Saved) })
	req = withBody(req, now)
	if m.clears != nil {
		req.Header = m.clears.In(req.Header)
	}
	return now, req, m
}

// mostObserved is how many bytes of originals a recorder that only observes has in memory at most.
const mostObserved = 64 << 20

// observe returns the changes that manage would have made to a request.
func (r *Recorder) observe(ctx context.Context, k *kept, body []byte, hide *hider) (*managed, *sending) {
	if r.entry == nil || r.options.Manage {
		return nil, nil
	}
	if r.observed > mostObserved { // forget the decisions: those results go as they came from now on
		r.entry, r.observed = NewEntry(pact.NewDB(store.NewMemory()), r.entry.name, r.options.Policy, r.openOptions()), 0
	}
	m := &managing{asked: body, model: provider.ModelInPath(k.Path), hide: hide}
	r.shape(ctx, k.API, body, m, time.Time{})
	if m.kept != nil {
		m.kept.Would = true
		r.count(func(s *Stats) { s.Managed.Saved += int64(m.kept.Saved) })
	}
	if m.question == nil {
		return m.sum(), nil
	}
	return m.sum(), m.question.asAsked()
}

// withBody returns a request that sends another body.
func withBody(req *http.Request, body []byte) *http.Request {
	again := *req
	again.Body, again.ContentLength = readCloser{bytes.NewReader(body), req.Body}, int64(len(body))
	again.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return &again
}

// sentResult is a result in a request.
type sentResult struct {
	provider.PlacedResult
	key     string
	doubt   bool    // the request has the same one twice
	shaped  *Shaped // nil if it is sent as it came
	cleared bool    // the provider is asked to leave it out
}

// asResult returns the result as an Entry takes it, and its content.
func (one *sentResult) asResult() (Result, canon.Any, error) {
	content, err := one.Content.Canon()
	return Result{Call: one.Call, Tool: one.Tool, Content: string(content.Value()), Failed: one.Failed}, content, err
}

// shape writes the body with all results in their decided form, and notes the changes in m. It waits for decisions
// about new results until a time; for the zero time, however long they take.
func (r *Recorder) shape(ctx context.Context, name provider.API, body []byte, m *managing, until time.Time) []byte {
	read, ok := r.memory.read(name, m.model, body)
	if !ok {
		return body
	}
	results, fresh, alone, err := r.sentResults(ctx, read)
	if r.staysUncached(read, results, fresh) {
		for _, i := range fresh {
			r.noteRaw(results[i].key)
		}
		fresh = nil
	}
	fresh = slices.DeleteFunc(fresh, func(i int) bool { // no secret enters the store
		_, content, err := results[i].asResult()
		_, hidden := m.hide.value(content)
		return err != nil || hidden > 0
	})
	if len(fresh) > 0 {
		err = errors.Join(err, r.decide(ctx, results, fresh, until))
	}
	withoutBadReferences(results)
	for _, i := range fresh {
		if results[i].shaped != nil {
			r.count(func(s *Stats) { s.Managed.Shaped++; r.observed += len(results[i].Content.Raw) })
		}
	}
	stays := r.cut(ctx, read, results, m, alone, until)
	if err = cmp.Or(err, stays); err != nil {
		r.count(func(s *Stats) { s.Managed.Open++; s.Managed.Why = err.Error() })
	}
	var edits splice.Edits
	kept := &managed{In: r.entry.name, Shaped: []string{}, Bytes: len(body), Cut: m.cut}
	for _, one := range results {
		if one.cleared {
			kept.Saved += len(one.Content.Raw) - len(provider.Cleared)
		}
		if one.cleared || one.shaped != nil {
			m.results = append(m.results, one)
		}
		if one.shaped == nil {
			continue
		}
		if one.shaped.cut {
			provider.LeaveNote(&edits, one.Content, one.shaped.Content)
		} else if !provider.Rewrite(&edits, one.Content, canon.Value(one.shaped.Content)) {
			continue
		}
		kept.Shaped = append(kept.Shaped, one.shaped.ID)
	}
	if m.question != nil {
		if keep := m.question.clearing(nil); keep != nil && keep.uses > 0 {
			m.clears, kept.Cleared = m.question.clears, keep.uses
			m.clears.Ask(&edits, read.root, keep.stay)
		}
		for i := range m.question.parts {
			if p := &m.question.parts[i]; p.gone() {
				edits.Remove(p.place.List, p.place.At)
				kept.Gone = append(kept.Gone, gone{p.taken.ID, p.place.Of, p.place.At})
			}
		}
	}
	if len(kept.Shaped)+len(kept.Gone)+kept.Cleared == 0 {
		return body
	}
	now := edits.Apply(body)
	if m.question != nil {
		kept.Expects = &m.sending.expects
	}
	kept.Saved += len(body) - len(now)
	m.kept = kept
	return now
}

// staysUncached reports whether a request may become too short for the provider to cache it if its new results are
// sent shorter: then later requests would cost more than as they come. It counts six bytes a token, because names
// and brackets in the body are hardly any.
func (r *Recorder) staysUncached(body *reading, results []sentResult, fresh []int) bool {
	if when := r.options.Policy.When; when != lifecycle.WhenPays && when != "" {
		return false
	}
	rest := len(body.root.Raw)
	for _, i := range fresh {
		rest -= len(results[i].Content.Raw)
	}
	return int64(rest) < 6*provider.CacheRulesOf(body.name).LeastTokens(body.model)
}

// sentResults returns the results of a request with the decisions about them, and the indexes of the new ones: no
// model saw these, and no decision is made. An unreadable result goes out as it came, and so does, now and later,
// a result about which the store fails; then err says why. alone says that managing ended for the conversation.
func (r *Recorder) sentResults(ctx context.Context, body *reading) (results []sentResult, fresh []int, alone bool,
	err error) {
	times := map[string]int{}
	for _, p := range provider.Results(body.name, body.root, r.together) {
		one := sentResult{PlacedResult: p}
		if key, bad := r.memory.keyOf(body, &one); bad == nil {
			one.key = key
			times[key]++
			results = append(results, one)
		}
	}
	if len(results) == 0 {
		return nil, nil, false, nil
	}
	err = twice(func() error { return r.entry.ready(ctx) })
	var unknown []int
	for i := range results {
		results[i].doubt = times[results[i].key] > 1
		known, bad := r.decided(ctx, &results[i])
		switch {
		case known || r.sentRaw(results[i].key):
		case err != nil || bad != nil:
			err = errors.Join(err, bad)
			r.noteRaw(results[i].key)
		case !results[i].Fresh:
			unknown = append(unknown, i)
		case !results[i].doubt && results[i].Content.Kind != canon.KindObject: // no rule shapes an object
			fresh = append(fresh, i)
		}
	}
	if len(unknown) > 0 { // another process may have sent them
		err = errors.Join(err, twice(func() error { return r.entry.refresh(ctx) }))
	}
	for _, i := range unknown {
		if known, bad := r.decided(ctx, &results[i]); !known {
			err = errors.Join(err, bad)
			r.noteRaw(results[i].key)
		}
	}
	for i := range results {
		alone = alone || r.entry.hasEnded(results[i].key)
	}
	if alone || !provider.HasTools(body.root) { // it is a question beside the work
		return results, nil, alone, err
	}
	return results, fresh, false, err
}

// decided takes over the decision about a result, unless the result was sent as it came, and reports whether there
// is one.
func (r *Recorder) decided(ctx context.Context, one *sentResult) (known bool, err error) {
	var s *Shaped
	err = twice(func() (err error) { s, known, err = r.entry.known(ctx, one.key); return err })
	if known && !r.sentRaw(one.key) {
		one.shaped = s
	}
	return known, err
}

// twice repeats a call that fails once.
func twice(f func() error) error {
	if f() == nil {
		return nil
	}
	return f()
}

// withoutBadReferences sends a result as it came if its reference does not lead to the result that it repeats.
// That result must stand before it, as it came, and no other may have its call. The check depends on nothing but
// the results before, so the requests of a conversation agree about it.
func withoutBadReferences(results []sentResult) {
	before := map[string]*sentResult{} // by call, nil where two have it
	for i := range results {
		one := &results[i]
		if s := one.shaped; s != nil && s.Refers != "" {
			of := before[s.Refers]
			if !s.Whole || of == nil || of.key != s.refersKey || of.shaped != nil {
				one.shaped = nil
			}
		}
		if _, again := before[one.Call]; again {
			before[one.Call] = nil
		} else {
			before[one.Call] = one
		}
	}
}
