package record

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// maxBytes bounds what waits in the queue. Each job counts as the bytes of its request or answer, and perJob for what
// it holds beside them.
// Tests change maxBytes.
var maxBytes = 256 << 20

const perJob = 4 << 10

// apart is how long a queue that had nothing to do waits before it works: a request that was just passed on, and a short
// answer to it, need the processor first.
const apart = 5 * time.Millisecond

var (
	errFull   = errors.New("too much is waiting to be recorded")
	errClosed = errors.New("the recorder is closed")
)

// job is one recording step. Its error goes to the caller that waits for it.
type job struct {
	run  func() error
	size int
	ends bool       // it ends a call that was begun: there is room for it
	done chan error // nil if no caller waits
}

// queue runs jobs one after the other in the order of their arrival.
type queue struct {
	mu     sync.Mutex
	ready  *sync.Cond
	jobs   []job
	bytes  int
	closed bool
	ended  chan struct{}
}

func newQueue() *queue {
	q := &queue{ended: make(chan struct{})}
	q.ready = sync.NewCond(&q.mu)
	go q.work()
	return q
}

// put adds a job, or returns why it cannot. It never waits for another job.
func (q *queue) put(j job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return errClosed
	case len(q.jobs) > 0 && !j.ends && q.bytes+j.size+perJob > maxBytes:
		return errFull
	}
	q.jobs = append(q.jobs, j)
	q.bytes += j.size + perJob
	q.ready.Signal()
	return nil
}

func (q *queue) work() {
	defer close(q.ended)
	for {
		q.mu.Lock()
		idle := len(q.jobs) == 0 && !q.closed
		for len(q.jobs) == 0 && !q.closed {
			q.ready.Wait()
		}
		if idle && !q.closed && q.jobs[0].done == nil {
			q.mu.Unlock()
			time.Sleep(apart)
			q.mu.Lock()
		}
		if len(q.jobs) == 0 {
			q.mu.Unlock()
			return
		}
		j := q.jobs[0]
		q.jobs[0] = job{}
		q.jobs = q.jobs[1:]
		q.mu.Unlock()
		err := try(j.run)
		if j.done != nil {
			j.done <- err
		}
		q.mu.Lock()
		q.bytes -= j.size + perJob
		q.mu.Unlock()
	}
}

// try turns a panic into an error: recording must not end the agent.
func try(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("recording failed: %v", p)
		}
	}()
	return run()
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.ready.Broadcast()
	q.mu.Unlock()
	<-q.ended
}
