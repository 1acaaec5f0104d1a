package simulate

import (
	"github.com/contexttree/pact/internal/tree"
)

// step is the difference between two calls of a run.
type step struct {
	added   []*tree.Entry // that the first call lacks, in document order
	changed []*tree.Entry // whose contents differ
	gone    []string
}

// between returns the difference between two snapshots. before may be nil.
func between(before, now *tree.Tree) (s step, err error) {
	if before == nil {
		for e, err := range now.All() {
			if err != nil {
				return step{}, err
			}
			s.added = append(s.added, e.Entry)
		}
		return s, nil
	}
	differences, err := tree.Differences(before.WithCycle(now.Cycle()), now)
	if err != nil {
		return step{}, err
	}
	for _, d := range differences {
		if d.New == nil {
			s.gone = append(s.gone, d.Old.ID)
			continue
		}
		e, err := now.Entry(d.New.ID)
		switch {
		case err != nil:
			return step{}, err
		case d.Old == nil:
			s.added = append(s.added, e)
		case !d.Old.SameContent(d.New):
			s.changed = append(s.changed, e)
		}
	}
	return s, nil
}
