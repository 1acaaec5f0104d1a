package query_test

import (
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// fixture is the tree of 001 §6.2: two turns with explicit cores, the newer
// one with two of them, and an active head whose core is elided.
const fixture = `{"root":{"children":[
	{"id":"sys-1","nodeType":"^sys","children":[{"id":"block:sysA","nodeType":"block","role":"system","kind":"text"}]},
	{"id":"seq-1","nodeType":"^seq","children":[
		{"id":"seg:1","nodeType":"seg","children":[
			{"id":"cont:1","nodeType":"cont","children":[{"id":"block:u1","nodeType":"block","role":"user","kind":"text","ttl":2}]},
			{"id":"cont:2","nodeType":"cont","children":[{"id":"block:a1","nodeType":"block","role":"assistant","kind":"text","ttl":1}]}]},
		{"id":"seg:2","nodeType":"seg","children":[
			{"id":"cont:3","nodeType":"cont","children":[{"id":"block:u2","nodeType":"block","role":"user","kind":"text"}]}]}]},
	{"id":"ah-1","nodeType":"^ah","children":[{"id":"block:u3","nodeType":"block","role":"user","kind":"text"}]}]}}`

func fixtureTree(t testing.TB) *tree.Tree {
	t.Helper()
	d, err := document.Read([]byte(fixture), document.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	return d.Tree
}

// TestModelOnTheFixture holds engine and model to results worked out
// by hand, so that they cannot agree on the same mistake.
func TestModelOnTheFixture(t *testing.T) {
	tr := fixtureTree(t)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"@t0 ^sys .block", []string{"block:sysA"}},
		{"@t0 ^seq .seg:depth(1)", []string{"seg:1"}},
		{"@t0 ^seq .seg:depth(1,2)", []string{"seg:1", "seg:2"}},
		{"@t0 ^seq .seg:depth(1-2) .cont > .block", []string{"block:u1", "block:a1", "block:u2"}},
		{"@t0 ^seq .seg:depth(1) > .block", []string{}},
		{"@t0 #block:u2", []string{"block:u2"}},
		{".seg:depth(0)", []string{"ah-1"}},
		{".seg:depth(<=0)", []string{"sys-1", "ah-1"}},
		{".cont:first", []string{"cont:1", "cont:3"}},
		{"(d1)", []string{"seg:1"}},
		{"d2", []string{"seg:2"}},
		{"(d1, cont)", []string{"cont:1", "cont:2"}},
		{"(d1, cont):last", []string{"cont:2"}},
		{"(d1, cont[offset=0], *:block[role=assistant])", []string{"block:a1"}},
		{"(d1, 0)", []string{"cont:1", "cont:2"}},
		{"(d1, 0, *:block)", []string{"block:u1", "block:a1"}},
		{"(d1, *:block)", []string{}},
		{"(d1, seg, ??{role=user})", []string{"block:u1"}},
		{"(d0, cont)", []string{}},
		{"(d0, cont, *:block)", []string{"block:u3"}},
		{"(d0, cont) > .block", []string{"block:u3"}},
		{"(d0, 0)", []string{"block:u3"}},
		{"(d0, 0, *:block)", []string{"block:u3"}},
		{"(d0, *:block) { role=system }", []string{}},
		{"(seg)", []string{"seg:1", "seg:2"}},
		{"seg ? {type=cont}", []string{"cont:1", "cont:2", "cont:3"}},
		{"(d0, seg)", []string{"ah-1"}},
		{"(d-1, seg)", []string{"sys-1"}},
		{"(seg, d-1)", []string{"sys-1"}},
		{"(seg, d0, *:block)", []string{"block:u3"}},
		{"(seg, d2)", []string{"seg:2"}},
		{"(?{type='^seq'}, d1)", []string{}},
		{"(?{type='^seq'}, ?{type=seg}, d1)", []string{"seg:1"}},
		{"within(seg) ?? {role=user}", []string{"block:u1", "block:u2"}},
		{"within(d0, seg{id='seg:2'}) ?? {type=block}", []string{"block:u2", "block:u3"}},
		{"within(d2, *:block) ?? {type=block}", []string{"block:u2"}},
		{"within(cont) ?? {type=block}", []string{}},
		{"within(0) ?? {role=system}", []string{"block:sysA"}},
		{"(d-1, *:block)", []string{"block:sysA"}},
		{"? {type=block}", []string{}},
		{"? {type='^ah'}", []string{"ah-1"}},
		{"?? {ttl<=1}", []string{"block:a1"}},
		{"within(d1,d2) ?? {type=block}", []string{"block:u1", "block:a1", "block:u2"}},
		{"within(d1,d-1) ?? {type=seg}", []string{}},
		{"(depth(>=0), ??{type=block}) @order=turn:asc,pre", []string{"block:u2", "block:u1", "block:a1", "block:u3"}},
		{"^seq * @order=post", []string{"block:u1", "cont:1", "block:a1", "cont:2", "seg:1", "block:u2", "cont:3", "seg:2"}},
		{".block @order=bfs", []string{"block:sysA", "block:u3", "block:u1", "block:a1", "block:u2"}},
		{".block @order=path", []string{"block:u3", "block:u1", "block:a1", "block:u2", "block:sysA"}},
		{".block @limit=2 @p=2", []string{"block:a1", "block:u2"}},
		{".block @p=3 @limit=2 @first", []string{"block:u3"}},
		{".block @limit=0", []string{}},
		{"@t0 .block[sdepth=2]", []string{"block:sysA", "block:u3"}},
		{"@t0 [depth=-1]", []string{"sys-1", "block:sysA"}},
		{"@t0 .block[depth=1]", []string{"block:u1", "block:a1"}},
		{"@t0 [depth=null]", []string{"root", "seq-1"}},
		{"@t0 [sdepth=0]", []string{"root"}},
	} {
		s := selector.MustParse(c.text, selector.Canonical)
		w := flatten(tr, selector.Canonical)
		if got := idsOf(window(s, w.selection(s))); !slices.Equal(got, c.want) {
			t.Errorf("%s: the model gives %q, want %q", c.text, got, c.want)
		}
		plan, result := runPlan(t, tr, s)
		result.Nodes = plan.Window(result.Nodes)
		if got := result.IDs(); !slices.Equal(got, c.want) {
			t.Errorf("%s: the engine gives %q, want %q", c.text, got, c.want)
		}
	}
}

