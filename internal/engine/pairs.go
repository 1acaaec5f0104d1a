package engine

import (
	"context"
	"iter"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
)

// Pair is a snapshot with the one of the cycle before it, which shares what did not change.
type Pair struct{ Before, Now *tree.Tree }

// Window is how many snapshots [Pairs] makes one from the other for callers who need no more of them at once.
const Window = 1024

// Pairs yields the snapshots of the cycles from..to, oldest first, each with the one before it, which the
// first one lacks. After each window of so many snapshots it loads the next ones anew, so that the turns of a long
// conversation leave memory once it has gone past them. Errors are those of [Contexts.History].
func Pairs(ctx context.Context, s Contexts, key history.Key, from, to, window int64) iter.Seq2[Pair, error] {
	return func(yield func(Pair, error) bool) {
		var p Pair
		for at := from; ; at += window {
			end := min(at+window, to)
			for t, err := range s.History(ctx, key, at, end) {
				again := at > from && t != nil && t.Cycle() == at // the last one of the window before
				if again && t.Digest() != p.Now.Digest() {
					err = fault.New(fault.Conflict, "an erasure changed the snapshots that were still to come", "read the history again")
				}
				if err != nil {
					yield(Pair{}, err)
					return
				}
				if p = (Pair{p.Now, t}); !again && !yield(p, nil) {
					return
				}
			}
			if end == to {
				return
			}
		}
	}
}
