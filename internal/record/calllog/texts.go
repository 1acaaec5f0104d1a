package calllog

import (
	"cmp"
	"errors"
	"io"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// Spool is a file for what a log says while its calls are imported.
type Spool interface {
	io.ReaderAt
	io.WriterAt
}

// texts are canonical texts that a reader made of a log: in memory, or in a spool. The first error stays, and get returns
// it: who puts them need not look.
type texts struct {
	values  []canon.Value // all of them, without a spool
	file    Spool         // nil: in memory
	buffer  []byte        // what is not written to it yet
	written int64         // how many bytes it has
	err     error
}

// text is where a text stands: its number in memory, or its offset in the spool.
type text struct {
	at   int64
	size int
}

// mostUnwritten is how many bytes wait at most for being written to a spool.
const mostUnwritten = 1 << 20

// put takes a text.
func (t *texts) put(v canon.Value) text {
	if t.file == nil {
		t.values = append(t.values, v)
		return text{int64(len(t.values) - 1), len(v)}
	}
	at := t.written + int64(len(t.buffer))
	if t.buffer = append(t.buffer, v...); len(t.buffer) > mostUnwritten {
		if t.err == nil {
			if _, err := t.file.WriteAt(t.buffer, t.written); err != nil {
				t.err = fault.Wrap(fault.Store, err, "what is made of the log cannot be written to a temporary file",
					"make room for it, or set TMPDIR to another folder")
			}
		}
		t.written, t.buffer = t.written+int64(len(t.buffer)), t.buffer[:0]
	}
	return text{at, len(v)}
}

// get returns a text. From a spool it is memory that nobody else has.
func (t *texts) get(of text) (canon.Value, error) {
	switch {
	case t.file == nil:
		return t.values[of.at], nil
	case t.err != nil:
		return "", t.err
	case of.at >= t.written:
		return canon.Value(t.buffer[of.at-t.written:][:of.size]), nil
	}
	is := make([]byte, of.size)
	if _, err := t.file.ReadAt(is, of.at); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return canon.Value(is), nil
}

// value returns a text as a value to walk, absent after an error.
func (t *texts) value(of text) canon.Any {
	v, _ := t.get(of)
	return v.Any()
}

// equal reports whether two texts are the same.
func (t *texts) equal(a, b text) bool {
	if a == b || a.size != b.size {
		return a == b
	}
	one, err := t.get(a)
	other, failed := t.get(b)
	return err == nil && failed == nil && one == other
}

// messages returns a request with those of its messages that stand behind the first ones.
func (c *Call) messages(from int) (canon.Any, error) {
	list := make([]canon.Any, 0, len(c.sent)-from)
	for _, m := range c.sent[from:] {
		v, err := c.of.get(m)
		if err != nil {
			return canon.Any{}, err
		}
		list = append(list, v.Held())
	}
	return c.Request.With(provider.ListOf(c.API), canon.ArrayOf(list...)), nil
}

// InTexts returns how many messages of the request are there as texts, and whether these are in a file.
func (c *Call) InTexts() (messages int, inFile bool) {
	return len(c.sent), c.of != nil && c.of.file != nil
}

// firstRole returns the role of the first message of a request, "" without one.
func (c *Call) firstRole() string {
	if len(c.sent) > 0 {
		return roleOf(c.of.value(c.sent[0]))
	}
	if messages, _ := c.Request.Get("messages"); len(messages.Elems) > 0 {
		return roleOf(messages.Elems[0])
	}
	return ""
}

// Whole returns the body of the request. Cost: all its messages.
func (c *Call) Whole() ([]byte, error) {
	switch {
	case c.Body != nil:
		return c.Body, nil
	case c.of == nil:
		return c.Request.AppendTo(nil), nil
	}
	request, err := c.messages(0)
	return request.AppendTo(nil), err
}

// loaded returns the call with its answer and its attributes, if they stand in texts.
func (c *Call) loaded() (whole Call, err error) {
	whole = *c
	if c.answered.size > 0 {
		answer, failed := c.of.get(c.answered)
		whole.Answer, err = []byte(answer), failed
	}
	if c.logged.size > 0 {
		logged, failed := c.of.get(c.logged)
		whole.Attrs, err = logged.Any().Members, cmp.Or(err, failed)
	}
	return whole, err
}
