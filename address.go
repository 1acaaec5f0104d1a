package pact

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/selector"
)

// Address names a state of a context, as a text: @t0 is the snapshot of the latest commit, @t-3 the one three commits
// before, @c12 that of cycle 12 (05 §2.3). The words latest and latest-3 mean the same as @t0 and @t-3, and the word
// working is the working state, which the next commit publishes. A call that takes an Address returns
// E_SELECTOR_INVALID for any other text, and E_SNAPSHOT_NOT_FOUND if there is no such snapshot. In edition 1.0 a user
// writes @t0 for the working state and @t-1 for the snapshot of the latest commit: [ParseAddress] and [Address.Text]
// translate.
//
// Specification: 02 §8.4, 05 §2.3.
type Address string

const (
	workingWord = "working"
	latestWord  = "latest"
)

// back returns the address of the snapshot n commits before that of the latest commit.
func back(n int64) Address {
	if n == 0 {
		return latestWord
	}
	return Address(fmt.Sprintf("%s-%d", latestWord, n))
}

// Cycle returns @cN: the snapshot of cycle n.
func Cycle(n int64) Address { return Address(fmt.Sprintf("@c%d", n)) }

// ParseAddress checks a text that a user wrote in an edition; "" is that of the documents before edition 1.0. It returns
// the form that the functions of this package return for the same state, or the text where zeros in front of the number
// make it another one, so that errors quote what was written; E_SELECTOR_INVALID for a text that is no address of one
// state.
//
// Specification: 02 §8.4, 1.0 05 §2.3.
func ParseAddress(s string, e selector.Edition) (Address, error) {
	at, err := Address(s).point()
	if err != nil {
		return "", err
	}
	if e.Traits().T0Working && strings.HasPrefix(strings.TrimSpace(s), "@t") {
		return pointIn(at.axis, at.n, e).address(), nil
	}
	if a := at.address(); a == latestWord || a.String() == s {
		return a, nil
	}
	return Address(s), nil
}

// pointIn returns what an address of an edition means: where @t0 is the working state, @t-1
// is the snapshot of the latest commit.
func pointIn(axis byte, n int64, e selector.Edition) point {
	switch {
	case axis != 't' || !e.Traits().T0Working:
		return point{axis, n}
	case n == 0:
		return point{axis: workingAxis}
	}
	return point{axis, n + 1}
}

// String returns the address as the documents before edition 1.0 write it: @t0, @t-3, @c12 or working.
func (a Address) String() string { return a.Text("") }

// Text returns the address as an edition writes it.
func (a Address) Text(e selector.Edition) string {
	at, err := a.point()
	open := e.Traits().T0Working
	switch {
	case err != nil:
		return string(a)
	case at.axis == workingAxis && !open:
		return workingWord
	case at.axis == workingAxis || at == (point{axis: 't'}) && !open:
		return "@t0"
	case at.axis == 't' && open:
		at.n--
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
		return workingWord
	case 'c':
		return Cycle(p.n)
	}
	return back(-p.n)
}

// names reports whether an address names the state at another one, however it is written.
func (a Address) names(other Address) bool {
	at, err := a.point()
	same, _ := other.point()
	return err == nil && at == same
}

func noAddress(s string) error {
	return fault.At(fault.SelectorInvalid, 0, s, "this is not the address of one state",
		"write latest, @t-1, @c12 or working")
}

// published says which snapshots a context has.
func published(i engine.Info) string {
	if i.Cycle < i.First {
		return "the context has no snapshot yet: commit first"
	}
	return fmt.Sprintf("the context has @c%d to @c%d", i.First, i.Cycle)
}

// cycle resolves the address of a snapshot to its cycle. It refuses the working state, which is not a snapshot.
func (a Address) cycle(i engine.Info) (int64, error) {
	at, err := a.point()
	if err != nil {
		return 0, err
	}
	if at.axis == workingAxis {
		return 0, fault.At(fault.SnapshotNotFound, fault.NoOffset, a.written(i.Edition), "the working state is not a snapshot yet",
			"commit first, or name a snapshot")
	}
	cycle := at.n
	if at.axis == 't' {
		cycle = i.Cycle + at.n
	}
	if cycle < i.First || cycle > i.Cycle {
		return 0, noSnapshot(a.written(i.Edition), fault.NoOffset, published(i))
	}
	return cycle, nil
}

// written is what an error says of an address: its text, or what the documents write for
// one that a function of this package gave.
func (a Address) written(e selector.Edition) string {
	if strings.HasPrefix(string(a), "@") && !e.Traits().T0Working {
		return string(a)
	}
	return a.Text(e)
}

func noSnapshot(address string, offset int, remedy string) error {
	return fault.At(fault.SnapshotNotFound, offset, address, "there is no snapshot "+address, remedy)
}

// cycles resolves two addresses of snapshots, in either order, to the older cycle and the newer one.
func cycles(i engine.Info, from, to Address) (first, last int64, err error) {
	if first, err = from.cycle(i); err != nil {
		return 0, 0, err
	}
	if last, err = to.cycle(i); err != nil {
		return 0, 0, err
	}
	return min(first, last), max(first, last), nil
}

// addressOf returns the address of a selector that asks one state, not a range or @*.
func addressOf(q *selector.Selector) Address {
	switch {
	case q.Time == nil && q.Edition.Traits().DefaultWorking:
		return workingWord
	case q.Time == nil:
		return latestWord
	}
	if text, offset := q.Address(); offset != fault.NoOffset && !q.Edition.Traits().T0Working {
		return Address(text)
	}
	return pointIn(q.Time.From.Axis, q.Time.From.N, q.Edition).address()
}

// resolveRange resolves a range to cycles; the one after the latest snapshot is the working
// state, if @t0 names it. Its ends may stand in either order. It clamps an end that lies
// beyond the existing snapshots and returns a warning for it.
func resolveRange(q *selector.Selector, i engine.Info) (first, last int64, warnings []string, err error) {
	ends, latest := [2]int64{}, i.Cycle
	if q.Edition.Traits().T0Working && q.Time.From.Axis == 't' {
		latest++
	}
	for k, p := range [...]selector.Point{q.Time.From, q.Time.To} {
		switch {
		case p.Oldest:
			ends[k] = i.First
		case p.Axis == 't':
			ends[k] = latest + min(p.N, math.MaxInt64-latest)
		default:
			ends[k] = p.N
		}
	}
	lo, hi := min(ends[0], ends[1]), max(ends[0], ends[1])
	if hi < i.First || lo > latest || latest < i.First {
		text, offset := q.Address()
		return 0, 0, nil, fault.At(fault.SnapshotNotFound, offset, text, "there is no snapshot in the range "+text, published(i))
	}
	if lo < i.First {
		oldest := fmt.Sprintf("@c%d", i.First)
		if i.First > i.Cycle { // nothing is sealed: the working state answers
			oldest = "@t0"
		}
		warnings = append(warnings, "the range begins before the oldest snapshot: clamped to "+oldest)
	}
	switch {
	case hi > latest && latest > i.Cycle:
		warnings = append(warnings, "the range ends after the working state: clamped to @t0")
	case hi > latest:
		warnings = append(warnings, fmt.Sprintf("the range ends after the latest snapshot: clamped to @c%d", i.Cycle))
	}
	return max(lo, i.First), min(hi, latest), warnings, nil
}
