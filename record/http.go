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
	if !r.options.Strict && !r.options.Diagnose && !r.manages(req) {
		return r.passOn(name, req, next)
	}
	var body []byte
	var failed error
	came := r.newRequestCopy(req, func(b []byte, err error) { body, failed = b, err })
	came.wait()
	if req = came.request(req); failed != nil {
		r.notRecorded(failed)
		return next(req)
	}
	body, managedReq, m := r.manage(name, req, body)
	resp, c, err := r.send(name, managedReq, body, m, next)
	if err == nil && m.changes() && refuses(resp) {
		return r.sendAsAsked(name, req, resp, c, m, next)
	}
	return resp, err
}

// passOn passes a request on while it comes, and records it once it has come.
func (r *Recorder) passOn(name provider.API, req *http.Request, next func(*http.Request) (*http.Response, error)) (
	*http.Response, error) {
	m := &managing{}
	c, k := r.newCall(name, req, "", m)
	came := r.newRequestCopy(req, func(body []byte, failed error) {
		_ = c.recordRequest(k, req.Header, body, m, failed) // Stats counts a call that cannot be recorded
	})
	resp, err := next(came.request(req))
	came.wait()
	return c.answered(resp, err)
}

// send sends a request and records it. It returns the answer, whose body is recorded as it is read.
func (r *Recorder) send(name provider.API, req *http.Request, body []byte, m *managing,
	next func(*http.Request) (*http.Response, error)) (*http.Response, *call, error) {
	came := len(body)
	body, req, of := r.diagnose(name, req, body, m)
	if m.kept != nil {
		m.kept.Question = len(body) - came
	}
	c, k := r.newCall(name, req, of, m)
	if err := c.recordRequest(k, req.Header, body, m, nil); err != nil {
		return nil, nil, err
	}
	resp, err := next(req)
	resp, err = c.answered(resp, err)
	return resp, c, err
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