// TestNumbersAreReadExactly compares JSON with numbers that no float holds, and
// with texts that are nearly numbers. Each case is a value and a filter.
func TestNumbersAreReadExactly(t *testing.T) {
	for _, c := range []struct {
		value  canon.Value
		filter string
		found  bool
	}{
		{"1e-07", "[data_x=0.0000001]", true},
		{"1e-07", "[data_x<0.0000001]", false},
		{"1e+23", "[data_x=100000000000000000000000]", true},
		{canon.Value("5" + zeros), "[data_x<5]", false},
		{canon.Value("5" + zeros), "[data_x=5" + zeros + "]", true},
		{canon.Value("5" + zeros), "[data_x!=5" + zeros + ".0]", false},
		{"5", "[data_x=5." + zeros + "]", true},
		{"5", "[data_x=5." + zeros + "1]", false},
		{`"1e999"`, "[data_x>5]", true},
		{`"1e999"`, "[data_x<'1e1000']", true},
		{`"9"`, "[data_x<10]", true},
		{`".5"`, "[data_x<0.1]", true}, // no number: as texts
		{`"5."`, "[data_x<5.0]", true},
		{`"5."`, "[data_x>=5.0]", false},
		{`""`, "[data_x<0]", true},
		{"0", "[offset=5." + zeros + "]", true},
		{"0", "[offset<5" + zeros + "]", true},
		{"0", "[offset='5.']", false},
		{"0", "[offset<'5.1']", true},
		{"0", "[offset='05']", true},
	} {
		headers := []tree.Header{{Name: "data_x", Value: c.value}}
		tr, err := tree.Build(1, []tree.Placed{
			{Node: tree.NewNode(tree.Node{ID: "root", Type: "^root", Expiry: tree.Never}, nil), Parent: -1},
			{Node: tree.NewNode(tree.Node{ID: "x", Type: "cb", Offset: 5, Expiry: tree.Never, Headers: headers}, nil),
				Parent: 0},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range editions {
			s := selector.MustParse(".cb"+c.filter, e)
			_, result := runPlan(t, tr, s)
			naive := len(flatten(tr, e).selection(s)) == 1
			if got := len(result.Nodes) == 1; got != c.found || naive != c.found {
				t.Errorf("%s: %.30s %.30s: the engine says %v, the model %v", e, c.value, c.filter, got, naive)
			}
		}
	}
}
