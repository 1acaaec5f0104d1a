package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/gathered"
	"github.com/contexttree/pact/store"
)

// Engine is a store of contexts in a medium.
type Engine struct {
	store   store.Store
	packing packing
	atOnce  bool // a change settles what is due before it returns, as its store makes nobody wait
	cache   cache
	pace    pace

	known atomic.Pointer[[]byte] // the secret of the store, nil as long as nobody needed it

	mu       sync.Mutex
	closed   bool
	settling map[history.Key]chan struct{} // closed when nobody settles the context any more
	failures map[history.Key]settleFailure
	work     sync.WaitGroup
}

var _ Contexts = (*Engine)(nil)

// Open returns an engine on a store, as the store is best used. It closes the store when it is
// closed.
func Open(s store.Store) *Engine {
	var p store.Packing
	if packer, ok := s.(store.Packer); ok {
		p = packer.Packing()
	}
	e := New(s, p)
	switch s.(type) {
	case *gathered.Store: // a join takes what was not written yet
		e.atOnce, e.cache.most = true, gatherSize
	case *store.Memory:
		e.atOnce = true
	}
	return e
}

// OpenOnce is Open for a caller that reads a context from its beginning to its end: the engine holds little of what it read.
func OpenOnce(s store.Store) *Engine {
	e := Open(s)
	e.cache.most = gatherSize
	return e
}

// InMemory returns an engine on an empty store in memory.
func InMemory() *Engine { return Open(store.NewMemory()) }

// New returns an engine on a medium, which it closes when it is closed.
func New(s store.Store, p store.Packing) *Engine {
	return &Engine{store: s, packing: packing(p), cache: cache{most: cacheSize}, pace: usualPace,
		settling: make(map[history.Key]chan struct{}), failures: make(map[history.Key]settleFailure)}
}

// NewHasty returns an engine that joins and writes checkpoints as soon as there is anything to
// join, so that tests of stores see what that does to their media.
func NewHasty(s store.Store, p store.Packing) *Engine {
	e := New(s, p)
	e.pace = pace{joined: 2, stays: 1, between: 3, rows: 40}
	return e
}

// Close implements [Contexts]. It also settles what could not be settled in the background, or returns why not.
func (e *Engine) Close() error {
	e.mu.Lock()
	was := e.closed
	e.closed = true
	e.mu.Unlock()
	if was {
		return nil
	}
	e.work.Wait()
	left := e.settleLast()
	e.cache.clear()
	return errors.Join(left, e.store.Close())
}

// usable returns an error once the engine is closed.
func (e *Engine) usable() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return closed()
	}
	return nil
}

// errRewritten says that an erasure or a deletion rewrote a branch since the reader looked it up.
var errRewritten = errors.New("the branch was rewritten")

// retryRewritten calls f until it does not meet a branch that was rewritten meanwhile.
func (e *Engine) retryRewritten(ctx context.Context, key history.Key, f func(*branch) error) error {
	for {
		l, err := e.branch(ctx, key)
		if err != nil {
			return err
		}
		if err := f(l); !errors.Is(err, errRewritten) {
			return err
		}
		e.distrust()
	}
}

// write writes what build puts into a batch. The medium refuses the batch if another writer
// was faster; then build looks again at what the batch expects. An error of build ends this.
func (e *Engine) write(ctx context.Context, build func(*store.Batch) error) error {
	for {
		if err := e.usable(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return canceled(err)
		}
		var of struct { // one allocation, because nearly all batches append one record
			store.Batch
			expect [1]store.Expectation
			append [1]store.Record
		}
		b := &of.Batch
		b.Expect, b.Append = of.expect[:0], of.append[:0]
		err := build(b)
		if err == nil && len(b.Expect)+len(b.Delete)+len(b.Cut)+len(b.Put)+len(b.Replace)+len(b.Append) > 0 { // else only planned
			err = e.store.Write(ctx, b)
		}
		if !errors.Is(err, store.ErrRefused) && !errors.Is(err, errRewritten) {
			return err
		}
		e.distrust()
		for _, x := range b.Expect {
			e.forget(history.Key(x.Space))
		}
	}
}

// removedMeanwhile is the error for a part of a tree that an erasure or a deletion removed after the tree
// was read.
func removedMeanwhile() error {
	return fault.New(fault.Conflict, "an erasure or a deletion removed what the snapshot was read from",
		"read the context again")
}

// requireValue adds that a key has a value, or none.
func requireValue(b *store.Batch, k store.Key, value []byte) {
	state := store.Equal
	if value == nil {
		state = store.Absent
	}
	b.Expect = append(b.Expect, store.Expectation{Key: k, State: state, Value: value})
}

func put(b *store.Batch, k store.Key, value []byte) {
	b.Put = append(b.Put, store.Pair{Key: k, Value: value})
}

func remove(b *store.Batch, spans ...store.Span) { b.Delete = append(b.Delete, spans...) }
