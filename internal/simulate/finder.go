package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
)

// finder collects facts about the calls of a run.
type finder struct {
	run      *run
	blocks   map[string]int64    // the tokens of the blocks that a call sent, as the counter counts them
	sent     int64               // of all these
	fresh    float64             // the part of what the call sent that the call before had not
	scales   float64             // the sum of the scales of the calls so far
	number   int64               // how many these are
	carried  map[string]*carried // results and definitions of tools, by id
	kept     int64               // tokens of the results that the last call sent
	calls    map[string]string   // the result of a call, by tool and arguments
	used     map[string]bool     // the tools that were called
	said     map[string]bool     // the words of answers
	started  map[string]bool     // the skills that the user started
	lost     map[string]int      // the finding about a compaction that a result was lost in
	uncached uncached
	told     *inspect.ProviderCache // what the provider counted of the current call, nil while the run is replayed
	list     []Finding
}

// carried is a block, and how long it was sent.
type carried struct {
	node   *tree.Node
	tool   string
	tokens int64   // as the counter counts them
	from   float64 // finder.scales before the first call that sent it
	calls  int64   // finder.number then; once it is gone, how many calls sent it
	scale  float64 // at that call
	total  float64 // tokens in all calls, once it is gone
	quoted bool
	has    []instruction // skills and files of instructions in it
	// quotable are the bytes of its lines that count as a quotation. Short values in JSON do not: an answer may have
	// them by chance.
	quotable int
	gone     bool
}

// call adds a call.
func (f *finder) call(p *passedCall) error {
	r, s := f.run, &p.new
	for _, n := range p.said {
		for _, id := range n.of {
			if c := f.carried[id]; c != nil && n.text != "" {
				c.quoted = true
			}
		}
	}
	fresh, err := f.sizes(p)
	if err != nil {
		return err
	}
	lost := f.ended(s.Gone)
	if f.told != nil && f.told.In != nil && f.sent > 0 {
		r.meter.ratio = float64(*f.told.In) / float64(f.sent)
	}
	f.fresh = float64(fresh) / float64(max(f.sent, 1))
	f.noteCompaction(p.now, lost)
	for _, e := range s.Added {
		if e.Class() == tree.Block && e.Node().Kind != toolcall.Call {
			if err := f.carry(p.now, e.Node()); err != nil {
				return err
			}
		}
	}
	for _, e := range s.Added {
		if n := e.Node(); n.Kind == toolcall.Call && e.Class() == tree.Block {
			if err := f.noteRepeat(p.now, n); err != nil {
				return err
			}
		}
	}
	f.scales += r.scale()
	f.number++
	return nil
}

// sizes counts the blocks that came or changed. fresh is how many tokens of them the call before had not sent.
func (f *finder) sizes(p *passedCall) (fresh int64, err error) {
	moved := map[string]int{} // contents that the call before had and that went from their place
	for _, id := range p.new.Gone {
		n, err := p.before.Node(id)
		if err != nil {
			return 0, err
		}
		moved[key(n)]++
	}
	for _, e := range slices.Concat(p.new.Added, p.new.Changed) {
		if e.Class() != tree.Block {
			continue
		}
		n := e.Node()
		path, err := p.now.Path(n.ID)
		if err != nil {
			return 0, err
		}
		part, err := f.run.part(p.now, n, path[1].Class())
		if err != nil {
			return 0, err
		}
		f.sent += part.tokens - f.blocks[n.ID]
		f.blocks[n.ID] = part.tokens
		if k := key(n); moved[k] > 0 {
			moved[k]--
		} else {
			fresh += part.tokens
		}
	}
	return fresh, nil
}

// ended notes which blocks are sent no more, and returns the results of tools among them.
func (f *finder) ended(gone []string) (results []*carried) {
	for _, id := range gone {
		f.sent -= f.blocks[id]
		delete(f.blocks, id)
		if c := f.carried[id]; c != nil && !c.gone {
			f.noteUnsent(c)
			if c.node.Kind == toolcall.Result {
				results = append(results, c)
			}
		}
	}
	return results
}

