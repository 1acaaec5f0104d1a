// Package sure is for tests that read trees in memory, of which no part has to be loaded: it returns
// what was read, and panics with the error otherwise.
package sure

import "iter"

// Get returns v.
func Get[V any](v V, err error) V {
	Done(err)
	return v
}

// Get2 returns v and w.
func Get2[V, W any](v V, w W, err error) (V, W) {
	Done(err)
	return v, w
}

// Get3 returns v, w and x.
func Get3[V, W, X any](v V, w W, x X, err error) (V, W, X) {
	Done(err)
	return v, w, x
}

// All yields what list yields.
func All[V any](list iter.Seq2[V, error]) iter.Seq[V] {
	return func(yield func(V) bool) {
		for v, err := range list {
			Done(err)
			if !yield(v) {
				return
			}
		}
	}
}

// Done does nothing.
func Done(err error) {
	if err != nil {
		panic(err)
	}
}
