package runs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// Block is a block of a run when a call first sent it, or what a call left out or moved.
type Block struct {
	Call   int64  `json:"call"` // the cycle of the call
	Node   string `json:"node,omitempty"`
	What   string `json:"what"` // the kind of [view.KindOf], "left out" or "moved"
	Tool   string `json:"tool,omitempty"`
	Begins string `json:"begins,omitempty"` // its first words
	// Unsent is true of the answer to the last call, whose cycle Call is then: no call has sent it.
	Unsent bool `json:"unsent,omitempty"`

	key    digest
	tokens int64  // of a result, as the counter counts them
	says   string // the text that key stands for, while a call is watched
}

// digest is equal for blocks that say the same: the ids by which a provider pairs calls and results, signatures and
// markers of a cache differ in each run and say nothing.
type digest [sha256.Size]byte

// leftOut is what a call left out of what the call before had sent.
const leftOut = "left out"

// moved is what a call sends in another order than the call before.
const moved = "moved"

// firstWords is how many characters of a block a report quotes.
const firstWords = 60

// run is what the calls of a context sent and cost.
type run struct {
	name  string
	calls []*view.Step // without their snapshots
	sent  []Block      // in the order of the calls
	last  []Block      // the answer to the last call, which none has sent
}

// reader reads a run.
type reader struct {
	ctx     context.Context
	counter tree.Counter      // nil to count no results
	keys    map[string]digest // of the blocks that the last call sent, by id
	sum     []byte
	// watch is told of each call the ids that it left out and the blocks that it brought; nil if nobody asks.
	watch func(s *view.Step, gone map[digest][]string, added []Block) error
}

// read walks over the calls of a context, and calls each for every call. Cost: that of [view.Walk] with snapshots, and
// each block once.
func read(ctx context.Context, c *pact.Context, prices *record.Prices, counter tree.Counter, each func(*view.Step) error,
	progress func(done, total int)) (*run, error) {
	r := &reader{ctx: ctx, counter: counter, keys: map[string]digest{}}
	return r.walk(c, prices, each, progress)
}

// walk is read with a reader.
func (r *reader) walk(c *pact.Context, prices *record.Prices, each func(*view.Step) error,
	progress func(done, total int)) (*run, error) {
	made := &run{name: c.Info().Name}
	first, last := c.Info().First, c.Info().Cycle
	if last < first {
		return made, nil
	}
	for s, err := range view.Walk(r.ctx, c, pact.Cycle(first), pact.Cycle(last), view.WalkOptions{Prices: prices, Snapshots: true}) {
		if err == nil {
			made.sent, err = r.step(made.sent, s)
		}
		if err == nil {
			err = each(s)
		}
		if err != nil {
			return nil, err
		}
		alone := *s
		alone.Before, alone.Now = nil, nil
		made.calls = append(made.calls, &alone)
		progress(len(made.calls), int(last-first+1))
	}
	var err error
	made.last, err = r.unsent(tree.Of(c.Working()), &view.Step{Prefix: inspect.Prefix{Cycle: int64(last)}})
	return made, err
}

// unsent returns the blocks of the assistant that the last call has not sent.
func (r *reader) unsent(t *tree.Tree, last *view.Step) (list []Block, err error) {
	for at, err := range t.Blocks(0) {
		if err != nil {
			return nil, err
		}
		if _, sent := r.keys[at.Node().ID]; sent || at.Node().RoleIn(tree.Seq) != "assistant" {
			continue
		}
		b, err := r.block(t, at.Entry, last)
		if err != nil {
			return nil, err
		}
		b.Unsent = true
		list = append(list, b)
	}
	return list, nil
}

