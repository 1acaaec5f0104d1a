package tree

import (
	"context"
	"sync/atomic"
)

// Counter counts the tokens of a text as some tokenizer does. It must always give the
// same number for the same text, and be safe for concurrent use.
type Counter interface {
	Name() string
	Count(text string) int
}

// Measure is a quantity of nodes that trees add up, such as tokens. A sum is computed when
// it is needed and kept in the tree: trees that share structure share it, and the next sum
// costs what changed.
type Measure struct {
	Name string // the tree keeps sums under it: two with one name must be the same
	Want Marks  // what must occur for anything to count; the zero Marks for no such condition
	// Of measures an entry by itself; what is below it does not count.
	Of   func(ctx context.Context, e *Entry) (int64, error)
	Dear bool // whether Of costs so much that every entry without children keeps its answer
}

// Tokens returns a Measure of the tokens of blocks: those of a text, or of the canonical
// JSON of any other content. It does not include what a provider adds for each message.
func Tokens(c Counter) *Measure {
	return &Measure{
		Name: "tokens " + c.Name(),
		Dear: true,
		Of: func(ctx context.Context, e *Entry) (int64, error) {
			if e.class != Block || e.node.Content.Size() == 0 {
				return 0, nil
			}
			v, err := e.node.Content.Value(ctx)
			if err != nil {
				return 0, err
			}
			if text, ok := v.Text(); ok {
				return int64(c.Count(text)), nil
			}
			return int64(c.Count(string(v))), nil
		},
	}
}

// Sum measures an entry and everything below it. It fails if a content must be read from a
// store and cannot be. Cost: the nodes at and below e whose sums are not known yet.
func (m *Measure) Sum(ctx context.Context, e *Entry) (sum int64, err error) {
	if !e.sum.Marks.May(m.Want) {
		return 0, nil
	}
	keep := m.Dear && e.kids == nil || e.sum.Nodes >= worthKeeping
	if keep {
		if known := e.measured.get(m.Name); known != nil {
			return known.sum, nil
		}
	}
	own, err := m.Of(ctx, e)
	if err != nil {
		return 0, err
	}
	below, err := m.list(ctx, e.kids)
	if err == nil && keep {
		e.measured.put(sumOf{name: m.Name, sum: own + below})
	}
	return own + below, err
}

// Own measures an entry by itself, which for a block is its sum. Its errors are
// those of Of.
func (m *Measure) Own(ctx context.Context, e *Entry) (int64, error) {
	if e.kids == nil {
		return m.Sum(ctx, e)
	}
	return m.Of(ctx, e)
}

// SumOf measures a run of siblings and everything below them. Its errors and its cost are
// those of Sum.
func (m *Measure) SumOf(ctx context.Context, l *List) (sum int64, err error) {
	return m.list(ctx, l)
}

func (m *Measure) list(ctx context.Context, l *List) (sum int64, err error) {
	if l == nil || !l.sum.Marks.May(m.Want) {
		return 0, nil
	}
	keep := l.sum.Nodes >= worthKeeping
	if keep {
		if known := l.measured.get(m.Name); known != nil {
			return known.sum, nil
		}
	}
	in, err := l.openFor(ctx)
	if err != nil {
		return 0, err
	}
	for i := range len(in.items) + 1 {
		part, err := m.list(ctx, in.runBefore(i))
		if err == nil && i < len(in.items) {
			sum += part
			part, err = m.Sum(ctx, in.items[i])
		}
		if err != nil {
			return 0, err
		}
		sum += part
	}
	if keep {
		l.measured.put(sumOf{name: m.Name, sum: sum})
	}
	return sum, nil
}

// First measures the first n blocks of the thread. Nodes that are not blocks must not
// count. Its errors are those of Of. Cost: O(depth · log n) if the sums are known.
func (m *Measure) First(ctx context.Context, t *Tree, n int) (sum int64, err error) {
	err = t.root.firstBlocks(ctx, &n, func(e *Entry, l *List) error {
		var part int64
		var err error
		if e != nil {
			part, err = m.Sum(ctx, e)
		} else {
			part, err = m.list(ctx, l)
		}
		sum += part
		return err
	})
	return sum, err
}

// worthKeeping is the number of nodes from which on the tree keeps a sum: counting fewer
// again is as fast as looking the sum up.
const worthKeeping = 16

// sums keeps the answers about one place of a tree. The place is immutable, so no answer
// ever goes stale.
type sums struct{ first atomic.Pointer[sumOf] }

// sumOf is the answer to one question, of a Measure or a Minimum.
type sumOf struct {
	name string
	sum  int64
	next *sumOf
	n    int // how many there are from here on
}

// mostSums is how many answers a place keeps: more than one policy can ask for,
// so that no commit forgets what the next one needs.
const mostSums = 1024

// get returns the answer to a question, nil if it is not known.
func (s *sums) get(name string) *sumOf {
	for k := s.first.Load(); k != nil; k = k.next {
		if k.name == name {
			return k
		}
	}
	return nil
}

// put keeps an answer. If there are too many, it forgets the others. If two calls put at
// once, one answer may get lost; it is computed again when needed.
func (s *sums) put(answer sumOf) {
	old := s.first.Load()
	answer.next, answer.n = old, 1
	if old != nil {
		answer.n += old.n
	}
	if answer.n > mostSums {
		answer.next, answer.n = nil, 1
	}
	s.first.CompareAndSwap(old, &answer)
}
