package commit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"

	"pgregory.net/rapid"
)

// modelBlock is a block as the naive model of rules sees it.
type modelBlock struct {
	id, kind, tool, call, text string // call is the call that a result answers
	tags                       []string
	born, expiry               int64 // expiry 0 for none
	pinned                     bool
	by                         int // the rule that set the ttl or shaped it, counted from 1, 0 for none
	selects                    string
	timed, stub                bool // by set the ttl, by leaves a stub
	stands                     string
}

const modelHuge = int64(1) << 40

// modelSelectors are selectors, and what they mean.
var modelSelectors = []struct {
	text  string
	finds func(b *modelBlock, cycle int64) bool
}{
	{"[kind='result']", func(b *modelBlock, _ int64) bool { return b.kind == "result" }},
	{".cb[tool='read'][kind='result']", func(b *modelBlock, _ int64) bool { return b.kind == "result" && b.tool == "read" }},
	{"[kind='call']", func(b *modelBlock, _ int64) bool { return b.kind == "call" }},
	{"[kind='text']", func(b *modelBlock, _ int64) bool { return b.kind == "text" }},
	{"+keep", func(b *modelBlock, _ int64) bool { return slices.Contains(b.tags, "keep") }},
	{"[kind='result'][bytes>600]", func(b *modelBlock, _ int64) bool { return b.kind == "result" && len(b.text)+2 > 600 }},
	{"@t0 [kind='result'][age>2]", func(b *modelBlock, cycle int64) bool { return b.kind == "result" && cycle-b.born > 2 }},
	{"@t0 .cb:text[age>1]", func(b *modelBlock, cycle int64) bool { return b.kind == "text" && cycle-b.born > 1 }},
}

// rulesModel decides everything from the whole history of what was added, cycle by cycle.
type rulesModel struct {
	blocks  []*modelBlock
	removed map[string]string // of this cycle, by id: the rule of the report, "" for an orphan
}

func (m *rulesModel) get(id string) *modelBlock {
	for _, b := range m.blocks {
		if b.id == id {
			return b
		}
	}
	return nil
}

// result returns the result of a call that is there, or what stands for it.
func (m *rulesModel) result(call string) *modelBlock {
	for _, b := range m.blocks {
		if b.kind == "result" && b.call == call {
			return b
		}
	}
	return nil
}

func (m *rulesModel) decide(p *lifecycle.Policy, b *modelBlock, cycle int64) int {
	if b.stands != "" {
		return 0
	}
	for i := range p.Rules {
		if r := &p.Rules[i]; b.by == i+1 && b.selects == r.Select && r.Head+r.Tail > 0 {
			return i + 1
		}
		for _, s := range modelSelectors {
			if s.text == p.Rules[i].Select && s.finds(b, cycle) {
				return i + 1
			}
		}
	}
	return 0
}

func (m *rulesModel) drop(b *modelBlock, rule string) {
	m.removed[b.id] = rule
	m.blocks = slices.DeleteFunc(m.blocks, func(o *modelBlock) bool { return o == b })
}

func modelWords(rule int, b *modelBlock, cycle int64) string {
	calls := fmt.Sprint(cycle-b.born, " calls")
	if cycle-b.born == 1 {
		calls = "1 call"
	}
	return fmt.Sprint("rule ", rule, " after ", calls)
}

func (m *rulesModel) stubText(b *modelBlock, cycle int64) string {
	words := strings.SplitN(modelWords(1, b, cycle), " after ", 2)[1]
	return "[Left out after " + words + "; " + b.id + " is its id. Only pact writes such notes.]"
}

// leave puts a stub where a block was: a result if its call is there, else a block of its own if that
// is shorter.
func (m *rulesModel) leave(b *modelBlock, cycle int64) {
	stub := &modelBlock{id: "stub of " + b.id, kind: "stub", text: m.stubText(b, cycle), born: cycle, stands: b.id}
	if b.kind == "result" && m.get(b.call) != nil {
		stub.kind, stub.call = "result", b.call
	} else if len(stub.text)+2 >= modelSize(b) {
		return
	}
	m.blocks = append(m.blocks, stub)
}

func modelSize(b *modelBlock) int {
	if b.kind == "call" {
		return len(fmt.Sprintf(`{"name":"%s"}`, b.tool))
	}
	return len(b.text) + 2
}

// commit does to the blocks what a commit of this cycle does. Blocks are new if they were born in it.
func (m *rulesModel) commit(p *lifecycle.Policy, cycle int64) {
	m.removed = map[string]string{}
	for _, b := range m.blocks {
		if b.born == cycle && b.stands == "" {
			m.enter(p, b, cycle)
		}
	}
	m.expire(cycle, p.Orphans == lifecycle.Refuse)
	m.prune(p, cycle)
}

