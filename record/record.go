// Package record records the calls of a provider off the wire: what is sent to
// any of four APIs becomes a context, one cycle a call, and what is answered the
// beginning of the next cycle. It needs no SDK and takes one line:
//
//	rec := record.To(store, record.Options{Context: "chat"})
//	defer rec.Close()
//	openai.NewClient(option.WithMiddleware(rec.Middleware))
//	anthropic.NewClient(option.WithMiddleware(rec.Middleware))
//	&http.Client{Transport: rec.Transport(nil)} // for everything else
//
// Each request is an attempt, a retry another one. Its tools are blocks of kind
// tool at the front of ^sys, its system prompt follows there, its messages are
// blocks of turns; model, parameters and how the body was written are kept with
// the attempt, so that [Request] gives the body back byte for byte. What goes on
// from call to call keeps its id; docs/wire.md says how.
//
// Never kept are headers but those that name a version or a beta of an API, and
// queries of URLs: so no keys, cookies or signatures.
package record

import (
	"context"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// Options says how calls are recorded.
type Options struct {
	// Context is the name of the context to record to; "" for "recorded". Calls that
	// belong to another conversation go to contexts of their own, named after it:
	// chat, chat-2, chat-3. A context of that name must have been made by a recorder.
	Context string
	// Actor names who makes the calls, for the log.
	Actor string
	// Clock gives the time in nanoseconds since the epoch; nil for that of the system.
	Clock func() int64
	// Strict makes a call wait until it is recorded, and fail where it cannot be. By
	// default no call waits or fails for being recorded.
	Strict bool
	// Redact are patterns: what they match in strings of a body or an answer is
	// replaced by [redacted] before it is kept.
	Redact []*regexp.Regexp
	// Zstd reads bodies that a client compressed with Zstandard, for which the standard
	// library has no reader. With nil such bodies are counted as unread.
	Zstd func(io.Reader) (io.ReadCloser, error)
	// Diagnose asks providers why they did not read all of their cache: Anthropic with
	// the field diagnostics, OpenAI's Responses from GPT-5.6 on with
	// prompt_cache_options.comparison_response_id. It is the only field that a recorder
	// adds to a request, and never in place of the client's own. The provider keeps hashes
	// of the requests for it; a server that does not know the field may refuse it. A
	// call is compared with the last one whose answer was recorded when it is sent.
	Diagnose bool
}

// Stats counts what a recorder did.
type Stats struct {
	Calls     int   // that were recorded
	KeptRaw   int   // of Calls, whose body no value and notes give back
	Unread    int   // requests to one of the APIs that are not such a request, or are compressed in an unknown way
	Lost      int   // that were not recorded: the queue was full, or the store failed
	LastError error // why the last of Lost was lost
}

// Recorder records calls. It is safe for concurrent use.
type Recorder struct {
	store   store.Store
	options Options
	queue   *queue

	mu       sync.Mutex
	stats    Stats
	previous map[asked]string // the last answers of conversations, by their ids

	// Of the queue's goroutine.
	lines []*line          // in the order in which they began
	last  map[string]*line // that a group sent a request on, by the id of the group
}

// To returns a recorder to a store.
func To(s store.Store, o Options) *Recorder {
	if o.Context == "" {
		o.Context = "recorded"
	}
	if o.Clock == nil {
		o.Clock = func() int64 { return time.Now().UnixNano() }
	}
	return &Recorder{store: s, options: o, queue: newQueue(), previous: map[asked]string{}, last: map[string]*line{}}
}

// Close waits until everything is recorded that has come so far, and ends the
// recorder. What comes later passes and is counted as lost.
func (r *Recorder) Close() { r.queue.close() }

// Stats returns what was counted so far.
func (r *Recorder) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// Contexts returns the names of the contexts that calls were recorded to, in the
// order in which they began. It is for after Close.
func (r *Recorder) Contexts() []string {
	var names []string
	for _, l := range r.lines {
		if l.used {
			names = append(names, l.name)
		}
	}
	return names
}

func (r *Recorder) count(f func(*Stats)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.stats)
}

func (r *Recorder) lost(err error) {
	r.count(func(s *Stats) { s.Lost, s.LastError = s.Lost+1, err })
}

// kept headers change what a request means.
var keptHeaders = []string{"Anthropic-Version", "Anthropic-Beta", "Openai-Beta"}

func headersOf(h http.Header) map[string]string {
	kept := map[string]string{}
	for _, name := range keptHeaders {
		if values := h.Values(name); len(values) > 0 {
			kept[name] = strings.Join(values, ",")
		}
	}
	return kept
}

// lineFor returns the line that a request goes on with, which may begin with it.
// Another recorder may take its name meanwhile.
func (r *Recorder) lineFor(ctx context.Context, q *request) (*line, string, error) {
	for first := len(r.lines) == 0; ; first = true {
		if first {
			if err := r.openLines(ctx); err != nil {
				return nil, "", err
			}
		}
		c, err := r.choose(ctx, q)
		if err != nil {
			return nil, "", err
		}
		l, err := r.take(ctx, &c, q)
		if errors.Is(err, fault.Conflict) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		l.group, l.previous, l.used = q.group, q.previous, true
		r.last[q.group.id] = l
		return l, "grouped by " + q.group.by + "; " + c.why, nil
	}
}

// take returns the line that was chosen. E_CONFLICT where another recorder took
// the name of a new one.
func (r *Recorder) take(ctx context.Context, c *choice, q *request) (*line, error) {
	if c.line != nil && !c.fork {
		return c.line, nil
	}
	var l *line
	err := errors.ErrUnsupported
	if c.fork && c.cycle > 0 {
		l, err = c.line.forked(ctx, r.nextName(), c.cycle, c.why)
	}
	if errors.Is(err, errors.ErrUnsupported) { // by the store, or as no snapshot has what the two share
		l, err = newLine(ctx, r.store, r.nextName(), r.openOptions(), q.group, c.begun)
	}
	if err != nil {
		return nil, err
	}
	if c.aside {
		l.beside = c.line
	}
	r.lines = append(r.lines, l)
	return l, nil
}

// openLines opens what other recorders left, up to a name that is free.
func (r *Recorder) openLines(ctx context.Context) error {
	for {
		name := r.nextName()
		if _, err := r.store.Find(ctx, name); err != nil {
			if errors.Is(err, fault.ContextNotFound) {
				return nil
			}
			return err
		}
		l, err := openLine(ctx, r.store, name, r.openOptions())
		if err != nil {
			return err
		}
		r.lines = append(r.lines, l)
	}
}

// nextName is the name of the next line.
func (r *Recorder) nextName() string {
	if len(r.lines) == 0 {
		return r.options.Context
	}
	return r.options.Context + "-" + strconv.Itoa(len(r.lines)+1)
}

func (r *Recorder) openOptions() pact.OpenOptions {
	return pact.OpenOptions{Actor: r.options.Actor, Clock: r.options.Clock}
}
