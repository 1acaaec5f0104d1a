package record

import (
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/wire"
	"github.com/contexttree/pact/lifecycle"
)

// Options says how calls are recorded.
type Options struct {
	// Context names the context to record to; "" for "recorded". Calls of
	// another conversation go to contexts named after it: chat, chat-2, chat-3.
	// A context with such a name must have been made by a recorder.
	Context string
	// Actor names who makes the calls, for the log.
	Actor string
	// Clock returns the time in nanoseconds since the epoch; nil for the
	// system's clock.
	Clock func() int64
	// Strict makes a call wait until it is recorded, and fail if it cannot be
	// recorded. By default recording neither delays a call nor makes it fail.
	Strict bool
	// Redact lists patterns. The recorder replaces what they match in strings
	// of bodies and answers by [redacted] before it stores anything.
	Redact []*regexp.Regexp
	// RedactSecrets replaces the keys, tokens and private keys of the forms that docs/redaction.md lists, too.
	RedactSecrets bool
	// Zstd decompresses bodies that a client compressed with Zstandard; the
	// standard library has no reader for it. With nil the recorder counts such
	// bodies as unread.
	Zstd func(io.Reader) (io.ReadCloser, error)
	// OnEnd is told of each recorded call when its answer is over, one call after the other. What
	// it waits for, recording waits for too. With Strict, so does the call.
	OnEnd func(Ended)
	// Diagnose asks providers why they did not read all of their cache:
	// Anthropic with the field diagnostics, OpenAI's Responses from GPT-5.6 on
	// with prompt_cache_options.comparison_response_id. The recorder adds no
	// other field to a request, and never replaces the client's own. To answer,
	// the provider keeps hashes of the requests; a server that does not know
	// the field may refuse the request. The recorder compares a call with the
	// last call whose answer it has recorded by then.
	Diagnose bool
	// Policy says which results of tools are shaped before they are first sent (its rules with head,
	// tail or once), and what leaves requests later (ttl, limits) and when; nil for none. A recorder
	// only observes: it keeps with each attempt what would have been sent less. With Manage it sends
	// requests so. A result that leaves has a note in its place; thinking goes; all else stays. What
	// was once sent in another form is sent in that form in every later request, also by a later
	// recorder, in forks and by sub-agents. A request goes out as it came where deciding takes more
	// than 100 milliseconds or the store 5 seconds, the store fails, or in doubt. If the provider
	// refuses a managed request with the status 400 or 422, it is sent again as it came, and if the provider
	// takes that, managing ends for its conversation. The originals are in the context named after
	// Context with /originals. With Manage, and a policy that is no policy, each call fails with the
	// error of the policy, before anything is sent.
	Policy *lifecycle.Policy
	Manage bool
	// Prices say when it pays that something leaves requests; nil if only tokens count.
	Prices *Prices
}

// Stats counts what a recorder did.
type Stats struct {
	Calls       int   // recorded calls
	KeptRaw     int   // calls whose body is stored whole, because value and notes cannot restore it
	Unread      int   // requests to one of the APIs that are not such a request, or are compressed in an unknown way
	NotRecorded int   // calls that were not recorded: the queue was full, or the store failed
	LastError   error // why the last of these was not
	Redacted    int   // places in requests and answers where [redacted] stands for a credential or for what Redact matches
	// Manages says that the policy changes requests: a rule shapes results before they are first sent, or has parts
	// leave later requests.
	Manages bool
	Managed Managed
}

// Recorder records calls. It is safe for concurrent use.
type Recorder struct {
	store   *pact.DB
	options Options
	source  map[string]any // the attribute wire:source of new contexts, nil for none
	begun   map[string]any // the attribute wire:begun-by of new contexts that no recorded call began, nil for none
	queue   *queue

	mu       sync.Mutex
	stats    Stats
	previous map[conversationKey]string // id of the last answer of each conversation
	underWay []*call                    // in the order in which they began
	closed   bool
	tools    map[[sha256.Size]byte]bool // by the first part of a conversation, whether a request of it offered tools
	issued   map[string]int             // the number of the answer that had a call, by the call's id
	answers  int

	mostBody  int            // bytes of a request that is recorded: wire.MaxBody, less for a test
	badPolicy error          // why no request can be managed by the policy, nil if each can
	memory    *manage.Memory // of the bodies that it manages
	entry     *decisions     // nil if no policy changes requests
	rules     *manage.Rules  // of the policy, nil with entry
	ledger    *manage.Ledger // nil with entry
	warm      chan struct{}  // closed when entry and followed are at hand
	followed  *decisions     // of an earlier recorder that managed; nil for none, and if this one manages
	late      sync.WaitGroup // decisions under way, some of which no request waits for any more

	// Only the queue's goroutine uses these.
	recordings recordingIndex
	unbegun    []unbegun // of earlier imports, in the order in which they were made
	whole      bool      // all contexts of earlier recorders are opened when the first is
	at         int64     // when what is being recorded happened, in nanoseconds
}

