package runs

import (
	"cmp"
	"context"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// Comparison is two runs beside each other. Blocks are the same if they say the same, whatever their ids: role, kind,
// text; of a call the tool and its arguments. The answer to the last call of a run, which none has sent, counts too.
type Comparison struct {
	A     Side        `json:"a"`
	B     Side        `json:"b"`
	Parts *Divergence `json:"parts,omitempty"` // nil if the runs send the same as far as both go
	Same  int         `json:"same_blocks"`     // that both runs have, in one order
	Only  []OneSided  `json:"only"`            // the other blocks, in the order of the runs
	Tools []ToolSums  `json:"tools"`           // by name
	// Tokenizer counted the tokens of the tools; an approximation begins with approx:.
	Tokenizer string `json:"tokenizer,omitempty"`
}

// Side is one of two runs.
type Side struct {
	Run    string      `json:"run"`
	Calls  int         `json:"calls"`
	Blocks int         `json:"blocks"`   // that it sent, each once, and of the answer to its last call
	To     view.Totals `json:"to_there"` // of the calls before the one at which the runs part
	After  view.Totals `json:"after"`    // of the others
}

// Divergence is the first call at which two runs part.
type Divergence struct {
	A int64 `json:"a"` // its cycle in either run
	B int64 `json:"b"`
	// Cause is model, or what differs: the kind of the block that A sends there, "left out" or "moved" if one of the
	// runs leaves out what the other goes on sending, or sends it in another order.
	Cause  string `json:"cause"`
	Says   string `json:"says"`              // in a sentence, without its end
	BlockA *Block `json:"block_a,omitempty"` // the first that differs
	BlockB *Block `json:"block_b,omitempty"`
}

// OneSided is a block that one of the runs sent, or left out, and the other did not.
type OneSided struct {
	In string `json:"in"` // a or b
	Block
}

// ToolSums say how often a tool was called and how many tokens its results have, counted once each: of the calls that
// both runs sent before they part, and in either run after.
type ToolSums struct {
	Tool  string  `json:"tool"`
	To    ToolSum `json:"to_there"`
	After struct {
		A ToolSum `json:"a"`
		B ToolSum `json:"b"`
	} `json:"after"`
}

// ToolSum counts calls and the tokens of their results.
type ToolSum struct {
	Calls  int   `json:"calls"`
	Tokens int64 `json:"tokens"` // computed
}

// Compare compares two runs by what they send. Inserted turns shift nothing: the rest stays aligned. The money is by the
// built-in prices or those given. Cost: that of [view.Walk] over both with snapshots, each block once, and O(n log n)
// in their number.
func Compare(ctx context.Context, a, b *pact.Context, prices *record.Prices, counter pact.Counter,
	progress func(done, total int)) (*Comparison, error) {
	var both [2]*run
	for i, c := range []*pact.Context{a, b} {
		var err error
		if both[i], err = read(ctx, c, prices, counter, ignoreCall, progress); err != nil {
			return nil, err
		}
	}
	p := divergenceOf(both[0], both[1])
	r := &Comparison{A: both[0].side(p.at[0]), B: both[1].side(p.at[1]), Parts: p.Divergence, Only: []OneSided{}}
	if counter != nil {
		r.Tokenizer = counter.Name()
	}
	if r.Parts == nil {
		r.Parts = divergenceOfAnswers(both[0], both[1])
	}
	if err := r.Parts.quote(ctx, a, b); err != nil {
		return nil, err
	}
	r.align(slices.Concat(both[0].sent, both[0].last), slices.Concat(both[1].sent, both[1].last))
	r.sum(both, p.at)
	return r, nil
}

// parting is a Parting, nil if there is none, and at which call of either run it or the end of the shorter run is.
type parting struct {
	*Divergence
	at [2]int
}

// divergenceOf finds where two runs part.
func divergenceOf(a, b *run) parting {
	k := 0
	for k < min(len(a.sent), len(b.sent)) && a.sent[k].key == b.sent[k].key {
		k++
	}
	p := parting{at: [2]int{a.callOf(k), b.callOf(k)}}
	for i := range min(len(a.calls), len(b.calls), p.at[0]+1, p.at[1]+1) {
		if x, y := modelOf(a.calls[i]), modelOf(b.calls[i]); x != y && x != "" && y != "" {
			p.at = [2]int{i, i}
			p.Divergence = &Divergence{A: a.calls[i].Cycle, B: b.calls[i].Cycle, Cause: string(provider.CauseModel),
				Says: "the model is " + view.Visible(x) + ", and " + view.Visible(y) + " in " + view.Visible(b.name)}
			return p
		}
	}
	if k == len(a.sent) || k == len(b.sent) {
		return p
	}
	p.Divergence = divergenceAt(&a.sent[k], &b.sent[k], b.name)
	return p
}

func divergenceAt(x, y *Block, name string) *Divergence {
	p := &Divergence{A: x.Call, B: y.Call, Cause: x.What, BlockA: x, BlockB: y, Says: bothInWords(x, y, name)}
	if y.What == leftOut || y.What == moved {
		p.Cause = y.What
	}
	return p
}

func bothInWords(x, y *Block, name string) string {
	return x.InWords() + ", and " + y.InWords() + " in " + view.Visible(name)
}

// divergenceOfAnswers finds where two runs part that send the same as far as both go: at the answer to the last call of
// one. If one goes on, reasoning is passed over, as many programs do not send it again.
func divergenceOfAnswers(a, b *run) *Divergence {
	k, ends := min(len(a.sent), len(b.sent)), [2][]Block{}
	for i, r := range []*run{a, b} {
		ends[i] = slices.DeleteFunc(slices.Concat(r.sent[k:], r.last), func(block Block) bool {
			return block.What == view.KindReasoning.String() && len(a.sent) != len(b.sent)
		})
	}
	for i := range min(len(ends[0]), len(ends[1])) {
		if x, y := &ends[0][i], &ends[1][i]; x.key != y.key {
			return divergenceAt(x, y, b.name)
		}
	}
	return nil
}

// callOf returns at which call a block was sent, the number of calls behind the last block.
func (r *run) callOf(k int) int {
	if k == len(r.sent) {
		return len(r.calls)
	}
	at, _ := slices.BinarySearchFunc(r.calls, r.sent[k].Call, func(s *view.Step, cycle int64) int {
		return cmp.Compare(s.Cycle, cycle)
	})
	return at
}

func modelOf(s *view.Step) string {
	if s.Call == nil {
		return ""
	}
	return s.Call.Model
}

// InWords says what a call sends or leaves out, as a clause.
func (b *Block) InWords() string {
	switch b.What {
	case leftOut:
		return "it leaves out " + b.Begins
	case moved:
		return "it sends " + b.Begins + " in another order"
	}
	kind, _ := view.ParseKind(b.What)
	text := "it sends the "
	if b.Unsent {
		text = "it ends with the "
	}
	text += kind.InWords()
	if b.Tool != "" {
		text += " of " + view.Visible(b.Tool)
	}
	return text + ` "` + view.Visible(b.Begins) + `"`
}

// side sums up a run that parts from another at its call with a number.
func (r *run) side(at int) Side {
	s := Side{Run: r.name, Calls: len(r.calls)}
	for i, call := range r.calls {
		if i < at {
			s.To.Add(call)
		} else {
			s.After.Add(call)
		}
	}
	return s
}

// align pairs the blocks of two runs, and lists those without a partner.
func (r *Comparison) align(a, b []Block) {
	i := 0
	missing := func(upTo int) {
		for ; i < upTo; i++ {
			r.Only = append(r.Only, OneSided{"a", a[i]})
		}
	}
	for j, of := range pairs(a, b) {
		if of < 0 {
			r.Only = append(r.Only, OneSided{"b", b[j]})
			continue
		}
		missing(of)
		if i = of + 1; b[j].What != leftOut && b[j].What != moved {
			r.Same++
		}
	}
	missing(len(a))
	r.A.Blocks, r.B.Blocks = blocksOf(a), blocksOf(b)
}

// blocksOf counts blocks, without the remarks that a call left some out or moved some.
func blocksOf(list []Block) (n int) {
	for i := range list {
		if list[i].What != leftOut && list[i].What != moved {
			n++
		}
	}
	return n
}

// pairs returns for each block of b the block of a that it is aligned with, -1 for none. Blocks that say what no other
// of their run does come first, so that what says the same as an inserted turn stays in its place.
func pairs(a, b []Block) []int {
	type count struct{ a, b int }
	times := map[digest]*count{}
	of := func(key digest) *count {
		if times[key] == nil {
			times[key] = &count{}
		}
		return times[key]
	}
	for i := range a {
		of(a[i].key).a++
	}
	for j := range b {
		of(b[j].key).b++
	}
	alone := func(list []Block) (keys []digest, at []int) {
		for i := range list {
			if c := times[list[i].key]; c.a == 1 && c.b == 1 {
				keys, at = append(keys, list[i].key), append(at, i)
			}
		}
		return keys, at
	}
	keysA, atA := alone(a)
	keysB, atB := alone(b)
	made := slices.Repeat([]int{-1}, len(b))
	fromA, fromB := 0, 0
	between := func(endA, endB int) {
		for j, i := range provider.Align(keysOf(a[fromA:endA]), keysOf(b[fromB:endB])) {
			if i >= 0 {
				made[fromB+j] = fromA + i
			}
		}
		fromA, fromB = endA+1, endB+1
	}
	for j, i := range provider.Align(keysA, keysB) {
		if i >= 0 {
			made[atB[j]] = atA[i]
			between(atA[i], atB[j])
		}
	}
	between(len(a), len(b))
	return made
}

func keysOf(list []Block) []digest {
	keys := make([]digest, len(list))
	for i := range list {
		keys[i] = list[i].key
	}
	return keys
}

// sum sums up the tools of two runs that part at some calls.
func (r *Comparison) sum(both [2]*run, at [2]int) {
	r.Tools = []ToolSums{}
	sums := map[string]*ToolSums{}
	for i, of := range both {
		there := int64(-1) // the cycle at which the runs part, the run ends before without one
		if at[i] < len(of.calls) {
			there = of.calls[at[i]].Cycle
		}
		for _, b := range of.sent {
			if b.Tool == "" || b.What != toolcall.Call && b.What != toolcall.Result {
				continue
			}
			s := sums[b.Tool]
			if s == nil {
				s = &ToolSums{Tool: b.Tool}
				sums[b.Tool] = s
			}
			to := &s.To
			switch {
			case there >= 0 && b.Call >= there && i == 0:
				to = &s.After.A
			case there >= 0 && b.Call >= there:
				to = &s.After.B
			case i == 1:
				continue // both sent it
			}
			if b.What == toolcall.Call {
				to.Calls++
			}
			to.Tokens += b.tokens
		}
	}
	for _, s := range sums {
		r.Tools = append(r.Tools, *s)
	}
	slices.SortFunc(r.Tools, func(a, b ToolSums) int { return cmp.Compare(a.Tool, b.Tool) })
}

// ignoreCall does nothing with a call.
func ignoreCall(*view.Step) error { return nil }
