package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/nearest"

	"github.com/danielgtaylor/huma/v2"
)

// Codes of refusals that have to do with HTTP and not with contexts. All other codes are
// those of package fault.
const (
	unauthorized = "E_UNAUTHORIZED" // no token, or a wrong one
	forbidden    = "E_FORBIDDEN"    // the token does not open this
	foreignHost  = "E_HOST"         // the header Host names another server
	foreignPage  = "E_ORIGIN"       // a page of another origin sent the request
	noRoute      = "E_ROUTE"        // there is no such operation
	badMedia     = "E_MEDIA_TYPE"   // the body has another media type than the operation reads
	stale        = "E_PRECONDITION" // If-Match names another revision
	badRange     = "E_RANGE"        // the header Range is beyond the end
	otherRequest = "E_KEY_REUSED"   // the idempotency key belongs to another request
	tooMany      = "E_TOO_MANY"     // too many requests or event streams at once
	unready      = "E_STOPPING"     // the server is stopping
	internal     = "E_INTERNAL"     // a fault of the server
)

// failure is the answer to a request that failed: a problem of RFC 9457 with what the library
// says of it.
type failure struct {
	Title     string    `json:"title" doc:"What the status means"`
	Status    int       `json:"status"`
	Detail    string    `json:"detail" doc:"What is wrong"`
	Code      string    `json:"code" doc:"One of docs/errors.md, or one of HTTP in docs/server.md"`
	Remedy    string    `json:"remedy,omitempty" doc:"What to do about it"`
	Offset    *int      `json:"offset,omitempty" doc:"Byte of the selector or the document, from 0"`
	Token     string    `json:"token,omitempty" doc:"The part of the input that is wrong"`
	Node      string    `json:"node,omitempty" doc:"The id of the node concerned"`
	Line      int       `json:"line,omitempty" doc:"Line of the document, from 1"`
	Meanwhile []written `json:"meanwhile,omitempty" doc:"What others wrote that the request did not know, oldest first"`

	published       string // the code of edition 1.0 if it is told in that edition's words, "" for others
	expected, found string // of a conflict: what the request builds on, and what is there
}

// The media types of a failure, the second in the words of edition 1.0.
const (
	problemType   = "application/problem+json"
	publishedType = "application/json"
)

// ContentType implements huma.ContentTypeFilter.
func (f *failure) ContentType(string) string {
	if f.published != "" {
		return publishedType
	}
	return problemType
}

// written is one log entry of another writer.
type written struct {
	Revision int64        `json:"revision"`
	Kind     history.Kind `json:"kind"`
	Cycle    int64        `json:"cycle"`
	Actor    string       `json:"actor,omitempty"`
	Message  string       `json:"message,omitempty"`
}

// Error implements error.
func (f *failure) Error() string { return f.Code + ": " + f.Detail }

// GetStatus implements huma.StatusError.
func (f *failure) GetStatus() int { return f.Status }

// refuse returns a failure of HTTP.
func refuse(status int, code, message, remedy string) *failure {
	return &failure{Title: http.StatusText(status), Status: status, Detail: message, Code: code, Remedy: remedy}
}

// statuses are the status codes of the errors of the library.
var statuses = map[fault.Code]int{
	fault.SelectorInvalid:   http.StatusBadRequest,
	fault.RangeKindMismatch: http.StatusBadRequest,
	fault.RangeWildcard:     http.StatusBadRequest,
	fault.RangeLimit:        http.StatusBadRequest,
	fault.DocumentInvalid:   http.StatusBadRequest,
	fault.Usage:             http.StatusBadRequest,
	fault.NotFound:          http.StatusNotFound,
	fault.SnapshotNotFound:  http.StatusNotFound,
	fault.NodeNotFound:      http.StatusNotFound,
	fault.ContextNotFound:   http.StatusNotFound,
	fault.AttemptNotFound:   http.StatusNotFound,
	fault.Conflict:          http.StatusConflict,
	fault.Limit:             http.StatusRequestEntityTooLarge,
	fault.PlacementInvalid:  http.StatusUnprocessableEntity,
	fault.Sealed:            http.StatusUnprocessableEntity,
	fault.NodeDuplicate:     http.StatusUnprocessableEntity,
	fault.Busy:              http.StatusServiceUnavailable,
	fault.Store:             http.StatusServiceUnavailable,
}

// failureOf returns the answer to an error of the library. It leaves out the cause, which
// may have the name of a file.
func failureOf(err error) *failure {
	var known *failure
	if errors.As(err, &known) {
		return known
	}
	var f *fault.Error
	if !errors.As(err, &f) {
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			return refuse(http.StatusServiceUnavailable, string(fault.Store), "the answer took too long",
				"ask for less")
		}
		return refuse(http.StatusInternalServerError, internal, "the server failed", "report it with its log")
	}
	status, ok := statuses[f.Code.General()]
	if !ok {
		status = http.StatusInternalServerError
	}
	if errors.Is(err, errors.ErrUnsupported) {
		status = http.StatusNotImplemented
	}
	told := refuse(status, string(f.Code), clipped(f.Message), clipped(f.Remedy))
	told.Token, told.Node, told.Line = clipped(f.Token), clipped(f.Node), f.Line
	if f.Offset >= 0 {
		told.Offset = &f.Offset
	}
	var lost *pact.Conflict
	if errors.As(err, &lost) {
		told.Meanwhile = writtenBy(lost.Meanwhile)
	}
	return told
}

// clipped returns the beginning of a text in which an error may repeat what the client sent.
func clipped(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func writtenBy(entries []history.Entry) []written {
	list := make([]written, len(entries))
	for i, e := range entries {
		list[i] = written{e.Revision, e.Kind, e.Cycle, e.Actor, e.Message}
	}
	return list
}

// ownErrors turns the errors of the framework, which are about parameters, into failures.
// It does not repeat the values.
func (s *Server) ownErrors(ctx huma.Context, _ string, v any) (any, error) {
	m, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	exchangeOf(ctx.Context()).invalid = true
	f := refuse(http.StatusBadRequest, string(fault.DocumentInvalid), "a parameter of the request is not valid",
		"/openapi.json says which parameters there are")
	if len(m.Errors) > 0 {
		f.Detail = "a parameter of the request is not valid: " + clipped(m.Errors[0].Message)
		f.Token = clipped(m.Errors[0].Location)
		if name, is := strings.CutPrefix(f.Token, "query."); is {
			var known []string
			for _, p := range ctx.Operation().Parameters {
				known = append(known, p.Name)
			}
			if !slices.Contains(known, name) { // else its value does not fit
				f.Remedy = nearest.Remedy(name, known, f.Remedy)
			}
		}
	}
	f = s.inEdition(ctx.Context(), f)
	ctx.SetHeader("Content-Type", f.ContentType(""))
	return f, nil
}

// fail answers a request with a failure.
func (e *exchange) fail(f *failure) {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	h := e.Header()
	h.Set("Content-Type", f.ContentType(""))
	h.Set("Content-Length", strconv.Itoa(len(text)+1))
	for name, value := range f.headers() {
		h.Set(name, value)
	}
	e.WriteHeader(f.Status)
	_, _ = e.Write(append(text, '\n'))
}

// headers returns the headers that go with the status of a failure.
func (f *failure) headers() map[string]string {
	switch f.Status {
	case http.StatusUnauthorized:
		return map[string]string{"WWW-Authenticate": "Bearer"}
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return map[string]string{"Retry-After": "1"}
	}
	return nil
}
