package engine

import (
	"context"
	"errors"
	"sync"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/kv"
)

// Engine is a store of contexts in a medium.
type Engine struct {
	kv       kv.Store
	packing  Packing
	inMemory bool // what this means is said at InMemory
	cache    cache
	pace     pace

	mu       sync.Mutex
	closed   bool
	settling map[store.Key]bool
	work     sync.WaitGroup
}

var _ store.Complete = (*Engine)(nil)

// New returns an engine on a medium, which it closes when it is closed.
func New(s kv.Store, p Packing) *Engine {
	return &Engine{kv: s, packing: p, pace: usualPace, settling: make(map[store.Key]bool)}
}

// NewHasty returns an engine that joins and writes checkpoints as soon as there is anything to
// join, so that tests of stores see what that does to their media.
func NewHasty(s kv.Store, p Packing) *Engine {
	e := New(s, p)
	e.pace = pace{joined: 2, stays: 1, between: 3, rows: 40}
	return e
}

// Close implements [store.Store].
func (e *Engine) Close() error {
	e.mu.Lock()
	was := e.closed
	e.closed = true
	e.mu.Unlock()
	if was {
		return nil
	}
	e.work.Wait()
	e.cache.clear()
	return e.kv.Close()
}

// usable returns an error once the engine is closed.
func (e *Engine) usable() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return store.Closed()
	}
	return nil
}

// errMoved is the error of what found that an erasure or a deletion rewrote a line since it was
// looked up.
var errMoved = errors.New("the line was rewritten")

// steady calls f until it does not meet a line that was rewritten meanwhile.
func (e *Engine) steady(ctx context.Context, key store.Key, f func(*line) error) error {
	for {
		l, err := e.line(ctx, key)
		if err != nil {
			return err
		}
		if err := f(l); !errors.Is(err, errMoved) {
			return err
		}
		e.distrust()
	}
}

// write writes what make puts into a batch. Where the medium refuses the batch, somebody else
// wrote, and make looks again at what the batch expects; it returns the error that ends this.
func (e *Engine) write(ctx context.Context, make func(*kv.Batch) error) error {
	for {
		if err := e.usable(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return fault.Wrap(fault.Store, err, "the call was canceled", "")
		}
		var of struct { // one allocation, because nearly all batches append one record
			kv.Batch
			expect [1]kv.Expectation
			append [1]kv.Record
		}
		b := &of.Batch
		b.Expect, b.Append = of.expect[:0], of.append[:0]
		err := make(b)
		if err == nil {
			err = e.kv.Write(ctx, b)
		}
		if !errors.Is(err, kv.ErrRefused) && !errors.Is(err, errMoved) {
			return err
		}
		e.distrust()
		for _, x := range b.Expect {
			e.forget(store.Key(x.Space))
		}
	}
}

// gone is the error for a part of a tree that an erasure or a deletion removed after the tree
// was read.
func gone() error {
	return fault.New(fault.Conflict, "an erasure or a deletion removed what the snapshot was read from",
		"read the context again")
}

// expect adds that a key has a value, or none.
func expect(b *kv.Batch, k kv.Key, value []byte) {
	state := kv.Equal
	if value == nil {
		state = kv.Absent
	}
	b.Expect = append(b.Expect, kv.Expectation{Key: k, State: state, Value: value})
}

func put(b *kv.Batch, k kv.Key, value []byte) {
	b.Put = append(b.Put, kv.Pair{Key: k, Value: value})
}

func remove(b *kv.Batch, spans ...kv.Span) { b.Delete = append(b.Delete, spans...) }
