package query_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/selector"
)

const (
	v01       = selector.V01
	depth     = selector.Depth
	canonical = selector.Canonical
)

func TestPositions(t *testing.T) {
	answers{
		// A depth is the container there, wherever it is.
		{canonical, "(d1)", "new"},
		{canonical, "(d0)", "ah"},
		{canonical, "(d-1)", "sys"},
		{canonical, "(d3)", ""},
		{canonical, "(depth(-1,1-2))", "sys new old"},
		{depth, "(depth(>=0))", "old new ah"},
		{canonical, "(d1[role='user'])", ""},
		// seg is a filter on what one has come to; first it is every turn.
		{canonical, "(d1, seg)", "new"},
		{canonical, "(d0, mt)", "ah"},
		{canonical, "(d-1, seg)", "sys"},
		{canonical, "(depth(<0), seg)", "sys"},
		{canonical, "(d-1, seg, *:block)", "policy"},
		{canonical, "(cont, d1)", ""},
		// A depth behind another hop is a filter too; behind seg alone it says which.
		{canonical, "(seg, d1)", "new"},
		{canonical, "(seg, d0)", "ah"},
		{canonical, "(seg, depth(<0))", "sys"},
		{canonical, "(seg, d2, 0:cb)", "ask reply"},
		{canonical, "(seg[cycle=4], depth(1-2))", "old"},
		{canonical, "(d1, d1)", "new"},
		{canonical, "(d1, d2)", ""},
		{canonical, "(d1, cont, d1)", ""},
		{canonical, "(0, d-1)", "sys"},
		{canonical, "(seg, depth(>0)):first", "old"},
		{canonical, "(d2, seg[cycle=4])", "old"},
		{canonical, "(d2, seg{cycle=9})", ""},
		{canonical, "(seg)", "new old"},
		{depth, "(mt, mc)", "extra core"},
		{canonical, "(cont, seg)", ""},
		// Containers are children; an elided core is one and is not returned.
		{canonical, "(d1, cont)", "core"},
		{canonical, "(d2, cont)", "extra"},
		{canonical, "(d2, cont[offset=0])", ""},
		{canonical, "(d2, cont[offset=0], *:block)", "ask reply"},
		{canonical, "(d2, cont, *:block)", "ask reply note"},
		{canonical, "(d1, cont, *:block)", "call result"},
		{canonical, "(d0, cont[offset=0], *:block[role=user])", "draft"},
		{canonical, "(d-1, cont, block)", "rule"},
		// Blocks are children; an explicit core is a hop of its own.
		{canonical, "(d2, *:block)", "before ask reply"},
		{canonical, "(d1, *:block)", "after"},
		{canonical, "(d2, -1:block)", "before"},
		{canonical, "(d2, 0:cb)", "ask reply"},
		{canonical, "(d1, 0, 2:block.note)", "result"},
		{canonical, "(d-1, *:block[role=\"system\"])", "policy"},
		// An offset is any child there; 0 is the elided core as well.
		{canonical, "(d2, 0)", "ask reply"},
		{canonical, "(d2, 0, *:block)", "ask reply"},
		{canonical, "(d1, 0)", "core"},
		{canonical, "(d1, 0, *:block)", "call result"},
		{canonical, "(d2, 1)", "extra"},
		{canonical, "(d2, 0):first", "ask"},
		{canonical, "(d2, 0{kind=call}, *:block)", ""},
		// Searches as hops.
		{canonical, "(d2, ?{tag=x})", "ask"},
		{canonical, "(d2, ??{tag=x})", "ask note"},
		{canonical, "(d2, ?{offset=1}, ?{tag=y})", "note"},
		{canonical, "(?{id=sys}, *:block)", "policy"},
		{canonical, "(??{kind=note})", "rule result note"},
		{canonical, "(cont)", ""},
		{canonical, "(0)", "sys seq ah"},
		{canonical, "(0, 0)", "policy group new old draft"},
		{canonical, "(*:block)", ""},
		// What stands behind a position applies to its last hop.
		{canonical, "(d2, *:block) {role=user}", "ask"},
		{canonical, "(d2, *:block) [role=user]", "ask"},
		{canonical, "(d2, *:block) +x", "ask"},
		{canonical, "(d2, *:block):post", ""},
		{canonical, "(d2, *:block):last", "reply"},
		{canonical, "(seg, *:block):first", "after before"},
		{canonical, "(d2, *:block):nth(2)", "ask"},
		{canonical, "(d2, *:block):first{role=user}", ""},
		{canonical, "(depth(1-2)):depth(2)", "old"},
		// Combinators go on from there.
		{canonical, "(d2) > .block", "before ask reply"},
		{canonical, "(d2) .block", "before ask reply note"},
		{canonical, "(d2) :pre", "before"},
		{canonical, "(d1) ? {offset=1}", "after"},
		{canonical, "(d1) ?? {kind=call}", "call"},
		{canonical, "(d1, cont), (d2, cont)", "core extra"},
		// One hop needs no parentheses.
		{canonical, "d1", "new"},
		{canonical, "d2 > .block", "before ask reply"},
		{depth, "mt", "old new"},
		{canonical, "seg{cycle=6}", "new"},
		{canonical, "seg {cycle=6}", "new"},
	}.check(t, garden(t))
}

