package pact

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/store"
)

// Replayed is what came of running an exported history again (06 §5.2).
type Replayed struct {
	Form       string    `json:"form"` // snapshots or compact
	Edition    Edition   `json:"edition"`
	First      int64     `json:"first_cycle"` // there is no snapshot while Last < First
	Last       int64     `json:"last_cycle"`
	Bytes      int64     `json:"bytes"` // that were the same, all of them where nothing differs
	Same       bool      `json:"same"`
	Difference *Unlike   `json:"difference,omitempty"`
	Findings   []Finding `json:"findings"` // what had to be mended to read it at all
}

// Unlike is the first byte in which a history differs from what it exports to.
type Unlike struct {
	Line  int    `json:"line"`   // from 1
	What  string `json:"what"`   // of the line: snapshot, working, or head and empty in the compact form
	Cycle int64  `json:"cycle"`  // of the line
	Byte  int64  `json:"byte"`   // of the file, from 0
	In    int64  `json:"in"`     // byte of the line, from 0
	Was   string `json:"was"`    // how the file goes on there, "" at its end
	Comes string `json:"export"` // and how the export does
}

// Replay runs an exported history again, in either form: it makes a context of
// it in a fresh store in memory, exports that in the same form and compares byte
// by byte. A history that cannot be read at all is an error. r is read twice.
// Cost: that of an import and an export; the bytes are not kept.
func Replay(ctx context.Context, r io.ReadSeeker, opts ...Option) (*Replayed, error) {
	c, findings, err := ImportHistory(ctx, store.NewMemory(), "replay", r, opts...)
	if err != nil {
		return nil, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	first, last := c.Cycles()
	result := &Replayed{Form: "snapshots", Edition: c.Edition(), First: first, Last: last, Findings: append([]Finding{}, findings...)}
	was := bufio.NewReaderSize(r, 1<<16)
	if compactForm(was) {
		result.Form = "compact"
	}
	w := &comparer{was: was}
	if result.Form == "compact" {
		err = c.Backup(ctx, w)
	} else {
		err = c.ExportHistory(ctx, w, Cycle(first), Cycle(last))
	}
	if err != nil && !errors.Is(err, errUnlike) {
		return nil, err
	}
	if err == nil {
		if _, err := w.was.Peek(1); err == nil {
			w.differs(nil)
		}
	}
	result.Bytes, result.Same, result.Difference = w.at, w.unlike == nil, w.unlike
	if w.unlike != nil {
		w.unlike.What, w.unlike.Cycle = result.lineOf(w.unlike.Line)
	}
	return result, nil
}

// compactForm looks at the first line without taking it. That of the compact
// form is short.
func compactForm(r *bufio.Reader) bool {
	head, _ := r.Peek(4 << 10)
	line, _, _ := bytes.Cut(head, []byte("\n"))
	doc, err := canon.ParseDocument(bytes.TrimSpace(line))
	if err != nil {
		return false
	}
	_, compact := doc.Get("pact_history")
	return compact
}

// lineOf says what a line of the history is and which cycle it is of.
func (r *Replayed) lineOf(line int) (string, int64) {
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

var errUnlike = errors.New("the bytes differ")

// comparer compares what is written to it with what was.
type comparer struct {
	was    *bufio.Reader
	at     int64 // bytes that were the same
	line   int   // line feeds among them
	begun  int64 // where the line began
	unlike *Unlike
}

// Write implements io.Writer. It fails at the first byte that differs.
func (c *comparer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		have, err := c.was.Peek(min(len(rest), c.was.Size()))
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
			return 0, errUnlike
		}
		rest = rest[same:]
	}
	return len(p), nil
}

// pass takes bytes that are the same.
func (c *comparer) pass(b []byte) {
	for i, x := range b {
		if x == '\n' {
			c.line++
			c.begun = c.at + int64(i) + 1
		}
	}
	c.at += int64(len(b))
	_, _ = c.was.Discard(len(b))
}

// shownBytes is how much is shown of what differs.
const shownBytes = 60

func (c *comparer) differs(comes []byte) {
	was, _ := c.was.Peek(shownBytes)
	c.unlike = &Unlike{Line: c.line + 1, Byte: c.at, In: c.at - c.begun, Was: upTo(was), Comes: upTo(comes)}
}

// upTo is the beginning of a line as text.
func upTo(b []byte) string {
	line, _, _ := bytes.Cut(b[:min(len(b), shownBytes)], []byte("\n"))
	return string(bytes.ToValidUTF8(line, []byte("\uFFFD")))
}
