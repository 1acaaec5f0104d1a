package archive

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
)

// historyReader collects the trees of a history. It makes each from the previous one, so that
// they share what did not change.
type historyReader struct {
	Options
	ctx          context.Context
	compact      bool          // the lines have the compact form
	empty        bool          // the first tree is that of a new context, not a snapshot
	first, last  *tree.Tree    // of the snapshots read so far
	firstEntry   history.Entry // the log entry of the first tree
	changes      []engine.Change
	attempts     []history.Attempt
	stamps       tree.Stamps // LastNS and Given of all that the changes brought
	working      *tree.Tree  // the working state, if the history has one
	findings     []inspect.Finding
	removed      map[string]bool // ids that only earlier snapshots have
	editionGiven bool            // the caller gave the edition
}

func newHistoryReader(ctx context.Context, o Options) *historyReader {
	return &historyReader{ctx: ctx, Options: o, stamps: tree.Stamps{Given: -1}}
}

// ReadHistory reads a history in either form as a context with this name. Unless the options
// are strict, it repairs and reports what other tools get wrong about the order, root and
// regions of snapshots. Errors carry the line: E_DOCUMENT_INVALID and E_PLACEMENT_INVALID for
// what no context can have had, E_LIMIT. Cost: the input, and the trees, which share what did
// not change.
func ReadHistory(ctx context.Context, name string, in io.Reader, o Options) (engine.Creation, []inspect.Finding, error) {
	r := newHistoryReader(ctx, o)
	type numbered struct {
		data []byte
		line int
	}
	var first numbered
	var backwards []numbered // of snapshots that the input has newest first
	lines := bufio.NewReaderSize(in, 1<<16)
	for line := 1; ; line++ {
		data, err := readLine(ctx, lines)
		if err == io.EOF {
			break
		}
		switch {
		case err != nil || len(data) == 0:
		case backwards != nil:
			backwards = append(backwards, numbered{data, line})
			_, err = budget.Hold(ctx, int64(len(data)))
		case r.goesBackwards(data):
			backwards = []numbered{first, {data, line}}
		default:
			first = numbered{data, line}
			err = r.line(data)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return engine.Creation{}, nil, onLine(err, line)
		}
	}
	if backwards != nil {
		r = newHistoryReader(ctx, o)
		r.report("", "the snapshots stand newest first: read from the end")
	}
	for _, l := range slices.Backward(backwards) {
		if err := r.line(l.data); err != nil {
			return engine.Creation{}, nil, onLine(err, l.line)
		}
	}
	if r.first == nil {
		return engine.Creation{}, nil, fault.New(fault.DocumentInvalid, "the history holds no snapshot",
			"give a file with at least one snapshot; an export of the whole history has them all")
	}
	return r.creation(name), r.findings, nil
}

// What a history holds in memory until its context is made, in bytes, besides contents.
const (
	memoryOfNode  = 2 << 10
	memoryOfCycle = 4 << 10
)

// hold counts the nodes that a line brings in the budget of the call.
func (r *historyReader) hold(nodes int, line int) error {
	_, err := budget.Hold(r.ctx, memoryOfCycle+memoryOfNode*int64(nodes)+int64(line))
	return err
}

// line reads the next line of a history, in either form.
func (r *historyReader) line(data []byte) error {
	parsed, err := budget.Hold(r.ctx, canon.Weight(data))
	if err != nil {
		return err
	}
	defer parsed()
	doc, err := document.Parse(data)
	if err != nil {
		return err
	}
	if v, ok := doc.Get("pact_history"); ok {
		return r.compactHead(doc, v)
	}
	if r.compact {
		return r.compactLine(doc, len(data))
	}
	if err := r.checkEdition(doc); err != nil {
		return err
	}
	if doc, err = r.withNextCycle(doc); err != nil {
		return err
	}
	doc = r.keepIDs(doc)
	if root, ok := doc.Get("root"); ok && r.last != nil {
		doc = withMember(doc, "root", r.keepCycles(root, "root"))
	}
	d, err := document.FromAny(doc, document.Options{Edition: r.Edition})
	if err != nil {
		return err
	}
	r.Edition = d.Edition
	r.findings = append(r.findings, d.Findings...)
	if r.last == nil {
		r.first, r.last = d.Tree, d.Tree
		return r.hold(d.Tree.Len(), len(data))
	}
	if id := d.Tree.Root().Node().ID; id != r.last.Root().Node().ID {
		return fault.OnNode(fault.DocumentInvalid, id, "the root is another node than in the snapshots before",
			"import what comes from here on as another context")
	}
	gone, born := r.last.Delta(d.Tree)
	brought := 0
	for _, b := range born {
		brought += int(b.Node.Content.Size())
	}
	if err := r.hold(len(born), brought); err != nil {
		return err
	}
	next := r.last.Patch(d.Tree.Cycle(), gone, born)
	if err := checkRegions(r.last, next, born); err != nil {
		return err
	}
	return r.publish(next, history.Entry{})
}

// publish takes a tree as the snapshot of the next cycle, with its log entry.
func (r *historyReader) publish(t *tree.Tree, e history.Entry) error {
	if t.Cycle() != r.last.Cycle()+1 {
		return fault.New(fault.DocumentInvalid,
			"cycle "+strconv.FormatInt(t.Cycle(), 10)+" follows cycle "+strconv.FormatInt(r.last.Cycle(), 10),
			"lines are missing or out of order: write the history again")
	}
	if err := r.checkSeal(t); err != nil {
		return err
	}
	e.Cycle = t.Cycle()
	var err error
	if e.Anew, err = provenance.SentAnew(r.ctx, r.last, t); err != nil {
		return err
	}
	r.changes = append(r.changes, engine.Change{
		Before: r.last.WithCycle(t.Cycle()), After: t.WithCycle(t.Cycle() + 1), Sealed: t, Stamps: r.stamps, Entry: e,
	})
	r.last = t
	return nil
}

// readLine returns the next line without its end.
func readLine(ctx context.Context, in *bufio.Reader) ([]byte, error) {
	var line []byte
	release := func() {}
	defer func() { release() }()
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > cap(line) { // room for more, beside the line until it is copied
			release()
			var err error
			if release, err = budget.Hold(ctx, 3*int64(len(line)+len(part))); err != nil {
				release = func() {}
				return nil, err
			}
		}
		line = append(line, part...)
		switch {
		case len(line) > document.MaxBytes:
			return nil, fault.New(fault.Limit, "a line of the history is longer than "+strconv.Itoa(document.MaxBytes)+" bytes",
				"export it in the compact form, which writes each node once")
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
