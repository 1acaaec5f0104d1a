package server

import (
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/selector"
)

// stateQuery asks for a state of a context, for lists of what it has.
type stateQuery struct {
	Name string    `path:"name" doc:"Name of the context; a / in it is written %2F"`
	At   string    `query:"at" default:"latest" doc:"Address of the state: @t0, @t-1, @c12, latest or working"`
	Unit view.Unit `query:"unit" enum:"bytes,tokens" default:"bytes" doc:"tokens also counts tokens"`
}

// view reads a state of a context and the log behind it.
func (s *Server) view(ctx context.Context, in *stateQuery) (*openContext, *view.State, error) {
	c, err := s.read(ctx, in.Name, in.Unit)
	if err != nil {
		return nil, nil, err
	}
	at, err := pact.ParseAddress(in.At, c.context.Info().Edition)
	if err != nil {
		return nil, nil, err
	}
	state, err := c.stateAt(ctx, at)
	if err != nil {
		return nil, nil, err
	}
	log, err := c.reader.Log(ctx)
	first := c.context.Info().First
	return c, &view.State{Snapshot: state, Log: log, Counter: c.counter, First: first, Draft: at == "working"}, err
}

// blocksOf says which blocks of a thread to list.
type blocksOf struct {
	Name    string    `path:"name" doc:"Name of the context; a / in it is written %2F"`
	At      string    `query:"at" default:"latest" doc:"Address of the state: @t0, @t-1, @c12, latest or working"`
	Vs      string    `query:"vs" doc:"Address of the state to compare with, also of another context: NAME@c5; the snapshot before by default"`
	After   int       `query:"after" minimum:"0" doc:"How many rows were listed before"`
	Limit   int       `query:"limit" minimum:"1" maximum:"1000" default:"200"`
	Kind    string    `query:"kind" doc:"Only blocks of these shown_kinds, with commas between them"`
	Order   string    `query:"order" enum:"place,bytes,carried" default:"place" doc:"bytes lists the largest first, carried what took most bytes in all calls so far"`
	New     bool      `query:"new" doc:"Only blocks that the other state has not in the same place"`
	Failed  bool      `query:"failed" doc:"Only calls that failed, and their results"`
	Q       string    `query:"q" doc:"Selector without an address: only blocks that it finds"`
	Edition string    `query:"edition" doc:"Edition of the selector; that of the context by default"`
	Unit    view.Unit `query:"unit" enum:"bytes,tokens" default:"bytes" doc:"tokens also counts tokens"`
}

// filter reads which blocks a request asks for.
func (in *blocksOf) filter(ctx context.Context, v *view.State) (f view.Filter, err error) {
	f = view.Filter{Failed: in.Failed, New: in.New, Order: in.Order, After: in.After, Limit: in.Limit}
	for name := range strings.SplitSeq(in.Kind, ",") {
		if in.Kind == "" {
			break
		}
		k, ok := view.ParseKind(name)
		if !ok {
			return f, fault.At(fault.DocumentInvalid, fault.NoOffset, name, "there is no kind \""+name+"\"",
				"it is one of "+strings.Join(view.KindNames(), ", "))
		}
		f.Kinds = append(f.Kinds, k)
	}
	if in.Q == "" {
		return f, nil
	}
	ids, err := v.Snapshot.Select(ctx, in.Q, &pact.SelectOptions{Edition: selector.Edition(in.Edition)})
	f.IDs = make(map[string]bool, len(ids))
	for _, id := range ids {
		f.IDs[id] = true
	}
	return f, locateFault(err, in.Q)
}

// listings adds the operations that list what a state has.
func (s *Server) listings() {
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/blocks", id: "list-blocks",
		summary: "List the blocks of a thread with what is known of them"},
		func(ctx context.Context, in *blocksOf) (*answered[*view.BlockPage], error) {
			return s.blocks(ctx, in)
		})
	type rows struct {
		Name  string    `path:"name" doc:"Name of the context; a / in it is written %2F"`
		At    string    `query:"at" default:"latest" doc:"Address of the state: @t0, @t-1, @c12, latest or working"`
		Under string    `query:"under" doc:"Id of the node to begin with; the root by default"`
		After int       `query:"after" minimum:"0" doc:"How many rows were listed before"`
		Limit int       `query:"limit" minimum:"1" maximum:"1000" default:"200"`
		Unit  view.Unit `query:"unit" enum:"bytes,tokens" default:"bytes" doc:"tokens also counts tokens"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/tree", id: "list-tree",
		summary: "List the nodes of a tree in document order"},
		func(ctx context.Context, in *rows) (*answered[*view.TreePage], error) {
			_, v, err := s.view(ctx, &stateQuery{in.Name, in.At, in.Unit})
			if err != nil {
				return nil, err
			}
			return answer(v.Tree(ctx, in.Under, in.After, in.Limit))
		})
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/names", id: "list-names",
		summary: "List the types, attributes, roles, keys, tags and tools that occur, to complete a selector"},
		func(ctx context.Context, in *stateAddress) (*answered[*view.Names], error) {
			_, v, err := s.view(ctx, &stateQuery{Name: in.Name, At: in.At})
			if err != nil {
				return nil, err
			}
			return answer(v.Names(ctx))
		})
	s.nodes()
}

// blocks lists blocks of a thread. The cause of a cut is known between a call and the one
// before it.
func (s *Server) blocks(ctx context.Context, in *blocksOf) (*answered[*view.BlockPage], error) {
	c, v, err := s.view(ctx, &stateQuery{in.Name, in.At, in.Unit})
	if err != nil {
		return nil, err
	}
	first, last := c.context.Info().First, c.context.Info().Cycle
	cycle := v.Snapshot.Cycle()
	switch {
	case in.Vs != "":
		v.Before, err = s.otherSnapshot(ctx, c, in.Vs)
	case cycle > first:
		v.Before, err = c.stateAt(ctx, pact.Cycle(cycle-1))
	}
	if err != nil {
		return nil, err
	}
	f, err := in.filter(ctx, v)
	if err != nil {
		return nil, err
	}
	p, err := v.Blocks(ctx, f)
	name, _ := view.SplitAddress(in.Vs)
	if err != nil || p.Cut == nil || name != "" || v.Before.Cycle() != cycle-1 || cycle > last {
		return answer(p, err)
	}
	calls, err := c.reader.Calls(ctx, pact.Cycle(cycle), pact.Cycle(cycle))
	if i := slices.IndexFunc(calls, func(call view.Call) bool { return call.Cut != nil }); i >= 0 {
		p.Cut.Cause = calls[i].Cut.Cause
	}
	return answer(p, err)
}