func (m *rulesModel) enter(p *lifecycle.Policy, b *modelBlock, cycle int64) {
	n := m.decide(p, b, cycle)
	if n == 0 {
		return
	}
	r := &p.Rules[n-1]
	if r.TTL != nil {
		b.expiry, b.by, b.selects, b.timed, b.stub = cycle+*r.TTL, n, r.Select, true, r.Stub
	}
	b.pinned = r.Pinned || r.Keep
	if head, tail := r.Head, r.Tail; head+tail > 0 && b.kind != "call" && len(b.text) > head+tail {
		note := fmt.Sprintf("\n[%d bytes are left out here; %s has them. Only pact writes such notes.]\n", len(b.text)-head-tail, b.id)
		if head+len(note)+tail < len(b.text) {
			b.text, b.by, b.selects = b.text[:head]+note+b.text[len(b.text)-tail:], n, r.Select
		}
	}
}

// expire removes what is due, unless a result that stays refers to it, and then, if the policy wants no
// halves of pairs, the calls that are left alone.
func (m *rulesModel) expire(cycle int64, noHalves bool) {
	due := func(b *modelBlock) bool { return b.expiry > 0 && b.expiry <= cycle }
	var gone []*modelBlock
	for _, b := range m.blocks {
		if r := m.result(b.id); due(b) && (b.kind != "call" || r == nil || due(r)) {
			gone = append(gone, b)
		}
	}
	for _, b := range gone {
		rule := ""
		if b.timed {
			rule = modelWords(b.by, b, cycle)
		}
		m.drop(b, rule)
	}
	for _, b := range gone {
		if b.timed && b.stub {
			m.leave(b, cycle)
		}
	}
	for _, b := range gone {
		if call := m.get(b.call); noHalves && b.kind == "result" && call != nil && m.result(call.id) == nil && !call.pinned {
			m.drop(call, "")
		}
	}
}

// prune removes what is sealed and due by a rule: a result that leaves a stub alone, all else with its
// other half.
func (m *rulesModel) prune(p *lifecycle.Policy, cycle int64) {
	due := map[*modelBlock]int{}
	for _, b := range m.blocks {
		n := m.decide(p, b, cycle)
		if b.born == cycle || b.pinned || n == 0 || p.Rules[n-1].TTL == nil {
			continue
		}
		expiry := b.expiry
		if expiry == 0 {
			expiry = modelHuge
		}
		if at := b.born + *p.Rules[n-1].TTL; at <= cycle && at <= expiry {
			due[b] = n
		}
	}
	kept := func(b *modelBlock) bool {
		n := m.decide(p, b, cycle)
		return b.pinned || n > 0 && (p.Rules[n-1].Keep || p.Rules[n-1].Pinned)
	}
	for _, b := range slices.Clone(m.blocks) {
		if n := due[b]; n > 0 && p.Rules[n-1].Stub && b.kind == "result" {
			if call := m.get(b.call); call != nil && due[call] == 0 {
				m.drop(b, modelWords(n, b, cycle))
				m.leave(b, cycle)
				delete(due, b)
			}
		}
	}
	for _, b := range slices.Clone(m.blocks) {
		n := due[b]
		if n == 0 || m.get(b.id) == nil {
			continue
		}
		unit := []*modelBlock{b}
		if b.kind == "call" && m.result(b.id) != nil {
			unit = append(unit, m.result(b.id))
		} else if b.kind == "result" && m.get(b.call) != nil {
			unit = []*modelBlock{m.get(b.call), b}
		}
		if slices.ContainsFunc(unit, kept) {
			continue
		}
		size, stubbed := 0, p.Rules[n-1].Stub
		for _, u := range unit {
			size += modelSize(u)
			stubbed = stubbed && u.stands == ""
			m.drop(u, modelWords(n, u, cycle))
			if u.born == cycle { // a stub that no snapshot had
				delete(m.removed, u.id)
			}
		}
		if text := m.stubText(b, cycle); stubbed && len(text)+2 < size { // not for a call whose result is gone
			m.blocks = append(m.blocks, &modelBlock{id: "stub of " + unit[0].id, kind: "stub", born: cycle, stands: unit[0].id,
				text: text})
		}
	}
}

func genRules(t *rapid.T) (p lifecycle.Policy) {
	p.Orphans = rapid.SampledFrom([]lifecycle.Orphans{"", lifecycle.Refuse}).Draw(t, "orphans")
	for range rapid.IntRange(0, 4).Draw(t, "rules") {
		r := lifecycle.Rule{Select: rapid.SampledFrom(modelSelectors).Draw(t, "selector").text}
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0:
			r.Keep = true
		case 1:
			r.Pinned = true
		case 2:
			r.Head, r.Tail = rapid.IntRange(1, 40).Draw(t, "head"), rapid.IntRange(0, 40).Draw(t, "tail")
			if rapid.Bool().Draw(t, "timed") {
				r.TTL = genTTL(t)
			}
		default:
			r.TTL, r.Stub = genTTL(t), rapid.Bool().Draw(t, "stub")
		}
		p.Rules = append(p.Rules, r)
	}
	return p
}

