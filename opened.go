package pact

import (
	"sync"
	"weak"

	"github.com/contexttree/pact/store"
)

// opened knows the contexts of this process, so that an erasure reaches those
// that hold what it took in memory. It keeps none of them alive.
var opened contexts

type contexts struct {
	mu   sync.Mutex
	list []weak.Pointer[Context]
	due  int // at which length those that are gone are dropped
}

// note adds a context and returns it. Cost: constant, on average.
func (o *contexts) note(c *Context) *Context {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.list) >= o.due {
		var there []weak.Pointer[Context]
		for _, p := range o.list {
			if p.Value() != nil {
				there = append(there, p)
			}
		}
		o.list, o.due = there, max(16, 2*len(there))
	}
	o.list = append(o.list, weak.Make(c))
	return c
}

// on returns those that are open on a store.
func (o *contexts) on(s store.Store) (list []*Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.list {
		if c := p.Value(); c != nil && c.store == s {
			list = append(list, c)
		}
	}
	return list
}
