package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// exchange is a request and its answer. It counts what is written, and gives up on a
// client that does not take the answer.
type exchange struct {
	http.ResponseWriter
	request *http.Request
	right   right
	limits  *limits
	status  int // 0 before the first byte of the answer
	bytes   int64
	invalid bool // the framework refused a parameter, with a status of its own
}

type exchangeKey struct{}

// exchangeOf returns the exchange that an operation belongs to.
func exchangeOf(ctx context.Context) *exchange { return ctx.Value(exchangeKey{}).(*exchange) }

// Unwrap is for http.ResponseController.
func (e *exchange) Unwrap() http.ResponseWriter { return e.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (e *exchange) WriteHeader(status int) {
	if e.status != 0 {
		return // the framework sets one too after an operation that has answered itself
	}
	if e.invalid {
		status = http.StatusBadRequest
	}
	e.status = status
	e.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (e *exchange) Write(p []byte) (int, error) {
	if e.status == 0 {
		e.status = http.StatusOK
	}
	// A writer that has no deadlines is one of a test or of another program.
	_ = http.NewResponseController(e.ResponseWriter).SetWriteDeadline(time.Now().Add(e.limits.write))
	n, err := e.ResponseWriter.Write(p)
	e.bytes += int64(n)
	return n, err
}

// plainRefusals gives the refusals of the router and of http.ServeContent, which are plain
// text, the form of all others.
type plainRefusals struct {
	*exchange
	refused bool
}

// WriteHeader implements http.ResponseWriter.
func (p *plainRefusals) WriteHeader(status int) {
	var f *failure
	switch status {
	case http.StatusNotFound:
		f = refuse(status, noRoute, "there is no such operation", "/openapi.json lists them")
	case http.StatusMethodNotAllowed:
		f = refuse(status, noRoute, "this path has no such method", "the header Allow lists those that it has")
	case http.StatusRequestedRangeNotSatisfiable:
		f = refuse(status, badRange, "the range is beyond the end", "the header Content-Range has the length")
	}
	if f == nil || !strings.HasPrefix(p.Header().Get("Content-Type"), "text/plain") {
		p.exchange.WriteHeader(status)
		return
	}
	p.refused = true
	p.fail(f)
}

// Write implements http.ResponseWriter. It drops the plain text of a refusal.
func (p *plainRefusals) Write(text []byte) (int, error) {
	if p.refused {
		return len(text), nil
	}
	return p.exchange.Write(text)
}

// readJSON reads the body of a request as a JSON object. Unlike encoding/json alone it
// refuses texts that are not UTF-8, and values that nest or count beyond the limits of the
// library.
func readJSON[T any](ctx context.Context) (*T, error) {
	e := exchangeOf(ctx)
	kind, _, err := mime.ParseMediaType(e.request.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, refuse(http.StatusUnsupportedMediaType, badMedia, "the body is not declared as JSON",
			"send the header Content-Type: application/json")
	}
	data, err := io.ReadAll(e.body(MaxBody, e.limits.body))
	if err != nil {
		return nil, unread(err)
	}
	value, err := canon.ParseDocument(data)
	if err != nil {
		return nil, err
	}
	if value.Kind != canon.KindObject { // null would be an object without members to encoding/json
		return nil, fault.At(fault.DocumentInvalid, 0, "", "the body is not an object", "/openapi.json says what it is")
	}
	v := new(T)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return nil, misfit(err)
	}
	return v, nil
}

// body returns the body of the request, of at most limit bytes, which has some time to
// arrive.
func (e *exchange) body(limit int64, patience time.Duration) io.Reader {
	_ = http.NewResponseController(e.ResponseWriter).SetReadDeadline(time.Now().Add(patience))
	return http.MaxBytesReader(e.ResponseWriter, e.request.Body, limit)
}

// unread returns the error for a body that cannot be read. Whoever decompresses it has said why.
func unread(err error) error {
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return fault.New(fault.Limit, "the body is longer than "+strconv.FormatInt(long.Limit, 10)+" bytes",
			"send it in several requests")
	}
	if fault.CodeOf(err) != "" {
		return err
	}
	return fault.New(fault.DocumentInvalid, "the body ends before the length that the request gives, or came too slowly",
		"send the request again")
}

// misfit returns the error for a JSON value that is not what an operation takes. It does
// not repeat the value.
func misfit(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fault.At(fault.DocumentInvalid, int(kind.Offset), kind.Field, "a value of the body has another type",
			"/openapi.json says what it is")
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
		return fault.At(fault.DocumentInvalid, fault.NoOffset, name, "the body has a member that means nothing",
			"/openapi.json lists those that it can have")
	}
	return fault.New(fault.DocumentInvalid, "the body is not what the operation takes", "/openapi.json says what it is")
}
