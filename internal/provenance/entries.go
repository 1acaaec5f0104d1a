package provenance

import (
	"context"
	"iter"

	"github.com/contexttree/pact/history"
)

// entriesAtOnce is how many entries of a log are in memory at a time.
const entriesAtOnce = 256

// Entries yields the log of the context up to its revision, oldest first, from the entries of a
// cycle on; 0 for all. An error of the store ends it. It holds at most 256 entries, however long the
// log is.
func (s *Source) Entries(ctx context.Context, cycle int64) iter.Seq2[history.Entry, error] {
	return func(yield func(history.Entry, error) bool) {
		from, err := s.firstRevision(ctx, cycle)
		if err != nil {
			yield(history.Entry{}, err)
			return
		}
		s.revisions(ctx, from, s.State.Revision)(yield)
	}
}

// revisions yields the entries of the revisions from..to.
func (s *Source) revisions(ctx context.Context, from, to int64) iter.Seq2[history.Entry, error] {
	return func(yield func(history.Entry, error) bool) {
		for ; from <= to; from += entriesAtOnce {
			list, err := s.Store.Log(ctx, s.State.Key, from, min(to, from+entriesAtOnce-1))
			if err != nil {
				yield(history.Entry{}, err)
				return
			}
			for _, e := range list {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// Publications finds the entries of a log that published snapshots, for a reader who asks for
// one cycle after another.
type Publications struct {
	next   func() (history.Entry, error, bool)
	stop   func()
	latest history.Entry // read, and not yet passed by the reader
	err    error
	more   bool
}

// Publications reads the log of the context from its beginning. The caller must call Stop.
func (s *Source) Publications(ctx context.Context) *Publications {
	p := &Publications{}
	p.next, p.stop = iter.Pull2(s.Entries(ctx, 0))
	p.latest, p.err, p.more = p.next()
	return p
}

// Of returns the entry that published a cycle: its commit, or the creation of an imported
// context that begins with this snapshot. It is the zero entry if the log has none. Callers ask
// for ascending cycles.
func (p *Publications) Of(cycle int64) (found history.Entry, err error) {
	for p.more && p.err == nil && p.latest.Cycle <= cycle {
		if p.latest.Cycle == cycle && (p.latest.Kind == history.Commit || p.latest.Kind == history.Create) {
			found = p.latest
		}
		p.latest, p.err, p.more = p.next()
	}
	return found, p.err
}

// Stop ends the reading of the log.
func (p *Publications) Stop() { p.stop() }
