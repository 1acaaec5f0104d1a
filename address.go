package pact

import (
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// Address names a state of a context: a snapshot (05 §2.3) or the working state.
type Address struct {
	axis byte // 't', 'c', or 0 for the working state
	n    int64
}

// Working is the address of the working state.
var Working = Address{}

// Latest is @t0, the snapshot of the latest commit.
var Latest = Address{'t', 0}

// Back is @t-n: n commits before the latest.
func Back(n int64) Address { return Address{'t', -n} }

// Cycle is @cN: the snapshot of cycle n.
func Cycle(n int64) Address { return Address{'c', n} }

// ParseAddress reads @t0, @t-3 or @c12; the word working is the working state.
func ParseAddress(s string) (Address, error) {
	if s == "working" {
		return Working, nil
	}
	sel, err := selector.Parse(s+" *", selector.V01)
	if err != nil && fault.CodeOf(err) != fault.SelectorInvalid {
		return Address{}, err
	}
	if err != nil {
		return Address{}, noAddress(s)
	}
	alone := len(sel.Groups) == 1 && len(sel.Groups[0].Steps) == 1 && len(sel.Groups[0].Steps[0].Parts) == 1
	if !alone || sel.Time == nil || sel.Time.Kind != selector.Single {
		return Address{}, noAddress(s)
	}
	return Address{sel.Time.From.Axis, sel.Time.From.N}, nil
}

func noAddress(s string) error {
	return fault.At(fault.SelectorInvalid, 0, s, "this is not the address of one snapshot", "write @t0, @t-1, @c12 or working")
}

// String returns the address as ParseAddress reads it.
func (a Address) String() string {
	switch {
	case a.axis == 0:
		return "working"
	case a.axis == 't' && a.n == 0:
		return "@t0"
	}
	return "@" + string(a.axis) + strconv.FormatInt(a.n, 10)
}

// cycle resolves the address of a snapshot.
func (a Address) cycle(i store.Info) (int64, error) {
	cycle := a.n
	if a.axis == 't' {
		cycle = i.Cycle + a.n
	}
	if cycle < i.First || cycle > i.Cycle {
		found := "the context has none yet"
		if i.Cycle >= i.First {
			found = "the context has @c" + strconv.FormatInt(i.First, 10) + " to @c" + strconv.FormatInt(i.Cycle, 10)
		}
		return 0, fault.At(fault.SnapshotNotFound, fault.NoOffset, a.String(), "there is no snapshot "+a.String(), found)
	}
	return cycle, nil
}

// cycles resolves two addresses of snapshots, in either order, to the older cycle
// and the newer one.
func cycles(i store.Info, from, to Address) (first, last int64, err error) {
	if first, err = from.cycle(i); err != nil {
		return 0, 0, err
	}
	if last, err = to.cycle(i); err != nil {
		return 0, 0, err
	}
	return min(first, last), max(first, last), nil
}
