package selector

import (
	"errors"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// The rows are those of the table in docs/language/editions.md.
func TestTraits(t *testing.T) {
	old := Traits{TurnType: "mt", ContainerType: "mc", BlockType: "cb", SpecVersion: "PACT/0.1.0"}
	depth := old
	depth.DefaultWorking, depth.KindInType, depth.DepthMeansRegions = true, true, true
	depth.KeySets, depth.Extended = true, true
	canonical := depth
	canonical.TurnType, canonical.ContainerType, canonical.BlockType = "seg", "cont", "block"
	canonical.HashIsKey, canonical.NewestFirst, canonical.UntimedNewestFirst, canonical.SpacedFilter = true, true, true, true
	published := canonical
	published.SpecVersion, published.NewestFirst, published.UntimedNewestFirst = "PACT/1.0.0", false, false
	published.T0Working, published.KeyOnly, published.Bare, published.ParentIDs = true, true, true, true
	published.KindInType, published.Fragments, published.NoLegacy, published.TypeFacet = false, true, true, true
	want := map[Edition]Traits{V01: old, Depth: depth, Canonical: canonical, V1: published, "v2": {}}
	for e, traits := range want {
		if got := e.Traits(); got != traits {
			t.Errorf("%s: got %+v, want %+v", e, got, traits)
		}
	}
}

func TestParseEdition(t *testing.T) {
	for _, e := range []Edition{V01, Depth, Canonical, V1} {
		if got, err := ParseEdition(string(e)); err != nil || got != e {
			t.Errorf("%s: %s, %v", e, got, err)
		}
	}
	for _, name := range []string{"", "V0.1", "v0.2", "canonical ", "\xff", strings.Repeat("\x80", 99)} {
		_, err := ParseEdition(name)
		if !errors.Is(err, fault.SelectorInvalid) || !strings.Contains(err.Error(), "v0.1, depth, canonical, 1.0") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := Parse("*", "v0.2"); fault.CodeOf(err) != fault.SelectorInvalid {
		t.Errorf("unknown edition: %v", err)
	}
}

// foreign holds one text for each construct that only later documents have.
var foreign = []struct {
	construct construct
	text      string
	offset    int
	token     string
}{
	{aPosition, "(d1)", 0, "("},
	{aDepthStep, "depth(1)", 0, "depth"},
	{aDepthExpr, ".mt:depth(>0)", 10, ">"},
	{aDepthExpr, ".mt:depth(<=0)", 10, "<="},
	{aDepthExpr, ".mt:depth(1,{2})", 12, "{"},
	{aDepthExpr, ".mt:depth(1..2)", 11, ".."},
	{aGroup, ".cb(kind='x')", 3, "("},
	{aBraceBlock, ".cb {kind=x}", 4, "{"},
	{anAttrList, "[a, b]", 2, ","},
	{aSearch, "?? {a}", 0, "?"},
	{aHop, "d-1", 0, "d-1"},
	{aHop, "3", 0, "3"},
	{aHop, "2:cb.text > *", 0, "2:cb.text"},
	{aHop, ".cb, mc[offset=0]", 5, "mc"},
	{aSearch, ".mt ? {a}", 4, "?"},
	{aSearch, "within(d1) ?? {a}", 0, "within"},
	{aTag, ".cb +x", 4, "+"},
	{aControl, ".cb @limit=1", 4, "@limit"},
	{aMatch, "[id~'^a']", 3, "~"},
	{aMatch, ".cb[content ~ x]", 12, "~"},
	{aValueList, ".cb[role=[user,tool]]", 9, "["},
	{aTTLWord, ".cb[ephemeral]", 4, "ephemeral"},
	{aTTLWord, ".cb[sticky][role]", 4, "sticky"},
	{aFacet, "@t0 .cb[age<2]", 8, "age"},
	{aFacet, "@t0 [depth]", 5, "depth"},
	{aFacet, "@* .cb[role][born_turn=1]", 13, "born_turn"},
	{aFacet, "@t-1..@t0 [sdepth>1]", 11, "sdepth"},
	{aQuotedName, "#'a b'", 1, "'"},
	{aQuotedName, `.cb#"a"`, 4, `"`},
	{aHistory, "@history .cb", 0, "@history"},
	{aHistory, "@t-*..@t0 .cb", 0, "@t-*"},
	{aHistory, "@t0..-* .cb", 5, "-*"},
}

func TestForeignConstructs(t *testing.T) {
	seen := map[construct]bool{}
	for _, test := range foreign {
		seen[test.construct] = true
		for _, e := range []Edition{Depth, Canonical} {
			if _, err := Parse(test.text, e); err != nil {
				t.Errorf("%s in %s: %v", test.text, e, err)
			}
		}
		_, err := Parse(test.text, V01)
		var f *fault.Error
		if !errors.As(err, &f) {
			t.Errorf("%s in v0.1: %v", test.text, err)
			continue
		}
		if f.Code != fault.SelectorInvalid || f.Offset != test.offset || f.Token != test.token ||
			f.Message != constructs[test.construct]+" is not part of edition v0.1" ||
			f.Remedy != "edition depth or canonical has it" {
			t.Errorf("%s in v0.1: offset %d, token %q: %v", test.text, f.Offset, f.Token, f)
		}
	}
	for c := range constructs {
		if !seen[construct(c)] {
			t.Errorf("no text for %s", constructs[c])
		}
	}
}
