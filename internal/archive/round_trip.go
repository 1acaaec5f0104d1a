package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/provenance"
)

// RoundTrip repeats an exported history in either form: it makes a context from it in a fresh
// store in memory, writes that in the same form and compares byte by byte. It returns an error
// if it cannot read the history. It reads in twice. Cost: that of reading and of writing; it
// does not keep the bytes.
//
// Specification: 06 §5, 06 §5.2.
func RoundTrip(ctx context.Context, in io.ReadSeeker, o Options) (*inspect.Replay, error) {
	read, err := ReadHistory(ctx, "replay", in, o)
	if err != nil {
		return nil, err
	}
	again, err := inMemory(ctx, read.Creation)
	if err != nil {
		return nil, err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	defer again.Store.Close()
	s := &again.State
	result := &inspect.Replay{
		Form: "snapshots", Edition: s.Edition, First: s.First, Last: s.Cycle,
		Findings: append([]inspect.Finding{}, read.Findings()...),
	}
	original := bufio.NewReaderSize(in, 1<<16)
	w := &comparer{original: original}
	if read.reader.compact {
		result.Form = "compact"
		err = WriteCompact(ctx, w, again)
	} else {
		err = WriteSnapshots(ctx, w, again, s.First, s.Cycle)
	}
	if err != nil && !errors.Is(err, errDiffers) {
		return nil, err
	}
	if err == nil {
		if _, err := original.Peek(1); err == nil {
			w.differs(nil)
		}
	}
	result.Bytes, result.Same, result.Difference = w.at, w.difference == nil, w.difference
	if d := w.difference; d != nil {
		d.Kind, d.Cycle = lineOf(result, d.Line)
	}
	return result, nil
}

// inMemory makes a context in a fresh store.
func inMemory(ctx context.Context, g engine.Creation) (*provenance.Source, error) {
	s := engine.InMemory()
	info, err := s.Create(ctx, g)
	if err != nil {
		return nil, err
	}
	state, err := s.Load(ctx, info.Key)
	if err != nil {
		return nil, err
	}
	return &provenance.Source{Store: s, State: *state}, nil
}

// lineOf returns the kind and the cycle of a line of the history.
func lineOf(r *inspect.Replay, line int) (string, int64) {
	if r.Form == "snapshots" {
		return "snapshot", min(r.First+int64(line)-1, r.Last)
	}
	snapshots := r.Last - r.First + 1
	switch n := int64(line) - 2; {
	case n < 0:
		return "head", r.First
	case snapshots <= 0 && n == 0:
		return "empty", r.Last
	case n < snapshots:
		return "snapshot", r.First + n
	}
	return "working", r.Last + 1
}

var errDiffers = errors.New("the bytes differ")

// comparer compares the bytes written to it with the original.
type comparer struct {
	original   *bufio.Reader
	at         int64 // bytes that were equal
	line       int   // line feeds among them
	lineStart  int64 // offset of the current line
	difference *inspect.Difference
}

// Write implements io.Writer. It fails at the first byte that differs.
func (c *comparer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		have, err := c.original.Peek(min(len(rest), c.original.Size()))
		if err != nil && err != io.EOF {
			return 0, err
		}
		same := 0
		for same < len(have) && have[same] == rest[same] {
			same++
		}
		c.pass(have[:same])
		if same < len(have) || same == 0 {
			c.differs(rest[same:])
			return 0, errDiffers
		}
		rest = rest[same:]
	}
	return len(p), nil
}

// pass consumes equal bytes.
func (c *comparer) pass(b []byte) {
	for i, x := range b {
		if x == '\n' {
			c.line++
			c.lineStart = c.at + int64(i) + 1
		}
	}
	c.at += int64(len(b))
	_, _ = c.original.Discard(len(b))
}

// shownBytes is how many bytes of a difference a message shows.
const shownBytes = 60

func (c *comparer) differs(export []byte) {
	original, _ := c.original.Peek(shownBytes)
	c.difference = &inspect.Difference{
		Line: c.line + 1, Byte: c.at, LineByte: c.at - c.lineStart, Original: firstLine(original), Export: firstLine(export),
	}
}

// firstLine returns the beginning of a line as text.
func firstLine(b []byte) string {
	line, _, _ := bytes.Cut(b[:min(len(b), shownBytes)], []byte("\n"))
	return string(bytes.ToValidUTF8(line, []byte("\uFFFD")))
}
