package record

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/provider"
)

// call is a request whose answer has not been recorded yet.
type call struct {
	recorder *Recorder
	api      provider.API
	ctx      context.Context // that of the request
	hide     hider
	attempt  *attempt        // nil if the call is not recorded; only the queue's goroutine uses it
	lost     bool            // the queue had no room for it
	failed   bool            // a job of it failed; only the queue's goroutine uses it, and recorded
	recorded bool            // it counts as recorded
	provider string          // host of the request
	model    string          // that the request asks for
	asked    conversationKey // the conversation of the call, if the recorder asks the provider about its cache

	logged  canon.Any // the attributes that the log has of a past call, absent otherwise
	started time.Time
	sending *manage.Sending // of the ledger, nil without one

	// Until the call is over, the client's reading and Close change these, under the lock.
	mu       sync.Mutex
	first    time.Time // when the first byte of the answer came
	finished time.Time // when the answer was over
	status   int
	header   http.Header
	body     answerCopy // the answer, as far as it came
	watch    *provider.Watch
	over     bool
}

func (c *call) now() time.Time { return c.recorder.now() }

// do runs one recording job of a call; ends says that it is the last one. With Strict it waits for the job and returns
// its error; otherwise it queues the job and counts a failure. A call counts once: as recorded, or as lost if one of its
// jobs failed or found no room. After a call is lost, do skips its later jobs.
func (c *call) do(size int, ends bool, run func() error) error {
	r := c.recorder
	if c.lost {
		return nil
	}
	j := job{size: size, ends: ends, run: func() error {
		err := try(run)
		if err != nil && !c.failed {
			c.failed = true
			r.notRecorded(err)
			if c.recorded {
				r.count(func(s *Stats) { s.Calls-- })
			}
		}
		return err
	}}
	if r.options.Strict {
		j.done = make(chan error, 1)
	}
	err := r.queue.put(j)
	switch {
	case err != nil:
		c.lost = true
		r.notRecorded(err)
	case j.done != nil:
		err = <-j.done
	}
	if !r.options.Strict {
		return nil
	}
	return err
}

// newCall returns a call that the client is about to make, and the record of its request.
func (r *Recorder) newCall(name provider.API, req *http.Request, of conversationKey, m *managing) (*call, *storedRequest) {
	c := &call{recorder: r, api: name, ctx: req.Context(), hide: r.options.hider(), asked: of,
		sending: m.sending}
	c.hide.secretsOf(req)
	c.started = c.now()
	c.provider = req.URL.Host
	return c, &storedRequest{API: name, Path: req.URL.Path, Headers: headersOf(req.Header), Encoding: encodingOf(req.Header)}
}

// recordRequest records the request of the call, whose body has come. failed says why it did not.
func (c *call) recordRequest(k *storedRequest, header http.Header, body []byte, m *managing, failed error) error {
	r := c.recorder
	c.mu.Lock() // the end of the call waits for its beginning
	defer c.mu.Unlock()
	if failed == nil && !r.beginCall(c) {
		failed = errClosed
	}
	if failed != nil {
		c.lost = true
		r.notRecorded(failed)
		if r.options.Strict {
			return failed
		}
		return nil
	}
	err := c.do(len(body)+len(m.asked), false, func() error {
		k.Managed = m.sum()
		return c.start(k, header, body)
	})
	if err != nil || c.lost {
		r.endCall(c)
	}
	return err
}

// start makes the context hold the request, and records the attempt.
func (c *call) start(k *storedRequest, header http.Header, body []byte) error {
	q, err := c.read(k, header, body)
	if q == nil || err != nil {
		return err
	}
	return c.record(context.WithoutCancel(c.ctx), k, q) // even if the client stops waiting for the answer
}

