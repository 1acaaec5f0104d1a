package record

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/splice"
)

// patience is how long a request waits for decisions about what is new in it. Tests change it.
var patience = 10 * time.Millisecond

// Managed counts what a policy did to requests or, without Options.Manage, would have done.
type Managed struct {
	Shaped int    // results that a rule shaped before they were first sent
	Saved  int64  // bytes that the requests were shorter for it, each request counted
	Open   int    // requests with new results that went out as they came: no decision in time, or the store failed
	Ended  int    // requests after whose refusal managing ended for their conversation
	Why    string // the last reason of the two
}

// managed is what an attempt keeps of the request that the agent asked for.
type managed struct {
	In     string   `json:"in"`              // the context that keeps the originals
	Would  bool     `json:"would,omitempty"` // nothing was changed: it is what would have been sent
	Shaped []string `json:"shaped"`          // ids of the blocks with the originals, in the order of the request
	Bytes  int      `json:"bytes"`           // of the request that the agent asked for
	SHA256 string   `json:"sha256"`          // of its bytes
	Saved  int      `json:"saved"`           // bytes that are sent less, or would be
}

// managing is a request on its way through a policy.
type managing struct {
	asked   []byte // the body as it came
	hide    *hider
	results []sentResult // those that are sent in another form than they came
	kept    *managed     // nil if the request goes out as it came
}

// originalsOf names the context that keeps the originals of what a recorder shaped.
func originalsOf(name string) string { return name + "/originals" }

// manage shapes what is new in a request, and has what was sent before in another form sent in that
// form again. It returns the body to send: the one that came where nothing applies, and on any doubt.
func (r *Recorder) manage(name provider.API, req *http.Request, body []byte) ([]byte, *http.Request, *managing) {
	m := &managing{asked: body, hide: &hider{patterns: r.options.Redact}}
	if r.entry == nil || !r.options.Manage || req.Header.Get("Content-Encoding") != "" {
		return body, req, m
	}
	m.hide.secretsOf(req)
	ctx := context.WithoutCancel(req.Context()) // a decision is kept even if the client stops waiting
	now := r.shape(ctx, name, body, m, time.Now().Add(patience))
	if m.kept == nil {
		return body, req, m
	}
	r.count(func(s *Stats) { s.Managed.Saved += int64(m.kept.Saved) })
	return now, withBody(req, now), m
}

// observe says what manage would have done with a request.
func (r *Recorder) observe(ctx context.Context, name provider.API, body []byte, hide *hider) *managed {
	if r.entry == nil || r.options.Manage {
		return nil
	}
	m := &managing{asked: body, hide: hide}
	r.shape(ctx, name, body, m, time.Time{})
	if m.kept != nil {
		m.kept.Would = true
		r.count(func(s *Stats) { s.Managed.Saved += int64(m.kept.Saved) })
	}
	return m.kept
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
	key    string
	shaped *Shaped // nil if it is sent as it came
}

// said returns what the result says.
func (one *sentResult) said() (Result, canon.Any, error) {
	content, err := one.Content.Canon()
	return Result{Call: one.Call, Tool: one.Tool, Content: string(content.Value()), Failed: one.Failed}, content, err
}

// mostKeys bounds how many keys a recorder remembers.
const mostKeys = 1 << 17

// keyOfResult returns the key of a result. It remembers the keys of bytes that it has seen, because a request
// repeats nearly all results of the one before.
func (r *Recorder) keyOfResult(one *sentResult) (string, error) {
	hash := sha256.New()
	hash.Write([]byte(one.Call + "\n"))
	hash.Write(one.Content.Raw)
	raw := [sha256.Size]byte(hash.Sum(nil))
	r.mu.Lock()
	key, known := r.keys[raw]
	r.mu.Unlock()
	if known {
		return key, nil
	}
	said, _, err := one.said()
	if err != nil {
		return "", err
	}
	key = said.key()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys) >= mostKeys {
		clear(r.keys)
	}
	r.keys[raw] = key
	return key, nil
}

// shape writes the body in which all results have the form that was decided, and notes in m what it
// changed. New results are decided about until a time; without one, however long it takes.
func (r *Recorder) shape(ctx context.Context, name provider.API, body []byte, m *managing, until time.Time) []byte {
	root, ok := splice.Parse(body)
	if !ok {
		return body
	}
	results, fresh, err := r.sentResults(ctx, name, root)
	fresh = slices.DeleteFunc(fresh, func(i int) bool { // no secret enters the store
		_, content, err := results[i].said()
		_, hidden := m.hide.value(content)
		return err != nil || hidden > 0
	})
	if err == nil && len(fresh) > 0 {
		err = r.decide(ctx, results, fresh, until)
	}
	if err != nil {
		r.count(func(s *Stats) { s.Managed.Open++; s.Managed.Why = err.Error() })
	}
	var edits splice.Edits
	ids := []string{}
	for _, one := range results {
		if one.shaped == nil {
			continue
		}
		now, err := canon.ParseAny([]byte(one.shaped.Content))
		if err == nil && provider.Rewrite(&edits, one.Content, now) {
			m.results, ids = append(m.results, one), append(ids, one.shaped.ID)
		}
	}
	if len(ids) == 0 {
		return body
	}
	now := edits.Apply(body)
	sum := sha256.Sum256(body)
	m.kept = &managed{In: r.entry.name, Shaped: ids, Bytes: len(body), SHA256: hex.EncodeToString(sum[:]),
		Saved: len(body) - len(now)}
	return now
}

