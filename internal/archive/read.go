package archive

import (
	"bufio"
	"context"
	"io"
	"iter"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
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
	lines        *lines
	compact      bool           // the lines have the compact form
	empty        bool           // the first tree is that of a new context, not a snapshot
	first, last  *tree.Tree     // of the snapshots read so far
	firstEntry   history.Entry  // the log entry of the first tree
	scheduled    []string       // which keys of the last tree come again
	change       *engine.Change // what the last line brought
	attempts     []history.Attempt
	stamps       tree.Stamps // LastNS and Given of all that the changes brought
	working      *tree.Tree  // the working state, if the history has one
	findings     []inspect.Finding
	found        map[inspect.Finding]bool // those of documents
	removed      map[string]bool          // ids that only earlier snapshots have
	editionGiven bool                     // the caller gave the edition
	converted    bool                     // the lines are of an edition with other hashes and threads
}

func newHistoryReader(ctx context.Context, o Options, in *lines) *historyReader {
	return &historyReader{ctx: ctx, Options: o, stamps: tree.Stamps{Given: -1}, lines: in,
		found: map[inspect.Finding]bool{}}
}

// History is a history that is read as a context.
type History struct {
	engine.Creation
	reader *historyReader
}

// Findings are what was repaired or accepted as it is; they are complete once the changes were read.
func (h *History) Findings() []inspect.Finding { return h.reader.findings }

// ReadHistory reads a history in either form as a context with this name. Unless the options
// are strict, it repairs and reports what other tools get wrong about the order, root and
// regions of snapshots. It reads the first snapshot; going through the changes reads the others. Errors
// carry the line: E_DOCUMENT_INVALID and E_PLACEMENT_INVALID for what no context can have had, E_LIMIT.
// Cost: the input, and two trees, which share what did not change, or all of an input that has the newest
// snapshot first.
func ReadHistory(ctx context.Context, name string, in io.Reader, o Options) (*History, error) {
	r := newHistoryReader(ctx, o, &lines{in: bufio.NewReaderSize(in, 1<<16)})
	first, err := r.readFirst()
	if err != nil {
		return nil, err
	}
	second, err := r.lines.next(ctx)
	switch {
	case err == io.EOF:
	case err != nil:
		return nil, onLine(err, second.no)
	case !r.goesBackwards(second.data):
		r.lines.back = []line{second}
	default:
		if err := r.lines.reverse(ctx, first, second); err != nil {
			return nil, err
		}
		r = newHistoryReader(ctx, o, r.lines)
		r.report("", "the snapshots stand newest first: read from the end")
		if _, err := r.readFirst(); err != nil {
			return nil, err
		}
	}
	g, err := r.creation(name)
	return &History{g, r}, err
}

// readFirst reads lines until there is a first tree, and returns the last one of these.
func (r *historyReader) readFirst() (l line, err error) {
	for r.first == nil {
		if l, err = r.lines.next(r.ctx); err == io.EOF {
			return l, fault.New(fault.DocumentInvalid, "the history holds no snapshot",
				"give a file with at least one snapshot; an export of the whole history has them all")
		}
		if err == nil {
			err = r.readLine(l.data)
		}
		if err != nil {
			return l, onLine(err, l.no)
		}
	}
	return l, nil
}

// changes yields the changes of the lines that were not read yet.
func (r *historyReader) changes() iter.Seq2[engine.Change, error] {
	return func(yield func(engine.Change, error) bool) {
		for l, err := range r.lines.all(r.ctx) {
			if r.change = nil; err == nil {
				err = r.readLine(l.data)
			}
			if err != nil {
				yield(engine.Change{}, onLine(err, l.no))
				return
			}
			if r.change != nil && !yield(*r.change, nil) {
				return
			}
		}
	}
}

// The memory that a history holds until its context is made, in bytes, besides contents.
const (
	memoryOfNode  = 2 << 10
	memoryOfCycle = 4 << 10
)

// hold counts the nodes that a line brings in the budget of the call.
func (r *historyReader) hold(nodes int, line int) error {
	_, err := budget.Reserve(r.ctx, memoryOfCycle+memoryOfNode*int64(nodes)+int64(line))
	return err
}

// readLine reads the next line of a history, in either form.
func (r *historyReader) readLine(data []byte) error {
	parsed, err := budget.Reserve(r.ctx, canon.Weight(data))
	if err != nil {
		return err
	}
	defer parsed()
	doc, err := document.Parse(data)
	if err != nil {
		return err
	}
	if v, ok := doc.Get("pact_history"); ok {
		return r.readCompactHead(doc, v)
	}
	if r.compact {
		return r.readCompactLine(doc, len(data))
	}
	if err := r.checkEdition(doc); err != nil {
		return err
	}
	if doc, err = r.withNextCycle(doc); err != nil {
		return err
	}
	doc, err = r.keepIDs(doc)
	if err != nil {
		return err
	}
	if root, ok := doc.Get("root"); ok && r.last != nil {
		if root, err = r.keepCycles(root, "root"); err != nil {
			return err
		}
		doc = doc.With("root", root)
	}
	d, err := document.FromAny(doc, document.Options{Edition: r.Edition})
	if err != nil {
		return err
	}
	r.Edition = d.Edition
	for _, f := range d.Findings {
		if !r.found[f] { // the next snapshots have the same nodes
			r.found[f] = true
			r.findings = append(r.findings, f)
		}
	}
	if r.last == nil {
		r.first, r.last = d.Tree, d.Tree
		return r.hold(d.Tree.Len(), len(data))
	}
	if id := d.Tree.Root().Node().ID; id != r.last.Root().Node().ID {
		return fault.OnNode(fault.DocumentInvalid, id, "the root is another node than in the snapshots before",
			"import what comes from here on as another context")
	}
	gone, born, err := r.last.Delta(d.Tree)
	if err != nil {
		return err
	}
	brought := 0
	for _, b := range born {
		brought += b.Node.Content.Size()
	}
	if err := r.hold(len(born), brought); err != nil {
		return err
	}
	next, err := r.last.Patch(d.Tree.Cycle(), gone, born)
	if err != nil {
		return err
	}
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
	if r.last == r.first {
		if r.scheduled, err = commit.Scheduled(nil, nil, r.first); err != nil {
			return err
		}
	}
	if !r.compact { // the compact form says it
		if r.scheduled, err = commit.Scheduled(r.scheduled, r.last, t); err != nil {
			return err
		}
		e.Idle = r.scheduled
	}
	if e.Anew, err = provenance.SentAnew(r.ctx, r.last, t); err != nil {
		return err
	}
	r.change = &engine.Change{
		Before: r.last.WithCycle(t.Cycle()), After: t.WithCycle(t.Cycle() + 1), Sealed: t, Stamps: r.stamps, Entry: e,
	}
	r.last = t
	return nil
}
