package manage

import (
	"context"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

type hash = [sha256.Size]byte

// simulatedTree is the tree of a conversation after some calls, as commits under the policy would make it if they removed
// no due node.
type simulatedTree struct {
	tree   *tree.Tree
	stamps tree.Stamps
	idle   []string

	last  commit.Input // of the commit of the last call
	from  int          // how many parts were sent before that call
	ends  []int        // by the cycles of commits, how many parts there were after them
	ruled *ruled       // which rules found parts when they came
	pairs bool         // a call waits: it takes its result along, which then does not wait itself
	waits []int        // the numbers of the parts that the policy would have go, in order; the state before shares it

	mu   sync.Mutex
	goes map[int]bool // the numbers of those that a commit lets go: whether with a stub; nil before it is asked
}

// ruled has, by the number of a part, the index of the rule that found it when a call came, and what it was before.
type ruled struct {
	by     map[int]int
	from   int // the first part of that call
	before *ruled
}

// of returns the index of the rule that found a part, which no rule found before it came.
func (r *ruled) of(part int) (rule int, found bool) {
	for ; r != nil; r = r.before {
		if rule, found = r.by[part]; found || r.from <= part {
			break
		}
	}
	return rule, found
}

// mostSimulated bounds how many states are remembered: at least so many that were used last, at most twice as many.
const mostSimulated = 128

// treeOf returns the tree of a request. It takes the state after earlier calls from memory: the tree depends only
// on the request and on the forms of its parts.
func (c *Rules) treeOf(ctx context.Context, q *Request, late func() bool) (_ *simulatedTree, err error) {
	q.derived.turns(q, false)
	ends, chain := q.derived.ends, q.derived.chain
	at, from, g := len(ends), 0, (*simulatedTree)(nil)
	for ; at > 0 && g == nil; at-- {
		g = c.remembered(chain[at-1])
	}
	if g == nil {
		g = &simulatedTree{}
		if g.tree, g.stamps, err = tree.New(c.env(), nil); err != nil {
			return nil, err
		}
	} else {
		from, at = ends[at], at+1
	}
	for ; at < len(ends); at++ {
		if late() {
			return nil, ErrNotInTime
		}
		if g, err = c.commitCall(ctx, g, q, from, ends[at]); err != nil {
			return nil, err
		}
		c.rememberTree(chain[at], g)
		from = ends[at]
	}
	return g, nil
}

// remembered returns a state that is remembered, nil for none.
func (c *Rules) remembered(chain hash) *simulatedTree {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.trees[chain]; g != nil {
		return g
	}
	g := c.before[chain]
	if g != nil {
		c.put(chain, g)
	}
	return g
}

func (c *Rules) rememberTree(chain hash, g *simulatedTree) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(chain, g)
}

// put remembers a state. The caller holds c.mu.
func (c *Rules) put(chain hash, g *simulatedTree) {
	if len(c.trees) >= mostSimulated {
		c.trees, c.before = map[hash]*simulatedTree{}, c.trees
	}
	c.trees[chain] = g
}

// remember notes the state of a request under what the next one finds: the forms of its new parts are decided. A part
// that a rule would have shortened and that goes as it came makes another tree.
func (c *Rules) remember(g *simulatedTree, q *Request, to *derivedState) {
	for _, i := range q.fresh {
		p := &q.Parts[i]
		n, ruled := g.ruled.of(i)
		if p.fresh && p.form == nil && ruled && c.policy.Rules[n].Head+c.policy.Rules[n].Tail > 0 {
			return
		}
	}
	to.turns(q, true)
	c.rememberTree(to.chain[len(to.chain)-1], g)
}

func (c *Rules) env() tree.Env {
	traits := selector.Canonical.Traits()
	return tree.Env{Vocabulary: tree.Vocabulary{Turn: traits.TurnType, Container: traits.ContainerType,
		Block: traits.BlockType}, Clock: func() int64 { return c.ticks.Add(1) },
		Taken: func(string) (bool, error) { return false, nil }, Suffix: "~"}
}

// commitCall commits what a call added.
func (c *Rules) commitCall(ctx context.Context, g *simulatedTree, q *Request, from, to int) (*simulatedTree, error) {
	next, parts := &simulatedTree{}, q.Parts
	env, came := c.env(), make([]bool, to-from)
	x := tree.Edit(ctx, g.tree.WithCycle(g.stamps.Cycle), g.tree, g.stamps, env)
	for i := from; i < to; i++ {
		came[i-from] = parts[i].inTree(false) == asItCame
		if d := parts[i].form; d == nil || d.Action != Gone {
			if err := q.add(x, i); err != nil {
				return nil, err
			}
		}
	}
	next.last = commit.Input{Before: g.tree, Working: x.Tree(), Stamps: x.Stamps, Env: env, Policy: c.commits,
		Rules: c.rules, Counter: c.counter, Idle: g.idle, Postpone: true,
		Whole: func(id string) bool { i, ok := number(id); return ok && came[i-from] }}
	if c.steady {
		next.last.Born, next.waits, next.pairs = g.born, g.waits, g.pairs
	}
	t, stamps, report, err := commit.Run(ctx, next.last)
	if err != nil {
		return nil, err
	}
	next.tree, next.stamps, next.idle, next.from = t, stamps, commit.Idle(&report), from
	next.ends = append(slices.Clip(g.ends), to)
	var more []int
	for _, k := range report.Kept {
		if i, ok := next.number(k.ID); ok && k.Why == lifecycle.PruningWaits {
			more = append(more, i)
			next.pairs = next.pairs || parts[i].Kind != "result" && parts[i].Kind != "thinking"
		}
	}
	if slices.Sort(more); len(more) > 0 { // mostly behind those that waited already
		next.waits = append(slices.Clip(next.waits), more...)
		if at := len(next.waits) - len(more); at > 0 && next.waits[at-1] >= more[0] {
			slices.Sort(next.waits)
			next.waits = slices.Compact(next.waits)
		}
	}
	if next.ruled = g.ruled; len(report.Ruled) > 0 {
		next.ruled = &ruled{map[int]int{}, from, g.ruled}
	}
	for _, r := range report.Ruled {
		if i, ok := number(r.ID); ok {
			next.ruled.by[i] = r.Rule - 1
		}
	}
	return next, nil
}

