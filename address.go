package pact

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Address names a state of a context, as a text: @t0 is the snapshot of the latest commit,
// @t-3 the one three commits before, @c12 that of cycle 12 (05 §2.3), and the word working
// is the working state. The words latest and latest-3 mean in every edition what [Latest]
// and [Back] return. A call that takes an Address returns E_SELECTOR_INVALID for any other
// text.
//
// Specification: 02 §8.4, 05 §2.3.
type Address string

const (
	workingWord = "working"
	latestWord  = "latest"
)

// Working returns the address of the working state, which the next commit publishes.
func Working() Address { return workingWord }

// Latest returns the address of the snapshot of the latest commit.
func Latest() Address { return latestWord }

// Back returns the address of the snapshot n commits before the latest.
func Back(n int64) Address {
	if n == 0 {
		return Latest()
	}
	return Address(fmt.Sprintf("%s-%d", latestWord, n))
}

// Cycle returns @cN: the snapshot of cycle n.
func Cycle(n int64) Address { return Address(fmt.Sprintf("@c%d", n)) }

// ParseAddress checks a text that a user wrote. It returns the form that the functions of
// this package return for the same state, and E_SELECTOR_INVALID for a text that is no
// address of one state.
func ParseAddress(s string) (Address, error) {
	at, err := Address(s).point()
	if err != nil {
		return "", err
	}
	return at.address(), nil
}

// String returns the address as the documents write it: @t0, @t-3, @c12 or working.
func (a Address) String() string {
	at, err := a.point()
	switch {
	case err != nil:
		return string(a)
	case at.axis == 't' && at.n == 0:
		return "@t0"
	case at.axis == workingAxis:
		return workingWord
	}
	return "@" + string(at.axis) + strconv.FormatInt(at.n, 10)
}

// point is what an address says: a place on the axis t or c, or the working state.
type point struct {
	axis byte
	n    int64
}

const workingAxis = 'w'

// point reads an address.
func (a Address) point() (point, error) {
	s := string(a)
	switch {
	case s == workingWord:
		return point{axis: workingAxis}, nil
	case s == latestWord:
		return point{axis: 't'}, nil
	}
	if back, ok := strings.CutPrefix(s, latestWord+"-"); ok {
		s = "@t-" + back
	}
	sel, err := selector.Parse(s+" *", selector.V01)
	if err != nil && fault.CodeOf(err) != fault.SelectorInvalid {
		return point{}, err
	}
	if err != nil {
		return point{}, noAddress(string(a))
	}
	alone := len(sel.Groups) == 1 && len(sel.Groups[0].Steps) == 1 && len(sel.Groups[0].Steps[0].Parts) == 1
	if !alone || sel.Time == nil || sel.Time.Kind != selector.Single {
		return point{}, noAddress(string(a))
	}
	return point{sel.Time.From.Axis, sel.Time.From.N}, nil
}

// address returns the address of a point.
func (p point) address() Address {
	switch p.axis {
	case workingAxis:
		return Working()
	case 'c':
		return Cycle(p.n)
	}
	return Back(-p.n)
}

// names reports whether an address names the state at another one, however it is written.
func (a Address) names(other Address) bool {
	at, err := a.point()
	same, _ := other.point()
	return err == nil && at == same
}

func noAddress(s string) error {
	return fault.At(fault.SelectorInvalid, 0, s, "this is not the address of one state",
		"write @t0, @t-1, @c12 or working")
}

// published says which snapshots a context has.
func published(i engine.Info) string {
	if i.Cycle < i.First {
		return "the context has no snapshot yet: commit first"
	}
	return fmt.Sprintf("the context has @c%d to @c%d", i.First, i.Cycle)
}

