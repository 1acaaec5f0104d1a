package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/canon"
)

// exchange is a request and its answer. It counts what is written, and gives up on a
// client that does not take the answer.
type exchange struct {
	http.ResponseWriter
	request *http.Request
	right   right
	limits  limits
	status  int // 0 before the first byte of the answer
	bytes   int64
	invalid bool      // the framework refused a parameter, with a status of its own
	data    []byte    // the body of an operation that takes JSON
	file    io.Reader // the body of an operation that takes a file
	begun   bool      // the status and the headers are sent
	packer  *gzip.Writer
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
	if !packable(e.Header()) { // else the length of the body decides what the headers are
		e.sendHead(0)
	}
}

// sendHead sends the status and the headers of an answer, once its first bytes are known.
func (e *exchange) sendHead(first int) {
	if e.begun || e.status == 0 {
		return
	}
	e.begun = true
	e.pack(first)
	e.ResponseWriter.WriteHeader(e.status)
}

// Write implements http.ResponseWriter.
func (e *exchange) Write(p []byte) (int, error) {
	if e.status == 0 {
		e.status = http.StatusOK
	}
	e.sendHead(len(p))
	if e.packer != nil {
		return e.packer.Write(p)
	}
	return sender{e}.Write(p)
}

// sender sends bytes as they are.
type sender struct{ *exchange }

// Write implements io.Writer.
func (e sender) Write(p []byte) (int, error) {
	// A writer that has no deadlines is one of a test or of another program.
	_ = http.NewResponseController(e.ResponseWriter).SetWriteDeadline(time.Now().Add(e.limits.write))
	n, err := e.ResponseWriter.Write(p)
	e.bytes += int64(n)
	return n, err
}

// problemWriter gives the refusals of the router and of http.ServeContent, which are plain
// text, the form of all others.
type problemWriter struct {
	*exchange
	refused bool
}

// WriteHeader implements http.ResponseWriter.
func (p *problemWriter) WriteHeader(status int) {
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
func (p *problemWriter) Write(text []byte) (int, error) {
	if p.refused {
		return len(text), nil
	}
	return p.exchange.Write(text)
}

// receive reads the body of an operation. That can take as long as the client likes up to its
// limit, so a request has no place among those that are answered meanwhile.
func (e *exchange) receive(ctx context.Context, o *operation) (err error) {
	if o.body != nil {
		err = e.receiveJSON(ctx, o)
	} else {
		e.file, err = readPieces(ctx, e.body(MaxImport, importTime))
	}
	if err != nil {
		if err = unread(err); fault.CodeOf(err) != fault.DocumentInvalid { // else the body does not come
			e.drain()
		}
		return err
	}
	// From now on net/http watches whether the client leaves, and would take the deadline for that.
	_ = http.NewResponseController(e.ResponseWriter).SetReadDeadline(time.Time{})
	return nil
}

func (e *exchange) receiveJSON(ctx context.Context, o *operation) error {
	kind, _, err := mime.ParseMediaType(e.request.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, badMedia, "the body is not declared as JSON",
			"send the header Content-Type: application/json")
	}
	limit, patience := int64(MaxBody), e.limits.body
	if o.open {
		limit, patience = MaxOpenBody, e.limits.open
	}
	e.data, _, err = budget.ReadAll(ctx, e.body(limit, patience))
	return err
}

// readPieces reads everything into pieces that grow with what is there, so that a client holds no
// more memory than it has sent bytes, and a long body is never copied.
func readPieces(ctx context.Context, body io.Reader) (io.Reader, error) {
	var pieces []io.Reader
	for size := int64(4 << 10); ; size = min(2*size, 1<<20) {
		if _, err := budget.Reserve(ctx, size); err != nil {
			return nil, err
		}
		piece := make([]byte, size)
		n, err := io.ReadFull(body, piece)
		pieces = append(pieces, bytes.NewReader(piece[:n]))
		if err == io.EOF || err == io.ErrUnexpectedEOF && n < len(piece) {
			return io.MultiReader(pieces...), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// readJSON returns the body of a request, which receive has read, as a JSON object. Unlike
// encoding/json alone it refuses texts that are not UTF-8, objects with two members of one name,
// and values that nest or count beyond the limits of the library.
func readJSON[T any](ctx context.Context) (*T, error) {
	data := exchangeOf(ctx).data
	parsed, err := budget.Reserve(ctx, canon.Weight(data))
	if err != nil {
		return nil, err
	}
	value, err := canon.ParseRequest(data)
	parsed()
	if err != nil {
		return nil, err
	}
	if value.Kind != canon.KindObject { // null would be an object without members to encoding/json
		return nil, fault.At(fault.DocumentInvalid, 0, "", "the body is not an object", "/openapi.json says what it is")
	}
	const object = 512 // bytes that an edit or another object takes, besides its values
	if _, err := budget.Reserve(ctx, 4*int64(len(data))+object*int64(bytes.Count(data, []byte("{")))); err != nil {
		return nil, err
	}
	v := new(T)
	if err := decode(data, v); err != nil {
		return nil, misfit(err, value, reflect.TypeFor[T]())
	}
	return v, checkTexts(data, value, reflect.TypeFor[T]())
}

// decode reads JSON of the form of v, with no other members.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// body returns the body of the request, of at most limit bytes, which has some time to
// arrive.
func (e *exchange) body(limit int64, patience time.Duration) io.Reader {
	e.awaits(patience)
	return http.MaxBytesReader(e.ResponseWriter, e.request.Body, limit)
}

// awaits gives the body of the request some time to arrive. Without it net/http would wait for
// ever for the rest of an unread body.
func (e *exchange) awaits(patience time.Duration) {
	if e.request.ContentLength != 0 { // a deadline that passes ends a request without a body
		_ = http.NewResponseController(e.ResponseWriter).SetReadDeadline(time.Now().Add(patience))
	}
}

// drain reads on for a while after a refusal. A client that cannot send its body to the end may never read the answer.
func (e *exchange) drain() {
	_ = http.NewResponseController(e.ResponseWriter).SetReadDeadline(time.Now().Add(e.limits.open))
	_, _ = io.Copy(io.Discard, e.request.Body)
}

// unread returns the error for a body that cannot be read, unless the error says why already.
func unread(err error) error {
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		return fault.New(fault.Limit, "the body is longer than "+strconv.FormatInt(long.Limit, 10)+" bytes",
			"send it in several requests")
	}
	if known := (*failure)(nil); fault.CodeOf(err) != "" || errors.As(err, &known) {
		return err
	}
	return fault.New(fault.DocumentInvalid, "the body ends before the length that the request gives, or came too slowly",
		"send the request again")
}
