package manage

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"sort"
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

// grown is the tree of a conversation after some calls, as commits under the policy would make it if they removed
// no due node.
type grown struct {
	tree   *tree.Tree
	stamps tree.Stamps
	idle   []string
	calls  map[string]string // the blocks of calls, by the call's id

	last  commit.Input // of the commit of the last call
	from  int          // how many parts were sent before that call
	ends  []int        // by the cycles of commits, how many parts there were after them
	ruled map[int]int  // by the number of a part, the index of the rule that found it when it came
	waits []int        // the numbers of the parts that the policy would have go, in order; the state before shares it

	mu   sync.Mutex
	goes map[int]bool // the numbers of those that a commit lets go: whether with a stub; nil before it is asked
}

// mostGrown bounds how many states are remembered: at least so many that were used last, at most twice as many.
const mostGrown = 128

// grownTo returns the tree of a request. It takes the state after earlier calls from memory: the tree depends only
// on the request and on the forms of its parts.
func (c *Rules) grownTo(ctx context.Context, parts []Part, to *room, late func() bool) (_ *grown, err error) {
	to.turns(parts, false, 0)
	ends, chain := to.ends, to.chain
	at, from, g := len(ends), 0, (*grown)(nil)
	for ; at > 0 && g == nil; at-- {
		g = c.known(chain[at-1])
	}
	if g == nil {
		g = &grown{calls: map[string]string{}, ruled: map[int]int{}}
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
		if g, err = c.grow(ctx, g, parts, from, ends[at]); err != nil {
			return nil, err
		}
		c.keep(chain[at], g)
		from = ends[at]
	}
	return g, nil
}

// known returns a state that is remembered, nil for none.
func (c *Rules) known(chain hash) *grown {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.grown[chain]; g != nil {
		return g
	}
	g := c.before[chain]
	if g != nil {
		c.put(chain, g)
	}
	return g
}

func (c *Rules) keep(chain hash, g *grown) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(chain, g)
}

// put remembers a state. The caller holds c.mu.
func (c *Rules) put(chain hash, g *grown) {
	if len(c.grown) >= mostGrown {
		c.grown, c.before = map[hash]*grown{}, c.grown
	}
	c.grown[chain] = g
}

// remember notes the state of a request under what the next one finds: the forms of its new parts are decided. A part
// that a rule would have shortened and that goes as it came makes another tree.
func (c *Rules) remember(g *grown, q *Request, to *room) {
	for _, i := range q.fresh {
		p := &q.Parts[i]
		n, ruled := g.ruled[i]
		if p.fresh && p.form == nil && ruled && c.policy.Rules[n].Head+c.policy.Rules[n].Tail > 0 {
			return
		}
	}
	to.turns(q.Parts, true, slices.Min(append(slices.Clip(q.fresh), len(q.Parts))))
	c.keep(to.chain[len(to.chain)-1], g)
}

// Of the content of a part in the tree: as it came, as a rule may shorten it, or another.
const (
	asItCame = iota
	asRuled
	another
)

func (p *Part) inTree(seen bool) byte {
	switch {
	case p.form == nil && p.fresh && !seen && !p.again && !p.doubt, p.form != nil && p.form.What == Shaped:
		return asRuled
	case p.form != nil && p.form.What != Same:
		return another
	}
	return asItCame
}

// turnPart is what the tree of a conversation depends on of a part.
type turnPart struct {
	hash    hash
	content byte
	section provider.Section
}

// turns notes the number of parts up to the end of each call, and the hash of these parts. An answer begins the turn of
// the next call. seen says that the model has seen all results by then, same how many of the first parts are those of the
// last time. Cost: hashing what differs from it, and a look at the others.
func (r *room) turns(parts []Part, seen bool, same int) {
	partOf := func(p *Part) turnPart { return turnPart{p.hash, p.inTree(seen), p.Section} }
	for same < min(len(r.turned), len(parts)) && r.turned[same] == partOf(&parts[same]) {
		same++
	}
	n, from, at := sort.SearchInts(r.ends, same), 0, hash{}
	r.ends, r.chain = r.ends[:n], r.chain[:n]
	if n > 0 {
		from, at = r.ends[n-1], r.chain[n-1]
	}
	r.turned = r.turned[:from]
	text := append(r.text[:0], at[:]...)
	end := func(n int) {
		at = sha256.Sum256(text)
		r.ends, r.chain, text = append(r.ends, n), append(r.chain, at), append(text[:0], at[:]...)
	}
	for i := from; i < len(parts); i++ {
		p := &parts[i]
		if i > from && p.Section == provider.Conversation && p.answers() && !parts[i-1].answers() &&
			parts[i-1].Section == provider.Conversation {
			end(i)
		}
		one := partOf(p)
		r.turned = append(r.turned, one)
		text = append(append(text, one.hash[:]...), one.content) // of tools too: a new tool changes the numbers of the parts behind it
	}
	end(len(parts))
	r.text = text
}

