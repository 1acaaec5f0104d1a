package commit

import (
	"strconv"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// enter has the rules decide about the nodes that the commit is about to seal: those that the last
// snapshot does not have, or has in ^ah. It sets their headers, and shapes their contents, as an edit would.
// Cost: what changed since the last snapshot.
//
// Specification: 02 §3.2.1.
func (p *pruner) enter(report *lifecycle.Report) error {
	if len(p.ruler.rules) == 0 || p.in.Before == nil {
		return nil
	}
	fresh, err := p.fresh()
	if err != nil {
		return err
	}
	decided, err := p.ruler.decide(p.tree, fresh, false)
	if err != nil || len(decided) == 0 {
		return err
	}
	x := tree.Edit(p.ctx, p.tree, p.in.Before, p.stamps, p.in.Env)
	for _, id := range fresh {
		i, found := decided[id]
		if !found {
			continue
		}
		n, err := p.tree.Node(id)
		if err != nil {
			return err
		}
		if n.Erased() {
			continue
		}
		set, does, err := p.headersBy(i, x.Tree(), id)
		if err == nil && len(set) > 0 {
			err = x.Update(id, set)
		}
		if err != nil {
			return err
		}
		report.Ruled = append(report.Ruled, lifecycle.Ruled{ID: id, Rule: i + 1, Does: does})
	}
	p.tree = x.Tree()
	p.in.Working = p.tree
	return nil
}

// fresh returns, in document order, the blocks and groups that the last snapshot does not have, or has in ^ah.
func (p *pruner) fresh() (ids []string, err error) {
	var open []string // what an import brought, and nothing has sealed yet
	for k, err := range p.in.Before.Region(tree.Head).Children().All() {
		if err != nil {
			return nil, err
		}
		open = append(open, k.Node().ID)
	}
	before, err := p.in.Before.Without(open...)
	if err != nil {
		return nil, err
	}
	differences, err := tree.Differences(before.WithCycle(p.tree.Cycle()), p.tree)
	if err != nil {
		return nil, err
	}
	for _, d := range differences {
		if d.Old != nil {
			continue
		}
		path, err := p.tree.Path(d.New.ID)
		if err != nil {
			return nil, err
		}
		if e := path[len(path)-1]; len(path) > 2 && e.Class() != tree.Turn && !tree.IsCore(e, path[len(path)-2].Class()) {
			ids = append(ids, d.New.ID)
		}
	}
	return ids, nil
}

// headersBy returns what rule i sets on a node of a tree, and what it does in words.
func (p *pruner) headersBy(i int, t *tree.Tree, id string) (set map[string]any, does string, err error) {
	e, err := t.Entry(id)
	if err != nil {
		return nil, "", err
	}
	r, n := &p.in.Policy.Rules[i], e.Node()
	set = make(map[string]any)
	say := func(words string) {
		if does != "" {
			does += ", "
		}
		does += words
	}
	if r.TTL != nil && !waits(p.in.Policy.When) {
		set["ttl"] = *r.TTL
		say("ttl " + strconv.FormatInt(*r.TTL, 10))
	}
	if r.Priority != nil {
		set["priority"] = *r.Priority
		say("priority " + strconv.FormatInt(*r.Priority, 10))
	}
	block := e.Class() == tree.Block
	if r.Pinned || r.Keep {
		set["pinned"] = true
		say("pinned")
	}
	if r.Keep {
		set["ttl"] = nil
	}
	if block && shapes(r) && (p.in.Whole == nil || !p.in.Whole(id)) {
		words, err := p.shape(r, t, n, set)
		if err != nil {
			return nil, "", err
		}
		if words != "" {
			say(words)
		}
	}
	_, timed := set["ttl"]
	if _, cut := set["content"]; cut || timed && !r.Keep {
		set[ruleAttr] = mark{i + 1, r.Select, timed && !r.Keep, r.Stub}
	}
	if does == "" {
		does = "nothing"
	}
	return set, does, nil
}

// shape adds the shaped content of a block to what a rule sets on it. It returns what it did, ""
// if the content stays.
func (p *pruner) shape(r *lifecycle.Rule, t *tree.Tree, n *tree.Node, set map[string]any) (string, error) {
	content, err := n.Content.Value(p.ctx)
	if err != nil {
		return "", err
	}
	if r.Once {
		same, err := earlierEqual(p.ctx, t, n)
		if err != nil {
			return "", err
		}
		if same != nil && len(Same(same.ID))+2 < len(content) {
			set["content"], set["refs"] = Same(same.ID), append(append([]string(nil), n.Refs...), same.ID)
			return "the same as " + same.ID, nil
		}
	}
	if r.Head+r.Tail == 0 {
		return "", nil
	}
	short, cut := Shaped(content.Any(), r, n.ID)
	if !cut {
		return "", nil
	}
	v := short.Value()
	set["content"], set[originalAttr] = v, content
	return "cut from " + strconv.Itoa(len(content)) + " to " + strconv.Itoa(len(v)) + " bytes", nil
}

// waits reports whether removals are due before they are carried out.
func waits(w lifecycle.When) bool { return w == lifecycle.WhenPays || w == lifecycle.WhenCold }
