package sqlstore

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/contexttree/pact/store"
)

// packPatience is how long a slice waits for its turn to write. After that it gives up; the
// next commits try again.
const packPatience = time.Second

// background packs the rows of branches, one slice after the other, while others use the store.
// Its goroutine lives as long as there is something to pack.
type background struct {
	mu       sync.Mutex
	due      []int64       // branches that wait
	running  chan struct{} // closed when the goroutine ends, nil if there is none
	stopping bool
}

// packLater schedules the packing of a branch after a commit whose latest cycle passes a
// multiple of the cycles of a page.
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

// packDue packs this branch and then the others that are due, and writes a directory of each.
// It packs at least one slice, so that a process that ends right after its commit leaves no
// more rows than it brought. It ignores errors: whoever reads the rows meets them too.
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
			_ = s.writeDirectory(ctx, store.Key(branch)) // without a directory, readers read more rows
			cancel()
		}
	}
}

func (b *background) isStopping() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stopping
}

// next returns the next branch to pack, and false if the goroutine must end.
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

// stop waits for the slice that is being written, and lets no other begin.
func (b *background) stop() {
	b.mu.Lock()
	b.stopping = true
	running := b.running
	b.mu.Unlock()
	if running != nil {
		<-running
	}
}
