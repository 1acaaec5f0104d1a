package server

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/contexttree/pact/store"
)

// Limits of what is read for a list.
const (
	listWait      = 50 * time.Millisecond // for contexts that changed since they were read last
	mostSummaries = 50_000                // contexts of which the details are remembered
	mostReaders   = 2                     // contexts that are read at once
)

// summaries remembers the details of contexts for lists, and reads them again in the background
// when they changed. So no list waits for a huge context.
type summaries struct {
	mu      sync.Mutex
	known   map[store.Key]summary
	queue   []store.Info // to read, the oldest first
	queued  map[store.Key]bool
	readers int
	news    chan struct{} // closed when the next context was read
}

// summary is the details of a context at one revision.
type summary struct {
	info    store.Info
	details ContextDetails
}

// detailed adds to a page of a list the details of its contexts, which infos has in the same order.
// It waits a moment for those that have to be read first; all are those that the token may see.
func (s *Server) detailed(ctx context.Context, page []contextInfo, infos, all []store.Info) error {
	wait := time.NewTimer(listWait)
	defer wait.Stop()
	for late := false; ; {
		news, ready := s.summed(page, infos)
		if ready || late {
			break
		}
		select {
		case <-news:
		case <-wait.C:
			late = true
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for k := range page {
		d := &page[k].ContextDetails
		d.Forked = forkedFromOf(infos[k], all)
		if b := d.Begun; b != nil && !slices.ContainsFunc(all, func(i store.Info) bool { return i.Name == b.Context }) {
			d.Begun = &begunBy{Context: b.Context, Node: b.Node}
		}
	}
	return nil
}

// summed fills in what is known of the contexts of a page, and has the others read. It reports
// whether all of it is as the contexts are now; news is closed when more is known.
func (s *Server) summed(page []contextInfo, infos []store.Info) (news <-chan struct{}, ready bool) {
	k := &s.summaries
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.news == nil {
		k.known, k.queued, k.news = map[store.Key]summary{}, map[store.Key]bool{}, make(chan struct{})
	}
	ready = true
	for n, i := range infos {
		known, ok := k.known[i.Key]
		page[n].ContextDetails = known.details
		if ok && known.info == i {
			continue
		}
		page[n].Pending, ready = true, false
		if !k.queued[i.Key] {
			k.queue, k.queued[i.Key] = append(k.queue, i), true
		}
	}
	for ; k.readers < min(mostReaders, len(k.queue)); k.readers++ {
		go s.readSummaries()
	}
	return k.news, ready
}

// readSummaries reads contexts until none waits or the server ends.
func (s *Server) readSummaries() {
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), exchangeKey{},
		&exchange{right: right{all: true}}))
	defer cancel()
	go func() {
		select {
		case <-s.done:
			cancel()
		case <-ctx.Done():
		}
	}()
	k := &s.summaries
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.queue) > 0 && ctx.Err() == nil {
		i := k.queue[0]
		k.queue = k.queue[1:]
		k.mu.Unlock()
		d := s.summarize(ctx, i)
		k.mu.Lock()
		if len(k.known) >= mostSummaries {
			clear(k.known)
		}
		k.known[i.Key] = summary{i, d}
		delete(k.queued, i.Key)
		close(k.news)
		k.news = make(chan struct{})
	}
	k.readers--
}

// summarize returns the details of a context, none if it is damaged.
func (s *Server) summarize(ctx context.Context, i store.Info) ContextDetails {
	defer func() {
		if problem := recover(); problem != nil {
			s.options.Log.Error("panic", "operation", "details of a list", "stack", string(debug.Stack()))
		}
	}()
	d, _ := s.details(ctx, i)
	return d
}
