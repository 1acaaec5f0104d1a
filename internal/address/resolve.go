package address

import (
	"fmt"
	"math"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/selector"
)

// published says which snapshots a context has.
func published(i history.Info) string {
	if i.Cycle < i.First {
		return "the context has no snapshot yet: commit first"
	}
	return fmt.Sprintf("the context has @c%d to @c%d", i.First, i.Cycle)
}

// Snapshot resolves the address of a snapshot to its cycle. It refuses the working state, which is not a snapshot.
func Snapshot(address string, i history.Info) (int64, error) {
	at, err := Parse(address)
	if err != nil {
		return 0, err
	}
	if at.IsWorking() {
		return 0, fault.At(fault.SnapshotNotFound, fault.NoOffset, written(address, i.Edition), "the working state is not a snapshot yet",
			"commit first, or name a snapshot")
	}
	cycle := at.N
	if at.Axis == 't' {
		cycle = i.Cycle + at.N
	}
	if cycle < i.First || cycle > i.Cycle {
		return 0, NoSnapshot(address, i.Edition, published(i))
	}
	return cycle, nil
}

// written is what an error says of an address: its text, or what the documents write for
// one that ParseIn gave.
func written(address string, e selector.Edition) string {
	if strings.HasPrefix(address, "@") && !e.Traits().T0Working {
		return address
	}
	return Text(address, e)
}

// NoSnapshot returns the error for an address of no snapshot: E_SNAPSHOT_NOT_FOUND.
func NoSnapshot(address string, e selector.Edition, remedy string) error {
	text := written(address, e)
	return fault.At(fault.SnapshotNotFound, fault.NoOffset, text, "there is no snapshot "+text, remedy)
}

// Snapshots resolves two addresses of snapshots, in either order, to the older cycle and the newer one.
func Snapshots(i history.Info, from, to string) (first, last int64, err error) {
	if first, err = Snapshot(from, i); err != nil {
		return 0, 0, err
	}
	if last, err = Snapshot(to, i); err != nil {
		return 0, 0, err
	}
	return min(first, last), max(first, last), nil
}

// Of returns the address of a selector that asks one state, not a range or @*.
func Of(q *selector.Selector) string {
	switch {
	case q.Time == nil && q.Edition.Traits().DefaultWorking:
		return workingWord
	case q.Time == nil:
		return latestWord
	}
	if text, offset := q.Address(); offset != fault.NoOffset && !q.Edition.Traits().T0Working {
		return text
	}
	return in(q.Time.From.Axis, q.Time.From.N, q.Edition).Word()
}

// Range resolves a range to cycles; the one after the latest snapshot is the working
// state, if @t0 names it. Its ends may stand in either order. It clamps an end that lies
// beyond the existing snapshots and returns a warning for it.
func Range(q *selector.Selector, i history.Info) (first, last int64, warnings []string, err error) {
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
