package record

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
)

// requestCopy is the body of a request that is passed on while it comes. It tells the whole body once it has come, or
// why it did not.
type requestCopy struct {
	from io.ReadCloser
	ctx  context.Context                 // of the request
	told func(body []byte, failed error) // is called once, with p.mu
	most int                             // bytes of a body that is told
	size int64                           // as the request announces it

	mu   sync.Mutex
	came []byte
	at   int   // how much of it was read
	over bool  // told was called
	err  error // with which from ended
}

// mostExpected is how many bytes are made ready at most for the body that a request announces.
const mostExpected = 4 << 20

// errTooLong says why a request with too long a body is not recorded.
var errTooLong = errors.New("the body of a request is too long to be recorded")

func (r *Recorder) newRequestCopy(req *http.Request, told func(body []byte, failed error)) *requestCopy {
	return &requestCopy{from: req.Body, ctx: req.Context(), told: told, most: r.mostBody, size: req.ContentLength,
		came: make([]byte, 0, min(max(req.ContentLength, 0), mostExpected)+bytes.MinRead)}
}

// request returns the request with this body.
func (p *requestCopy) request(req *http.Request) *http.Request {
	again := *req
	again.Body = p
	return &again
}

// more waits for the next bytes of a body that was not told. The caller holds p.mu.
func (p *requestCopy) more() {
	p.came = slices.Grow(p.came, bytes.MinRead)
	n, err := p.from.Read(p.came[len(p.came):cap(p.came)])
	p.came, p.err = p.came[:len(p.came)+n], err
	switch { // before the provider has the last bytes
	case len(p.came) > p.most: // also with the end
		p.complete(nil, errTooLong)
	case err == io.EOF || err == nil && p.size > 0 && int64(len(p.came)) == p.size:
		p.complete(p.came, nil)
	case err != nil:
		p.complete(nil, err)
	}
}

func (p *requestCopy) complete(body []byte, failed error) {
	p.over = true
	p.told(body, failed)
}

// Read implements io.Reader.
func (p *requestCopy) Read(b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.at == len(p.came) {
		if p.err != nil {
			return 0, p.err
		}
		if p.over { // nobody needs what comes now
			return p.from.Read(b)
		}
		p.more()
	}
	n = copy(b, p.came[p.at:])
	p.at += n
	return n, nil
}

// wait waits until the body has come.
func (p *requestCopy) wait() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.over {
		p.more()
	}
}

// Close implements io.Closer. A provider may answer before it has read all of a request, which is recorded nevertheless.
func (p *requestCopy) Close() error {
	if p.ctx.Err() == nil {
		p.wait()
	}
	return p.from.Close()
}