func TestSearches(t *testing.T) {
	answers{
		{canonical, "? {offset=0}", "sys seq ah"},
		{canonical, "? {cycle=6}", "ah"},
		{canonical, "?? {offset=0}", "sys policy group rule seq new core call old ask reply ah draft"},
		{canonical, "?? {kind=note}", "rule result note"},
		{canonical, "?? {kind=note} [role=tool]", "result"},
		{canonical, "?? {kind=note}:first", "rule result note"},
		{canonical, "?? {type=block}:first", "policy rule call after before note draft"},
		{canonical, "?? {type=cont} > .block", "rule call result ask reply note draft"},
		{canonical, "within(d2) ?? {role=user}", "ask"},
		{canonical, "within(d1, d2) ?? {tag=x}", "after ask note"},
		{canonical, "within(d0, d-1) ?? {type=block}", "policy rule draft"},
		{canonical, "within(d1) ?? {type=seg}", ""},
		{canonical, "^seq ? {cycle=4}", "old"},
		{canonical, "^seq ?? {cycle=4}", "old before ask reply"},
		{canonical, "^seq ?? {cycle=4} ? {role=user}", "ask"},
		{canonical, "+x", "after ask note"},
		{canonical, "+x +y", "after note"},
		{canonical, "+y {role=user}", "after"},
		{canonical, "+x > *", ""},
		{canonical, ".seg +x", ""},
		{canonical, ".block +x", "after ask note"},
		{depth, "+y:last", "note result after"},
	}.check(t, garden(t))
}

// The root and its regions are matched by "*" and by filters alone, the root
// by no search.
func TestSearchesLeaveTheRootOut(t *testing.T) {
	tr := plant(t, 1, `
^root root tags=x
 ^sys sys tags=x
  block a tags=x
`)
	answers{
		{canonical, "+x", "sys a"},
		{canonical, "?? {tag=x}", "sys a"},
		{canonical, "? {tag=x}", "sys"},
		{canonical, "[tag=x]", "root sys a"},
		{canonical, "*[tag=x]", "root sys a"},
		{canonical, "^root +x", "root"},
	}.check(t, tr)
}

func TestDerivedFacets(t *testing.T) {
	answers{
		{canonical, "@t0 [depth=1]", "new core call result after"},
		{canonical, "@t0 .block[depth=0]", "draft"},
		{canonical, "@t0 [depth=-1]", "sys policy group rule"},
		{canonical, "@t0 [depth=null]", "root seq"},
		{canonical, "@t0 .seg[depth>1]", "old"},
		{canonical, "@t0 .seg[depth!=1]", "old"},
		{canonical, "@t0 .block[depth=[0,2]]", "before ask reply note draft"},
		{depth, "@t0 .cb[depth<1]", "policy rule draft"},
		{canonical, "@t0 [sdepth=0]", "root"},
		{canonical, "@t0 [sdepth=1]", "sys seq ah"},
		{canonical, "@t0 .block[sdepth=3]", "rule after before ask reply"},
		{canonical, "@t0 .cont[sdepth=3] > .block[sdepth=4]", "call result note"},
		{canonical, "@t0 .cont[sdepth=3] > .block[sdepth=3]", "ask reply"}, // an elided core is no level
		{canonical, "@t0 [born_turn=5]", "extra note"},
		{canonical, "@t0 .block[age<1]", "after draft"},
		{canonical, "@t0 .block[age='1']", "call result"},
		{canonical, "@t0 .block[age>=4]", "policy rule"},
		{canonical, "@t0 (d2, *:block) [age=3]", "before ask reply"},
	}.check(t, garden(t))
}