// cycle resolves the address of a snapshot to its cycle. It refuses the working state,
// which is not a snapshot.
func (a Address) cycle(i engine.Info) (int64, error) {
	at, err := a.point()
	if err != nil {
		return 0, err
	}
	if at.axis == workingAxis {
		return 0, fault.At(fault.SnapshotNotFound, fault.NoOffset, a.String(), "the working state is not a snapshot yet",
			"commit first, or name a snapshot")
	}
	cycle := at.n
	if at.axis == 't' {
		cycle = i.Cycle + at.n
	}
	if cycle < i.First || cycle > i.Cycle {
		return 0, fault.At(fault.SnapshotNotFound, fault.NoOffset, a.String(), "there is no snapshot "+a.String(),
			published(i))
	}
	return cycle, nil
}

// cycles resolves two addresses of snapshots, in either order, to the older cycle
// and the newer one.
func cycles(i engine.Info, from, to Address) (first, last int64, err error) {
	if first, err = from.cycle(i); err != nil {
		return 0, 0, err
	}
	if last, err = to.cycle(i); err != nil {
		return 0, 0, err
	}
	return min(first, last), max(first, last), nil
}

// CycleAt returns the cycle of the snapshot at an address and does not read it. It returns
// E_SNAPSHOT_NOT_FOUND if there is none; the working state is none.
func (c *Context) CycleAt(a Address) (int64, error) { return a.cycle(c.state.Load().Info) }

// Working returns the working state as it was last loaded or written, without asking the
// store. Use [Context.At] with the address [Working] to be sure that it holds nothing that
// was erased since.
func (c *Context) Working() *Snapshot {
	s := c.state.Load()
	return s.show(s.Working)
}

// At returns the snapshot at an address, or the working state. It returns
// E_SNAPSHOT_NOT_FOUND if there is none. Cost: reading the snapshot without the contents of
// its nodes; for the working state and the latest snapshot only a look-up.
func (c *Context) At(ctx context.Context, a Address) (_ *Snapshot, err error) {
	s, err := c.current(ctx)
	if err != nil {
		return nil, err
	}
	t, err := c.treeAt(ctx, s, a)
	if err != nil {
		return nil, err
	}
	return s.show(t), nil
}

// treeAt returns the tree of a snapshot, or of the working state.
func (c *Context) treeAt(ctx context.Context, s *state, a Address) (*tree.Tree, error) {
	if a.names(Working()) {
		return s.Working, nil
	}
	cycle, err := a.cycle(s.Info)
	if err != nil {
		return nil, err
	}
	if cycle == s.State.Cycle {
		return s.Head, nil
	}
	return engine.Snapshot(ctx, c.store, s.Key, cycle)
}

// At returns the snapshot itself for @t0, for its own cycle and for the working state. So
// a snapshot that stands alone (see [ReadSnapshot]) answers these addresses as a
// [Context] does. It returns E_SNAPSHOT_NOT_FOUND for any other address.
func (s *Snapshot) At(a Address) (_ *Snapshot, err error) {
	at, err := a.point()
	if err != nil {
		return nil, err
	}
	if at.axis == workingAxis || at == (point{axis: 't'}) || at == (point{'c', s.Cycle()}) {
		return s, nil
	}
	return nil, fault.At(fault.SnapshotNotFound, fault.NoOffset, a.String(), "there is no snapshot "+a.String(),
		"the document is one snapshot, @t0, which is "+Cycle(s.Cycle()).String())
}

// named returns an error if the address of a selector names anything but this snapshot.
func (s *Snapshot) named(t *selector.Time) error {
	switch {
	case t == nil || s.alone && t.Kind == selector.All:
		return nil
	case !s.alone:
		return fault.New(fault.SelectorInvalid, "the selector has an address, but only this snapshot is asked",
			"leave the address out, or ask the context")
	case t.Kind == selector.Range:
		return fault.New(fault.SelectorInvalid, "the selector addresses a range, but a document is one snapshot",
			"leave the address out")
	}
	_, err := s.At(point{t.From.Axis, t.From.N}.address())
	return err
}