// step adds what a call sent first, behind what it left out.
func (r *reader) step(sent []Block, s *view.Step) ([]Block, error) {
	changes, err := s.Changes()
	if err != nil {
		return nil, err
	}
	var older []Block
	if s.Before != nil && !s.Shared.Complete {
		if older, err = r.order(tree.Of(s.Before)); err != nil {
			return nil, err
		}
	}
	gone := map[digest][]string{}
	went := func(id string) {
		if key, known := r.keys[id]; known {
			gone[key] = append(gone[key], id)
			delete(r.keys, id)
		}
	}
	for _, id := range changes.Gone {
		went(id)
	}
	now, added := tree.Of(s.Now), []Block{}
	for _, e := range slices.Concat(changes.Added, changes.Changed) {
		if e.Class() != tree.Block {
			continue
		}
		b, err := r.block(now, e, s)
		if err != nil {
			return nil, err
		}
		went(b.Node)
		if r.keys[b.Node] = b.key; len(gone[b.key]) > 0 { // it stands elsewhere, or as another node
			gone[b.key] = gone[b.key][1:]
			continue
		}
		added = append(added, b)
	}
	if r.watch != nil {
		if err := r.watch(s, gone, added); err != nil {
			return nil, err
		}
		for i := range added {
			added[i].says = ""
		}
	}
	var lost [][]byte
	for key, ids := range gone {
		for range ids {
			lost = append(lost, key[:])
		}
	}
	if len(lost) > 0 && s.Before != nil {
		slices.SortFunc(lost, bytes.Compare)
		b := Block{Call: s.Cycle, What: leftOut, Begins: view.Plural(len(lost), "block"), key: sha256.Sum256(slices.Concat(lost...))}
		sent = append(sent, b)
	}
	if older != nil {
		newer, err := r.order(now)
		if err != nil {
			return nil, err
		}
		if n, key := movedIn(older, newer); n > 0 {
			sent = append(sent, Block{Call: s.Cycle, What: moved, Begins: view.Plural(n, "block"), key: key})
		}
	}
	return append(sent, added...), nil
}

// order returns the blocks of a call in their order, each with its key alone.
func (r *reader) order(t *tree.Tree) (list []Block, err error) {
	for e, err := range t.All() {
		if err != nil {
			return nil, err
		}
		if key, known := r.keys[e.Node().ID]; known {
			list = append(list, Block{key: key})
		}
	}
	return list, nil
}

// movedIn returns how many blocks stay and change their place among the others, and the key of these and what each follows.
func movedIn(older, newer []Block) (n int, key digest) {
	left := map[digest]int{}
	for i := range older {
		left[older[i].key]++
	}
	to := pairs(older, newer)
	for j, i := range to {
		if i >= 0 {
			left[newer[j].key]--
		}
	}
	var places []byte
	for j, i := range to {
		if i >= 0 || left[newer[j].key] == 0 {
			continue
		}
		left[newer[j].key]--
		n++
		if places = append(places, newer[j].key[:]...); j > 0 {
			places = append(places, newer[j-1].key[:]...)
		}
	}
	return n, sha256.Sum256(places)
}

// block describes a block that a call sends.
func (r *reader) block(t *tree.Tree, e *tree.Entry, s *view.Step) (b Block, err error) {
	n := e.Node()
	path, err := t.Path(n.ID)
	if err != nil {
		return b, err
	}
	role := n.RoleIn(path[1].Class())
	content, err := n.Content.Value(r.ctx)
	if err != nil {
		return b, err
	}
	b = Block{Call: s.Cycle, Node: n.ID, What: view.KindOfNode(n, role).String(), Begins: view.FirstWords(n.Kind, content, firstWords)}
	if b.Tool, err = toolcall.Name(r.ctx, t, n); err != nil {
		return b, err
	}
	says := textOf(n, content)
	if s.Call != nil && b.What == view.KindSystem.String() {
		if rules := provider.CacheRulesNamed(s.Call.Dialect); rules != nil && rules.Stripped != "" && strings.HasPrefix(says, rules.Stripped) {
			says = rules.Stripped // its provider removes it
		}
	}
	r.sum = r.sum[:0]
	for _, part := range []string{role, n.Kind, b.Tool, says} {
		r.sum = append(append(r.sum, part...), 0)
	}
	if b.key = sha256.Sum256(r.sum); r.watch != nil {
		b.says = says
	}
	if n.Kind == toolcall.Result && r.counter != nil {
		b.tokens, err = tree.Tokens(r.counter).Own(r.ctx, e)
	}
	return b, err
}

// textOf returns the text of a block, of a call its arguments.
func textOf(n *tree.Node, content canon.Value) string {
	says, readable := view.Readable(content)
	switch {
	case n.Kind == toolcall.Call:
		says = toolcall.Arguments(content)
		if v, err := canon.ParseAny([]byte(says)); err == nil {
			says = string(v.Value())
		}
	case !readable:
		says = string(content)
	}
	return says
}