// read reads the body of a request, and completes the record of it; nil if it is none.
func (c *call) read(k *storedRequest, header http.Header, body []byte) (*request, error) {
	ctx := context.WithoutCancel(c.ctx)
	body, ok, err := c.recorder.decompressed(body, k.Encoding)
	if err != nil {
		return nil, err
	}
	if !ok {
		c.recorder.count(func(s *Stats) { s.Unread++ })
		return nil, nil
	}
	if !c.recorder.options.Manage && k.Encoding == "" { // managing does not read a compressed body either
		k.Managed, c.sending = c.recorder.observe(ctx, k, body, &c.hide)
	}
	read, redacted, err := c.hide.body(body)
	if err != nil {
		return nil, err
	}
	request, ok := provider.ReadRequest(c.api, read.Value)
	if !ok {
		c.recorder.count(func(s *Stats) { s.Unread++ })
		return nil, nil
	}
	if redacted > 0 {
		if body, err = read.Bytes(); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(body) // a body without secrets is the one that was read
	k.SHA256, k.Redacted, k.Notes = hex.EncodeToString(sum[:]), redacted, read.Notes
	g, err := c.recorder.groupOf(ctx, header)
	if err != nil {
		return nil, err
	}
	q := requestOf(request, g)
	q.compacts, q.whole = provider.Compacts(k.Path), read.Value
	return q, nil
}

// record makes a context hold a request, and records the attempt.
func (c *call) record(ctx context.Context, k *storedRequest, q *request) error {
	c.recorder.count(func(s *Stats) { s.Redacted += k.Redacted })
	c.recorder.at = c.started.UnixNano()
	c.model = cmp.Or(q.of.Model, provider.ModelInPath(k.Path), "unknown")
	a, err := c.recorder.begin(ctx, pact.ProviderCall{
		Provider: c.provider, Model: c.model,
		Params: canon.Object(canon.Member{Name: "headers", Value: headerValues(k.Headers)},
			canon.Member{Name: "parameters", Value: q.of.Parameters}),
	}, k, q)
	if err != nil {
		return err
	}
	c.attempt = a
	if err = c.recorder.recordings.update(ctx, a.recording); err != nil {
		return err
	}
	c.recorded = true
	c.recorder.count(func(s *Stats) {
		s.Calls++
		if k.Notes.Raw != nil {
			s.KeptRaw++
		}
	})
	return nil
}

// requestOf turns a request into blocks that choose can compare with the recordings. g is the group that the
// headers name, if any.
func requestOf(r *provider.Request, g group) *request {
	q := &request{of: r, group: g, conversation: make([]block, 0, len(r.Parts))}
	var keys keyer
	for i := range r.Parts {
		to := &q.conversation
		if r.Parts[i].Section != provider.Conversation {
			to = &q.system
		}
		*to = append(*to, blockOf(&r.Parts[i], &keys))
	}
	if g.id == "" {
		q.group = groupOfBody(r, q.system)
	}
	previous, _ := r.Parameters.Get("previous_response_id")
	if r.API == provider.Responses && previous.Kind == canon.KindString {
		q.previous = previous.Text
	}
	q.compaction, q.oneToken = asksForSummary(r), asksOneToken(r)
	return q
}

// asksForSummary reports whether a request says that it asks for the summary of its conversation: Codex in
// JSON that stands in a text of the metadata, Claude Code with the words of its last text.
func asksForSummary(r *provider.Request) bool {
	if n := len(r.Parts); n > 0 && strings.Contains(r.Parts[n-1].Content.Text,
		"an <analysis> block followed by a <summary> block") {
		return true
	}
	metadata, _ := r.Parameters.Get("client_metadata")
	turn, _ := metadata.Get("x-codex-turn-metadata")
	var says struct {
		Kind string `json:"request_kind"`
	}
	return turn.Kind == canon.KindString && json.Unmarshal([]byte(turn.Text), &says) == nil && says.Kind == "compaction"
}

func headerValues(headers map[string]string) canon.Any {
	var members []canon.Member
	for name, value := range headers {
		members = append(members, canon.Member{Name: name, Value: canon.Text(value)})
	}
	return canon.Object(members...)
}

// answer assembles an answer and records it. cut says why body is only its beginning, "" if it is all of it; gaveUp
// that the client did not wait for the rest.
func (c *call) answer(body io.Reader, cut string, broken error, gaveUp bool) error {
	assembler := provider.NewAssembler(c.api, c.status, c.header)
	if _, err := io.Copy(assembler, body); err != nil { // of the file, because an Assembler accepts every byte
		cut = err.Error()
	}
	if cut != "" {
		assembler.Fail(cut)
	}
	a := assembler.Close(broken)
	c.recorder.noteAnswer(c.asked, a.ID)
	c.recorder.noteIssued(c.api, &a)
	c.recorder.noteCount(c.sending, &a)
	o := pact.Outcome{Status: history.Completed, TokenIn: a.Usage.In, TokenOut: a.Usage.Out}
	if a.Failure != "" {
		o.Status, o.Err = history.Failed, c.hide.err(errors.New(a.Failure))
	}
	if a.BrokeOff && gaveUp {
		o.Status = history.Canceled
	}
	content, redacted := c.hide.value(a.Content)
	c.recorder.count(func(s *Stats) { s.Redacted += redacted })
	return c.finish(o, content, c.withLogged(c.about(&a)), &a)
}

// withLogged adds the attributes that the log has of a past call.
func (c *call) withLogged(about canon.Any) canon.Any {
	if c.logged.Kind == canon.KindAbsent {
		return about
	}
	hidden, _ := c.hide.value(c.logged)
	return about.With("logged", hidden)
}

func (c *call) finish(o pact.Outcome, content, about canon.Any, a *provider.Answer) error {
	if c.attempt == nil {
		return nil
	}
	c.reportEnd(o.Status, a)
	ctx, l := context.WithoutCancel(c.ctx), c.attempt.recording
	c.recorder.at = c.started.UnixNano() + c.finished.Sub(c.started).Nanoseconds()
	err := c.attempt.end(ctx, o, content, about, c.api)
	if err == nil && c.attempt.compacts {
		c.recorder.recordings.compacted(l, provider.AnswerParts(c.api, content))
	}
	l.underWay--
	return errors.Join(err, c.recorder.recordings.update(ctx, l))
}
