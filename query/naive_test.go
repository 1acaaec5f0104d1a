package query_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tree"
)

// world is a tree written out flat, for an evaluator that knows nothing of
// summaries, ranks or indexes. Elided cores and the parts :pre, :core and
// :post of a turn are things of their own in it.
type world struct {
	cycle  int64
	things []*thing // real ones in document order, then the others
}

type thing struct {
	node     *tree.Node // nil for what is not in the tree
	class    tree.Class
	part     string // "pre", "core" or "post"
	elided   bool
	turn     *thing // of a part or an elided core: the turn it belongs to
	parent   *thing
	also     []*thing // further parents: parts and elided core
	children []*thing
	depth    int64 // 0 for none
}

func flatten(t *tree.Tree) *world {
	w := &world{cycle: t.Cycle()}
	byID := map[string]*thing{}
	for e, parent := range t.All() {
		x := &thing{node: e.Node(), class: e.Class(), parent: byID[parent]}
		byID[e.Node().ID] = x
		if x.parent != nil {
			x.parent.children = append(x.parent.children, x)
			x.depth = x.parent.depth
		}
		w.things = append(w.things, x)
	}
	for _, x := range slices.Clone(w.things) {
		if x.class == tree.Seq {
			for i, turn := range x.children {
				turn.mark(int64(len(x.children) - i))
			}
		}
		if x.class == tree.Turn || x.class == tree.Head {
			w.inside(x)
		}
	}
	return w
}

func (x *thing) mark(depth int64) {
	x.depth = depth
	for _, k := range x.children {
		k.mark(depth)
	}
}

// inside adds the parts and the elided core of a turn.
func (w *world) inside(turn *thing) {
	zone := func(k *thing) string {
		switch {
		case k.node.Offset < 0:
			return "pre"
		case k.node.Offset > 0:
			return "post"
		}
		return "core"
	}
	parts := map[string]*thing{}
	for _, name := range []string{"pre", "core", "post"} {
		parts[name] = &thing{part: name, turn: turn, parent: turn, depth: turn.depth}
		w.things = append(w.things, parts[name])
	}
	explicit := false
	var own []*thing
	for _, k := range turn.children {
		k.also = append(k.also, parts[zone(k)])
		parts[zone(k)].children = append(parts[zone(k)].children, k)
		if k.node.Offset == 0 {
			own = append(own, k)
			explicit = explicit || k.class == tree.Container
		}
	}
	if explicit || len(own) == 0 {
		return
	}
	core := &thing{elided: true, class: tree.Container, turn: turn, parent: turn, also: []*thing{parts["core"]}, children: own, depth: turn.depth,
		node: &tree.Node{Type: "mc", Cycle: turn.node.Cycle, CreatedNS: turn.node.CreatedNS, Index: turn.node.Index, Expiry: tree.Never}}
	for _, k := range own {
		k.also = append(k.also, core)
	}
	w.things = append(w.things, core)
}

// sel evaluates a selector of edition v0.1 by its definition.
func (w *world) sel(s *selector.Selector) []string {
	ids := []string{}
	for _, x := range w.things {
		if x.part != "" || x.elided {
			continue
		}
		if slices.ContainsFunc(s.Groups, func(g selector.Group) bool { return w.selected(g.Steps, x) }) {
			ids = append(ids, x.node.ID)
		}
	}
	return ids
}

func (w *world) selected(steps []selector.Step, x *thing) bool {
	if part(steps[len(steps)-1]) == "" {
		return w.matches(steps, len(steps)-1, x)
	}
	for _, p := range w.things { // everything below a part that matches
		if p.part != "" && w.matches(steps, len(steps)-1, p) && slices.Contains(above(x), p) {
			return true
		}
	}
	return false
}

func part(s selector.Step) string {
	if o, ok := s.Parts[0].(selector.Offset); ok && len(s.Parts) == 1 {
		return map[selector.Zone]string{selector.Pre: "pre", selector.Core: "core", selector.Post: "post"}[o.Zone]
	}
	return ""
}

// above returns everything that x is below.
func above(x *thing) []*thing {
	var all []*thing
	for _, p := range append([]*thing{x.parent}, x.also...) {
		if p != nil && !slices.Contains(all, p) {
			all = append(append(all, p), above(p)...)
		}
	}
	return all
}

// matches reports whether x matches step i and what leads to it the steps before.
func (w *world) matches(steps []selector.Step, i int, x *thing) bool {
	if p := part(steps[i]); p != "" || x.part != "" {
		return p == x.part && w.led(steps, i, x, x.parent)
	}
	for _, p := range append([]*thing{x.parent}, x.also...) {
		direct := p == x.parent
		if w.passes(steps[i].Parts, x, p) && (direct && w.led(steps, i, x, p) || !direct && i > 0 && p.node == nil && w.matches(steps, i-1, p) || !direct && i > 0 && p.elided && w.matches(steps, i-1, p)) {
			return true
		}
	}
	return false
}

