package outside

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// place is where a record stands.
type place struct {
	space  store.Space
	number int64
}

// content is what the store holds at one moment. Nobody changes it.
type content struct {
	pairs   map[store.Key][]byte
	records map[place]store.Record
}

// Store implements store.Store.
type Store struct {
	write sync.Mutex
	now   atomic.Pointer[content] // nil once closed
}

// New returns an empty store.
func New() *Store {
	s := &Store{}
	s.now.Store(&content{map[store.Key][]byte{}, map[place]store.Record{}})
	return s
}

func (s *Store) content(ctx context.Context) (*content, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.Wrap(fault.Store, err, "the call was canceled",
			"call it again, with a context that has not ended")
	}
	if c := s.now.Load(); c != nil {
		return c, nil
	}
	return nil, fault.New(fault.Store, "the store is closed", "open it again")
}

func (s *Store) View(ctx context.Context, f func(store.Reader) error) error {
	c, err := s.content(ctx)
	if err != nil {
		return err
	}
	return f(c)
}

func (s *Store) Get(ctx context.Context, k store.Key) ([]byte, error) {
	c, err := s.content(ctx)
	if err != nil {
		return nil, err
	}
	return c.Get(ctx, k)
}

func (s *Store) Range(ctx context.Context, span store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	c, err := s.content(ctx)
	if err != nil {
		return func(yield func(store.Pair, error) bool) { yield(store.Pair{}, err) }
	}
	return c.Range(ctx, span, o)
}

func (s *Store) Log(ctx context.Context, cut store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	c, err := s.content(ctx)
	if err != nil {
		return func(yield func(store.Record, error) bool) { yield(store.Record{}, err) }
	}
	return c.Log(ctx, cut, o)
}

func (c *content) Get(_ context.Context, k store.Key) ([]byte, error) { return c.pairs[k], nil }

func (c *content) Range(_ context.Context, span store.Span, o store.Order) iter.Seq2[store.Pair, error] {
	var list []store.Pair
	for k, v := range c.pairs {
		if k.Space == span.Space && span.From <= k.Name && k.Name < span.To {
			list = append(list, store.Pair{Key: k, Value: v})
		}
	}
	return ordered(list, o, func(a, b store.Pair) int { return strings.Compare(a.Name, b.Name) })
}

func (c *content) Log(_ context.Context, cut store.Cut, o store.Order) iter.Seq2[store.Record, error] {
	var list []store.Record
	for at, r := range c.records {
		if at.space == cut.Space && cut.First <= at.number && at.number <= cut.Last {
			if cut.Heads {
				r.Rest = nil
			}
			list = append(list, r)
		}
	}
	return ordered(list, o, func(a, b store.Record) int { return int(a.Number - b.Number) })
}

func ordered[T any](list []T, o store.Order, compare func(a, b T) int) iter.Seq2[T, error] {
	slices.SortFunc(list, compare)
	if o == store.Descending {
		slices.Reverse(list)
	}
	return func(yield func(T, error) bool) {
		for _, x := range list {
			if !yield(x, nil) {
				return
			}
		}
	}
}

func (s *Store) Write(ctx context.Context, b *store.Batch) error {
	s.write.Lock()
	defer s.write.Unlock()
	old, err := s.content(ctx)
	if err != nil {
		return err
	}
	for _, e := range b.Expect {
		v, here := old.pairs[e.Key]
		if here == (e.State == store.Absent) || e.State == store.Equal && !bytes.Equal(v, e.Value) {
			return store.ErrRefused
		}
	}
	c := &content{maps.Clone(old.pairs), maps.Clone(old.records)}
	for _, r := range b.Append {
		_, here := c.records[place{r.Space, r.Number}]
		if _, before := c.records[place{r.Space, r.Number - 1}]; here || !before && r.Number != 1 && !b.Cuts(r.Space, r.Number-1) {
			return store.ErrRefused
		}
		c.keep(r)
	}
	for _, r := range b.Replace {
		if _, here := old.records[place{r.Space, r.Number}]; !here {
			return store.ErrRefused
		}
		c.keep(r)
	}
	for _, d := range b.Delete {
		maps.DeleteFunc(c.pairs, func(k store.Key, _ []byte) bool {
			return k.Space == d.Space && d.From <= k.Name && k.Name < d.To
		})
	}
	for _, cut := range b.Cut {
		maps.DeleteFunc(c.records, func(at place, _ store.Record) bool {
			return at.space == cut.Space && cut.First <= at.number && at.number <= cut.Last
		})
	}
	for _, p := range b.Put {
		c.pairs[p.Key] = append([]byte{}, p.Value...)
	}
	s.now.Store(c)
	return nil
}

func (c *content) keep(r store.Record) {
	c.records[place{r.Space, r.Number}] = store.Record{Space: r.Space, Number: r.Number,
		Value: append([]byte{}, r.Value...), Rest: append([]byte{}, r.Rest...)}
}

func (s *Store) Close() error {
	s.write.Lock()
	defer s.write.Unlock()
	s.now.Store(nil)
	return nil
}
