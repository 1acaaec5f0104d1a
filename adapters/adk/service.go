// Package adk keeps the sessions of Google's Agent Development Kit in contexts. Each event is a block and each part of its
// content another, so selectors find them, diffs name them, and a policy that a context keeps takes what the next run
// need not see.
package adk

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/lifecycle"
	"google.golang.org/adk/v2/platform"
	"google.golang.org/adk/v2/session"
)

// Service keeps sessions in a store: one context for each session, APP/USER/SESSION, and for the state that all sessions
// of an app or of a user share APP and APP/USER, all below adk/.
type Service struct{ db *pact.DB }

var _ session.Service = (*Service)(nil)

// New returns a service that keeps sessions in a store.
func New(db *pact.DB) *Service { return &Service{db} }

// ContextName returns the name of the context of a session, such as for [pact.Batch.KeepPolicy].
func ContextName(app, user, id string) string { return nameOf(app, user, id) }

func nameOf(parts ...string) string {
	name := "adk"
	for _, p := range parts {
		name += "/" + url.PathEscape(p)
	}
	return name
}

// complete refuses a request without one of the words that name a session.
func complete(words ...string) error {
	if slices.Contains(words, "") {
		return fault.New(fault.DocumentInvalid, "a session needs an app, a user and an id", "give all of them")
	}
	return nil
}

// Create implements [session.Service]. E_CONFLICT if there is such a session.
func (s *Service) Create(ctx context.Context, req *session.CreateRequest) (*session.CreateResponse, error) {
	if err := complete(req.AppName, req.UserID); err != nil {
		return nil, err
	}
	id := req.SessionID
	if id == "" {
		id = platform.NewUUID(ctx)
	}
	if _, err := pact.Create(ctx, s.db, nameOf(req.AppName, req.UserID, id), nil); err != nil {
		return nil, err
	}
	if err := s.keep(ctx, req.AppName, req.UserID, id, req.State); err != nil {
		return nil, err
	}
	made, err := s.load(ctx, req.AppName, req.UserID, id, false)
	if err != nil {
		return nil, err
	}
	return &session.CreateResponse{Session: made}, nil
}

// Get implements [session.Service]. Cost: the events that the context has.
func (s *Service) Get(ctx context.Context, req *session.GetRequest) (*session.GetResponse, error) {
	if err := complete(req.AppName, req.UserID, req.SessionID); err != nil {
		return nil, err
	}
	found, err := s.load(ctx, req.AppName, req.UserID, req.SessionID, true)
	if err != nil {
		return nil, err
	}
	list := found.events
	if n := req.NumRecentEvents; n > 0 {
		list = list[max(0, len(list)-n):]
	}
	found.events = slices.DeleteFunc(slices.Clone(list), func(e *session.Event) bool { return e.Timestamp.Before(req.After) })
	return &session.GetResponse{Session: found}, nil
}

