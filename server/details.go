package server

import (
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// ContextDetails is what a list says about a context if it is asked for more than its name. The store
// keeps it with the context, so that no list reads one. It is exported because the OpenAPI document
// names no members of an embedded type that is not.
type ContextDetails struct {
	Calls   *int64      `json:"calls,omitempty" doc:"Number of snapshots; absent without details, as all that follows"`
	Bytes   *int64      `json:"bytes,omitempty" doc:"Of the canonical thread of the latest snapshot"`
	Changed string      `json:"changed,omitempty" doc:"When it changed last"`
	Forked  *forkedFrom `json:"forked_from,omitempty" doc:"Where it began, if it is a fork"`
	Begun   *begunBy    `json:"begun_by,omitempty" doc:"What began it, if it is a sub-agent"`
	Cuts    []float64   `json:"cuts,omitempty" doc:"Shares of its calls that were sent anew after a cut of the canonical thread; beyond 60 calls the largest of 2, 4, 8 … neighbours"`
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
	Cycle   int64  `json:"cycle,omitempty" doc:"The first call that had this block; absent in a list if its id does not say it"`
}

// contextLinks are the contexts that a token may see, in the ways in which links name them.
type contextLinks struct {
	byKey  map[history.Key]history.Info
	byName map[string]history.Info
}

func linksOf(all []history.Info) contextLinks {
	k := contextLinks{make(map[history.Key]history.Info, len(all)), make(map[string]history.Info, len(all))}
	for _, i := range all {
		k.byKey[i.Key], k.byName[i.Name] = i, i
	}
	return k
}

// details says more about a context of a list.
func (k contextLinks) details(i history.Info) ContextDetails {
	calls := max(0, i.Cycle-i.First+1)
	d := ContextDetails{Calls: &calls, Changed: view.ISO(i.Listed.ChangedNS), Forked: k.forkedFrom(i), Begun: k.begunBy(i)}
	if calls > 0 {
		d.Bytes, d.Cuts = &i.Listed.Bytes, i.Listed.Cuts.Shares(calls)
	}
	return d
}

// forkedFrom says where a context began, nil if it is no fork.
func (k contextLinks) forkedFrom(i history.Info) *forkedFrom {
	if i.Origin.Key == 0 {
		return nil
	}
	return &forkedFrom{Name: k.byKey[i.Origin.Key].Name, Cycle: i.Origin.Cycle}
}

// begunBy returns the call that began a context, nil if no call did.
func (k contextLinks) begunBy(i history.Info) *begunBy {
	from, node := record.BegunBy(i.Listed)
	if from == "" {
		return nil
	}
	by := &begunBy{Context: from, Node: node}
	of, there := k.byName[from]
	if cycle := tree.GeneratedCycle(node); there && cycle >= of.First && cycle <= of.Cycle {
		by.Cycle = cycle
	}
	return by
}
