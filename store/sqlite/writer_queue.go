package sqlite

import (
	"context"
	"os"
	"time"

	"github.com/contexttree/pact/fault"
	lib "modernc.org/sqlite/lib"
)

// busyTimeout is how long a writer waits for others.
const busyTimeout = 5 * time.Second

// retryInterval is how long a writer that nobody stands before waits until it looks
// again whether the lock is free.
const retryInterval = time.Millisecond

// beginWrite has begin take the lock for writing in the order in which writers came.
//
// SQLite keeps no order: who waits looks again ever more rarely, at last ten
// times a second, and one that writes without a break is always faster. So
// writers that met once stand in a queue beside the store, and only its head
// tries for the lock of SQLite. It leaves the queue when it has the lock, and the
// next one stands ready while it writes. The queue is for fairness alone: what
// protects the store is SQLite's lock, from programs that know no queue too.
func (p *files) beginWrite(ctx context.Context, begin func() error) error {
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	queue, err := p.waitInQueue(ctx, 0)
	if err != nil {
		return err
	}
	if queue == nil {
		if err := begin(); !busy(err) {
			return err
		}
		if queue, err = p.waitInQueue(ctx, os.O_CREATE); err != nil {
			return err
		}
	}
	if queue != nil {
		defer queue.Close() // which leaves it
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

// waitInQueue waits to become the head of the queue. It returns nil where there is no
// queue, and none can be made.
func (p *files) waitInQueue(ctx context.Context, flag int) (*os.File, error) {
	f, err := os.OpenFile(p.path+"-queue", os.O_RDONLY|flag, p.mode)
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
		if err != nil { // a file system without such locks
			f.Close()
			return nil, nil
		}
		return f, nil
	case <-ctx.Done():
		go func() { // its turn still comes, and then it is the next one's
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