// List implements [session.Service]: sessions without their events.
func (s *Service) List(ctx context.Context, req *session.ListRequest) (*session.ListResponse, error) {
	if err := complete(req.AppName); err != nil {
		return nil, err
	}
	prefix := nameOf(req.AppName) + "/"
	if req.UserID != "" {
		prefix = nameOf(req.AppName, req.UserID) + "/"
	}
	all, err := pact.List(ctx, s.db)
	if err != nil {
		return nil, err
	}
	list := []session.Session{}
	for _, i := range all {
		words := strings.Split(i.Name, "/")
		if !strings.HasPrefix(i.Name, prefix) || len(words) != 4 {
			continue
		}
		user, err := url.PathUnescape(words[2])
		if err != nil {
			continue // a context of another program
		}
		id, err := url.PathUnescape(words[3])
		if err != nil {
			continue
		}
		one, err := s.load(ctx, req.AppName, user, id, false)
		if fault.CodeOf(err) == fault.ContextNotFound {
			continue // it was deleted meanwhile
		} else if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return &session.ListResponse{Sessions: list}, nil
}

// Delete implements [session.Service]. A session that is not there is no error.
func (s *Service) Delete(ctx context.Context, req *session.DeleteRequest) error {
	if err := complete(req.AppName, req.UserID, req.SessionID); err != nil {
		return err
	}
	err := pact.Delete(ctx, s.db, nameOf(req.AppName, req.UserID, req.SessionID))
	if fault.CodeOf(err) == fault.ContextNotFound {
		return nil
	}
	return err
}

// AppendEvent implements [session.Service]. A whole event is one edit and, unless a call in it waits for its result, one
// commit, under the policy that the context keeps.
func (s *Service) AppendEvent(ctx context.Context, current session.Session, e *session.Event) error {
	if current == nil || e == nil {
		return fault.New(fault.DocumentInvalid, "there is no session or no event", "give both")
	}
	if e.Partial {
		return nil
	}
	kept := *e
	kept.Actions.StateDelta = maps.Clone(e.Actions.StateDelta)
	maps.DeleteFunc(kept.Actions.StateDelta, func(key string, _ any) bool { return strings.HasPrefix(key, session.KeyPrefixTemp) })
	app, user, id := current.AppName(), current.UserID(), current.ID()
	if err := s.changed(ctx, nameOf(app, user, id), func(c *pact.Context, b *pact.Batch) error { return add(ctx, c, b, &kept) }); err != nil {
		return err
	}
	if err := s.keep(ctx, app, user, id, kept.Actions.StateDelta); err != nil {
		return err
	}
	if own, ok := current.(*one); ok {
		own.append(e, &kept)
	}
	return nil
}

// changed edits a context and commits it, again if another writer was faster.
func (s *Service) changed(ctx context.Context, name string, edit func(*pact.Context, *pact.Batch) error) (err error) {
	const tries = 10
	for range tries {
		var c *pact.Context
		if c, err = pact.Open(ctx, s.db, name, nil); err != nil {
			return err
		}
		err = c.Edit(ctx, func(b *pact.Batch) error { return edit(c, b) }, nil)
		if err == nil {
			err = commit(ctx, c)
			if code := fault.CodeOf(err); code == fault.PlacementInvalid || code == fault.Conflict {
				err = nil // a call waits for its result, or another writer commits; the next event commits this one too
			}
			return err
		}
		if fault.CodeOf(err) != fault.Conflict {
			return err
		}
	}
	return err
}

// commit ends a cycle as the policy of the context says, which by default refuses a call that still waits for its result.
func commit(ctx context.Context, c *pact.Context) error {
	policy, err := c.Working().Policy()
	if err != nil {
		return err
	}
	pruning := &pact.Pruning{WithoutKept: true}
	if policy != nil {
		pruning.Policy = *policy
	}
	pruning.Policy.Orphans = cmp.Or(pruning.Policy.Orphans, lifecycle.Refuse)
	_, err = c.Commit(ctx, &pact.CommitOptions{Pruning: pruning})
	return err
}

// load returns a session as the store has it.
func (s *Service) load(ctx context.Context, app, user, id string, events bool) (*one, error) {
	c, err := pact.Open(ctx, s.db, nameOf(app, user, id), nil)
	if err != nil {
		return nil, err
	}
	loaded := &one{id: id, app: app, user: user, values: map[string]any{}}
	for _, name := range []string{nameOf(app), nameOf(app, user)} {
		shared, err := pact.Open(ctx, s.db, name, nil)
		if fault.CodeOf(err) == fault.ContextNotFound {
			continue
		} else if err != nil {
			return nil, err
		}
		if err := readState(ctx, shared.Working(), loaded.values); err != nil {
			return nil, err
		}
	}
	if err := readState(ctx, c.Working(), loaded.values); err != nil {
		return nil, err
	}
	info, err := s.db.Find(ctx, c.Info().Name)
	if err != nil {
		return nil, err
	}
	loaded.updated = time.Unix(0, info.Listed.ChangedNS)
	if events {
		loaded.events, err = readEvents(ctx, c.Working())
	}
	return loaded, err
}