func (c *Rules) env() tree.Env {
	traits := selector.Canonical.Traits()
	return tree.Env{Vocabulary: tree.Vocabulary{Turn: traits.TurnType, Container: traits.ContainerType,
		Block: traits.BlockType}, Clock: func() int64 { return c.ticks.Add(1) },
		Taken: func(string) (bool, error) { return false, nil }, Suffix: "~"}
}

// grow commits what a call added.
func (c *Rules) grow(ctx context.Context, g *grown, parts []Part, from, to int) (*grown, error) {
	next := &grown{calls: maps.Clone(g.calls)}
	env, came := c.env(), make([]bool, to-from)
	x := tree.Edit(ctx, g.tree.WithCycle(g.stamps.Cycle), g.tree, g.stamps, env)
	for i := from; i < to; i++ {
		came[i-from] = parts[i].inTree(false) == asItCame
		if d := parts[i].form; d == nil || d.What != Gone {
			if err := add(x, next, &parts[i], i); err != nil {
				return nil, err
			}
		}
	}
	next.last = commit.Input{Before: g.tree, Working: x.Tree(), Stamps: x.Stamps, Env: env, Policy: c.commits,
		Rules: c.rules, Counter: c.counter, Idle: g.idle, Hold: true,
		Whole: func(id string) bool { i, ok := number(id); return ok && came[i-from] }}
	if c.steady {
		next.last.Born, next.waits = g.born, g.waits
	}
	t, stamps, report, err := commit.Run(ctx, next.last)
	if err != nil {
		return nil, err
	}
	next.tree, next.stamps, next.idle, next.from = t, stamps, commit.Idle(&report), from
	next.ends, next.ruled = append(slices.Clip(g.ends), to), maps.Clone(g.ruled)
	var more []int
	for _, k := range report.Kept {
		if i, ok := next.number(k.ID); ok && k.Why == lifecycle.PruningWaits {
			more = append(more, i)
		}
	}
	if slices.Sort(more); len(more) > 0 { // mostly behind those that waited already
		next.waits = append(slices.Clip(next.waits), more...)
		if at := len(next.waits) - len(more); at > 0 && next.waits[at-1] >= more[0] {
			slices.Sort(next.waits)
			next.waits = slices.Compact(next.waits)
		}
	}
	for _, r := range report.Ruled {
		if i, ok := number(r.ID); ok {
			next.ruled[i] = r.Rule - 1
		}
	}
	return next, nil
}

// add adds a part to the tree of a conversation.
func add(x *tree.Editor, g *grown, p *Part, i int) error {
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
	if p.form.left() {
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
		if of := g.calls[p.Call]; p.Kind == "result" {
			if has, err := x.Tree().Has(of); err != nil {
				return err
			} else if has {
				s.Refs = []string{of}
			}
		}
	}
	id, err := x.Add(parent, s)
	if err == nil && p.Kind == "call" && p.Call != "" {
		g.calls[p.Call] = id
	}
	return err
}

// born returns the blocks that came at a cycle: the first commit is that of cycle 1.
func (g *grown) born(cycle int64) (ids []string) {
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
func (g *grown) number(id string) (int, bool) {
	i, ok := number(id)
	return i, ok && i < g.from
}

// released returns the numbers of the parts that a commit would remove if nothing held it back: of those that
// wait, the ones that no protection keeps. It costs much more than to ask what waits.
func (c *Rules) released(ctx context.Context, g *grown) (map[int]bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.goes != nil {
		return g.goes, nil
	}
	in := g.last
	in.Hold = false
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
	g, err := c.grownTo(ctx, q.Parts, q.room, func() bool { return false })
	if err != nil {
		return nil, err
	}
	t := g.last.Working
	var fresh []string
	for i := g.from; i < len(q.Parts); i++ {
		fresh = append(fresh, "p"+strconv.Itoa(i))
	}
	found := make([][]int, len(c.rules))
	for n, rule := range c.rules {
		ids, err := rule.Find(ctx, t, fresh, !rule.Steady)
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