func TestTooManySteps(t *testing.T) {
	hops := "(d1" + strings.Repeat(", cont", 60) + ")"
	for text, fits := range map[string]bool{
		hops + " > * > * > *":                                       true,
		hops + " > * > * > * > *":                                   false,
		"+x" + strings.Repeat(" > *", selector.MaxSteps-2):          true,
		"+x" + strings.Repeat(" > *", selector.MaxSteps-1):          false,
		"*" + strings.Repeat(" > *", selector.MaxSteps-1):           true,
		"*" + strings.Repeat(" > *", selector.MaxSteps-2) + " :pre": true,
	} {
		_, err := query.Compile(selector.MustParse(text, canonical))
		var f *fault.Error
		switch {
		case fits && err != nil:
			t.Errorf("%s: %v", text, err)
		case !fits && (!errors.As(err, &f) || f.Code != fault.Limit || !strings.Contains(text, f.Token)):
			t.Errorf("%s: got %v, want %s and no token that the text does not have", text, err, fault.Limit)
		}
	}
}

// What is astray among the turns has no depth and takes none from a turn (000
// §3.4): only turns are counted.
func TestStraysHaveNoDepth(t *testing.T) {
	tr := plant(t, 1, `
^root root
 ^sys sys
 ^seq seq
  seg t1
   block a
  block stray
  seg t2
   block b
  cont loose
   block c
 ^ah ah
`)
	answers{
		{v01, ".mt:depth(1)", "t2"},
		{v01, ".mt:depth(2)", "t1"},
		{v01, ".mt:depth(1-4)", "t1 t2"},
		{depth, ".cb:depth(>0)", "a b"},
		{canonical, "(d1, *:block)", "b"},
		{canonical, "(d2)", "t1"},
		{canonical, "(d3)", ""},
		{canonical, "(d1, seg)", "t2"},
		{canonical, "depth(1-2) *", "b a"},
		{canonical, "d1, d2", "t2 t1"},
		{canonical, ".block:depth(-1..9)", "b a"},
		{canonical, ".seg:depth(1-2):first", "t1"},
		{canonical, "^seq > .block", "stray"},
		{canonical, "^seq > :depth(<9)", "t2 t1"},
		{canonical, "@t0 [depth=null]", "root seq loose c stray"},
		{canonical, "@t0 .block[depth!=null]", "b a"},
	}.check(t, tr)
	for text, want := range map[string]string{"(d1, end)": "t2", "(d2, end)": "t1", "(seg, d2, end)": "t1",
		"(d-1, seg, end)": "sys", "(seg, d-1, )": "sys", "(d0, seg, end)": "ah"} {
		pos, err := selector.ParsePosition(text, canonical)
		if err != nil {
			t.Fatal(err)
		}
		if g, err := query.Gap(context.Background(), tr, pos, canonical); err != nil || g.Parent != want {
			t.Errorf("%s: %+v, %v, want %s", text, g, err, want)
		}
	}
	for _, text := range []string{"(d3, end)", "(d1, d2, end)", "(seg, d-1, d0, end)"} {
		pos, err := selector.ParsePosition(text, canonical)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := query.Gap(context.Background(), tr, pos, canonical); !errors.Is(err, fault.NodeNotFound) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The hops of within(…) are alternatives. Each counts as a group against the
// limit, but for depths, which are one.
func TestWithinIsBounded(t *testing.T) {
	for n, want := range map[int]error{200: nil, 256: nil} {
		s := selector.MustParse("within(0"+strings.Repeat(",0", n-1)+") ?? {role=user}", canonical)
		if _, err := query.Compile(s); !errors.Is(err, want) {
			t.Errorf("%d hops: %v", n, err)
		}
	}
	s := selector.MustParse("within(0"+strings.Repeat(",0", 199)+") ?? {role=user}, within(0"+strings.Repeat(",0", 99)+
		") ?? {role=user}", canonical)
	if _, err := query.Compile(s); !errors.Is(err, fault.Limit) {
		t.Errorf("300 alternatives: %v", err)
	}
	s = selector.MustParse("within(d0"+strings.Repeat(",d1", 199)+") ?? {role=user}, within(d0"+strings.Repeat(",d1", 99)+
		") ?? {role=user}", canonical)
	if _, err := query.Compile(s); err != nil {
		t.Errorf("300 depths: %v", err)
	}
}
