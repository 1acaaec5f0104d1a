package transfer

import (
	"math"
	"reflect"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
)

// attemptsAtOnce is how many attempts one transaction writes.
const attemptsAtOnce = 256

// copyAttempts copies the attempts of a branch and compares the copies. An attempt that was running
// when an earlier copy was interrupted may have ended since.
func (c *copying) copyAttempts(l *branch) error {
	key, from, to := c.keys[l.Key], int64(math.MinInt64), l.Cycle
	if l.Origin.Key != 0 {
		from = l.Origin.Cycle + 1
	}
	if !l.Shared {
		to = l.Stamps.Cycle
	}
	list, err := c.from.Attempts(c.ctx, l.reader, from, to)
	if err != nil {
		return err
	}
	there, err := c.to.Attempts(c.ctx, key, from, to)
	if err != nil {
		return err
	}
	known := make(map[string]history.Attempt, len(there))
	for _, a := range there {
		known[a.ID] = a
	}
	missing := slices.DeleteFunc(slices.Clone(list), func(a history.Attempt) bool { return reflect.DeepEqual(a, known[a.ID]) })
	for some := range slices.Chunk(missing, attemptsAtOnce) {
		if err := c.to.CopyAttempts(c.ctx, key, some); err != nil {
			return err
		}
	}
	if there, err = c.to.Attempts(c.ctx, key, from, to); err != nil {
		return err
	}
	if !reflect.DeepEqual(list, there) {
		return fault.New(fault.Store, "the attempts of "+l.Name+" differ in the copy", "verify both stores")
	}
	l.attempts = len(list)
	return nil
}
