package sqlite

import (
	"context"
	"os"
	"time"

	"github.com/contexttree/pact/fault"
	lib "modernc.org/sqlite/lib"
)

// busyTimeout is how long a writer waits for the lock before E_BUSY.
const busyTimeout = 5 * time.Second

// retryInterval is how long the head of the queue waits between two tries for the lock.
const retryInterval = time.Millisecond

// beginWrite calls begin, which takes the lock for writing, in the order in which writers came.
//
// SQLite keeps no order: a waiting writer tries ever more rarely, in the end ten times a
// second, and a process that writes without a break is always faster. So after their first
// collision writers wait in a queue, a lock on a file beside the store, and only its head tries
// for the lock of SQLite. The head leaves the queue when it has that lock. The queue only makes
// access fair: SQLite's lock protects the store, also from programs that do not know the queue.
func (p *files) beginWrite(ctx context.Context, begin func() error) error {
	if !exists(p.queue) { // nobody had to wait so far
		if err := begin(); !busy(err) {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	queue, err := p.waitInQueue(ctx)
	if err != nil {
		return err
	}
	if queue != nil {
		defer queue.Close() // leaves the queue
	}
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

// waitInQueue waits to become the head of the queue and returns its file. It returns nil if the
// file system allows no queue, and E_BUSY if ctx ends first.
func (p *files) waitInQueue(ctx context.Context) (*os.File, error) {
	f, err := os.OpenFile(p.queue, os.O_RDONLY|os.O_CREATE, p.mode)
	if err != nil {
		return nil, nil
	}
	locked := make(chan error, 1)
	if err, wait := tryLock(f); !wait {
		locked <- err
	} else {
		go func() { locked <- lock(f) }()
	}
	select {
	case err := <-locked:
		if err != nil { // the file system has no such locks
			f.Close()
			return nil, nil
		}
		return f, nil
	case <-ctx.Done():
		go func() { // the lock still comes, and is then released for the next writer
			<-locked
			f.Close()
		}()
		message, remedy := busyText()
		return nil, fault.Wrap(fault.Busy, ctx.Err(), message, remedy)
	}
}

func busy(err error) bool {
	code := primaryCode(err)
	return code == lib.SQLITE_BUSY || code == lib.SQLITE_LOCKED
}