// sentResults returns the results of a request with what was decided about them, and the indexes of
// those that are new: no model saw them, and nothing was decided.
func (r *Recorder) sentResults(ctx context.Context, name provider.API, root splice.Value) (results []sentResult,
	fresh []int, err error) {
	times, ended := map[string]int{}, false
	for _, p := range provider.Results(name, root) {
		one := sentResult{PlacedResult: p}
		if one.key, err = r.keyOfResult(&one); err != nil {
			return nil, nil, err
		}
		times[one.key]++
		results = append(results, one)
	}
	for i := range results {
		one := &results[i]
		shaped, decided, err := r.entry.Known(ctx, one.key)
		if err != nil {
			return nil, nil, err
		}
		asItCame := r.sentRaw(one.key)
		ended = ended || r.entry.Ended(one.key)
		switch {
		case decided && !asItCame:
			one.shaped = shaped
		case !decided && !one.Fresh:
			r.noteRaw(one.key)
		case !decided && !asItCame && times[one.key] == 1:
			fresh = append(fresh, i)
		}
	}
	if ended || !provider.HasTools(root) { // the conversation is left alone; or it is a question beside the work
		return results, nil, nil
	}
	return results, fresh, nil
}

var errNotInTime = errors.New("what is new in the request was not decided in time")

// decide decides about what is new in a request. What is not decided by a time is sent as it comes, now
// and later.
func (r *Recorder) decide(ctx context.Context, results []sentResult, fresh []int, until time.Time) error {
	var said []Result
	var raw [][]byte
	for _, i := range fresh {
		one, _, err := results[i].said()
		if err != nil {
			return err
		}
		said, raw = append(said, one), append(raw, results[i].Content.Raw)
	}
	list, err := r.decideUntil(ctx, said, raw, until)
	if err != nil {
		for _, i := range fresh {
			r.noteRaw(results[i].key)
		}
		return err
	}
	for k, i := range fresh {
		switch s := list[k]; {
		case s == nil:
		case s.Refers == "" || s.Whole && wholeBefore(results[:i], s.Refers):
			results[i].shaped = s
			r.count(func(s *Stats) { s.Managed.Shaped++ })
		default:
			r.noteRaw(results[i].key)
			go r.leaveRaw(ctx, said[k:k+1], "the result that it repeats is not in the request")
		}
	}
	return nil
}

// decideUntil waits for decisions until a time; the zero time is no limit.
func (r *Recorder) decideUntil(ctx context.Context, said []Result, raw [][]byte, until time.Time) ([]*Shaped, error) {
	if until.IsZero() {
		return r.entry.Decide(ctx, said, raw)
	}
	type decided struct {
		list []*Shaped
		err  error
	}
	done, taken := make(chan decided, 1), make(chan bool, 1)
	go func() {
		list, err := r.entry.Decide(ctx, said, raw)
		done <- decided{list, err}
		if !<-taken {
			r.leaveRaw(ctx, said, errNotInTime.Error())
		}
	}()
	timer := time.NewTimer(max(0, time.Until(until)))
	defer timer.Stop()
	select {
	case d := <-done:
		taken <- true
		return d.list, d.err
	case <-timer.C:
		taken <- false
		return nil, errNotInTime
	}
}

// leaveRaw has results sent as they come from now on.
func (r *Recorder) leaveRaw(ctx context.Context, said []Result, why string) {
	if err := r.entry.Leave(ctx, said, why); err != nil {
		r.count(func(s *Stats) { s.Managed.Why = err.Error() })
	}
}

// wholeBefore reports whether the result of a call stands in a request as it came.
func wholeBefore(results []sentResult, call string) bool {
	return slices.ContainsFunc(results, func(one sentResult) bool { return one.Call == call && one.shaped == nil })
}

// sentRaw reports whether a result was sent as it came; noteRaw notes it.
func (r *Recorder) sentRaw(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.raw[key]
}

func (r *Recorder) noteRaw(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.raw[key] = true
}

// endManaging ends managing for the conversation of a request that the provider refused although it
// took the one that came.
func (r *Recorder) endManaging(ctx context.Context, m *managing, why string) {
	r.count(func(s *Stats) { s.Managed.Ended++; s.Managed.Why = why })
	var said []Result
	for i := range m.results {
		r.noteRaw(m.results[i].key)
		if one, _, err := m.results[i].said(); err == nil {
			said = append(said, one)
		}
	}
	r.leaveRaw(context.WithoutCancel(ctx), said, endedBecause+why)
}
