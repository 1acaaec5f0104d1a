package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/names"
	"github.com/contexttree/pact/internal/operations"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/lifecycle"
)

// newNode describes a node to add, as in an operation of pact apply; only custom
// attributes have a member of their own.
type newNode struct {
	ID         string                     `json:"id,omitempty" doc:"New to the whole history; generated if absent"`
	Type       string                     `json:"nodeType,omitempty" doc:"A block if absent"`
	Offset     int64                      `json:"offset,omitempty" doc:"Below 0 before the core, 0 in it, above 0 after it"`
	Priority   int64                      `json:"priority,omitempty" doc:"Pruning takes low priorities first"`
	TTL        *int64                     `json:"ttl,omitempty" doc:"Cycles until it expires; never if absent"`
	Cad        *int64                     `json:"cad,omitempty" doc:"In edition 1.0: cycles after which a new node of its key comes"`
	Role       string                     `json:"role,omitempty"`
	Kind       string                     `json:"kind,omitempty"`
	Key        string                     `json:"key,omitempty"`
	Provenance string                     `json:"provenance,omitempty"`
	MIME       string                     `json:"mime,omitempty"`
	Encoding   string                     `json:"encoding,omitempty"`
	Tags       []string                   `json:"tags,omitempty"`
	Refs       []string                   `json:"refs,omitempty" doc:"Ids of nodes that it refers to"`
	Removable  bool                       `json:"removable,omitempty" doc:"A group that goes when it is empty"`
	Pinned     bool                       `json:"pinned,omitempty" doc:"Pruning leaves it alone"`
	Content    json.RawMessage            `json:"content,omitempty" doc:"Any JSON value"`
	Attrs      map[string]json.RawMessage `json:"attrs,omitempty" doc:"Custom attributes: data_*, content_* or a name with a colon"`
}

func (n *newNode) spec() (pact.Spec, error) {
	spec := pact.Spec{ID: n.ID, NodeType: n.Type, Offset: n.Offset, Priority: n.Priority, TTL: n.TTL, Cad: n.Cad,
		Role: n.Role, Kind: n.Kind, Key: n.Key, Provenance: n.Provenance, MIME: n.MIME, Encoding: n.Encoding, Tags: n.Tags, Refs: n.Refs,
		Removable: n.Removable, Pinned: n.Pinned}
	var err error
	if spec.Attrs, err = valuesOf(n.Attrs); err == nil && n.Content != nil {
		spec.Content, err = canon.Parse(n.Content)
	}
	return spec, err
}

// edit is one call of a batch.
type edit struct {
	Op     string                     `json:"op" enum:"add,result,update,replace,move,remove,reorder,policy" doc:"result adds the result of a call; policy keeps a policy with the context"`
	ID     string                     `json:"id,omitempty" doc:"Of update, move and remove: the node; of result: the call"`
	IDs    []string                   `json:"ids,omitempty" doc:"Of reorder: the siblings in their new order"`
	Into   string                     `json:"into,omitempty" doc:"Of add and move: ^sys, ^ah or the id of the parent"`
	At     string                     `json:"at,omitempty" doc:"Of add and move, instead of into: a position such as (d0, end)"`
	Offset int64                      `json:"offset,omitempty" doc:"Of move with into: the new offset"`
	Depth  int64                      `json:"depth,omitempty" doc:"Of add and move in edition 1.0, instead of into: a new turn at this depth of the history"`
	Node   *newNode                   `json:"node,omitempty" doc:"Of add, result and replace: the node"`
	Set    map[string]json.RawMessage `json:"set,omitempty" doc:"Of update: headers and their values; null takes one away"`
	Policy *policyOrName              `json:"policy,omitempty" doc:"Of policy: what each commit follows that has none, or the name of a ready policy; absent to keep none"`
}

// operation returns the edit as it is made.
func (e *edit) operation() (*operations.Edit, error) {
	o := &operations.Edit{Op: e.Op, ID: e.ID, IDs: e.IDs, Into: e.Into, At: e.At, Offset: e.Offset, Depth: e.Depth,
		Policy: e.Policy.policy()}
	if e.Node != nil {
		spec, err := e.Node.spec()
		if o.Node = &spec; err != nil {
			return nil, err
		}
	}
	set, err := valuesOf(e.Set)
	if err != nil {
		return nil, err
	}
	o.Set = make(map[string]canon.Value, len(set))
	for name, value := range set {
		o.Set[name] = value.(canon.Value)
	}
	return o, nil
}