// led reports whether the parent p, or for a descendant anything from it up,
// matches the step before.
func (w *world) led(steps []selector.Step, i int, x, p *thing) bool {
	switch {
	case i == 0:
		return true
	case p == nil:
		return false
	case steps[i].Comb == selector.Child:
		return w.matches(steps, i-1, p)
	}
	return slices.ContainsFunc(append([]*thing{p}, above(p)...), func(a *thing) bool { return w.matches(steps, i-1, a) })
}

// passes tests one compound on x as a child of p.
func (w *world) passes(parts []selector.Part, x, p *thing) bool {
	if x.elided && !namesContainers(parts) {
		return false
	}
	for i, part := range parts {
		pick, ok := part.(selector.Pick)
		if !ok {
			if !w.test(part, x) {
				return false
			}
			continue
		}
		siblings := []*thing{x}
		if p != nil {
			siblings = slices.Clone(p.children)
			if namesContainers(parts) && !p.elided {
				for _, core := range w.things {
					if core.elided && (core.parent == p || slices.Contains(core.also, p)) {
						at := slices.IndexFunc(siblings, func(k *thing) bool { return k.node.Offset >= 0 })
						siblings = slices.Insert(siblings, at, core)
					}
				}
			}
		}
		siblings = slices.DeleteFunc(siblings, func(k *thing) bool { return !w.passes(parts[:i], k, p) })
		n := map[selector.PickKind]int{selector.First: 1, selector.Last: len(siblings), selector.Nth: pick.N}[pick.Kind]
		if n < 1 || n > len(siblings) || siblings[n-1] != x {
			return false
		}
	}
	return true
}

func namesContainers(parts []selector.Part) bool {
	return slices.ContainsFunc(parts, func(p selector.Part) bool {
		switch p := p.(type) {
		case selector.Type:
			return p.Name == "mc" || p.Name == "cont"
		case selector.Attr:
			return p.Name == "nodeType" && p.Op == selector.Eq && len(p.Values) == 1 && (p.Values[0].Text == "mc" || p.Values[0].Text == "cont")
		}
		return false
	})
}

func (w *world) test(part selector.Part, x *thing) bool {
	n := x.node
	switch part := part.(type) {
	case selector.Universal:
		return true
	case selector.Region:
		return x.class.Region() && n.Type == "^"+part.Name
	case selector.ID:
		return n.ID == part.Name
	case selector.Type:
		switch part.Name {
		case "mt", "seg":
			return x.class == tree.Turn
		case "mc", "cont":
			return x.class == tree.Container
		case "cb", "block":
			return x.class == tree.Block
		}
		return plain(n.Type) == plain(part.Name)
	case selector.Offset:
		return part.Zone == selector.Pre && n.Offset < 0 || part.Zone == selector.Core && n.Offset == 0 || part.Zone == selector.Post && n.Offset > 0
	case selector.DepthIs:
		return x.depth > 0 && part.Set.Contains(x.depth)
	case selector.Attr:
		return w.attr(part, x)
	}
	return false
}

// plain spells a type in the words of edition v0.1.
func plain(t string) string {
	base, rest, ns := strings.Cut(t, ":")
	if word, ok := map[string]string{"seg": "mt", "cont": "mc", "block": "cb"}[base]; ok {
		base = word
	}
	if ns {
		return base + ":" + rest
	}
	return base
}

// attr compares by the rules of 04 §5, for the attributes that the generator uses.
func (w *world) attr(a selector.Attr, x *thing) bool {
	n := x.node
	var number *int64
	var word *string
	var words []string
	switch a.Name {
	case "offset":
		number = &n.Offset
	case "priority":
		number = &n.Priority
	case "created_at_ns":
		number = &n.CreatedNS
	case "ttl":
		if ttl, ok := n.TTL(w.cycle); ok {
			number = &ttl
		}
	case "id":
		word = &n.ID
	case "nodeType":
		t := plain(n.Type)
		word = &t
	case "tag":
		words = n.Tags
	default:
		if s, ok := n.Header(a.Name).Text(); ok {
			word = &s
		}
	}
	equal := func(l selector.Literal) bool {
		switch {
		case l.Kind == selector.Null:
			return number == nil && word == nil && words == nil
		case number != nil:
			v, err := strconv.ParseInt(l.Text, 10, 64)
			return err == nil && v == *number
		case word != nil && a.Name == "nodeType":
			return *word == plain(l.Text)
		case word != nil:
			return *word == l.Text
		}
		return slices.Contains(words, l.Text)
	}
	switch a.Op {
	case selector.Present:
		return number != nil || word != nil || words != nil
	case selector.Eq:
		return slices.ContainsFunc(a.Values, equal)
	case selector.Ne:
		return !slices.ContainsFunc(a.Values, equal)
	}
	cmp := 0
	switch {
	case number != nil:
		v, err := strconv.ParseInt(a.Values[0].Text, 10, 64)
		if err != nil {
			return false
		}
		cmp = int(max(-1, min(1, *number-v)))
	case word != nil:
		cmp = strings.Compare(*word, a.Values[0].Text)
	default:
		return false
	}
	return a.Op == selector.Lt && cmp < 0 || a.Op == selector.Le && cmp <= 0 || a.Op == selector.Gt && cmp > 0 || a.Op == selector.Ge && cmp >= 0
}
