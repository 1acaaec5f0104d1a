package record

import (
	"context"
	"time"

	"github.com/contexttree/pact/internal/record/worth"
)

// SetPatience sets how long a request waits for decisions, for a test.
func SetPatience(d time.Duration) { patience = d }

// SetMostPatience sets how long a request waits for a decision that the store is making durable, for a test.
func SetMostPatience(d time.Duration) { mostPatience = d }

// Expected returns what the provider should have counted of a request that a policy changed, nil for another.
func Expected(b *Body) *worth.Call {
	if b.managed == nil {
		return nil
	}
	return b.managed.Expects
}

// Original is originalOf.
var Original = originalOf

// SetMostDecided sets how many bytes of contents, and how many results that no rule shapes, an Entry keeps in memory.
func SetMostDecided(contents, plain int) { mostContents, mostPlain = contents, plain }

// Holds returns how many decisions an Entry has in memory, and how many bytes of contents.
func (e *Entry) Holds() (decided, bytes int) {
	for _, d := range e.decided {
		if d.shaped != nil {
			bytes += len(d.shaped.Content)
		}
	}
	return len(e.decided), bytes
}

// Leave notes that results are sent as they came.
func (e *Entry) Leave(ctx context.Context, results []Result, why string) error {
	return e.leave(ctx, results, why)
}

// Warmed waits until a recorder that manages has read what an earlier one left.
func Warmed(r *Recorder) { <-r.warm }
