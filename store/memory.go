package store

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/contexttree/pact/fault"
)

// Memory keeps bytes for as long as the process lives. It does not copy values.
type Memory struct {
	mu     sync.RWMutex
	spaces map[Space]*memorySpace // nil once closed
}

// memorySpace is one space in memory, in order.
type memorySpace struct {
	pairs []Pair
	log   []Record
}

// NewMemory returns an empty medium.
func NewMemory() *Memory { return &Memory{spaces: make(map[Space]*memorySpace)} }

// Get implements [Reader].
func (m *Memory) Get(_ context.Context, k Key) ([]byte, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.get(k)
}

// Range implements [Reader].
func (m *Memory) Range(_ context.Context, s Span, o Order) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		m.mu.RLock()
		list, err := m.pairs(s)
		list = slices.Clone(list)
		m.mu.RUnlock()
		each(list, err, o, yield)
	}
}

// Log implements [Reader].
func (m *Memory) Log(_ context.Context, c Cut, o Order) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		m.mu.RLock()
		list, err := m.records(c)
		list = slices.Clone(list)
		m.mu.RUnlock()
		each(list, err, o, c.without(yield))
	}
}

// View implements [Store]. Writers wait for f.
func (m *Memory) View(_ context.Context, f func(Reader) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.spaces == nil {
		return closed()
	}
	return f(memoryView{m})
}

// memoryView reads a medium whose lock its caller holds.
type memoryView struct{ m *Memory }

func (v memoryView) Get(_ context.Context, k Key) ([]byte, error) { return v.m.get(k) }

func (v memoryView) Range(_ context.Context, s Span, o Order) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		list, err := v.m.pairs(s)
		each(list, err, o, yield)
	}
}

func (v memoryView) Log(_ context.Context, c Cut, o Order) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		list, err := v.m.records(c)
		each(list, err, o, c.without(yield))
	}
}

// each yields a list in an order, or the error.
func each[T any](list []T, err error, o Order, yield func(T, error) bool) {
	if err != nil {
		var none T
		yield(none, err)
		return
	}
	for i := range list {
		if o == Descending {
			i = len(list) - 1 - i
		}
		if !yield(list[i], nil) {
			return
		}
	}
}

func (m *Memory) get(k Key) ([]byte, error) {
	if m.spaces == nil {
		return nil, closed()
	}
	s := m.spaces[k.Space]
	if s == nil {
		return nil, nil
	}
	if i, here := s.find(k.Name); here {
		return s.pairs[i].Value, nil
	}
	return nil, nil
}

func (m *Memory) pairs(of Span) ([]Pair, error) {
	s := m.spaces[of.Space]
	switch {
	case m.spaces == nil:
		return nil, closed()
	case s == nil || of.From >= of.To:
		return nil, nil
	}
	from, _ := s.find(of.From)
	to, _ := s.find(of.To)
	return s.pairs[from:to], nil
}

func (m *Memory) records(of Cut) ([]Record, error) {
	s := m.spaces[of.Space]
	switch {
	case m.spaces == nil:
		return nil, closed()
	case s == nil || of.First > of.Last:
		return nil, nil
	}
	return s.log[s.at(of.First):s.at(of.Last+1)], nil
}

// without leaves out of records what the cut does not ask for.
func (of Cut) without(yield func(Record, error) bool) func(Record, error) bool {
	if !of.Heads {
		return yield
	}
	return func(r Record, err error) bool {
		r.Rest = nil
		return yield(r, err)
	}
}

// find returns where a name is or would be among the pairs.
func (s *memorySpace) find(name string) (int, bool) {
	return slices.BinarySearchFunc(s.pairs, name, func(p Pair, name string) int { return strings.Compare(p.Name, name) })
}

// at returns how many records have a smaller number.
func (s *memorySpace) at(number int64) int {
	return sort.Search(len(s.log), func(i int) bool { return s.log[i].Number >= number })
}

// Write implements [Store].
func (m *Memory) Write(_ context.Context, b *Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.spaces == nil {
		return closed()
	}
	if !m.admits(b) {
		return ErrRefused
	}
	for _, d := range b.Delete {
		if list, _ := m.pairs(d); len(list) > 0 {
			s := m.spaces[d.Space]
			from, _ := s.find(d.From)
			s.pairs = slices.Delete(s.pairs, from, from+len(list))
		}
	}
	m.keep(b.Append)
	for _, c := range b.Cut {
		if list, _ := m.records(c); len(list) > 0 {
			s := m.spaces[c.Space]
			from := s.at(c.First)
			s.log = slices.Delete(s.log, from, from+len(list))
		}
	}
	for _, p := range b.Put {
		s := m.space(p.Space)
		p.Value = present(p.Value)
		if i, here := s.find(p.Name); here {
			s.pairs[i] = p
		} else {
			s.pairs = slices.Insert(s.pairs, i, p)
		}
	}
	m.keep(b.Replace)
	return nil
}

// keep takes records, in the place of those of the same numbers.
func (m *Memory) keep(list []Record) {
	for _, r := range list {
		s := m.space(r.Space)
		r.Value = present(r.Value)
		if i := s.at(r.Number); i < len(s.log) && s.log[i].Number == r.Number {
			s.log[i] = r
		} else {
			s.log = slices.Insert(s.log, i, r)
		}
	}
}

func (m *Memory) space(of Space) *memorySpace {
	s := m.spaces[of]
	if s == nil {
		s = &memorySpace{}
		m.spaces[of] = s
	}
	return s
}

// present returns a value that is there, which is not nil.
func present(value []byte) []byte {
	if value == nil {
		return []byte{}
	}
	return value
}

// admits reports whether the expectations, appends and replacements of a batch hold.
func (m *Memory) admits(b *Batch) bool {
	for _, e := range b.Expect {
		v, _ := m.get(e.Key)
		if (v == nil) != (e.State == Absent) || e.State == Equal && !bytes.Equal(v, e.Value) {
			return false
		}
	}
	appended := make(map[Space]int64, 1)
	for _, r := range b.Append {
		before := r.Number == 1 || appended[r.Space] == r.Number-1 || m.has(r.Space, r.Number-1) || b.Cuts(r.Space, r.Number-1)
		if !before || m.has(r.Space, r.Number) {
			return false
		}
		appended[r.Space] = r.Number
	}
	for _, r := range b.Replace {
		if !m.has(r.Space, r.Number) {
			return false
		}
	}
	return true
}

func (m *Memory) has(space Space, number int64) bool {
	list, _ := m.records(Cut{Space: space, First: number, Last: number})
	return len(list) == 1
}

// Close implements [Store]. It releases everything.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spaces = nil
	return nil
}

func closed() error { return fault.New(fault.Store, "the store is closed", "open it again") }
