package benchmarks

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// item is one node of the tree that every contestant holds in its own form.
// Items come in document order, siblings in canonical order.
type item struct {
	parent   int // index of the parent, -1 for the root
	id, kind string
	nodeType string
	role     string
	key      string
	tags     []string
	offset   int64
	priority int64
	ttl      int64 // remaining cycles, -1 for none
	cycle    int64
	index    int64 // creation_index
	content  string
}

// block is an item of a turn.
type block struct {
	role, kind string
	offset     int64
}

// rareKind occurs rareNodes times in a tree, whatever its size.
const (
	rareKind  = "correction"
	rareNodes = 5
)

// conversation calls add for the items of a tree of about n nodes: the system
// header, turns until there are n nodes, and an active head. A quarter of the
// turns leaves its core out. The same n gives the same items.
func conversation(n int, add func(i int, it item)) {
	g := generator{random: rand.New(rand.NewPCG(3, 1)), add: add}
	root := g.put(item{parent: -1, id: "root", nodeType: "^root", ttl: -1})
	sys := g.put(item{parent: root, id: "sys", nodeType: "^sys", ttl: -1})
	for _, kind := range []string{"instructions", "tools", "policy", "style"} {
		g.block(sys, block{"system", kind, 0})
	}
	seq := g.put(item{parent: root, id: "seq", nodeType: "^seq", ttl: -1})
	rare := 0
	for g.count < n {
		g.cycle, g.index = g.cycle+1, 0
		due := rare < rareNodes && g.count >= n/(2*rareNodes)*(2*rare+1)
		if due {
			rare++
		}
		g.turn(seq, due)
	}
	g.cycle, g.index = g.cycle+1, 0
	head := g.put(item{parent: root, id: "ah", nodeType: "^ah", ttl: -1})
	g.block(head, block{"user", "text", 0})
}

type generator struct {
	random       *rand.Rand
	add          func(int, item)
	count        int
	cycle, index int64
}

func (g *generator) put(it item) int {
	it.cycle, it.index = g.cycle, g.index
	if it.id == "" {
		it.id = fmt.Sprintf("%s:%d-%d", it.nodeType, g.cycle, g.index)
	}
	g.add(g.count, it)
	g.index++
	g.count++
	return g.count - 1
}

// turn adds a sealed turn: what was recalled before it, the exchange with some
// calls of tools, and what was noted after it.
func (g *generator) turn(seq int, rare bool) {
	turn := g.put(item{parent: seq, nodeType: "mt", ttl: -1})
	if g.one(5) {
		for range 1 + g.random.IntN(3) {
			g.block(turn, block{"system", "memory", -1})
		}
	}
	core := turn
	if !g.one(4) {
		core = g.put(item{parent: turn, nodeType: "mc", ttl: -1})
	}
	g.block(core, block{"user", "text", 0})
	for range g.random.IntN(4) {
		g.block(core, block{"assistant", "tool_call", 0})
		g.block(core, block{"tool", "tool_result", 0})
	}
	g.block(core, block{"assistant", "text", 0})
	if g.one(10) {
		group := g.put(item{parent: turn, nodeType: "mc", ttl: -1, offset: 1})
		g.block(group, block{"user", "image", 0})
		g.block(group, block{"assistant", "caption", 0})
	}
	if g.one(5) {
		g.block(turn, block{"assistant", "summary", 2})
	}
	if rare {
		g.block(turn, block{"user", rareKind, 3})
	}
}

func (g *generator) block(parent int, b block) {
	it := item{parent: parent, nodeType: "cb", role: b.role, kind: b.kind, offset: b.offset, ttl: -1,
		content: fmt.Sprintf("%s of cycle %d: the quick brown fox jumps over the lazy dog", b.kind, g.cycle)}
	if g.one(6) {
		it.ttl = 1 + int64(g.random.IntN(20))
	}
	if g.one(3) {
		it.priority = 1 + int64(g.random.IntN(9))
	}
	if g.one(20) {
		it.key = []string{"goal", "plan", "budget", "persona"}[g.random.IntN(4)]
	}
	if g.one(10) {
		it.tags = []string{[]string{"draft", "important", "cited"}[g.random.IntN(3)]}
	}
	g.put(it)
}

// one is true once in n times.
func (g *generator) one(n int) bool { return g.random.IntN(n) == 0 }

// middleBlock is the id of the first block in the second half of a tree.
func middleBlock(n int) string {
	id := ""
	conversation(n, func(i int, it item) {
		if id == "" && i >= n/2 && it.nodeType == "cb" {
			id = it.id
		}
	})
	return id
}

func TestTheRareKindIsRareAtEverySize(t *testing.T) {
	for _, n := range []int{1_000, small} {
		nodes, found := 0, 0
		conversation(n, func(_ int, it item) {
			nodes++
			if it.kind == rareKind {
				found++
			}
		})
		if found != rareNodes || nodes < n || nodes > n+30 {
			t.Errorf("%d nodes with %d of the rare kind, want %d with %d", nodes, found, n, rareNodes)
		}
	}
}
