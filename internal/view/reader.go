package view

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/record"
)

// Reader answers questions about the calls of one context at one revision, and keeps its results for the next
// question. It is safe for concurrent use.
type Reader struct {
	context *pact.Context
	unit    Unit
	counter tree.Counter

	mu       sync.Mutex
	calls    map[int64]Call
	follower *record.Follower              // of a recorded context
	told     map[int64]*inspect.CallPrefix // the reports of the provider; nil until they are read
	attempts string                        // of a recorded context: those that may still change when told was read
	pictures []drawnPicture                // the one that was drawn last comes first
	strips   strips
	log      *provenance.Log // nil until it is read
}

// drawnPicture is a picture that was drawn.
type drawnPicture struct {
	from, to int64
	options  PictureOptions
	picture  *Picture
}

// mostPictures is how many pictures a reader keeps.
const mostPictures = 4

// NewReader returns a reader of a context. The program must not write through c. unit and counter are
// those with which c was opened. If before reads the same context at an earlier revision, and
// nothing was erased since, the reader begins with what that has drawn and with its calls;
// before may be nil.
func NewReader(c *pact.Context, unit Unit, counter tree.Counter, before *Reader) *Reader {
	r := &Reader{context: c, unit: unit, counter: counter, calls: map[int64]Call{}, follower: &record.Follower{Prices: prices.BuiltIn()}}
	if before == nil {
		return r
	}
	before.mu.Lock()
	defer before.mu.Unlock()
	r.strips = slices.Clone(before.strips)
	r.follower = before.follower.Clone()
	maps.Copy(r.calls, before.calls)
	r.forget()
	return r
}

// forget forgets the calls that look different once their answer is there.
func (r *Reader) forget() {
	maps.DeleteFunc(r.calls, func(cycle int64, _ Call) bool { return cycle >= r.follower.Next() })
}

// Calls describes the calls between two addresses, oldest first. E_SNAPSHOT_NOT_FOUND if there is no snapshot at an address.
// Cost: that of [Walk] for the calls that were not asked for before.
func (r *Reader) Calls(ctx context.Context, from, to pact.Address) ([]Call, error) {
	first, last, err := cyclesAt(r.context, from, to)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list(ctx, first, last)
}

// Draw is the function [Draw] for the calls between two addresses. From the working state to
// the working state it draws that state alone.
func (r *Reader) Draw(ctx context.Context, from, to pact.Address, o PictureOptions) (*Picture, error) {
	if from == "working" && to == "working" {
		return Draw(ctx, r.context, nil, o)
	}
	first, last, err := cyclesAt(r.context, from, to)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	calls, err := r.list(ctx, first, last)
	if err != nil {
		return nil, err
	}
	for _, k := range r.pictures {
		if k.from == first && k.to == last && k.options == o {
			return k.picture, nil
		}
	}
	d := &drawing{ctx: ctx, context: r.context, calls: calls, options: o, log: r.log, strips: &r.strips}
	p, err := d.fit()
	if err == nil && len(calls) > 0 {
		r.pictures = append([]drawnPicture{{first, last, o, p}}, r.pictures[:min(len(r.pictures), mostPictures-1)]...)
	}
	return p, err
}

// list returns the calls of the cycles first..last and reads those that are missing.
func (r *Reader) list(ctx context.Context, first, last int64) ([]Call, error) {
	if err := r.renew(ctx); err != nil {
		return nil, err
	}
	if err := r.readLog(ctx); err != nil {
		return nil, err
	}
	from, to := int64(0), int64(0)
	for cycle := first; cycle <= last; cycle++ {
		if _, ok := r.calls[cycle]; !ok {
			if from == 0 {
				from = cycle
			}
			to = cycle
		}
	}
	if from > 0 {
		if r.told == nil {
			if err := r.follow(ctx); err != nil {
				return nil, err
			}
		}
		fresh, err := callsOf(r.steps(ctx, from, to), r.unit, r.log)
		if err != nil {
			return nil, err
		}
		for _, call := range fresh {
			r.calls[call.Cycle] = call
		}
	}
	list := make([]Call, 0, last-first+1)
	for cycle := first; cycle <= last; cycle++ {
		list = append(list, r.calls[cycle])
	}
	return list, nil
}

// steps walks over the calls from one cycle to another with the reports that were read.
func (r *Reader) steps(ctx context.Context, from, to int64) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		walk(ctx, r.context, pact.Cycle(from), pact.Cycle(to), false,
			func(cycle int64) (*inspect.CallPrefix, error) { return r.told[cycle], nil }, yield)
	}
}

// Log returns the log of the context.
func (r *Reader) Log(ctx context.Context) (*provenance.Log, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.readLog(ctx)
	return r.log, err
}

// readLog reads the log once.
func (r *Reader) readLog(ctx context.Context) (err error) {
	if r.log == nil {
		r.log, err = provenance.LogOf(r.context.Log(ctx, 0))
	}
	return err
}

// follow reads the new recorded calls.
func (r *Reader) follow(ctx context.Context) error {
	list, err := r.follower.Prefixes(ctx, r.context)
	if err != nil {
		return err
	}
	r.told = map[int64]*inspect.CallPrefix{}
	for i := range list {
		r.told[list[i].Cycle] = &list[i]
	}
	return nil
}

// renew forgets the reports about a context whose attempts have changed, because attempts have no
// revision. Only running attempts, and those of the newest cycles, can change.
func (r *Reader) renew(ctx context.Context) error {
	last := r.context.Info().Cycle
	from := last
	if next := r.follower.Next(); next > 0 {
		from = min(from, next)
	}
	attempts, err := r.context.Attempts(ctx, from, last+1)
	if err != nil {
		return err
	}
	now := ""
	for _, a := range attempts {
		now += fmt.Sprintln(a.ID, a.Status)
	}
	if now != r.attempts {
		r.attempts, r.told, r.pictures = now, nil, nil
		r.forget()
	}
	return nil
}
