package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"slices"
	"sync"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
)

// mostKeys is how many of the last idempotency keys the server remembers the request of.
const mostKeys = 10_000

// turns lets changes of one context wait for each other, and remembers what was asked with
// which idempotency key.
type turns struct {
	mu      sync.Mutex
	waiting map[string]*turn
	bodies  map[keyUse][sha256.Size]byte // their hashes
	order   []keyUse                     // of bodies, the oldest first from next on
	next    int
}

// turn is taken by the request that changes a context, one at a time.
type turn struct {
	place  chan struct{}
	wanted int // requests that have it or wait for it
}

// keyUse is an idempotency key, and the context that it was used for.
type keyUse struct {
	context history.Key
	key     string
}

// lock waits until no other request of this server changes the context with a name.
func (t *turns) lock(ctx context.Context, name string) (done func(), err error) {
	t.mu.Lock()
	if t.waiting == nil {
		t.waiting, t.bodies = map[string]*turn{}, map[keyUse][sha256.Size]byte{}
	}
	w := t.waiting[name]
	if w == nil {
		w = &turn{place: make(chan struct{}, 1)}
		t.waiting[name] = w
	}
	w.wanted++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if w.wanted--; w.wanted == 0 {
			delete(t.waiting, name)
		}
	}
	select {
	case w.place <- struct{}{}:
		return func() { <-w.place; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// isOtherRequest reports whether a key was used for another request than the one with this hash.
func (t *turns) isOtherRequest(use keyUse, hash [sha256.Size]byte) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	before, ok := t.bodies[use]
	return ok && before != hash
}

// remember remembers what was asked with a key.
func (t *turns) remember(use keyUse, hash [sha256.Size]byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.bodies[use]; ok {
		return
	}
	if t.bodies[use] = hash; len(t.order) < mostKeys {
		t.order = append(t.order, use)
		return
	}
	delete(t.bodies, t.order[t.next])
	t.order[t.next] = use
	t.next = (t.next + 1) % mostKeys
}

// changeRequest is a request that changes a context, and what a retry of it must repeat.
type changeRequest struct {
	name, key string
	body      any
	kinds     []history.Kind // of the log entry that the request leaves
}

// withIdempotency makes a change of a context after those that other requests make at this moment. try
// opens the context; if another process was faster, withIdempotency calls it again, so that it decides
// on what is there then. done is the log entry of an earlier request with the same key, nil if
// there was none; the library then does nothing more.
func withIdempotency[T any](ctx context.Context, s *Server, a changeRequest, try func(done *history.Entry) (T, error)) (out T, err error) {
	leave, err := s.turns.lock(ctx, a.name)
	if err != nil {
		return out, err
	}
	defer leave()
	text, err := json.Marshal(a.body)
	if err != nil {
		return out, err
	}
	hash := sha256.Sum256(append([]byte(exchangeOf(ctx).request.Pattern+"\n"), text...))
	for first := true; ; first = false {
		before, err := s.store.Find(ctx, a.name)
		if err != nil {
			return out, err
		}
		use := keyUse{before.Key, a.key}
		var done *history.Entry
		if a.key != "" {
			if done, err = engine.Of(s.store).Request(ctx, before.Key, a.key); err != nil {
				return out, err
			}
			if s.turns.isOtherRequest(use, hash) || done != nil && !slices.Contains(a.kinds, done.Kind) {
				return out, keyReused()
			}
		}
		if out, err = try(done); err == nil {
			if a.key != "" {
				s.turns.remember(use, hash)
			}
			return out, nil
		}
		// With a key, what is refused as out of date may be what another process has carried out meanwhile.
		code := failureOf(err).Code
		if fault.CodeOf(err) != fault.Conflict && (a.key == "" || code != string(fault.Conflict) && code != stale) {
			return out, err
		}
		now, failed := s.store.Find(ctx, a.name)
		if failed != nil {
			return out, failed
		}
		if now == before && !(first && a.key != "") { // no other process was faster
			return out, err
		}
	}
}

// keyReused refuses a request with the key of another one.
func keyReused() *failure {
	return refuse(http.StatusUnprocessableEntity, otherRequest,
		"the idempotency key belongs to another request, which was carried out", "give every request a key of its own")
}

// sameNote refuses a request whose key left a log entry with another note.
func sameNote(done *history.Entry, note *pact.Note) error {
	if done != nil && (done.Message != note.Message || note.Actor != "" && done.Actor != note.Actor) {
		return keyReused()
	}
	return nil
}
