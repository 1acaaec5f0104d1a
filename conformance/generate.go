package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Generate draws n cases for the editions, one after the other: a document, and selectors with the answers of an evaluator
// that walks the whole tree for every step. The same seed gives the same cases; another one, others, so that a table of
// expected answers passes none.
func Generate(n int, seed uint64, editions []string) []Case {
	all := make([]Case, n)
	for i := range all {
		g := &drawing{Rand: rand.New(rand.NewPCG(seed, uint64(i))), edition: editions[i%len(editions)]}
		all[i] = Case{ID: fmt.Sprintf("generated-%d-%d", seed, i), Area: "generated", Edition: g.edition,
			About: "a document and selectors drawn with a seed", Sources: []Source{{Document: "004", Section: "04"}}}
		c := &all[i]
		c.Origin, c.Fixture = Derived, "generated.json"
		document := map[string]any{"cycle": drawnCycle, "root": g.document()}
		if g.edition == "1.0" {
			document["spec_version"] = "PACT/1.0.0"
		}
		c.input, _ = json.Marshal(document) // of maps, texts and numbers
		for range 4 {
			text, found := g.selector()
			c.Checks = append(c.Checks, Check{Kind: "select", Selector: text, Expect: found})
		}
		c.whole = c.Checks
	}
	return all
}

// drawnCycle is the cycle of the documents, in which nothing expires.
const drawnCycle = 20

// drawn is a node of a drawn document.
type drawn struct {
	class   string // a region, or mt, mc, cb
	headers map[string]any
	parent  *drawn
	kids    []*drawn
	depth   int // of a turn, 1 for the newest
}

// drawing draws one case.
type drawing struct {
	*rand.Rand
	edition string
	nodes   []*drawn // in the order of a result
	made    int
}

// word is how the edition calls a class.
func (g *drawing) word(class string) string {
	if g.edition == "canonical" || g.edition == "1.0" {
		class = strings.NewReplacer("mt", "seg", "mc", "cont", "cb", "block").Replace(class)
	}
	return class
}

// node draws a node under another one, which is to be put into order.
func (g *drawing) node(parent *drawn, class string, offset int) *drawn {
	g.made++
	n := &drawn{class: class, parent: parent, headers: map[string]any{
		"id": fmt.Sprintf("%c%d", "aAbBcC"[g.IntN(6)], g.made), "nodeType": g.word(class), "offset": offset, "ttl": nil,
		"priority": g.IntN(10), "cycle": 1 + g.IntN(drawnCycle), "created_at_ns": g.IntN(4), "creation_index": g.IntN(3)}}
	if class == "cb" {
		n.headers["content"] = n.headers["id"]
		for _, header := range [][]any{{"ttl", nil, 1, 2, 3}, {"role", nil, "user", "assistant", "tool"}, {"kind", nil, "text", "call"}} {
			if v := header[1+g.IntN(len(header)-1)]; v != nil {
				n.headers[header[0].(string)] = v
			}
		}
	}
	if parent != nil {
		parent.kids = append(parent.kids, n)
	}
	return n
}

// blocks draws up to three blocks.
func (g *drawing) blocks(parent *drawn, offset int) {
	for range g.IntN(4) {
		g.node(parent, "cb", offset)
	}
}

// document draws a tree and returns it as JSON has it, with the children of each node in any order.
func (g *drawing) document() any {
	root := g.node(nil, "^root", 0)
	g.blocks(g.node(root, "^sys", 0), g.IntN(3)-1)
	seq := g.node(root, "^seq", 0)
	turns := make([]*drawn, g.IntN(6))
	for i := range turns {
		turns[i] = g.node(seq, "mt", 0)
	}
	for _, turn := range append(turns, g.node(root, "^ah", 0)) {
		g.blocks(g.node(turn, "mc", 0), 0)
		g.blocks(turn, -1-g.IntN(2))
		g.blocks(g.node(turn, "mc", 1), g.IntN(2))
		g.blocks(turn, 1)
	}
	return g.ordered(root)
}

// ordered puts the nodes below n into canonical order (02 §4.3), numbers the turns, and returns n with its children
// shuffled. It notes the nodes in the order of a result, in which edition canonical has the newest turn first.
func (g *drawing) ordered(n *drawn) any {
	g.nodes = append(g.nodes, n)
	if n.class != "^root" {
		slices.SortFunc(n.kids, func(a, b *drawn) int {
			by := func(name string) int { return a.headers[name].(int) - b.headers[name].(int) }
			return cmp.Or(by("offset"), by("created_at_ns"), by("creation_index"),
				strings.Compare(a.headers["id"].(string), b.headers["id"].(string)))
		})
	}
	for i, k := range n.kids {
		if n.class == "^seq" {
			k.depth = len(n.kids) - i
		}
	}
	if n.class == "^seq" && g.edition == "canonical" {
		slices.Reverse(n.kids)
	}
	kids := make([]any, len(n.kids))
	for i, k := range n.kids {
		kids[i] = g.ordered(k)
	}
	g.Shuffle(len(kids), func(i, j int) { kids[i], kids[j] = kids[j], kids[i] })
	object := map[string]any{"children": kids}
	for name, v := range n.headers {
		object[name] = v
	}
	return object
}

// selector draws a selector, and says which ids it finds in which order.
func (g *drawing) selector() (string, []string) {
	var groups []string
	var found []*drawn
	for range 1 + g.IntN(3)/2 {
		text, more := g.group()
		groups = append(groups, text)
		for _, n := range more {
			if !slices.Contains(found, n) {
				found = append(found, n)
			}
		}
	}
	if g.edition != "1.0" { // where a list is one set; in 1.0 its groups come one after the other
		slices.SortFunc(found, func(a, b *drawn) int { return slices.Index(g.nodes, a) - slices.Index(g.nodes, b) })
	}
	ids := make([]string, len(found))
	for i, n := range found {
		ids[i] = n.headers["id"].(string)
	}
	return "@t0 " + strings.Join(groups, ", "), ids
}