// add adds a part to the tree of a conversation.
func (q *Request) add(x *tree.Editor, i int) error {
	p := &q.Parts[i]
	parent := tree.Sys.String()
	s := tree.Spec{ID: "p" + strconv.Itoa(i), Kind: p.Kind, Role: p.Role, Offset: int64(i + 1), Attrs: map[string]any{}}
	if p.Section == provider.Conversation {
		parent = tree.Head.String()
	}
	if p.Part.Content.Kind != canon.KindAbsent {
		s.Content = p.Part.Content.Value()
	}
	if p.inTree(false) == another && p.form.Text != "" {
		s.Content = p.form.Text
	}
	if p.form.isRemoval() {
		s.Attrs[commit.StubAttr] = []string{s.ID}
	}
	if p.Name != "" {
		s.Attrs["wire:name"] = p.Name
	}
	if p.Failed {
		s.Attrs["wire:failed"] = true
	}
	if p.Call != "" {
		s.Attrs["wire:call"] = p.Call
		if p.Kind == "result" {
			of := "p" + strconv.Itoa(q.callBefore(i))
			if has, err := x.Tree().Has(of); err != nil {
				return err
			} else if has {
				s.Refs = []string{of}
			}
		}
	}
	_, err := x.Add(parent, s)
	return err
}

// callBefore returns the place of the last call before a result that it may answer, -1 for none.
func (q *Request) callBefore(result int) int {
	call, has := q.calls[q.Parts[result].Call]
	if !has {
		return -1
	}
	for ; call >= result || q.Parts[call].Kind != "call" || q.Parts[call].Call != q.Parts[result].Call; call-- {
		if call == 0 {
			return -1
		}
	}
	return call
}

// born returns the blocks that came at a cycle: the first commit is that of cycle 1.
func (g *simulatedTree) born(cycle int64) (ids []string) {
	if cycle < 1 || cycle > int64(len(g.ends)) {
		return nil
	}
	from := 0
	if cycle > 1 {
		from = g.ends[cycle-2]
	}
	for i := from; i < g.ends[cycle-1]; i++ {
		ids = append(ids, "p"+strconv.Itoa(i))
	}
	return ids
}

// number returns the number of the part that a block has.
func number(id string) (int, bool) {
	i, err := strconv.Atoi(strings.TrimPrefix(id, "p"))
	return i, err == nil
}

// number returns the number of the part that a block has, if it was sent before the last call.
func (g *simulatedTree) number(id string) (int, bool) {
	i, ok := number(id)
	return i, ok && i < g.from
}

// released returns the numbers of the parts that a commit would remove if nothing held it back: of those that
// wait, the ones that no protection keeps. It costs much more than to ask what waits.
func (c *Rules) released(ctx context.Context, g *simulatedTree) (map[int]bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.goes != nil {
		return g.goes, nil
	}
	in := g.last
	in.Postpone = false
	_, _, report, err := commit.Run(ctx, in)
	if err != nil {
		return nil, err
	}
	g.goes = map[int]bool{}
	for _, gone := range report.Removed {
		if i, ok := g.number(gone.ID); ok {
			g.goes[i] = gone.Number == 0 && c.policy.Stub != "" || gone.Number > 0 && c.policy.Rules[gone.Number-1].Stub
		}
	}
	return g.goes, nil
}

// Find returns, for each rule, the numbers of the parts that its selector finds when the call of a request is made, of
// those that are new then if neither time nor other parts decide.
func (c *Rules) Find(ctx context.Context, q *Request) ([][]int, error) {
	g, err := c.treeOf(ctx, q, func() bool { return false })
	if err != nil {
		return nil, err
	}
	t := g.last.Working
	var below []string
	for i := g.from; i < len(q.Parts); i++ {
		below = append(below, "p"+strconv.Itoa(i))
	}
	found := make([][]int, len(c.rules))
	for n, rule := range c.rules {
		ids, err := rule.Find(ctx, t, below, !rule.Steady)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			path, err := t.Path(id)
			if err != nil {
				return nil, err
			}
			i, is := number(id)
			if is && len(path) > 2 && (path[1].Class() != tree.Sys || rule.Sys) {
				found[n] = append(found[n], i)
			}
		}
	}
	return found, nil
}
