package recall

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Lines is the transport of a program that reads a message a line and writes a message a line (MCP, section
// Transports). A line that is no message gets an error, and the next is read: that of the protocol's library ends the
// session there. The session ends with the input, when what was asked before is answered.
type Lines struct {
	In  io.Reader
	Out io.Writer
}

// Limits of one message, in bytes.
const (
	mostLine = 8 << 20 // as of the body of a request to the server
	mostID   = 256     // of the id, which each answer repeats
)

// Connect implements [mcp.Transport].
func (l Lines) Connect(context.Context) (mcp.Connection, error) {
	c := &lines{out: l.Out, incoming: make(chan jsonrpc.Message), closed: make(chan struct{}),
		answered: make(chan struct{}), open: map[jsonrpc.ID]bool{}}
	go c.receive(bufio.NewReader(l.In))
	return c, nil
}

// lines is a session.
type lines struct {
	incoming chan jsonrpc.Message // closed at the end of the input
	closed   chan struct{}
	answered chan struct{} // closed when the input has ended and no request waits

	mu    sync.Mutex
	out   io.Writer
	open  map[jsonrpc.ID]bool // the requests that wait for their answers
	ended bool
	once  sync.Once
}

// receive reads the input to its end.
func (c *lines) receive(in *bufio.Reader) {
	defer close(c.incoming)
	defer c.end()
	for {
		line, err := lineOf(in)
		if errors.Is(err, bufio.ErrTooLong) {
			c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "a message has 8 MiB at most")
			continue
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if m := c.message(line); m != nil {
				select {
				case c.incoming <- m:
				case <-c.closed:
					return
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// lineOf reads a line. [bufio.ErrTooLong] for one that it passed over.
func lineOf(in *bufio.Reader) (line []byte, err error) {
	for size := 0; ; {
		part, err := in.ReadSlice('\n')
		if size += len(part); size <= mostLine {
			line = append(line, part...)
		} else {
			line = nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case size > mostLine && err == nil:
			return nil, bufio.ErrTooLong
		default:
			return line, err
		}
	}
}

// message reads a line, and answers it if it is no message.
func (c *lines) message(line []byte) jsonrpc.Message {
	if !json.Valid(line) {
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeParseError, "the line is not JSON")
	}
	if line[0] == '[' {
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "send each message in a line of its own")
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "the line is no message of JSON-RPC 2.0: "+err.Error())
	}
	if r, is := m.(*jsonrpc.Response); is && r.Result == nil && r.Error == nil {
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "the message has no method, no result and no error")
	}
	request, is := m.(*jsonrpc.Request)
	if !is {
		return m
	}
	if id, _ := request.ID.Raw().(string); len(id) > mostID {
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "an id has 256 bytes at most")
	}
	c.mu.Lock()
	twice := c.open[request.ID]
	if request.ID.IsValid() {
		c.open[request.ID] = true
	}
	c.mu.Unlock()
	if twice {
		return c.refuse(jsonrpc.ID{}, jsonrpc.CodeInvalidRequest, "a request with this id has no answer yet")
	}
	if request.Method == "notifications/cancelled" {
		var of struct {
			ID any `json:"requestId"`
		}
		if json.Unmarshal(request.Params, &of) == nil {
			if id, err := jsonrpc.MakeID(of.ID); err == nil {
				c.done(id)
			}
		}
	}
	return m
}

// refuse answers a line with an error. It returns no message, for the caller.
func (c *lines) refuse(id jsonrpc.ID, code int64, why string) jsonrpc.Message {
	_ = c.send(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: code, Message: shortened(why, mostError)}})
	return nil // where the output is closed, the next answer ends the session
}

// Read implements [mcp.Connection].
func (c *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, more := <-c.incoming:
		if more {
			return m, nil
		}
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case <-c.answered:
	case <-c.closed:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return nil, io.EOF
}

// Write implements [mcp.Connection].
func (c *lines) Write(_ context.Context, m jsonrpc.Message) error {
	r, is := m.(*jsonrpc.Response)
	if is && r.Error != nil {
		r.Error = shortError(r.Error)
	}
	err := c.send(m)
	if is {
		c.done(r.ID)
	}
	return err
}

func (c *lines) send(m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if r, is := m.(*jsonrpc.Response); is && !r.ID.IsValid() { // which the library leaves out (JSON-RPC 2.0, section 5)
		text = append([]byte(`{"id":null,`), text[1:]...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.out.Write(append(text, '\n'))
	return err
}

// done notes that a request waits no more.
func (c *lines) done(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if delete(c.open, id); c.ended && len(c.open) == 0 {
		c.once.Do(func() { close(c.answered) })
	}
}

// end notes that the input has ended.
func (c *lines) end() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.done(jsonrpc.ID{})
}

// Close implements [mcp.Connection].
func (c *lines) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.closed:
	default:
		close(c.closed)
	}
	return nil
}

// SessionID implements [mcp.Connection].
func (c *lines) SessionID() string { return "" }
