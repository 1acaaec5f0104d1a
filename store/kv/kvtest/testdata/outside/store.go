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
	"github.com/contexttree/pact/store/kv"
)

// place is where a record stands.
type place struct {
	space  kv.Space
	number int64
}

// content is what the store holds at one moment. Nobody changes it.
type content struct {
	pairs   map[kv.Key][]byte
	records map[place][]byte
}

// Store implements kv.Store.
type Store struct {
	write sync.Mutex
	now   atomic.Pointer[content] // nil once closed
}

// New returns an empty store.
func New() *Store {
	s := &Store{}
	s.now.Store(&content{map[kv.Key][]byte{}, map[place][]byte{}})
	return s
}

func (s *Store) content(ctx context.Context) (*content, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.Wrap(fault.Store, err, "the call was canceled", "")
	}
	if c := s.now.Load(); c != nil {
		return c, nil
	}
	return nil, fault.New(fault.Store, "the store is closed", "open it again")
}

func (s *Store) View(ctx context.Context, f func(kv.Reader) error) error {
	c, err := s.content(ctx)
	if err != nil {
		return err
	}
	return f(c)
}

func (s *Store) Get(ctx context.Context, k kv.Key) ([]byte, error) {
	c, err := s.content(ctx)
	if err != nil {
		return nil, err
	}
	return c.Get(ctx, k)
}

func (s *Store) Range(ctx context.Context, span kv.Span, o kv.Order) iter.Seq2[kv.Pair, error] {
	c, err := s.content(ctx)
	if err != nil {
		return func(yield func(kv.Pair, error) bool) { yield(kv.Pair{}, err) }
	}
	return c.Range(ctx, span, o)
}

func (s *Store) Log(ctx context.Context, cut kv.Cut, o kv.Order) iter.Seq2[kv.Record, error] {
	c, err := s.content(ctx)
	if err != nil {
		return func(yield func(kv.Record, error) bool) { yield(kv.Record{}, err) }
	}
	return c.Log(ctx, cut, o)
}

func (c *content) Get(_ context.Context, k kv.Key) ([]byte, error) { return c.pairs[k], nil }

func (c *content) Range(_ context.Context, span kv.Span, o kv.Order) iter.Seq2[kv.Pair, error] {
	var list []kv.Pair
	for k, v := range c.pairs {
		if k.Space == span.Space && span.From <= k.Name && k.Name < span.To {
			list = append(list, kv.Pair{Key: k, Value: v})
		}
	}
	return ordered(list, o, func(a, b kv.Pair) int { return strings.Compare(a.Name, b.Name) })
}

func (c *content) Log(_ context.Context, cut kv.Cut, o kv.Order) iter.Seq2[kv.Record, error] {
	var list []kv.Record
	for at, v := range c.records {
		if at.space == cut.Space && cut.First <= at.number && at.number <= cut.Last {
			list = append(list, kv.Record{Space: at.space, Number: at.number, Value: v})
		}
	}
	return ordered(list, o, func(a, b kv.Record) int { return int(a.Number - b.Number) })
}

func ordered[T any](list []T, o kv.Order, compare func(a, b T) int) iter.Seq2[T, error] {
	slices.SortFunc(list, compare)
	if o == kv.Descending {
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

func (s *Store) Write(ctx context.Context, b *kv.Batch) error {
	s.write.Lock()
	defer s.write.Unlock()
	old, err := s.content(ctx)
	if err != nil {
		return err
	}
	for _, e := range b.Expect {
		v, here := old.pairs[e.Key]
		if here == (e.State == kv.Absent) || e.State == kv.Equal && !bytes.Equal(v, e.Value) {
			return kv.ErrRefused
		}
	}
	c := &content{maps.Clone(old.pairs), maps.Clone(old.records)}
	for _, r := range b.Append {
		_, here := c.records[place{r.Space, r.Number}]
		if _, before := c.records[place{r.Space, r.Number - 1}]; here || !before && r.Number != 1 {
			return kv.ErrRefused
		}
		c.records[place{r.Space, r.Number}] = append([]byte{}, r.Value...)
	}
	for _, r := range b.Replace {
		if old.records[place{r.Space, r.Number}] == nil {
			return kv.ErrRefused
		}
		c.records[place{r.Space, r.Number}] = append([]byte{}, r.Value...)
	}
	for _, d := range b.Delete {
		maps.DeleteFunc(c.pairs, func(k kv.Key, _ []byte) bool {
			return k.Space == d.Space && d.From <= k.Name && k.Name < d.To
		})
	}
	for _, cut := range b.Cut {
		maps.DeleteFunc(c.records, func(at place, _ []byte) bool {
			return at.space == cut.Space && cut.First <= at.number && at.number <= cut.Last
		})
	}
	for _, p := range b.Put {
		c.pairs[p.Key] = append([]byte{}, p.Value...)
	}
	s.now.Store(c)
	return nil
}

func (s *Store) Close() error {
	s.write.Lock()
	defer s.write.Unlock()
	s.now.Store(nil)
	return nil
}
