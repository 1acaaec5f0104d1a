package commit

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// CompiledRule is the selector of a rule, ready to run. Package commit does not know
// selectors: the caller makes these.
type CompiledRule struct {
	// Find returns the ids of the nodes that the selector finds in a tree, at and below the given
	// nodes. whole asks the whole tree in place of these.
	Find func(ctx context.Context, t *tree.Tree, below []string, whole bool) ([]string, error)
	// Steady says that the answer about a node stays the same as long as the node and its pair are
	// there: neither time nor other nodes decide.
	Steady bool
	// Sys says that the rule may find nodes of ^sys.
	Sys bool
}

// ruleAttr is the attribute of a node with the rule that set its ttl or shaped it.
const ruleAttr = "pact:rule"

// mark is what a node keeps about the rule that decided about it when it was new. A shaped node does
// not say itself any more what found it.
type mark struct {
	Rule   int    `json:"rule"`           // counted from 1
	Select string `json:"select"`         // of the rule: with another policy the number means nothing
	TTL    bool   `json:"ttl,omitempty"`  // whether it set the ttl
	Stub   bool   `json:"stub,omitempty"` // whether it leaves a stub
}

func markOf(n *tree.Node) (m mark) {
	if text := n.Header(ruleAttr); text != "" {
		_ = json.Unmarshal([]byte(text), &m) // of an import it may be anything
	}
	return m
}

// shapes reports whether a rule changes contents.
func shapes(r *lifecycle.Rule) bool { return r.Head > 0 || r.Tail > 0 || r.Once }

// ruleName names a rule.
func ruleName(rule int) string { return "rule " + strconv.Itoa(rule) }

// ruleWords names a rule, and how many calls a node was sent with, in a report.
func ruleWords(rule int, n *tree.Node, cycle int64) string {
	return ruleName(rule) + " after " + callWords(cycle-n.Cycle)
}

// callWords says how many calls a node was sent with.
func callWords(n int64) string {
	if n == 1 {
		return "1 call"
	}
	return strconv.FormatInt(n, 10) + " calls"
}

// ruler asks the rules of a policy.
type ruler struct {
	ctx      context.Context
	rules    []lifecycle.Rule
	compiled []CompiledRule
}

// decide returns, by id, the index of the rule that decides about a node, for the nodes at and below
// the given ones; whole asks the whole tree in place of these. That is the first rule that finds it; a
// node that a rule shaped stays with it, unless an earlier one finds it now. Cost: that of running
// the selectors.
func (r *ruler) decide(t *tree.Tree, below []string, whole bool) (map[string]int, error) {
	decided := make(map[string]int)
	if len(below) == 0 && !whole {
		return decided, nil
	}
	var room [8]*tree.Entry
	for i := range r.compiled {
		ids, err := r.compiled[i].Find(r.ctx, t, below, whole)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			if _, done := decided[id]; done {
				continue
			}
			path, err := t.AppendPath(room[:0], id)
			if err != nil {
				return nil, err
			}
			e := path[len(path)-1]
			if len(path) < 3 || path[1].Class() == tree.Sys && !r.compiled[i].Sys {
				continue
			}
			if stub, err := isStub(e); err != nil {
				return nil, err
			} else if !stub {
				decided[id] = i
			}
		}
	}
	return decided, r.keepMarked(t, below, whole, decided)
}

// keepMarked has nodes that a rule shaped stay with that rule. Cost: the nodes at and below the
// given ones, if the policy has such a rule.
func (r *ruler) keepMarked(t *tree.Tree, below []string, whole bool, decided map[string]int) error {
	if !slices.ContainsFunc(r.rules, func(rule lifecycle.Rule) bool { return shapes(&rule) }) {
		return nil
	}
	look := func(e *tree.Entry) error {
		for at, err := range e.All() {
			if err != nil {
				return err
			}
			n := at.Node()
			if m := markOf(n); m.Rule > 0 && m.Rule <= len(r.rules) && r.rules[m.Rule-1].Select == m.Select &&
				shapes(&r.rules[m.Rule-1]) {
				if i, found := decided[n.ID]; !found || i >= m.Rule {
					decided[n.ID] = m.Rule - 1
				}
			}
		}
		return nil
	}
	if whole {
		return look(t.Root())
	}
	for _, id := range below {
		e, err := t.Entry(id)
		if err == nil {
			err = look(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
