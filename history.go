package pact

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// ExportHistory writes the canonical snapshots between two addresses, both
// included, one a line, oldest first: the form for exchange. Its size grows
// with the square of the conversation; Backup's does not. Cost: about copying
// what is written, see [document.Series].
func (c *Context) ExportHistory(ctx context.Context, w io.Writer, from, to Address) error {
	buf := bufio.NewWriterSize(w, 1<<16)
	var series document.Series
	for s, err := range c.History(ctx, from, to) {
		if err != nil {
			return err
		}
		if err := series.Write(ctx, buf, s.tree, string(s.edition)); err != nil {
			return err
		}
		if err := buf.WriteByte('\n'); err != nil {
			return err
		}
	}
	return buf.Flush()
}

// historyFormat is the version of the compact form.
const historyFormat = 1

// Backup writes the whole context in the compact form: a line for each cycle
// with the nodes that it brought and the ids that it took away, each version of
// a node once, and a last line for edits that were not committed. It is the
// form for copying and keeping; ImportHistory reads it.
func (c *Context) Backup(ctx context.Context, w io.Writer) error {
	s := c.state.Load()
	buf := bufio.NewWriterSize(w, 1<<16)
	line := append([]byte(nil), `{"edition":`...)
	line = canon.AppendString(line, s.Edition)
	line = append(line, `,"pact_history":1,"spec_version":"`+document.SpecVersion+`"}`...)
	if err := writeLine(buf, line); err != nil {
		return err
	}
	log := c.provenance(s).Publications(ctx)
	defer log.Stop()
	var last *tree.Tree
	next := func(t *tree.Tree, kind string) error {
		entry, err := log.Of(t.Cycle())
		if err != nil {
			return err
		}
		before := last
		last = t
		return writeDelta(ctx, buf, before, t, kind, entry)
	}
	if s.State.Cycle < s.First { // a new context: the empty tree is no snapshot
		if err := next(s.Head, "empty"); err != nil {
			return err
		}
	} else {
		for t, err := range c.store.History(ctx, s.Key, s.First, s.State.Cycle) {
			if err == nil {
				err = next(t, "cycle")
			}
			if err != nil {
				return err
			}
		}
	}
	if err := writeDelta(ctx, buf, last, s.Working, "working", store.Entry{}); err != nil {
		return err
	}
	return buf.Flush()
}

// logged is what the compact form keeps of a log entry: not the revision and
// not the request, which belong to the store that it was in.
type logged struct {
	Actor   string          `json:"actor,omitempty"`
	Digest  string          `json:"digest,omitempty"`
	Message string          `json:"message,omitempty"`
	Report  json.RawMessage `json:"report,omitempty"`
	Sent    string          `json:"sent,omitempty"`
	Thread  string          `json:"thread,omitempty"`
	TimeNS  int64           `json:"time_ns"`
}

func writeLine(w *bufio.Writer, line []byte) error {
	if _, err := w.Write(line); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// writeDelta writes what leads from one tree to the next. name is the key that
// says what the line is, with the cycle as its value.
func writeDelta(ctx context.Context, w *bufio.Writer, last, next *tree.Tree, name string, e store.Entry) (err error) {
	var gone []string
	var born []tree.Born
	if last == nil {
		for entry, parent := range next.All() {
			born = append(born, tree.Born{Node: entry.Node(), Parent: parent})
		}
	} else {
		gone, born = last.Delta(next)
	}
	line := append([]byte(nil), `{"born":[`...)
	for i, b := range born {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(line, `{"node":`...)
		class := tree.Container
		if path := next.Path(b.Node.ID); path != nil {
			class = path[len(path)-1].Class()
		}
		if line, err = document.AppendNode(ctx, line, b.Node, class, next.Cycle()); err != nil {
			return err
		}
		line = append(line, `,"parent":`...)
		line = append(canon.AppendString(line, b.Parent), '}')
	}
	line = append(line, `],`...)
	line = append(line, canon.String(name)...)
	line = append(append(line, ':'), canon.Int(next.Cycle())...)
	line = append(append(line, `,"died":`...), canon.Strings(gone)...)
	entry, err := canon.Encode(logged{e.Actor, e.Digest, e.Message, e.Report, e.Sent, e.Thread, e.TimeNS})
	if err != nil {
		return err
	}
	line = append(append(line, `,"entry":`...), entry...)
	return writeLine(w, append(line, '}'))
}

// ImportHistory makes a context of a history in JSON Lines, in either form: the
// snapshots of consecutive cycles, oldest first, or what Backup wrote. What
// other tools get wrong about their order, root and regions is mended and
// reported, unless [Strict] is given. Cycles keep their numbers; where one is
// missing the history is refused (05 §3.2, §6.6), unless [Renumber] is given. The
// import is one durable step. Errors carry the line.
func ImportHistory(ctx context.Context, s store.Store, name string, r io.Reader, opts ...Option) (*Context, []inspect.Finding, error) {
	o := collect(append([]Option{WithEdition("")}, opts...))
	h := &historyReader{options: o}
	type numbered struct {
		data []byte
		line int
	}
	var first numbered
	var backwards []numbered // of snapshots that stand newest first
	in := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		data, err := readLine(in)
		if err == io.EOF {
			break
		}
		switch {
		case err != nil || len(data) == 0:
		case backwards != nil:
			backwards = append(backwards, numbered{data, line})
		case h.older(data):
			backwards = []numbered{first, {data, line}}
		default:
			first = numbered{data, line}
			err = h.line(data)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, nil, onLine(err, line)
		}
	}
	if backwards != nil {
		h = &historyReader{options: o}
		h.found("", "the snapshots stand newest first: read from the end")
	}
	for _, l := range slices.Backward(backwards) {
		if err := h.line(l.data); err != nil {
			return nil, nil, onLine(err, l.line)
		}
	}
	if h.first == nil {
		return nil, nil, fault.New(fault.DocumentInvalid, "the history holds no snapshot", "export one with pact export --all")
	}
	c, err := begin(ctx, s, h.genesis(name), o)
	return c, h.findings, err
}

// readLine returns the next line without its end.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > document.MaxBytes:
			return nil, fault.New(fault.Limit, "a line of a history is too long", "split it")
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF && len(line) > 0, err == nil:
			for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
				line = line[:len(line)-1]
			}
			return line, nil
		case err != nil:
			return nil, err
		}
	}
}

// onLine adds the line to an error that has none.
func onLine(err error, line int) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	at := *e
	if at.Line == 0 {
		at.Line = line
	}
	return &at
}
