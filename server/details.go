package server

import (
	"context"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// ContextDetails is what a list says about a context if it is asked for more than its store
// knows without reading it. It is exported because the OpenAPI document names no members of
// an embedded type that is not.
type ContextDetails struct {
	Calls   *int64      `json:"calls,omitempty" doc:"Number of snapshots; absent without details, as all that follows"`
	Bytes   *int64      `json:"bytes,omitempty" doc:"Of the canonical thread of the latest snapshot"`
	Changed string      `json:"changed,omitempty" doc:"When it changed last"`
	Forked  *forkedFrom `json:"forked_from,omitempty" doc:"Where it began, if it is a fork"`
	Begun   *begunBy    `json:"begun_by,omitempty" doc:"What began it, if it is a sub-agent"`
	Cuts    []float64   `json:"cuts,omitempty" doc:"Shares of its newest calls that were sent anew after a cut, at most 60"`
	Pending bool        `json:"pending,omitempty" doc:"The context is being read: its details are older or lacking, so ask again"`
}

// forkedFrom is the snapshot that a context began as.
type forkedFrom struct {
	Name  string `json:"name" doc:"The context; empty if it was deleted"`
	Cycle int64  `json:"cycle"`
}

// begunBy is the call of a tool that began the conversation of a sub-agent.
type begunBy struct {
	Context string `json:"context"`
	Node    string `json:"node,omitempty" doc:"Block of the call; absent where the log does not name it"`
	Cycle   int64  `json:"cycle,omitempty" doc:"The first call that had this block"`
}

// Limits of the details of one context.
const (
	mostCuts     = 60
	callsForCuts = 600 // the newest calls that cuts are about
)

// details reads more about a context.
func (s *Server) details(ctx context.Context, i store.Info) (d ContextDetails, err error) {
	defer tree.Recover(&err)
	c, err := s.read(ctx, i.Name, view.Bytes)
	if err != nil {
		return d, err
	}
	first, last := c.context.Cycles()
	calls := max(0, last-first+1)
	d.Calls = &calls
	entries, err := s.store.Log(ctx, i.Key, i.Revision, i.Revision)
	if err != nil {
		return d, err
	}
	for _, e := range entries {
		d.Changed = tree.ISO(e.TimeNS)
	}
	if d.Begun, err = s.beginning(ctx, i); d.Begun != nil && d.Begun.Node != "" {
		var all []store.Info
		if all, err = s.store.Contexts(ctx); err == nil {
			d.Begun, err = s.begunBy(ctx, i, all)
		}
	}
	if err != nil {
		return d, err
	}
	if calls == 0 {
		return d, nil
	}
	head, err := c.at(ctx, pact.Latest())
	if err != nil {
		return d, err
	}
	_, size := head.ThreadSize()
	d.Bytes = &size
	list, err := c.reader.Calls(ctx, pact.Cycle(max(first, last-callsForCuts+1)), pact.Latest())
	d.Cuts = cutsOf(list)
	return d, err
}

// forkedFromOf says where a context began, nil if it is no fork.
func forkedFromOf(i store.Info, all []store.Info) *forkedFrom {
	if i.Origin.Key == 0 {
		return nil
	}
	from := &forkedFrom{Cycle: i.Origin.Cycle}
	if k := slices.IndexFunc(all, func(other store.Info) bool { return other.Key == i.Origin.Key }); k >= 0 {
		from.Name = all[k].Name
	}
	return from
}

// begunBy says what began a context, nil if nothing did. Cost: that of a selector which asks
// all snapshots of that context for one block.
func (s *Server) begunBy(ctx context.Context, i store.Info, all []store.Info) (*begunBy, error) {
	begun, err := s.beginning(ctx, i)
	if begun == nil || begun.Node == "" ||
		!slices.ContainsFunc(all, func(i store.Info) bool { return i.Name == begun.Context }) {
		return begun, err
	}
	parent, err := s.read(ctx, begun.Context, view.Bytes)
	if err != nil {
		return begun, err
	}
	id := selector.Attr{Name: "id", Op: selector.Eq, Values: []selector.Literal{{Kind: selector.Text, Text: begun.Node}}}
	found, err := parent.context.Find(ctx, &selector.Selector{
		Edition: parent.context.Edition(), Time: &selector.Time{Kind: selector.All},
		Groups: []selector.Group{{Steps: []selector.Step{{Parts: []selector.Part{id}}}}},
	}, nil)
	if len(found) > 0 {
		begun.Cycle = found[0].Node.Cycle
	}
	return begun, err
}

// cutsOf returns the shares of calls that were sent anew, of several neighbours the largest.
func cutsOf(calls []view.Call) []float64 {
	step := max(1, (len(calls)+mostCuts-1)/mostCuts)
	list := make([]float64, 0, mostCuts)
	for i, call := range calls {
		share := 0.0
		if call.Cut != nil && call.Bytes > 0 {
			share = float64(call.Cut.Lost) / float64(call.Bytes)
		}
		if i%step == 0 {
			list = append(list, share)
		} else {
			list[len(list)-1] = max(list[len(list)-1], share)
		}
	}
	return list
}
