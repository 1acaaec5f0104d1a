package view

import (
	"github.com/contexttree/pact/internal/tree"
)

// drawn is a band with the place where it ends.
type drawn struct {
	sum bandSum
	end int // how many blocks stand before its end
	// sure is how many blocks at the beginning of a thread decide that the band is exactly
	// this: a thread that shares so many has the same band.
	sure int
}

// never is the sure of a band that the end of the thread ended.
const never = int(^uint(0) >> 1)

// stack makes the bands of one column after another. It goes from the bottom up: a block that
// is at least unit high is a band of its own, and lower ones are merged until they are.
type stack struct {
	scale  *scale
	unit   int64
	shared sharedSums

	bands []drawn // of the column that was made last
	open  bandSum // blocks that are not a band yet
	skip  int     // blocks that are below the first band to make
	at    int     // how many blocks were passed

	visited int // nodes and runs that were looked at, to assert the cost
}

// next makes the column of a thread whose first common blocks are those of the column before,
// and returns how many bands it keeps of that. Cost: a path for each new band.
func (s *stack) next(t *tree.Tree, common int) (keep int, err error) {
	for keep < len(s.bands) && s.bands[keep].sure <= common {
		keep++
	}
	s.bands, s.skip, s.open, s.at = s.bands[:keep], 0, bandSum{}, 0
	if keep > 0 {
		s.skip = s.bands[keep-1].end
	}
	for region, err := range t.Root().Children().All() {
		if err != nil {
			return 0, err
		}
		if err := s.entry(region, region.Class()); err != nil {
			return keep, err
		}
	}
	if s.open.blocks > 0 {
		s.close(never)
	}
	return keep, nil
}

// entry passes a node and everything below it.
func (s *stack) entry(e *tree.Entry, region tree.Class) error {
	s.visited++
	if done, err := s.passRun(e.Summary().Blocks, func() (int64, error) { return s.scale.entry(e, region) },
		func() (*bandSum, error) { return s.entrySum(e, region) }); done || err != nil {
		return err
	}
	if e.Class() == tree.Block {
		if s.at < s.skip {
			s.at++
		} else if err := s.block(e, region); err != nil {
			return err
		}
	}
	return s.list(e.Children(), region)
}

// list passes siblings.
func (s *stack) list(l *tree.List, region tree.Class) error {
	if l == nil {
		return nil
	}
	s.visited++
	if done, err := s.passRun(l.Summary().Blocks, func() (int64, error) { return s.scale.run(l, region) },
		func() (*bandSum, error) { return s.listSum(l, region) }); done || err != nil {
		return err
	}
	items, runs, err := l.Parts()
	if err != nil {
		return err
	}
	for i, e := range items {
		if runs != nil {
			if err := s.list(runs[i], region); err != nil {
				return err
			}
		}
		if err := s.entry(e, region); err != nil {
			return err
		}
	}
	if runs != nil {
		return s.list(runs[len(items)], region)
	}
	return nil
}

// passRun passes several blocks at once, if they stand below what is to be made, or if together
// they do not fill the open band. It reports whether it did.
func (s *stack) passRun(blocks int, height func() (int64, error), sum func() (*bandSum, error)) (bool, error) {
	if blocks == 0 {
		return true, nil
	}
	if s.at+blocks <= s.skip {
		s.at += blocks
		return true, nil
	}
	if s.at < s.skip {
		return false, nil
	}
	high, err := height()
	if err != nil || s.open.height+high >= s.unit {
		return false, err
	}
	h, err := sum()
	if err != nil {
		return false, err
	}
	s.open.add(h)
	s.at += blocks
	return true, nil
}

// block passes a block alone.
func (s *stack) block(e *tree.Entry, region tree.Class) error {
	h, err := s.blockSum(e, region)
	if err != nil {
		return err
	}
	if h.height >= s.unit && s.open.blocks > 0 {
		s.close(s.at + 1)
	}
	s.open.add(&h)
	s.at++
	if s.open.height >= s.unit {
		s.close(s.at)
	}
	return nil
}

func (s *stack) close(sure int) {
	s.bands = append(s.bands, drawn{s.open, s.at, sure})
	s.open = bandSum{}
}

// blockSum returns the sum of a block alone.
func (s *stack) blockSum(e *tree.Entry, region tree.Class) (bandSum, error) {
	high, err := s.scale.block(e, region)
	n := e.Node()
	kind := KindOfNode(n, n.RoleIn(region))
	h := bandSum{blocks: 1, height: high, largest: high, first: n, begins: kind}
	h.shares[kind] = high
	return h, err
}

// entrySum adds up a node and everything below it.
func (s *stack) entrySum(e *tree.Entry, region tree.Class) (*bandSum, error) {
	return s.shared.sumOf(e, region, e.Summary().Blocks, func() (*bandSum, error) {
		s.visited++
		h := new(bandSum)
		if e.Class() == tree.Block {
			own, err := s.blockSum(e, region)
			if err != nil {
				return nil, err
			}
			*h = own
		}
		below, err := s.listSum(e.Children(), region)
		if err == nil {
			h.add(below)
		}
		return h, err
	})
}

// listSum adds up siblings and everything below them.
func (s *stack) listSum(l *tree.List, region tree.Class) (*bandSum, error) {
	if l == nil || l.Summary().Blocks == 0 {
		return new(bandSum), nil
	}
	return s.shared.sumOf(l, region, l.Summary().Blocks, func() (*bandSum, error) {
		s.visited++
		h := new(bandSum)
		items, runs, err := l.Parts()
		if err != nil {
			return nil, err
		}
		for i := range len(items) + 1 {
			if runs != nil {
				run, err := s.listSum(runs[i], region)
				if err != nil {
					return nil, err
				}
				h.add(run)
			}
			if i < len(items) {
				e, err := s.entrySum(items[i], region)
				if err != nil {
					return nil, err
				}
				h.add(e)
			}
		}
		return h, nil
	})
}

// sharedSums holds the sums of parts that trees share, so that each is added up once.
type sharedSums struct{ now, before map[place]*bandSum }

// place is a part of a tree. Only in ^sys the default role differs.
type place struct {
	part any // *tree.Entry or *tree.List
	sys  bool
}

// Limits of what known holds.
const (
	worthKnowing = 2       // blocks from which on a sum is kept
	mostKnown    = 1 << 16 // sums in each of the two maps; then the older map is dropped
)

func (k *sharedSums) sumOf(part any, region tree.Class, blocks int, sum func() (*bandSum, error)) (*bandSum, error) {
	if blocks < worthKnowing {
		return sum()
	}
	at := place{part, region == tree.Sys}
	h := k.now[at]
	if h == nil {
		h = k.before[at]
	}
	if h == nil {
		var err error
		if h, err = sum(); err != nil {
			return nil, err
		}
	}
	if k.now == nil || len(k.now) >= mostKnown {
		k.now, k.before = map[place]*bandSum{}, k.now
	}
	k.now[at] = h
	return h, nil
}
