package sqlite

import (
	"context"
	"time"

	"github.com/contexttree/pact/fault"
	lib "modernc.org/sqlite/lib"
)

// busyTimeout is how long a writer waits for the lock before E_BUSY.
const busyTimeout = 5 * time.Second

// retryInterval is how long the head of the queue waits between two tries for the lock.
const retryInterval = time.Millisecond

// firstPlace is the first byte of the queue. SQLite locks bytes of the file that are far before it.
const firstPlace = 1 << 32

// beginWrite calls begin, which takes the lock for writing, in the order in which writers came.
//
// SQLite serves writers in no order: a waiting one tries ever more rarely, in the end ten times a second, and a process
// that writes without a break is always faster. So writers that collide take places in a queue, bytes behind the end of
// the file that each locks, one behind the other. Only the head tries for the lock of SQLite, and leaves the queue when
// it has that; who comes while somebody waits goes to the end, and who waited for busyTimeout tries once. The queue only
// makes access fair: SQLite's lock protects the store, also from programs that do not know the queue.
func (p *files) beginWrite(ctx context.Context, begin func() error) error {
	m := p.forWriter()
	if m == nil { // the store was closed
		return begin()
	}
	defer m.endWriter()
	if len(m.queuing) == 0 && !writersWait(m.File, firstPlace) {
		if err := begin(); !busy(err) {
			return err
		}
	}
	asked := ctx
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	leave, err := m.waitInQueue(ctx)
	if err != nil {
		if asked.Err() == nil { // a process before it may have been suspended in its place
			if now := begin(); !busy(now) {
				return now
			}
		}
		return err
	}
	defer leave()
	for {
		err := begin()
		if !busy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retryInterval):
		}
	}
}

// waitInQueue waits until this writer is the head of the queue, and returns what leaves it. It returns E_BUSY if ctx
// ends first. The locks belong to the process, so that one of its writers at a time has a place among those of others.
// If the file system has no locks, only the writers of this process wait for each other.
func (m *mainFile) waitInQueue(ctx context.Context) (leave func(), _ error) {
	select {
	case m.queuing <- struct{}{}:
	case <-ctx.Done():
		return nil, busyInQueue(ctx)
	}
	place, err := takePlace(m.File)
	if err != nil {
		return func() { <-m.queuing }, nil
	}
	leaves := func() {
		leavePlaces(m.File, place)
		<-m.queuing
	}
	came := make(chan struct{})
	go func() {
		_ = waitForPlaces(m.File, place) // it fails if the system takes two queues for a deadlock: then SQLite decides
		close(came)
	}()
	select {
	case <-came:
		return leaves, nil
	case <-ctx.Done():
		m.addWriter()
		go func() { // the turn still comes, and is then given to the next writer
			defer m.endWriter()
			<-came
			leaves()
		}()
		return nil, busyInQueue(ctx)
	}
}

func busyInQueue(ctx context.Context) error {
	message, remedy := busyText()
	return fault.Wrap(fault.Busy, ctx.Err(), message, remedy)
}

func busy(err error) bool {
	code := primaryCode(err)
	return code == lib.SQLITE_BUSY || code == lib.SQLITE_LOCKED
}
