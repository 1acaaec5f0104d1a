package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"

	"github.com/danielgtaylor/huma/v2"
	"go.opentelemetry.io/otel/trace"
)

// Limits of one handler.
const (
	MaxHeader   = 64 << 10         // bytes of all headers of a request; for http.Server.MaxHeaderBytes
	MaxBody     = 8 << 20          // bytes of the body of a request, except of an import
	MaxOpenBody = 4 << 10          // bytes of the body of a request that needs no token
	MaxImport   = 256 << 20        // bytes of the body of an import
	MaxRequests = 64               // requests that are answered at once, event streams not counted
	MaxImports  = 2                // of these, imports; others wait
	MaxMemory   = 256 << 20        // bytes that all requests hold at once, unless the options say otherwise
	MaxStreams  = 32               // event streams that are open at once
	MaxShare    = 8                // of these, those of one named token
	MaxVisits   = 20_000_000       // nodes that the selectors of a request may visit
	MaxReads    = 10_000           // snapshots that they may ask
	bodyTime    = time.Minute      // to receive a body
	openTime    = 5 * time.Second  // to receive a body without a token
	importTime  = 10 * time.Minute // to receive the body of an import
	importWait  = 30 * time.Second // for an import to wait for those before it
	writeTime   = 30 * time.Second // for a client to take one piece of an answer
	answerTime  = time.Minute      // to answer a request, except import, export and events
)

// limits are those limits that a test cannot reach: visits, reads, and how long a client may
// take.
type limits struct {
	visits, reads           int64
	body, open, write, wait time.Duration
}

// Options says who may use a handler, and how.
type Options struct {
	// Token opens everything, like a named token of the store that may write; "" makes a
	// random one, which [Server.Token] returns.
	Token string
	// NoToken serves every program that can connect. Use it only where no other program can.
	NoToken bool
	// OnlyNamed says that other machines reach the server: there is no token of the run, only
	// the named tokens of the store, and browsers keep the cookie for TLS.
	OnlyNamed bool
	// Hosts are the hosts that are answered besides those of loopback: localhost, 127.0.0.1 and
	// [::1]. One without a port stands for all its ports. A page of one of these hosts may also
	// send requests.
	Hosts []string
	// Origins are the origins whose pages may use the API with a token, as a browser writes
	// them in the header Origin; none besides the hosts by default.
	Origins []string
	// Actor names who makes changes, for the log, if the request does not say.
	Actor string
	// Counter returns the counter of tokens with a name, or with the name "" the one to use if
	// the request names none. With nil, requests that need a counter are refused.
	Counter func(name string) (pact.Counter, error)
	// Memory is how many bytes all requests together may hold at once, for their bodies and for
	// what is made of them; 0 for MaxMemory. The process takes about twice as much.
	Memory int64
	// Log gets one line for each request; nil for none. It never has names, selectors or
	// contents: only the method, the operation, the status, the bytes and the time.
	Log *slog.Logger
	// Spans gets a span for each request, under the same rule; nil for the provider of
	// otel.SetTracerProvider, which keeps none unless the program sets it.
	Spans trace.TracerProvider
}

// Server is a handler that serves the contexts of a store. It is safe for concurrent use.
type Server struct {
	store    *pact.DB // what the token of a request opens
	all      *pact.DB // everything
	options  Options
	session  string // value of the cookie for the token of the run
	tokens   tokens
	limits   limits
	metrics  *metrics
	mux      *http.ServeMux
	api      huma.API
	requests chan struct{} // holds one value for each request that is being answered
	imports  chan struct{} // the same for imports
	streams  chan struct{} // the same for event streams
	memory   *budget.Memory
	shares   shares // how many of these each named token has
	recent   recentList
	done     chan struct{} // closed when event streams shall end
	close    sync.Once
	opened   openContexts
	turns    turns
}

