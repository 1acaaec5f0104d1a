package lifecycle

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/tree"
)

// Rule says what holds for the nodes that a selector finds. The first rule of a policy that
// finds a node decides about it. What a commit is about to seal gets the headers of its rule;
// on what is sealed already a rule acts as pruning, and changes no header and no content.
// head, tail and once shape a block before it is first sent, and never afterwards.
type Rule struct {
	// Select is a selector in the edition of the context, of one snapshot: without an address, or
	// with @t0 where a facet needs one. It finds nodes of ^sys only if it names ^sys or an id.
	Select   string `json:"select"`
	TTL      *int64 `json:"ttl,omitempty"`      // cycles until the node goes
	Stub     bool   `json:"stub,omitempty"`     // a block says that the node went
	Priority *int64 `json:"priority,omitempty"` // the header
	Pinned   bool   `json:"pinned,omitempty"`   // limits leave the node alone; its ttl still counts
	Keep     bool   `json:"keep,omitempty"`     // the node stays: pinned, and without a ttl
	Head     int    `json:"head,omitempty"`     // how many bytes of a longer text stay at its beginning
	Tail     int    `json:"tail,omitempty"`     // and at its end
	Once     bool   `json:"once,omitempty"`     // a block equal to an earlier one becomes a reference to it
}

// maxRules bounds the rules of a policy, each of which every commit asks.
const maxRules = 64

func (p *Policy) checkRules() error {
	if len(p.Rules) > maxRules {
		return invalidPolicy("rules", "there are more than "+strconv.Itoa(maxRules)+" rules",
			"join some with a comma in the selector")
	}
	for i := range p.Rules {
		if err := p.Rules[i].check(i + 1); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rule) check(n int) error {
	bad := func(token, message, remedy string) error {
		return invalidPolicy(token, "rule "+strconv.Itoa(n)+" "+message, remedy)
	}
	switch {
	case r.Select == "":
		return bad("select", "has no selector", `write one, such as "select":".cb[kind='result']"`)
	case r.TTL != nil && (*r.TTL < 0 || *r.TTL > tree.MaxInteger/2):
		return bad("ttl", "has a ttl below 0 or too large", "write a number of cycles, or leave it out")
	case r.Priority != nil && (*r.Priority > tree.MaxInteger || *r.Priority < -tree.MaxInteger):
		return bad("priority", "has a priority out of range", "write a smaller number")
	case r.Head < 0 || r.Tail < 0:
		return bad("head, tail", "has a head or a tail below 0", "write a number of bytes")
	case r.Stub && r.TTL == nil:
		return bad("stub", "leaves a stub, and nothing that it finds goes", "add a ttl")
	case r.Keep && (r.TTL != nil || r.Pinned):
		return bad("keep", "keeps what it finds and limits it", "leave out keep, or ttl and pinned")
	case r.TTL == nil && r.Priority == nil && !r.Pinned && !r.Keep && !r.shapes():
		return bad(r.Select, "says nothing about what it finds", "add ttl, priority, pinned, keep, head, tail or once")
	}
	return nil
}

// counts reports whether the selector asks for tokens, which needs a counter.
func (r Rule) counts() bool {
	return slices.ContainsFunc([]string{"[tokens", "{tokens", "(tokens"},
		func(filter string) bool { return strings.Contains(r.Select, filter) })
}

// shapes reports whether the rule changes contents.
func (r *Rule) shapes() bool { return r.Head > 0 || r.Tail > 0 || r.Once }

// CompiledRule is the selector of a rule, ready to run. Package lifecycle does not know
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
	rules    []Rule
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
	return decided, r.stayWithMarks(t, below, whole, decided)
}

// stayWithMarks has nodes that a rule shaped stay with that rule. Cost: the nodes at and below the
// given ones, if the policy has such a rule.
func (r *ruler) stayWithMarks(t *tree.Tree, below []string, whole bool, decided map[string]int) error {
	if !slices.ContainsFunc(r.rules, func(rule Rule) bool { return rule.shapes() }) {
		return nil
	}
	look := func(e *tree.Entry) error {
		for at, err := range e.All() {
			if err != nil {
				return err
			}
			n := at.Node()
			if m := markOf(n); m.Rule > 0 && m.Rule <= len(r.rules) && r.rules[m.Rule-1].Select == m.Select &&
				r.rules[m.Rule-1].shapes() {
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
