package server

import (
	"context"
	"net/http"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
)

type forking struct {
	At      string `json:"at,omitempty" doc:"Address of the snapshot, the latest by default"`
	Name    string `json:"name" doc:"Name of the fork"`
	Actor   string `json:"actor,omitempty" doc:"Who does it, for the log"`
	Message string `json:"message,omitempty" doc:"Why, for the log"`
}

type undoing struct {
	Actor   string `json:"actor,omitempty" doc:"Who does it, for the log"`
	Message string `json:"message,omitempty" doc:"Why, for the log"`
}

type undone struct {
	Context contextInfo `json:"context" doc:"The context, which is a fork of the snapshot before now"`
	Undone  string      `json:"undone" doc:"Name under which the line with the undone commit lives on"`
}

// lines adds the operations that make another line of a history.
func (s *Server) lines() {
	type repeatable struct {
		Name    string `path:"name" doc:"Name of the context; a / in it is written %2F"`
		Request string `header:"Idempotency-Key" doc:"Token of the request: a retry with it does nothing more"`
	}
	add(s, operation{method: "POST", path: "/v1/contexts/{name}/fork", id: "fork-context", status: http.StatusCreated,
		summary: "Make a context that begins as a snapshot of this one", body: forking{}},
		func(ctx context.Context, in *repeatable) (*newOne, error) {
			f, err := readJSON[forking](ctx)
			if err != nil {
				return nil, err
			}
			return withIdempotency(ctx, s, changeRequest{in.Name, in.Request, f, []history.Kind{history.Create, history.Forked, history.Superseded}},
				func(*history.Entry) (*newOne, error) { return s.fork(ctx, in.Name, f, in.Request) })
		})
	add(s, operation{method: "POST", path: "/v1/contexts/{name}/undo", id: "undo-commit",
		summary: "Take the last commit back", body: undoing{}},
		func(ctx context.Context, in *repeatable) (*revised[undone], error) {
			u, err := readJSON[undoing](ctx)
			if err != nil {
				return nil, err
			}
			return withIdempotency(ctx, s, changeRequest{in.Name, in.Request, u, []history.Kind{history.Forked, history.Superseded}},
				func(done *history.Entry) (*revised[undone], error) {
					note := &pact.Note{Actor: u.Actor, Message: u.Message, Request: in.Request}
					if err := sameNote(done, note); err != nil {
						return nil, err
					}
					return s.undo(ctx, in.Name, note)
				})
		})
}

func (s *Server) fork(ctx context.Context, name string, f *forking, request string) (*newOne, error) {
	c, err := s.context(ctx, name)
	if err != nil {
		return nil, err
	}
	at, err := addressOr(c, f.At, "latest")
	if err != nil {
		return nil, err
	}
	if _, err = c.Fork(ctx, at, f.Name, &pact.Note{Actor: f.Actor, Message: f.Message, Request: request}); err != nil {
		return nil, err
	}
	return s.created(ctx, f.Name)
}

func (s *Server) undo(ctx context.Context, name string, note *pact.Note) (*revised[undone], error) {
	c, err := s.context(ctx, name)
	if err != nil {
		return nil, err
	}
	left, err := c.Undo(ctx, note)
	if err != nil {
		return nil, err
	}
	now, err := s.store.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	return &revised[undone]{revisionTag(now.Revision), undone{infoOf(now), left}}, nil
}
