package record

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/wire"
)

// Middleware records a request and its answer; next sends the request. Its
// signature is that of the middleware in the SDKs of OpenAI and Anthropic. The
// answer that it returns carries the body and the errors of next; with
// Options.Strict a failure to record is an error too.
func (r *Recorder) Middleware(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response,
	error) {
	name := provider.APIOf(req.Method, req.URL.Path)
	if name == "" || req.Body == nil {
		return next(req)
	}
	if r.options.Manage && r.badPolicy != nil {
		return nil, r.badPolicy
	}
	body, req, err := bodyOf(req)
	if err != nil {
		r.lost(err)
		return next(req)
	}
	body, managedReq, m := r.manage(name, req, body)
	resp, c, err := r.send(name, managedReq, body, m, next)
	if err == nil && m.changes() && refuses(resp) {
		return r.sendAsAsked(name, req, resp, c, m, next)
	}
	return resp, err
}

// send sends a request and records it. It returns the answer, whose body is recorded as it is read.
func (r *Recorder) send(name provider.API, req *http.Request, body []byte, m *managing,
	next func(*http.Request) (*http.Response, error)) (*http.Response, *call, error) {
	came := len(body)
	body, req, of := r.diagnose(name, req, body)
	if m.kept != nil {
		m.kept.Question = len(body) - came
	}
	c, err := r.begin(name, req, body, of, m)
	if err != nil {
		return nil, nil, err
	}
	resp, err := next(req)
	if err != nil {
		return resp, c, errors.Join(err, c.ended(err))
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return resp, c, c.ended(errors.New("the answer is not HTTP"))
	}
	c.answers(resp)
	resp.Body = tap{resp.Body, c}
	return resp, c, nil
}

// refuses reports whether an answer refuses its request for what it says: with 400, or with 422 as Mistral and vLLM do.
func refuses(resp *http.Response) bool {
	return resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusUnprocessableEntity
}

// mostRefusal is how many bytes of a refusal are read before the request is sent as it came.
const mostRefusal = 1 << 20

// refusedBecause begins the reason with which managing ends after a refusal. It ends only with the answer, which the record
// of the request came before.
const refusedBecause = "the provider refused a managed request: "

// sendAsAsked sends a managed request that the provider refused as it came. If the provider takes that,
// managing ends for its conversation.
func (r *Recorder) sendAsAsked(name provider.API, req *http.Request, refused *http.Response, c *call, m *managing,
	next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	why, err := io.ReadAll(io.LimitReader(refused.Body, mostRefusal))
	err = errors.Join(err, refused.Body.Close())
	if err != nil && c.recorder.options.Strict {
		return nil, err
	}
	again := &managing{kept: &managed{In: m.kept.In, Shaped: []string{}, Bytes: len(m.asked),
		Why: m.hide.err(errors.New(refusedBecause + string(why[:min(len(why), 500)]))).Error()}, asked: m.asked}
	resp, _, err := r.send(name, withBody(req, m.asked), m.asked, again, next)
	if err == nil && resp.StatusCode < http.StatusBadRequest {
		r.endManaging(req.Context(), m, again.kept.Why)
	}
	return resp, err
}

// Transport returns a RoundTripper that records what it sends through base,
// [http.DefaultTransport] if nil.
func (r *Recorder) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return transport{r, base}
}

type transport struct {
	recorder *Recorder
	base     http.RoundTripper
}

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	return t.recorder.Middleware(req, t.base.RoundTrip)
}

// errTooLong says why a request with too long a body is not recorded.
var errTooLong = errors.New("the body of a request is too long to be recorded")

// mostExpected is how many bytes are made ready at most for the body that a request announces.
const mostExpected = 4 << 20

// bodyOf reads the body of a request and returns a request that still has it.
func bodyOf(req *http.Request) ([]byte, *http.Request, error) {
	var all bytes.Buffer
	all.Grow(int(min(max(req.ContentLength, 0), mostExpected)) + bytes.MinRead)
	_, err := all.ReadFrom(io.LimitReader(req.Body, wire.MaxBody+1))
	body := all.Bytes()
	again := *req
	rest := io.Reader(bytes.NewReader(body))
	switch {
	case err != nil:
		rest = io.MultiReader(rest, failing{err})
	case len(body) > wire.MaxBody:
		rest, err = io.MultiReader(rest, req.Body), errTooLong
	}
	again.Body = readCloser{rest, req.Body}
	return body, &again, err
}

// encodingOf returns how a client compressed a body, "" for not at all.
func encodingOf(h http.Header) string {
	encoding := strings.ToLower(strings.TrimSpace(h.Get("Content-Encoding")))
	if encoding == "identity" {
		return ""
	}
	return encoding
}

// decompressed returns the body as the client had it before compressing. ok is
// false if the recorder cannot read it: the encoding is unknown, or the bytes
// are damaged.
func (r *Recorder) decompressed(body []byte, encoding string) (_ []byte, ok bool, err error) {
	var from io.ReadCloser
	switch {
	case encoding == "":
		return body, true, nil
	case encoding == "gzip":
		from, err = gzip.NewReader(bytes.NewReader(body))
	case encoding == "zstd" && r.options.Zstd != nil:
		from, err = r.options.Zstd(bytes.NewReader(body))
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, false, nil
	}
	defer from.Close()
	plain, err := io.ReadAll(io.LimitReader(from, wire.MaxBody+1))
	switch {
	case len(plain) > wire.MaxBody:
		return nil, false, errTooLong
	case err != nil:
		return nil, false, nil
	}
	return plain, true, nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// failing is a reader that returns the error with which an earlier read ended.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