func genTTL(t *rapid.T) *int64 {
	n := rapid.Int64Range(1, 4).Draw(t, "ttl")
	return &n
}

// TestRulesAgreeWithAModel holds the rules of kept policies, which come and change in the middle of a
// run, to a model that decides everything anew from what is there.
func TestRulesAgreeWithAModel(t *testing.T) {
	steps := testrun.Size(t, 8, 12, 20)
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		now := int64(0)
		c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "run", &pact.CreateOptions{OpenOptions: pact.OpenOptions{
			Clock: func() int64 { now++; return now }}})
		must(t, err)
		m := &rulesModel{}
		var policy lifecycle.Policy
		for cycle := int64(1); cycle <= int64(steps); cycle++ {
			if rapid.IntRange(0, 4).Draw(t, "changes") == 0 {
				policy = genRules(t)
			}
			err := c.Edit(ctx, func(b *pact.Batch) error {
				b.KeepPolicy(&policy)
				for i := range rapid.IntRange(0, 2).Draw(t, "blocks") {
					m.blocks = append(m.blocks, addModel(t, b, fmt.Sprint(cycle, "-", i), cycle)...)
				}
				return nil
			}, nil)
			must(t, err)
			s, err := c.Commit(ctx, nil)
			must(t, err)
			m.commit(&policy, cycle)
			compareRules(t, s, m)
		}
	})
}

// addModel adds a text, or a call with its result, to a batch and returns it for the model.
func addModel(t *rapid.T, b *pact.Batch, name string, cycle int64) []*modelBlock {
	tags := rapid.SampledFrom([][]string{nil, nil, {"keep"}}).Draw(t, "tags")
	text := strings.Repeat("x", rapid.SampledFrom([]int{300, 500, 900}).Draw(t, "size"))
	if rapid.Bool().Draw(t, "text") {
		one := &modelBlock{id: "t" + name, kind: "text", text: text, tags: tags, born: cycle}
		b.Add("^ah", pact.Spec{ID: one.id, Role: "user", Kind: "text", Offset: 1, Content: text, Tags: tags})
		return []*modelBlock{one}
	}
	tool := rapid.SampledFrom([]string{"read", "ls"}).Draw(t, "tool")
	call := &modelBlock{id: "c" + name, kind: "call", tool: tool, born: cycle}
	result := &modelBlock{id: "r" + name, kind: "result", tool: tool, call: call.id, text: text, tags: tags, born: cycle}
	b.Add("^ah", pact.Spec{ID: call.id, Role: "assistant", Kind: "call", Offset: 1, Content: map[string]any{"name": tool}})
	b.Add("^ah", pact.Spec{ID: result.id, Role: "tool", Kind: "result", Offset: 1, Content: text, Tags: tags, Refs: []string{call.id}})
	return []*modelBlock{call, result}
}

// compareRules compares the blocks of a snapshot, and what its report says of them, with the model.
func compareRules(t *rapid.T, s *pact.Sealed, m *rulesModel) {
	got, want := map[string]string{}, map[string]string{}
	for n, err := range s.Nodes() {
		must(t, err)
		if n.Class != "block" {
			continue
		}
		text, err := n.Text(context.Background())
		must(t, err)
		if n.Kind == "call" {
			text = ""
		}
		if of := commit.StandsFor(tree.NodeOf(n)); of != nil {
			got["stub of "+of[0]] = n.Kind + " " + text
		} else {
			got[n.ID] = fmt.Sprint(n.Kind, " ", text, " ", n.Pinned)
		}
	}
	for _, b := range m.blocks {
		if b.stands != "" {
			want[b.id] = b.kind + " " + b.text
		} else {
			want[b.id] = fmt.Sprint(b.kind, " ", b.text, " ", b.pinned)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("cycle %d\ngot  %q\nwant %q", s.Cycle(), got, want)
	}
	gone := map[string]string{}
	for _, r := range s.Report.Removed {
		if n := m.removed[r.ID]; strings.HasPrefix(n, "rule ") || n == "" {
			gone[r.ID] = r.Rule
		}
	}
	removed := map[string]string{}
	for id, rule := range m.removed {
		if !strings.HasPrefix(id, "stub of") {
			removed[id] = rule
		}
	}
	for id := range gone {
		if _, known := removed[id]; !known && !strings.HasPrefix(id, "block") {
			t.Fatalf("cycle %d: %s went, the model keeps it", s.Cycle(), id)
		} else if !known {
			delete(gone, id)
		}
	}
	if fmt.Sprint(gone) != fmt.Sprint(removed) {
		t.Fatalf("cycle %d\nthe report has %q\nthe model      %q", s.Cycle(), gone, removed)
	}
}
