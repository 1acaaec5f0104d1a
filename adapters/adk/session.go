package adk

import (
	"iter"
	"maps"
	"sync"
	"time"

	"google.golang.org/adk/v2/session"
)

// one is a session as a run sees it. It grows with the events that the run appends.
type one struct {
	id, app, user string

	mu      sync.Mutex
	values  map[string]any
	events  []*session.Event
	updated time.Time
}

func (s *one) ID() string           { return s.id }
func (s *one) AppName() string      { return s.app }
func (s *one) UserID() string       { return s.user }
func (s *one) State() session.State { return values{s} }
func (s *one) Events() session.Events {
	s.mu.Lock()
	defer s.mu.Unlock()
	return list(s.events)
}

func (s *one) LastUpdateTime() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.updated
}

// append notes an event; kept is what the store has of it. The run sees values that live no longer than it does.
func (s *one) append(e, kept *session.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.Copy(s.values, e.Actions.StateDelta)
	s.events, s.updated = append(s.events, kept), e.Timestamp
}

// values are the state of a session.
type values struct{ of *one }

func (v values) Get(key string) (any, error) {
	v.of.mu.Lock()
	defer v.of.mu.Unlock()
	if value, ok := v.of.values[key]; ok {
		return value, nil
	}
	return nil, session.ErrStateKeyNotExist
}

// Set sets a value for the run. An event keeps it.
func (v values) Set(key string, value any) error {
	v.of.mu.Lock()
	defer v.of.mu.Unlock()
	v.of.values[key] = value
	return nil
}

func (v values) All() iter.Seq2[string, any] {
	v.of.mu.Lock()
	defer v.of.mu.Unlock()
	return maps.All(maps.Clone(v.of.values))
}

// list is a list of events.
type list []*session.Event

func (l list) All() iter.Seq[*session.Event] {
	return func(yield func(*session.Event) bool) {
		for _, e := range l {
			if !yield(e) {
				return
			}
		}
	}
}

func (l list) Len() int { return len(l) }

func (l list) At(i int) *session.Event {
	if i < 0 || i >= len(l) {
		return nil
	}
	return l[i]
}
