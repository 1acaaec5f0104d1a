package calllog

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// mostOpen is how many calls without a result pair remembers.
const mostOpen = 64

// session makes the calls: each answer, on each branch, follows a request
// with the messages on the path to it. The requests share the messages.
func (t *chatTree) session() Session {
	for _, n := range t.order {
		n.pair()
		if p := n.above(); n.answers() && p != nil && p.answers() {
			p.onward = true
		}
	}
	made := Session{Exact: Rebuilt, API: provider.Chat}
	w := writer{provider.Chat}
	walked := 0
	for _, n := range t.order {
		if !n.answers() || n.onward {
			continue
		}
		said, before := n.run()
		if walked += len(said.parts); walked > mostShared {
			t.found.add(t.line, "its branches repeat more messages than are read; the rest was left out")
			break
		}
		said.answer.Model = cmp.Or(said.answer.Model, cmp.Or(t.model, unknownModel))
		c := Call{ID: n.id, API: provider.Chat, Path: provider.PathOf(provider.Chat, ""), Line: t.line,
			Status: http.StatusOK, Ended: said.at,
			Request: t.request(said.answer.Model, before), Answer: w.answer(&said).AppendTo(nil)}
		if before != nil {
			c.Started = before.turn.at
		}
		made.Calls = append(made.Calls, c)
	}
	inOrder(made.Calls)
	made.Calls = branchByBranch(made.Calls, t.above(made.Calls))
	if n := t.current; n != nil && !n.empty && !n.answers() || len(made.Calls) == 0 {
		if n == nil && len(t.order) > 0 {
			n = t.order[len(t.order)-1]
		}
		if request := t.request(cmp.Or(t.model, unknownModel), n); n != nil && len(n.messages) > 0 {
			made.Unsent = request
		}
	}
	return made
}

// above returns for each call the last one on the path to it, -1 for none; also for one that has a later time.
func (t *chatTree) above(calls []Call) []int {
	at, above := make(map[string]int, len(calls)), make([]int, len(calls))
	for i := range calls {
		at[calls[i].ID] = i
	}
	last := make(map[*chatNode]int, len(t.order)) // call on the path to a node
	for _, n := range t.order {
		before, ok := last[n.parent]
		if !ok {
			before = -1
		}
		if i, made := at[n.id]; made {
			above[i], before = before, i
			if above[i] > i {
				above[i] = -1
			}
		}
		last[n] = before
	}
	return above
}

// request makes the body of a request with the messages on the path to a node.
func (t *chatTree) request(model string, n *chatNode) canon.Any {
	var list []canon.Any
	if n != nil {
		list = n.spoken()
	}
	return canon.Fields("model", model, "messages", canon.ArrayOf(slices.Clip(list)...))
}

// answers reports whether the model says something in the node.
func (n *chatNode) answers() bool { return !n.empty && n.turn.role == "assistant" }

// above returns the nearest node above that says something, nil if there is none.
func (n *chatNode) above() *chatNode {
	p := n.parent
	for p != nil && p.empty {
		p = p.parent
	}
	return p
}

// pair gives a result the id of the oldest call above that has no result: the export pairs them by their order alone.
func (n *chatNode) pair() {
	if n.parent != nil {
		n.open = n.parent.open
	}
	for i := range n.turn.parts {
		switch p := &n.turn.parts[i]; {
		case p.Kind == "call":
			n.open = append(slices.Clip(n.open[max(0, len(n.open)+1-mostOpen):]), p.Call)
		case p.Kind == "result" && len(n.open) > 0:
			p.Call, n.open = n.open[0], n.open[1:]
		}
	}
}

// run returns the turn that ends with a node: successive nodes of the model are one answer. before is the node above
// the turn, nil if there is none.
func (n *chatNode) run() (whole turn, before *chatNode) {
	nodes := []*chatNode{n}
	before = n.above()
	for n.answers() && before != nil && before.answers() {
		nodes = append(nodes, before)
		before = before.above()
	}
	whole = n.turn
	whole.parts = nil
	for _, node := range slices.Backward(nodes) {
		whole.parts = append(whole.parts, node.turn.parts...)
		whole.answer.Model = cmp.Or(whole.answer.Model, node.turn.answer.Model)
	}
	return whole, before
}

// spoken returns the messages on the path to a node. The first child that adds
// to them writes behind them in the same memory; others copy them.
func (n *chatNode) spoken() []canon.Any {
	type step struct {
		node, before *chatNode
		said         turn
	}
	var steps []step // a loop, because a path may be longer than the stack allows
	for at := n; at != nil && at.messages == nil; {
		said, before := at.run()
		steps = append(steps, step{at, before, said})
		at = before
	}
	for _, s := range slices.Backward(steps) {
		var list []canon.Any
		if s.before != nil {
			if list = s.before.messages; s.before.extended {
				list = slices.Clip(list)
			}
			s.before.extended = true
		}
		s.node.messages = append(list, writer{provider.Chat}.messages(&s.said)...)
	}
	return n.messages
}
