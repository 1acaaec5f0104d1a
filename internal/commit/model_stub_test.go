package commit_test

import (
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// modelStub is the stub of a unit.
type modelStub struct {
	roots []string
	modelNode
}

// isStub: a block that is one, or a turn that holds nothing but one.
func (r *model) isStub(id string) bool {
	var blocks []string
	for _, m := range r.below(id) {
		if r.modelTree[m].class == "block" {
			blocks = append(blocks, m)
		}
	}
	return len(blocks) == 1 && r.modelTree[blocks[0]].kind == "stub"
}

// replace takes a unit out, and leaves a stub where one is wanted and pays.
func (p *modelPruner) replace(unit map[string]bool, roots []string, why string, limits []modelLimit) {
	sort.Slice(roots, func(x, y int) bool { return p.modelTree[roots[x]].order < p.modelTree[roots[y]].order })
	inner := map[string]bool{}
	for _, root := range roots {
		for _, id := range p.below(root)[1:] {
			inner[id] = true
		}
	}
	roots = slices.DeleteFunc(slices.Compact(roots), func(id string) bool { return inner[id] })
	if with := p.withStub(unit, roots, why); with != nil && p.pays(with, why) {
		*p.model = *with
	} else {
		p.take(unit, why)
	}
	maps.DeleteFunc(p.held, func(id string, _ bool) bool { return unit[id] })
	p.cascade()
	p.took = true
}

// withStub is the state with a stub in place of the unit, nil where there is to
// be none.
func (p *modelPruner) withStub(unit map[string]bool, roots []string, why string) *model {
	if p.policy.Stub == "" || slices.ContainsFunc(roots, p.isStub) {
		return nil
	}
	r := p.model.clone()
	first := *r.modelTree[roots[0]]
	role := r.speaker(first.id)
	r.take(unit, why)
	parent, offset := first.parent, first.offset
	if first.class == "turn" { // before all that the next turn has, or the head
		parent = r.list(func(i *modelNode) bool { return i.class == "^ah" || i.class == "turn" && i.order > first.order })[0]
		offset = 0
		for _, k := range r.children(parent) {
			offset = min(offset, r.modelTree[k].offset)
		}
		offset--
	}
	r.last = max(500, r.last+1) // what the clock of the tests says
	s := modelStub{roots: roots, modelNode: modelNode{
		id: fmt.Sprint("block:", r.cycle, "-", r.next), class: "block", parent: parent,
		offset: offset, priority: 9007199254740991, ns: r.last, index: r.next, expiry: tree.Never,
		role: role, kind: "stub", text: p.policy.Stub,
	}}
	r.next++
	r.modelTree[s.id] = &s.modelNode
	r.stubs[s.id] = s
	for id, i := range r.modelTree { // which others share
		i := *i
		r.modelTree[id] = &i
	}
	r.modelTree.reorder()
	return r
}

// speaker is who the stub speaks for: whoever spoke first in its place.
func (r *model) speaker(id string) string {
	for _, m := range r.below(id) {
		i := r.modelTree[m]
		switch {
		case i.class != "block":
			continue
		case i.role == "user" || i.role == "system" || i.role == "assistant":
			return i.role
		case i.role == "tool": // which speaks only when it is called
			return "assistant"
		case i.role == "" && r.region(m) == "^sys":
			return "system"
		}
		return "user"
	}
	return "user"
}

// pays: the thread gets shorter, and so does what is limited; no limit is
// exceeded by what it was not exceeded by before; and no call is parted from its
// result.
func (p *modelPruner) pays(with *model, why string) bool {
	if len(with.thread()) >= len(p.thread()) {
		return false
	}
	for _, l := range limitsOf(p.policy) {
		before, after := p.use(l), with.use(l)
		if after > l.max && after > before || why == "pruned "+l.String() && after >= before {
			return false
		}
	}
	for id := range with.stubs {
		if p.stubs[id].id == "" && with.parts(id) {
			return false
		}
	}
	return true
}

// parts reports whether a stub stands between a call and its result: whether
// behind it, with nothing but what the assistant says in the same turn before,
// come results of which one answers a call ahead of it.
func (r *model) parts(stub string) bool {
	blocks, results := r.blocks(), false
	turn := func(id string) string {
		if r.region(id) != "^seq" {
			return ""
		}
		return r.path(id)[2]
	}
	for _, id := range blocks[slices.Index(blocks, stub)+1:] {
		i := r.modelTree[id]
		if i.kind == "result" {
			results = true
			for _, call := range r.pairs(id) {
				if r.modelTree[call].order < r.modelTree[stub].order {
					return true
				}
			}
		} else if results || i.kind != "call" && i.role != "assistant" || turn(id) != turn(stub) {
			return false
		}
	}
	return false
}

// prune removes what is named, then what the limits need, unless it waits. It
// returns how a pass that waits is said.
func (r *model) prune(in commit.Input) *modelPruner {
	p := &modelPruner{model: r, policy: in.Policy, recent: map[string]bool{}, held: map[string]bool{},
		began: r.clone()}
	turns := r.turns()
	for _, id := range turns[max(0, len(turns)-in.Policy.ProtectTurns):] {
		p.recent[id] = true
	}
	p.named = map[string]bool{}
	for _, id := range slices.Concat(in.Prune, in.Chosen) {
		if p.modelTree[id] == nil {
			continue // it expired
		}
		if p.named[id] = p.prunable(id); !p.named[id] {
			p.held[id] = true
			delete(p.named, id)
		}
	}
	p.asked(slices.Sorted(maps.Keys(p.named)))
	p.named = nil
	if in.Policy.ProtectTask {
		p.task = p.firstOfUser()
	}
	limits := limitsOf(in.Policy)
	pass := *p
	pass.model, pass.held, pass.took = r.clone(), maps.Clone(p.held), false
	pass.keep(limits)
	if p.waits = pass.waiting(p); p.waits == nil {
		*r, p.held, p.took = *pass.model, pass.held, p.took || pass.took
		return p
	}
	for id, why := range pass.removed {
		if why != "cascade" && p.modelTree[id] != nil {
			p.held[id] = true
		}
	}
	return p
}

// waiting returns how much a pass would free, nil where it does not wait.
func (p *modelPruner) waiting(before *modelPruner) *lifecycle.Postponed {
	least := p.policy.MinTokens > 0 || p.policy.MinBytes > 0 || p.policy.Every > 0
	freed := before.freed(p.model)
	enough := p.policy.MinTokens > 0 && freed.Tokens >= int64(p.policy.MinTokens) || p.policy.MinBytes > 0 &&
		freed.Bytes >= int64(p.policy.MinBytes)
	if !least || enough || !p.took || p.policy.Every > 0 && p.cycle%int64(p.policy.Every) == 0 {
		return nil
	}
	w := &lifecycle.Postponed{Would: freed}
	if p.policy.Every > 0 {
		for w.Until = p.cycle; w.Until%int64(p.policy.Every) != 0; {
			w.Until++
		}
	}
	return w
}

// freed returns how much less a later state has.
func (r *model) freed(after *model) lifecycle.Savings {
	count := func(r *model) int {
		return len(r.list(func(i *modelNode) bool { return i.class == "block" || i.class == "container" }))
	}
	f := lifecycle.Savings{Nodes: count(r) - count(after), Bytes: int64(len(r.thread()) - len(after.thread()))}
	if r.counted {
		f.Tokens = int64(r.tokens() - after.tokens())
	}
	return f
}