// History yields the snapshots between two addresses, both included, oldest first.
// Neighbours share what did not change, and only a few are held in memory at a time. If
// it fails, it yields the error and ends; the error is E_SNAPSHOT_NOT_FOUND if there is
// no snapshot at an address. Cost: reading the first snapshot, then what changed from
// each snapshot to the next.
func (c *Context) History(ctx context.Context, from, to Address) iter.Seq2[*Snapshot, error] {
	return func(yield func(*Snapshot, error) bool) {
		s, err := c.current(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		first, last, err := cycles(s.Info, from, to)
		if err != nil {
			yield(nil, err)
			return
		}
		for t, err := range c.store.History(ctx, s.Key, first, last) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(s.show(t), nil) {
				return
			}
		}
	}
}

// addressed returns the trees in which a selector searches, newest first, and a warning
// for each end of a range that it clamped.
func (c *Context) addressed(ctx context.Context, s *state, q *selector.Selector) ([]*tree.Tree, []string, error) {
	first, last := s.Info.First, s.Info.Cycle
	var warnings []string
	switch {
	case q.Time != nil && q.Time.Kind == selector.All:
		if last < first {
			return nil, nil, nil
		}
	case q.Time != nil && q.Time.Kind == selector.Range:
		var err error
		if first, last, warnings, err = resolveRange(q.Time, s.Info); err != nil {
			return nil, nil, err
		}
	default:
		t, err := c.treeAt(ctx, s, addressOf(q))
		if err != nil {
			return nil, nil, err
		}
		return []*tree.Tree{t}, nil, nil
	}
	trees, err := c.trees(ctx, s, first, last)
	return trees, warnings, err
}

// trees reads the snapshots of some cycles, newest first.
func (c *Context) trees(ctx context.Context, s *state, first, last int64) ([]*tree.Tree, error) {
	if err := budget.Snapshots(ctx, last-first+1); err != nil {
		return nil, err
	}
	trees, err := engine.Collect(c.store.History(ctx, s.Key, first, last))
	if err != nil {
		return nil, err
	}
	newest := make([]*tree.Tree, len(trees))
	for i, t := range trees {
		newest[len(trees)-1-i] = t
	}
	return newest, nil
}

// addressOf returns the address of a selector that asks one state, not a range or @*.
func addressOf(q *selector.Selector) Address {
	switch {
	case q.Time == nil && q.Edition.Traits().DefaultWorking:
		return Working()
	case q.Time == nil:
		return Latest()
	}
	return point{q.Time.From.Axis, q.Time.From.N}.address()
}

// resolveRange resolves a range to cycles. Its ends may stand in either order. It clamps
// an end that lies beyond the existing snapshots and returns a warning for it.
func resolveRange(t *selector.Time, i engine.Info) (first, last int64, warnings []string, err error) {
	ends := [2]int64{}
	for k, p := range [...]selector.Point{t.From, t.To} {
		switch {
		case p.Oldest:
			ends[k] = i.First
		case p.Axis == 't':
			ends[k] = i.Cycle + min(p.N, math.MaxInt64-i.Cycle)
		default:
			ends[k] = p.N
		}
	}
	text := t.String()
	lo, hi := min(ends[0], ends[1]), max(ends[0], ends[1])
	if hi < i.First || lo > i.Cycle || i.Cycle < i.First {
		return 0, 0, nil, fault.At(fault.SnapshotNotFound, 0, text, "there is no snapshot in the range "+text, published(i))
	}
	if lo < i.First {
		warnings = append(warnings, fmt.Sprintf("the range begins before the oldest snapshot: clamped to @c%d", i.First))
	}
	if hi > i.Cycle {
		warnings = append(warnings, fmt.Sprintf("the range ends after the latest snapshot: clamped to @c%d", i.Cycle))
	}
	return max(lo, i.First), min(hi, i.Cycle), warnings, nil
}
