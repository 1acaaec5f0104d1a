package gathered

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// most is how many bytes wait before they are written at the next [Store.Pause].
const most = 4 << 20

// Store is a store whose changes wait until they are many at a [Store.Pause], until [Store.Flush], or until it is closed. Readers of it
// see them at once, other processes when they are written. Of changes of others it learns when it writes: what it
// gathered is then refused as a whole, and every later call says so.
//
// What concerns the store's own space, replaces, or cuts as it appends, is written at once, behind all that waits.
type Store struct {
	under store.Store

	mu     sync.RWMutex
	spaces map[store.Space]*space
	size   int   // bytes that wait
	failed error // why what waited was not written, or that the store is closed

	looking sync.Mutex // guards what the spaces know of under
}

// New gathers what is written to a store. Closing it closes that store.
func New(under store.Store) *Store {
	return &Store{under: under, spaces: make(map[store.Space]*space)}
}

// Packing implements [store.Packer].
func (s *Store) Packing() store.Packing {
	if of, ok := s.under.(store.Packer); ok {
		return of.Packing()
	}
	return store.Packing{}
}

// Clean implements [store.Cleaner].
func (s *Store) Clean(ctx context.Context) (remains string, err error) {
	if err := s.Flush(ctx); err != nil {
		return "", err
	}
	if of, ok := s.under.(store.Cleaner); ok {
		return of.Clean(ctx)
	}
	return "", nil
}

// Flush makes everything durable that was written to the store. E_CONFLICT if another process changed the same
// contexts meanwhile: then nothing is written of what waited.
func (s *Store) Flush(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flush(ctx)
}

// End is Flush behind work that ended with an error, nil for none: what waits is of use also then. It returns that error, or why
// nothing could be written; what others changed meanwhile is also why what waits and what they wrote seems damaged together.
func (s *Store) End(ctx context.Context, err error) error {
	failed := s.Flush(ctx)
	if err == nil || errors.Is(err, fault.Store) && errors.Is(failed, fault.Conflict) {
		return failed
	}
	return err
}

// Close implements [store.Store]. It writes what waits.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.failed, errClosed) {
		return nil
	}
	err := s.flush(context.Background())
	s.failed = errClosed
	return errors.Join(err, s.under.Close())
}

var errClosed = fault.New(fault.Store, "the store is closed", "open it again")

// usable returns the error of a call that cannot be answered.
func (s *Store) usable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fault.Wrap(fault.Store, err, "the call was canceled", "call it again, with a context that has not ended")
	}
	return s.failed
}

// Write implements [store.Store].
func (s *Store) Write(ctx context.Context, b *store.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(ctx); err != nil {
		return err
	}
	if !s.gathers(b) {
		if err := s.flush(ctx); err != nil {
			return err
		}
		s.spaces = make(map[store.Space]*space) // what they know of under is over
		return s.under.Write(ctx, b)
	}
	if err := s.admit(ctx, b); err != nil {
		return err
	}
	for _, r := range b.Append {
		s.size += s.space(r.Space).append(r)
	}
	for _, d := range b.Delete {
		s.size -= s.space(d.Space).delete(d)
	}
	for _, c := range b.Cut {
		s.size -= s.space(c.Space).remove(c)
	}
	for _, p := range b.Put {
		s.size += s.space(p.Space).put(p)
	}
	return nil
}

// Pause says that what was changed can stand by itself, should nothing follow: what a process leaves that is killed ends
// with such changes. It writes what waits if that is much. If that fails, every later call says so.
func (s *Store) Pause(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size > most {
		_ = s.flush(ctx)
	}
}

// gathers reports whether a batch can wait.
func (s *Store) gathers(b *store.Batch) bool {
	if len(b.Replace) > 0 || len(b.Append) > 0 && len(b.Cut) > 0 {
		return false
	}
	for _, d := range b.Delete {
		if d.Space == 0 {
			return false
		}
	}
	for _, e := range b.Expect {
		if e.Space == 0 {
			return false
		}
	}
	for _, p := range b.Put {
		if p.Space == 0 {
			return false
		}
	}
	for _, r := range b.Append {
		if r.Space == 0 || r.Number == 1 {
			return false
		}
	}
	for _, c := range b.Cut {
		if of := s.space(c.Space); c.Space == 0 || of.cut.Last > 0 && (c.First > of.cut.Last+1 || c.Last < of.cut.Last) {
			return false
		}
	}
	return true
}

// admit returns an error unless the expectations and appends of a batch hold. It notes what under must hold when the
// batch is written.
func (s *Store) admit(ctx context.Context, b *store.Batch) error {
	var noted []store.Expectation
	for _, e := range b.Expect {
		of := s.space(e.Space)
		value, known := of.get(e.Name)
		if !known {
			if was, noted := of.expect[e.Name]; noted && was.State != store.Present {
				value, known = was.Value, true
			}
		}
		if !known {
			var err error
			if value, err = s.lookUp(ctx, s.under, e.Key); err != nil {
				return err
			}
		}
		if (value == nil) != (e.State == store.Absent) || e.State == store.Equal && !bytes.Equal(value, e.Value) {
			return store.ErrRefused
		}
		if !known {
			noted = append(noted, e)
		}
	}
	next := make(map[store.Space]int64, 1)
	for _, r := range b.Append {
		last, here := next[r.Space]
		if !here {
			var err error
			if last, err = s.last(ctx, s.under, r.Space); err != nil {
				return err
			}
		}
		if r.Number != last+1 || s.space(r.Space).isCut(last) {
			return store.ErrRefused
		}
		next[r.Space] = r.Number
	}
	var deleted []store.Span
	for _, d := range b.Delete {
		of := s.space(d.Space) // so that it is known what there is below
		nothing, err := s.nothingBelow(ctx, s.under, d)
		if err != nil {
			return err
		}
		if !nothing && !slices.Contains(of.deleted, d) {
			deleted = append(deleted, d)
		}
	}
	for _, e := range noted { // a batch that is refused leaves nothing behind
		s.space(e.Space).note(e)
	}
	for _, d := range deleted {
		s.space(d.Space).deleted = append(s.space(d.Space).deleted, d)
	}
	return nil
}

// flush writes what waits as one batch.
func (s *Store) flush(ctx context.Context) error {
	if s.failed != nil {
		return s.failed
	}
	b := &store.Batch{}
	for at, of := range s.spaces {
		of.into(b, at)
	}
	if len(b.Append)+len(b.Cut)+len(b.Put)+len(b.Delete) == 0 {
		return nil
	}
	err := s.under.Write(context.WithoutCancel(ctx), b)
	if errors.Is(err, store.ErrRefused) {
		err = fault.New(fault.Conflict, "another process changed a context while much was added to it; the last part was not added",
			"do it again: an import goes on where it stopped")
	}
	if s.failed = err; err != nil {
		return err
	}
	for _, of := range s.spaces {
		of.written()
	}
	s.size = 0
	return nil
}

func (s *Store) space(at store.Space) *space {
	of := s.spaces[at]
	if of == nil {
		of = &space{expect: make(map[string]store.Expectation), edges: make(map[byte]string), top: unknown}
		s.spaces[at] = of
	}
	return of
}