// batch returns the function that makes all edits and notes the ids.
func batch(ctx context.Context, edits []edit, ids *[]string) func(*pact.Batch) error {
	return func(b *pact.Batch) error {
		const node = 2 << 10 // bytes that a node takes in a tree, besides its content
		if _, err := budget.Reserve(ctx, node*int64(len(edits))); err != nil {
			return err
		}
		*ids = make([]string, len(edits))
		for i := range edits {
			o, err := edits[i].operation()
			if err == nil {
				(*ids)[i], err = o.Apply(b)
			}
			if at := (*operations.Misplaced)(nil); errors.As(err, &at) {
				err = locateFault(at.Err, at.Text)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// change is a request that changes a context.
type change struct {
	Name    string `path:"name" doc:"Name of the context; a / in it is written %2F"`
	Request string `header:"Idempotency-Key" doc:"Token of the request: a retry with it does nothing more"`
	IfMatch string `header:"If-Match" doc:"ETag of the context; 412 if the context was changed since"`
}

type editing struct {
	Cycle   int64  `json:"cycle" doc:"The latest cycle that the client knows, last_cycle of the context"`
	Edits   []edit `json:"edits" nullable:"false"`
	Actor   string `json:"actor,omitempty" doc:"Who does it, for the log"`
	Message string `json:"message,omitempty" doc:"Why, for the log"`
}

type edited struct {
	Revision int64    `json:"revision" doc:"Number of the log entry"`
	Digest   string   `json:"digest" doc:"Of the working state afterwards"`
	IDs      []string `json:"ids,omitempty" doc:"For each edit the node concerned; absent if repeated"`
	Repeated bool     `json:"repeated,omitempty" doc:"An earlier request with the same key did it"`
}

type committing struct {
	Cycle   int64    `json:"cycle" doc:"The latest cycle that the client knows, last_cycle of the context"`
	Edits   []edit   `json:"edits,omitempty" doc:"Edits that become part of the commit"`
	Pruning *pruning `json:"pruning,omitempty" doc:"What to remove besides expired nodes"`
	Actor   string   `json:"actor,omitempty" doc:"Who does it, for the log"`
	Message string   `json:"message,omitempty" doc:"Why, for the log"`
}

type committed struct {
	Cycle    int64             `json:"cycle" doc:"Of the new snapshot"`
	Revision int64             `json:"revision" doc:"Number of the log entry"`
	Digest   string            `json:"digest" doc:"Of the new snapshot"`
	Blocks   int               `json:"blocks" doc:"Of its thread"`
	Bytes    int64             `json:"bytes" doc:"Of its thread"`
	Report   *lifecycle.Report `json:"report,omitempty" doc:"What the commit removed and held back, and why"`
	IDs      []string          `json:"ids,omitempty" doc:"For each edit the node concerned; absent if repeated"`
	Repeated bool              `json:"repeated,omitempty" doc:"An earlier request with the same key did it"`
}

// changes adds the operations that change a context.
func (s *Server) changes() {
	add(s, operation{method: "POST", path: "/v1/contexts/{name}/edits", id: "edit", body: editing{}, matches: true,
		summary: "Change the working state with a batch of edits, all or none"},
		func(ctx context.Context, in *change) (*revised[edited], error) {
			wanted, err := readJSON[editing](ctx)
			if err != nil {
				return nil, err
			}
			return withIdempotency(ctx, s, changeRequest{in.Name, in.Request, wanted, []history.Kind{history.Edit}},
				func(done *history.Entry) (*revised[edited], error) { return s.edit(ctx, in, wanted, done) })
		})
	add(s, operation{method: "POST", path: "/v1/contexts/{name}/commits", id: "commit", body: committing{}, matches: true,
		summary: "End the cycle, with edits and pruning if wanted"},
		func(ctx context.Context, in *change) (*revised[committed], error) {
			wanted, err := readJSON[committing](ctx)
			if err != nil {
				return nil, err
			}
			return withIdempotency(ctx, s, changeRequest{in.Name, in.Request, wanted, []history.Kind{history.Commit}},
				func(done *history.Entry) (*revised[committed], error) { return s.commit(ctx, in, wanted, done) })
		})
}

func (s *Server) edit(ctx context.Context, in *change, wanted *editing, done *history.Entry) (*revised[edited], error) {
	c, err := s.context(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	note := in.note(wanted.Actor, wanted.Message)
	if err := mayChange(ctx, c, in, wanted.Cycle, note, done); err != nil {
		return nil, err
	}
	var ids []string
	if err := c.Edit(ctx, batch(ctx, wanted.Edits, &ids), note); err != nil {
		return nil, err
	}
	if done == nil && ids == nil { // another process has carried out the same request since
		return nil, names.RequestSeen(in.Request)
	}
	if done != nil {
		return &revised[edited]{revisionTag(done.Revision), edited{done.Revision, done.Digest, nil, true}}, nil
	}
	made := edited{c.Info().Revision, c.Working().Digest(), ids, false}
	return &revised[edited]{revisionTag(made.Revision), made}, nil
}

func (s *Server) commit(ctx context.Context, in *change, wanted *committing, done *history.Entry) (*revised[committed],
	error) {
	if wanted.Pruning == nil {
		wanted.Pruning = &pruning{}
	}
	c, prune, err := wanted.Pruning.open(ctx, s, in.Name, view.Bytes)
	if err != nil {
		return nil, err
	}
	note := in.note(wanted.Actor, wanted.Message)
	if err := mayChange(ctx, c, in, wanted.Cycle, note, done); err != nil {
		return nil, err
	}
	var ids []string
	o := pact.CommitOptions{Note: *note, Pruning: prune}
	if len(wanted.Edits) > 0 {
		o.Edit = batch(ctx, wanted.Edits, &ids)
	}
	snapshot, err := c.Commit(ctx, &o)
	if err != nil {
		return nil, err
	}
	if done == nil && snapshot.Repeated { // another process has carried out the same request since
		return nil, names.RequestSeen(in.Request)
	}
	made := committed{Cycle: snapshot.Cycle(), Revision: c.Info().Revision, Digest: snapshot.Digest(), Report: snapshot.Report,
		IDs: ids}
	made.Blocks, made.Bytes = snapshot.ThreadSize()
	if done != nil {
		made.Repeated, made.Revision = true, done.Revision
	}
	return &revised[committed]{revisionTag(made.Revision), made}, nil
}

func (in *change) note(actor, message string) *pact.Note {
	return &pact.Note{Actor: actor, Message: message, Request: in.Request}
}

// mayChange refuses a change that does not know the current state. done is the log entry of an
// earlier request with the same key: it cannot tell all that was asked, but what it tells must fit.
func mayChange(ctx context.Context, c *pact.Context, in *change, cycle int64, note *pact.Note, done *history.Entry) error {
	if done != nil {
		if done.Cycle != cycle+1 {
			return keyReused()
		}
		return sameNote(done, note)
	}
	if in.IfMatch != "" && in.IfMatch != revisionTag(c.Info().Revision) {
		f := refuse(http.StatusPreconditionFailed, stale, "the context was changed since",
			"read the context again, and decide whether the change still fits")
		f.expected, f.found = in.IfMatch, revisionTag(c.Info().Revision)
		return f
	}
	if last := c.Info().Cycle; last != cycle {
		return conflictSince(ctx, c, cycle, last)
	}
	return nil
}

// conflictSince returns the conflict of a request that builds on another cycle than the latest,
// with the first of the log entries that it does not know.
func conflictSince(ctx context.Context, c *pact.Context, cycle, last int64) error {
	f := failureOf(fault.New(fault.Conflict, "the request builds on cycle "+strconv.FormatInt(cycle, 10)+
		", but the latest is cycle "+strconv.FormatInt(last, 10),
		"read what is new, and decide whether the change still fits"))
	f.expected, f.found = pact.Cycle(cycle).Text(c.Info().Edition), pact.Cycle(last).Text(c.Info().Edition)
	const most = 100
	for e, err := range c.Log(ctx, cycle+1) {
		if err != nil {
			return err
		}
		if e.Kind != history.Edit {
			f.Meanwhile = append(f.Meanwhile, writtenBy([]history.Entry{e})...)
		}
		if len(f.Meanwhile) == most {
			break
		}
	}
	return f
}