// New returns a recorder that writes to a store.
func New(s *pact.DB, o Options) *Recorder {
	if o.Context == "" {
		o.Context = "recorded"
	}
	r := &Recorder{store: s, options: o, queue: newQueue(), previous: map[conversationKey]string{}, recordings: newRecordingIndex(),
		tools: map[[sha256.Size]byte]bool{}, issued: map[string]int{}, memory: manage.NewMemory(), warm: make(chan struct{}),
		mostBody: wire.MaxBody}
	if o.Policy != nil {
		rules, err := manage.Compile(o.Policy)
		if r.badPolicy = err; err == nil && rules.Change() {
			r.rules, r.ledger, r.stats.Manages = rules, manage.NewLedger(o.Prices.priceOf), true
			r.entry = newDecisions(nil, originalsOf(o.Context), r.openOptions()) // one that only observes keeps no decision
		}
	}
	if r.entry != nil && o.Manage {
		r.entry.store = s
	}
	go func() {
		defer close(r.warm)
		r.resume(context.Background())
	}()
	return r
}

// resume takes up what an earlier recorder left.
func (r *Recorder) resume(ctx context.Context) {
	if r.options.Manage {
		if r.entry == nil {
			return
		}
		_ = r.entry.ready(ctx) // the first request asks again
		if at, err := lastCall(ctx, r.store, r.options.Context); err == nil {
			r.ledger.Begins(at) // else the ledger assumes that all was just sent
		}
		r.entry.io.Lock()
		defer r.entry.io.Unlock()
		_ = r.entry.load(ctx, true)
		return
	}
	if _, err := r.store.Find(ctx, originalsOf(r.options.Context)); err != nil {
		return
	}
	e := newDecisions(r.store, originalsOf(r.options.Context), r.openOptions())
	if err := retryOnce(func() error { return e.ready(ctx) }); err == nil && !e.list.Empty() {
		r.followed = e
		r.count(func(s *Stats) { s.Managed.Follows = true })
	}
}

// Stats returns the counts so far.
func (r *Recorder) Stats() Stats {
	r.mu.Lock()
	s := r.stats
	r.mu.Unlock()
	if r.ledger != nil {
		s.Managed.Computed = computedOf(r.ledger.Total())
	}
	return s
}

// Contexts returns the names of the contexts that calls were recorded to, in
// the order of their creation. Call it after Close.
func (r *Recorder) Contexts() []string {
	var names []string
	for _, l := range r.recordings.list {
		if l.used {
			names = append(names, l.name)
		}
	}
	return names
}

// MainContext returns the name of the context with the work: of those that calls were recorded to,
// leaving out questions aside, the one with the longest thread; "" without any. Call it after
// Close.
func (r *Recorder) MainContext() string {
	name, most := "", int64(-1)
	for _, l := range r.recordings.list {
		if l.used && l.thread > most && AsideOf(l.name) == "" {
			name, most = l.name, l.thread
		}
	}
	return name
}

func (r *Recorder) count(f func(*Stats)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.stats)
}

func (r *Recorder) notRecorded(err error) {
	r.count(func(s *Stats) { s.NotRecorded, s.LastError = s.NotRecorded+1, err })
}

// keptHeaders are the headers that change what a request means.
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

func (r *Recorder) openOptions() pact.OpenOptions {
	return pact.OpenOptions{Actor: r.options.Actor, Clock: r.options.Clock}
}

// recordingOptions are those of the contexts of recordings, whose changes happened when the call began or ended.
func (r *Recorder) recordingOptions() pact.OpenOptions {
	return pact.OpenOptions{Actor: r.options.Actor, Clock: func() int64 { return r.at }}
}

// now reads the clock. The system's is monotonic: its times tell how long a call took, even if somebody sets the clock
// meanwhile.
func (r *Recorder) now() time.Time {
	if r.options.Clock == nil {
		return time.Now()
	}
	return time.Unix(0, r.options.Clock())
}
