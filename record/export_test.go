package record

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
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
func SetMostPlain(t *testing.T, n int) { set(t, &mostPlain, n) }

// Warmed waits until a recorder that manages has read what an earlier one left.
func Warmed(r *Recorder) { <-r.warm }

// KeyOf returns the key of the result of a call with a content, canonical JSON.
func KeyOf(call, content string) string { return (&Result{Call: call, Content: content}).key() }

// SetMostOpen sets how many bytes the recordings may hold whose contexts are open, for a test.
func SetMostOpen(t *testing.T, n int64) { set(t, &mostOpen, n) }

// SetMostLookedAt sets how many older contexts are opened at once, for a test.
func SetMostLookedAt(t *testing.T, n int) { set(t, &mostLookedAt, n) }

// SetMaxQueued sets how many bytes may wait to be recorded, for a test.
func SetMaxQueued(t *testing.T, n int) { set(t, &maxBytes, n) }

// SetMostFrames sets how many calls before it the record of a request names another one at most.
func SetMostFrames(t *testing.T, n int) { set(t, &mostFrames, n) }

// SetMostBody sets how many bytes of a request a recorder records. Call it before the first request.
func SetMostBody(r *Recorder, n int) { r.mostBody = n }

// ErrTooLong is errTooLong.
var ErrTooLong = errTooLong

func set[T any](t *testing.T, v *T, to T) {
	before := *v
	*v = to
	t.Cleanup(func() { *v = before })
}

// Open returns how many recordings have their contexts open, and how many bytes they hold by estimate. Call it after
// Close.
func Open(r *Recorder) (n int, bytes int64) { return r.recordings.open.Len(), r.recordings.size }

// RememberedAnswers has a recorder note the answers of so many conversations, and returns how many it remembers.
func RememberedAnswers(r *Recorder, conversations int) int {
	for i := range conversations {
		r.noteAnswer(conversationKey(strconv.Itoa(i)), "answer")
	}
	return len(r.previous)
}

// Drain waits until everything that arrived is recorded.
func Drain(r *Recorder) {
	done := make(chan error, 1)
	if r.queue.put(job{run: func() error { return nil }, ends: true, done: done}) == nil {
		<-done
	}
}

// Compared returns with how many recordings a request to a chat completion is compared. Call it after Close.
func Compared(r *Recorder, body string) int {
	value, _ := canon.ParseAny([]byte(body))
	read, _ := provider.ReadRequest(provider.Chat, value)
	return len(r.recordings.candidates(requestOf(read, group{})))
}

// CompareAll has recorders compare a request with all recordings that begin alike, and none left out, for a test.
func CompareAll(t *testing.T) {
	set(t, &leaveOut, func(_ *request, list []alikeRecording) (of []*recording) {
		for _, l := range list {
			of = append(of, l.recording)
		}
		return of
	})
}

// ChoiceOf says which recording a request to a chat completion would go to, and how many it was compared with. Call it
// while nothing is being recorded.
func ChoiceOf(t *testing.T, r *Recorder, body string) (choice string, compared int) {
	t.Helper()
	value, err := canon.ParseAny([]byte(body))
	must(t, err)
	read, _ := provider.ReadRequest(provider.Chat, value)
	q := requestOf(read, group{})
	c, err := r.choose(t.Context(), q)
	must(t, err)
	name := ""
	if c.recording != nil {
		name = c.recording.name
	}
	return fmt.Sprint(name, c.fork, c.cycle, c.aside, c.begun, c.why), len(r.recordings.candidates(q))
}
