package server

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
)

// shares counts the event streams of each named token, so that one token cannot have all.
type shares struct {
	mu sync.Mutex
	of map[[32]byte]int // by the hash of the token
}

// enter counts a stream until leave is called.
func (s *shares) enter(r right) (leave func(), err error) {
	if r.all {
		return func() {}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[r.token.Hash] == MaxShare {
		return nil, refuse(http.StatusTooManyRequests, tooMany, "the token has "+strconv.Itoa(MaxShare)+
			" event streams open, and may have no more", "follow all contexts in one stream: leave out context")
	}
	if s.of == nil {
		s.of = map[[32]byte]int{}
	}
	s.of[r.token.Hash]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.of[r.token.Hash]--; s.of[r.token.Hash] == 0 {
			delete(s.of, r.token.Hash)
		}
	}, nil
}

// recentList is the list of contexts as it was a moment ago, for all streams of all contexts together.
type recentList struct {
	mu    sync.Mutex
	list  []history.Info
	until time.Time
}

// listed returns the contexts of the store. As long as nothing changes it returns the same memory.
// It spends a tenth of the time on reading the list at most, however long that is.
func (s *Server) listed(ctx context.Context) ([]history.Info, error) {
	k := &s.recent
	k.mu.Lock()
	defer k.mu.Unlock()
	began := time.Now()
	if began.Before(k.until) {
		return k.list, nil
	}
	list, err := pact.List(ctx, s.all)
	if err != nil {
		return nil, err
	}
	took := time.Since(began)
	k.until = began.Add(max(lookEvery/2, 10*took))
	if !slices.Equal(list, k.list) {
		k.list = list
	}
	return k.list, nil
}

// allContextsStream writes the events of all contexts that a token opens.
type allContextsStream struct {
	events
	list []history.Info // at the last look, also those that the token does not open
	sent map[history.Key]*sentBefore
}

// sentBefore says how far the client knows a context.
type sentBefore struct {
	name     string
	revision int64
	there    bool // this look found the context
}

// The data of the events of all contexts, each with the name of its context.
type (
	entryOf struct {
		Context string `json:"context"`
		history.Entry
	}
	nameOf struct {
		Context string `json:"context"`
		Before  string `json:"before,omitempty"` // the name that it had
	}
)

// followAll answers with what happens to the contexts that the token opens, from now on.
func (s *Server) followAll(ctx context.Context) error {
	list, err := s.listed(ctx)
	if err != nil {
		return err
	}
	w := &allContextsStream{events: events{server: s, e: exchangeOf(ctx)}, list: list, sent: map[history.Key]*sentBefore{}}
	for _, i := range w.e.right.covered(list) {
		w.sent[i.Key] = &sentBefore{name: i.Name, revision: i.Revision}
	}
	w.begin()
	w.follow(ctx, w.sendNew)
	return nil
}

// sendNew sends what is new.
func (f *allContextsStream) sendNew(ctx context.Context) (over bool) {
	list, err := f.server.listed(ctx)
	if err != nil {
		return f.fail(ctx, err)
	}
	if len(list) == len(f.list) && (len(list) == 0 || &list[0] == &f.list[0]) {
		return false
	}
	for _, known := range f.sent {
		known.there = false
	}
	for _, i := range f.e.right.covered(list) {
		known := f.sent[i.Key]
		if known == nil {
			known = &sentBefore{name: i.Name, revision: i.Origin.Revision} // a fork shares the entries up to there
			f.sent[i.Key] = known
		}
		if known.there = true; known.name != i.Name {
			f.send(eventRenamed, 0, nameOf{i.Name, known.name})
			known.name = i.Name
		}
		tell := func(e history.Entry) { f.send(string(e.Kind), 0, entryOf{i.Name, e}) }
		if err := f.entries(ctx, i.Key, &known.revision, i.Revision, tell); err != nil && fault.CodeOf(err) != fault.ContextNotFound {
			return f.fail(ctx, err)
		}
	}
	for key, known := range f.sent {
		if !known.there {
			f.send(eventDeleted, 0, nameOf{Context: known.name})
			delete(f.sent, key)
		}
	}
	f.list = list
	return false
}
