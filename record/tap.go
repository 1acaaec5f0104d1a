package record

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// tap passes an answer on to the client and gives the call a copy of its bytes.
type tap struct {
	body io.ReadCloser
	call *call
}

func (t tap) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	return n, t.call.takeBytes(p[:n], err)
}

// Close ends an answer that the client did not read to its end.
func (t tap) Close() error { return errors.Join(t.body.Close(), t.call.ended(errClosedEarly)) }

var (
	errClosedEarly    = errors.New("the client closed it")
	errRecorderClosed = errors.New("the recorder was closed")
)

// answered returns the answer as the client gets it: its body is recorded while it is read. err says why none came.
func (c *call) answered(resp *http.Response, err error) (*http.Response, error) {
	switch {
	case err != nil:
		return resp, errors.Join(err, c.ended(err))
	case resp.StatusCode == http.StatusSwitchingProtocols:
		return resp, c.ended(errors.New("the answer is not HTTP"))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lost {
		return resp, nil
	}
	c.status, c.header = resp.StatusCode, resp.Header.Clone()
	c.watch = provider.NewWatch(c.api, c.header)
	resp.Body = tap{resp.Body, c}
	return resp, nil
}

// takeBytes takes the next bytes of the answer, and err as the client will read it. The answer is over with its last
// event, before the client has that: it does not matter when or why the connection closes afterwards. It returns
// err, or why the answer cannot be recorded.
func (c *call) takeBytes(p []byte, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return err
	}
	if len(p) > 0 && c.first.IsZero() {
		c.first = c.now()
	}
	last := c.watch.Write(p)
	c.body.add(p)
	if from, is := c.watch.Endless(); is {
		c.body.end(from, provider.TooLong)
	}
	broken := err
	if errors.Is(err, io.EOF) || last {
		broken = nil
	} else if err == nil {
		return nil
	}
	if failed := c.end(broken); failed != nil {
		return failed
	}
	return err
}

// ended records the end of the call, unless it is over. err says why no answer came, or no more of
// it.
func (c *call) ended(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return nil
	}
	return c.end(err)
}

// end records the answer as far as it came. broken says why no more comes, nil if it ended. The caller holds c.mu.
func (c *call) end(broken error) error {
	c.over, c.finished = true, c.now()
	c.recorder.endCall(c)
	gaveUp := broken != nil && (c.ctx.Err() != nil || errors.Is(broken, context.Canceled) ||
		errors.Is(broken, errClosedEarly) || errors.Is(broken, errRecorderClosed))
	if body := c.body; c.status != 0 {
		err := c.do(body.len(), true, func() error {
			defer body.close()
			return c.answer(body.reader(), body.cut, broken, gaveUp)
		})
		if c.lost { // nobody reads it
			body.close()
		}
		return err
	}
	o := pact.Outcome{Status: history.Failed, Err: c.hide.err(broken)}
	if gaveUp {
		o.Status = history.Canceled
	}
	return c.do(0, true, func() error { return c.finish(o, canon.Any{}, canon.Any{}, &provider.Answer{}) })
}

// beginCall notes that a call is under way, and reports whether the recorder still takes calls.
func (r *Recorder) beginCall(c *call) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.underWay = append(r.underWay, c)
	}
	return !r.closed
}

func (r *Recorder) endCall(c *call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.underWay = slices.DeleteFunc(r.underWay, func(other *call) bool { return other == c })
}

// Close records the answers that are under way as far as they came, waits until the recorder has recorded
// everything that arrived before, and ends it. These and later calls go on, but the recorder does not record the
// rest of them; later calls count as lost.
func (r *Recorder) Close() {
	r.mu.Lock()
	r.closed = true
	underWay := slices.Clone(r.underWay)
	r.mu.Unlock()
	for _, c := range underWay {
		_ = c.ended(errRecorderClosed) // Stats counts a call that cannot be recorded
	}
	r.queue.close()
	<-r.warm
	r.late.Wait()
}