// noteCompaction notes a compaction: a call that leaves out most of the results that the one before sent.
func (f *finder) noteCompaction(now *tree.Tree, results []*carried) {
	lost := int64(0)
	for _, c := range results {
		lost += c.tokens
	}
	if f.kept -= lost; lost <= f.kept {
		return
	}
	for _, c := range results {
		f.lost[c.node.ID] = len(f.list)
	}
	scaled := f.scaled(lost)
	f.list = append(f.list, Finding{What: CompactLost, Cycle: now.Cycle(), Tokens: &scaled, Says: fmt.Sprintf(
		"call %d left out %s of %s that the call before had sent", now.Cycle(), view.Plural(len(results), "result"), tokens(scaled))})
}

// carry notes a block that calls are sent from now on, if it is one that findings are about.
func (f *finder) carry(now *tree.Tree, n *tree.Node) error {
	r := f.run
	tool, err := toolcall.Name(r.ctx, now, n)
	if err != nil {
		return err
	}
	if n.RoleIn(tree.Seq) == "assistant" {
		f.noteWords(n)
		return nil
	}
	has := f.instructions(n)
	if n.Kind != toolcall.Result && n.Kind != toolcall.Definition && len(has) == 0 {
		return nil
	}
	c := &carried{node: n, tool: tool, has: has, tokens: f.blocks[n.ID], from: f.scales, calls: f.number, scale: r.scale()}
	f.carried[n.ID] = c
	if n.Kind == toolcall.Result {
		f.kept += c.tokens
		for _, line := range linesOf(r, n) {
			c.quotable += len(line.bare)
		}
	}
	return nil
}

// scaled returns tokens as the provider counts them at the current call.
func (f *finder) scaled(n int64) int64 { return int64(float64(n)*f.run.scale() + 0.5) }

// key is equal for blocks that say the same.
func key(n *tree.Node) string {
	if n.HashOK {
		return n.Kind + string(n.Hash[:])
	}
	return n.Kind + n.ID
}

// noteUnsent notes that a block is sent no more.
func (f *finder) noteUnsent(c *carried) {
	c.gone, c.total, c.calls = true, float64(c.tokens)*(f.scales-c.from), f.number-c.calls
}

// noteRepeat notes a call that was made before, if both results are the same.
func (f *finder) noteRepeat(t *tree.Tree, n *tree.Node) error {
	key, tool, err := callKey(f.run, t, n)
	if err != nil {
		return err
	}
	f.used[tool] = true
	f.noteWords(n)
	results, err := toolcall.Partners(t, n)
	for _, result := range results {
		before := f.carried[f.calls[key]]
		switch at, lost := f.lost[f.calls[key]]; {
		case before == nil:
		case shortened(f.run, before.node):
			sent := f.scaled(f.blocks[result.ID])
			f.list = append(f.list, Finding{What: PolicyCost, Cycle: t.Cycle(), Node: n.ID, Tokens: &sent, Cost: f.cost(0, sent),
				Says: fmt.Sprintf("the policy had shortened %s, and call %d asked for it again: %s", view.Visible(before.node.ID), t.Cycle(), tokens(sent))})
		case lost:
			delete(f.lost, before.node.ID)
			found := &f.list[at]
			found.Says += fmt.Sprintf("; call %d asked for %s again", t.Cycle(), view.Visible(before.node.ID))
			if paid := f.cost(0, f.scaled(f.blocks[result.ID])); paid != nil {
				sum := valueOf(found.Cost) + *paid
				found.Cost = &sum
			}
		case before.node.SameContent(result):
			sent := f.scaled(before.tokens)
			f.list = append(f.list, Finding{What: CalledAgain, Cycle: t.Cycle(), Node: n.ID, Tokens: &sent, Cost: f.cost(0, sent),
				of: []string{result.ID}, Says: fmt.Sprintf("%s was called with the same arguments as before, and said the same %s: %s, %s",
					view.Visible(tool), tokens(sent), view.Visible(before.node.ID), view.Visible(result.ID))})
		}
		f.calls[key] = result.ID
	}
	return err
}

