package record

import (
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

// SetMostPlain sets how many results about which nothing was decided a recorder remembers.
func SetMostPlain(n int) { mostPlain = n }

// Warmed waits until a recorder that manages has read what an earlier one left.
func Warmed(r *Recorder) { <-r.warm }

// KeyOf returns the key of the result of a call with a content, canonical JSON.
func KeyOf(call, content string) string { return (&Result{Call: call, Content: content}).key() }