// New returns a handler for the contexts of a store. The caller closes the store, after
// the last request.
func New(db *pact.DB, o Options) *Server {
	if o.Token == "" && !o.NoToken && !o.OnlyNamed {
		o.Token = rand.Text()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Memory == 0 {
		o.Memory = MaxMemory
	}
	h := &Server{memory: budget.NewShared(o.Memory), imports: make(chan struct{}, MaxImports), options: o, session: sessionOf(o.Token),
		mux: http.NewServeMux(), all: db, store: guarded(db),
		limits:   limits{MaxVisits, MaxReads, bodyTime, openTime, writeTime, importWait},
		requests: make(chan struct{}, MaxRequests), streams: make(chan struct{}, MaxStreams), done: make(chan struct{})}
	h.api = h.newAPI()
	h.page()
	h.health()
	h.measured()
	h.contexts()
	h.questions()
	h.records()
	h.comparisons()
	h.policies()
	h.simulations()
	h.erasures()
	h.pictures()
	h.listings()
	h.searches()
	h.verification()
	h.bytesOf()
	h.changes()
	h.transfers()
	h.events()
	h.toolsForAgents()
	declareNulls(h.api.OpenAPI().Components.Schemas)
	return h
}

// Token returns the token of the run, "" if there is none.
func (s *Server) Token() string { return s.options.Token }

// Close ends all event streams and refuses new ones, so that [http.Server.Shutdown] can
// end. Register it with [http.Server.RegisterOnShutdown].
func (s *Server) Close() { s.close.Do(func() { close(s.done) }) }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	e := &exchange{ResponseWriter: w, limits: s.limits}
	r, span := s.traced(r)
	r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, e))
	e.request = r
	e.awaits(s.limits.open)
	defer func() {
		problem := recover()
		if problem != nil && problem != http.ErrAbortHandler {
			// The panic may quote a content; the stack has only places in the code.
			s.options.Log.Error("panic", "operation", r.Pattern, "stack", string(debug.Stack()))
			if !e.begun {
				problem, e.status = nil, 0
				e.fail(refuse(http.StatusInternalServerError, internal, "the server failed", "report it with its log"))
			}
		}
		if problem == nil {
			e.finish()
		}
		took := time.Since(began)
		s.metrics.count(r, e, took, problem != nil)
		endSpan(span, r, e, problem != nil)
		s.options.Log.Info("request", "method", methodOf(r), "operation", r.Pattern, "status", e.status,
			"bytes", e.bytes, "took", took, "broken", problem != nil)
		if problem != nil {
			panic(http.ErrAbortHandler) // the client must see that the answer broke off
		}
	}()
	s.protect(e.Header(), r)
	var f *failure
	switch e.right, f = s.admit(r); {
	case s.share(e.Header(), r):
		e.WriteHeader(http.StatusNoContent)
		return
	case f != nil:
		e.fail(f)
		return
	}
	s.mux.ServeHTTP(&problemWriter{exchange: e}, r)
}

// methodOf returns the method of a request for the log, where a client must not write.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "other"
}

// health adds the operations that say whether the server works. They need no token.
func (s *Server) health() {
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	s.mux.HandleFunc("GET /readyz", func(_ http.ResponseWriter, r *http.Request) {
		e := exchangeOf(r.Context())
		if err := s.ready(r.Context()); err != nil {
			e.fail(failureOf(err))
			return
		}
		e.WriteHeader(http.StatusNoContent)
	})
	document := sync.OnceValues(s.OpenAPI)
	s.mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		text, err := document()
		if err != nil {
			panic(err) // the document is made of types of this program
		}
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(text)
	})
}

// ready returns why the server would refuse the next request, nil if it would not.
func (s *Server) ready(ctx context.Context) error {
	select {
	case <-s.done:
		return refuse(http.StatusServiceUnavailable, unready, "the server is stopping", "ask another one")
	default:
	}
	if len(s.requests) == cap(s.requests) {
		return refuse(http.StatusServiceUnavailable, tooMany, "the server answers too many requests already", "ask another one")
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	_, err := s.all.Find(ctx, "") // for any request: no context has this name
	if fault.CodeOf(err) != fault.ContextNotFound {
		return err
	}
	return nil
}

// OpenAPI returns the description of all operations in OpenAPI 3.1, as indented JSON.
func (s *Server) OpenAPI() ([]byte, error) {
	text, err := json.MarshalIndent(s.api.OpenAPI(), "", "  ")
	return append(text, '\n'), err
}
