package sqlstore

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/contexttree/pact/store"
)

// packPatience is how long a slice waits for its turn to write. It gives up where
// others need longer; the next commits bring it up again.
const packPatience = time.Second

// background packs the rows of branches, one slice after the other, while the store
// is used. Its goroutine lives as long as there is something to pack.
type background struct {
	mu       sync.Mutex
	due      []int64       // branches that wait
	running  chan struct{} // closed when the goroutine ends, nil where there is none
	stopping bool
}

// packLater has rows of a branch packed after a commit, now and then: when its
// latest cycle goes beyond a multiple of the cycles of a page.
func (s *Store) packLater(branch, before, latest int64) {
	if before/s.packing.Cycles == latest/s.packing.Cycles {
		return
	}
	b := &s.background
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.stopping:
	case b.running == nil:
		b.running = make(chan struct{})
		go s.packDue(branch, b.running)
	case !slices.Contains(b.due, branch):
		b.due = append(b.due, branch)
	}
}

// packDue packs what is due, beginning with a branch, and writes a directory of it. At least one slice is packed:
// a process that ends right after its commit leaves no more behind than it brought.
// An error is left to whoever reads the rows: it is met there too.
func (s *Store) packDue(branch int64, ended chan struct{}) {
	defer close(ended)
	for more := true; more; branch, more = s.background.next() {
		for {
			ctx, cancel := context.WithTimeout(context.Background(), packPatience)
			found, err := s.pack(ctx, branch, s.packing.Keep, s.packing.Cycles)
			cancel()
			if !found || err != nil || s.background.isStopping() {
				break
			}
		}
		if !s.background.isStopping() {
			ctx, cancel := context.WithTimeout(context.Background(), packPatience)
			_ = s.writeDirectory(ctx, store.Key(branch)) // likewise; without one, more rows are read
			cancel()
		}
	}
}

func (b *background) isStopping() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stopping
}

// next returns the branch to go on with, false where the goroutine is to end.
func (b *background) next() (branch int64, more bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopping || len(b.due) == 0 {
		b.running = nil
		return 0, false
	}
	branch, b.due = b.due[0], b.due[1:]
	return branch, true
}

// stop waits until the slice is written that is under way, and has no other begin.
func (b *background) stop() {
	b.mu.Lock()
	b.stopping = true
	running := b.running
	b.mu.Unlock()
	if running != nil {
		<-running
	}
}
