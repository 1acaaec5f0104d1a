package transfer

import (
	"iter"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"
)

// compare compares a line with its copy: every revision, and for every cycle the digests of the
// snapshot and of its thread as read from the copy.
func (c *copying) compare(l *line) error {
	key := c.keys[l.Key]
	log, stopLog := iter.Pull2(c.revisions(c.to, key, l.firstRevision(), l.Revision))
	defer stopLog()
	trees := c.snapshots(c.to, key, l.ownFirst(), l.Cycle)
	defer func() { trees.stop() }()
	var originals *snapshots // read only if the log has no digests
	defer func() {
		if originals != nil {
			originals.stop()
		}
	}()
	compared := l.Origin.Revision
	for r, err := range c.revisions(c.from, l.reader, l.firstRevision(), l.Revision) {
		if err != nil {
			return err
		}
		copied, err, ok := log()
		if err != nil {
			return err
		}
		if !ok || !sameRevision(r, copied) {
			return changed(l)
		}
		compared = r.Revision
		if r.Kind != history.Commit && (r.Kind != history.Create || r.Latest < l.First) {
			continue
		}
		t, err := trees.next(r.Latest)
		if err != nil {
			return err
		}
		if t == nil || !recorded(r.Entry, t) {
			return differs(l, r.Latest)
		}
		if r.Digest == "" && originals == nil {
			originals = c.snapshots(c.from, l.reader, r.Latest, l.Cycle)
		}
		if originals != nil {
			original, err := originals.next(r.Latest)
			if err != nil {
				return err
			}
			if original == nil || original.Digest() != t.Digest() || original.ThreadDigest() != t.ThreadDigest() {
				return differs(l, r.Latest)
			}
		}
		c.step(1)
	}
	if compared != l.Revision {
		return changed(l)
	}
	return nil
}

// ownFirst is the first cycle that the line does not share with its origin.
func (l *line) ownFirst() int64 {
	if l.Origin.Key != 0 {
		return l.Origin.Cycle + 1
	}
	return l.First
}

// snapshots reads a history one snapshot at a time.
type snapshots struct {
	pull func() (*tree.Tree, error, bool)
	stop func()
}

func (c *copying) snapshots(s engine.Contexts, key history.Key, from, to int64) *snapshots {
	if from > to {
		return &snapshots{func() (*tree.Tree, error, bool) { return nil, nil, false }, func() {}}
	}
	pull, stop := iter.Pull2(s.History(c.ctx, key, from, to))
	return &snapshots{pull, stop}
}

// next returns the next snapshot, nil if it is not the one of the cycle.
func (s *snapshots) next(cycle int64) (*tree.Tree, error) {
	t, err, ok := s.pull()
	if err != nil || !ok || t.Cycle() != cycle {
		return nil, err
	}
	return t, nil
}

// differs is the error for a copy that differs from its source.
func differs(l *line, cycle int64) error {
	return fault.New(fault.Store, "the copy of "+l.Name+" differs in the snapshot @c"+strconv.FormatInt(cycle, 10),
		"verify both stores")
}

// sameRevision compares everything that a log says about two revisions.
func sameRevision(a, b engine.Revision) bool {
	return a.Revision == b.Revision && a.Kind == b.Kind && a.Cycle == b.Cycle && a.TimeNS == b.TimeNS &&
		a.Actor == b.Actor && a.Message == b.Message && a.Request == b.Request && string(a.Report) == string(b.Report) &&
		a.Digest == b.Digest && a.Thread == b.Thread && a.Sent == b.Sent && slices.Equal(a.Idle, b.Idle) &&
		a.Stamps == b.Stamps && a.Latest == b.Latest && a.Cuts == b.Cuts
}