// shortened reports whether a policy had shortened a result before it was sent.
func shortened(r *run, n *tree.Node) bool {
	content, err := n.Content.Value(r.ctx)
	return err == nil && strings.Contains(string(content), commit.OnlyPact)
}

// answer notes what the last answer says and calls, which no call has sent.
func (f *finder) answer(t *tree.Tree) error {
	for at, err := range t.Blocks(0) {
		if err != nil {
			return err
		}
		n := at.Node()
		if n.RoleIn(tree.Seq) != "assistant" {
			continue
		}
		f.noteWords(n)
		if n.Kind == toolcall.Call {
			tool, err := toolcall.Name(f.run.ctx, t, n)
			if err != nil {
				return err
			}
			f.used[tool] = true
		}
	}
	return nil
}

// found returns the findings about the whole run: the blocks that it carried for nothing.
func (f *finder) found() []Finding {
	list := f.list
	var unused []*carried
	for _, c := range f.carried {
		if !c.gone {
			f.noteUnsent(c)
		}
		switch {
		case c.node.Kind == toolcall.Definition && !f.used[c.tool] && c.tool != "":
			unused = append(unused, c)
		case c.node.Kind == toolcall.Result && !c.quoted && c.calls >= 10 && 2*c.quotable >= c.node.Content.Size():
			one := f.paid(c)
			one.What, one.Cycle, one.of = CarriedLong, c.node.Cycle, []string{c.node.ID}
			one.Says = fmt.Sprintf("the result %s of %s, %s, was sent with %s, and no answer has a line of it", view.Visible(c.node.ID),
				view.Visible(c.tool), tokens(int64(float64(c.tokens)*c.scale+0.5)), view.Plural(int(c.calls), "call"))
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Cycle, b.Cycle))
	})
	if len(unused) > 0 {
		list = append(list, f.unused(unused))
	}
	return append(list, f.ignored()...)
}

// unused describes the tools that were defined for nothing, the largest first.
func (f *finder) unused(list []*carried) Finding {
	slices.SortFunc(list, func(a, b *carried) int {
		return cmp.Or(cmp.Compare(b.total, a.total), cmp.Compare(a.node.ID, b.node.ID))
	})
	all := Finding{What: ToolUnused, Node: list[0].node.ID, Tokens: new(int64)}
	var names []string
	calls := int64(0)
	for _, c := range list {
		one := f.paid(c)
		all.add(&one)
		all.of, calls = append(all.of, c.node.ID), max(calls, c.calls)
		if !slices.Contains(names, c.tool) {
			names = append(names, c.tool)
		}
	}
	all.Says = fmt.Sprintf("%s defined in %s for %s and never called: %s", were(len(names), "tool"), view.Plural(int(calls), "call"),
		tokens(*all.Tokens), firstOf(names))
	return all
}

// paid returns the cost of a block in all calls that sent it: one write, and reads.
func (f *finder) paid(c *carried) Finding {
	all, once := int64(c.total+0.5), int64(float64(c.tokens)*c.scale+0.5)
	return Finding{Node: c.node.ID, Tokens: &all, Cost: f.cost(max(all-once, 0), min(all, once))}
}

// cost returns the cost of reading some tokens from the cache and writing others, nil without a price.
func (f *finder) cost(read, written int64) *float64 {
	all := read + written
	told := &inspect.ProviderCache{In: &all, Read: &read, Written: &written}
	if f.run.hour {
		told.Written1h = &written
	}
	return f.run.prices.Paid(f.run.model, told)
}

// extra returns how much more a request of so many tokens cost, of which some were written again, than if all were read:
// at the prices for a request of its length.
func (f *finder) extra(sent, again int64) *float64 {
	write, read := f.cost(sent-again, again), f.cost(sent, 0)
	if write == nil {
		return nil
	}
	extra := max(0, *write-*read)
	return &extra
}
