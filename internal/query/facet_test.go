package query_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// words counts a token for each space between words and one more.
type words struct{}

func (words) Name() string          { return "words" }
func (words) Count(text string) int { return strings.Count(text, " ") + 1 }

// Facets of calls and sizes are there in every edition. Package toolcall proves whose name a result has, and who failed.
func TestFacetsOfCallsAndSizes(t *testing.T) {
	tr := plant(t, 1, `
^root root
 ^sys sys
  block c1 kind=call wire:name=ls
  block r1 kind=result refs=c1 wire:failed=true content=a_b_c
  block c2 kind=call wire:name=cat content=x
  block r2 kind=result refs=c2
  block t1 kind=text wire:name=ls content=v_w
`)
	for text, want := range map[string]string{
		"[tool=ls]":         "c1 r1",
		"[tool]":            "c1 r1 c2 r2",
		"[tool!=null]":      "c1 r1 c2 r2",
		"[failed]":          "c1 r1",
		"[failed=true]":     "c1 r1",
		"[failed=null]":     "c2 r2 t1",
		"[bytes>3]":         "r1 t1", // with their quotes
		"[bytes=null]":      "c1 r2",
		"[tokens>=2]":       "r1 t1",
		"[tokens=null]":     "c1 r2",
		"[tool=ls][failed]": "c1 r1",
	} {
		for _, edition := range editions {
			plan, err := query.Compile(selector.MustParse("[created_at_ns>1]"+text, edition))
			must(t, err)
			got, err := plan.Counting(words{}).Run(context.Background(), tr)
			if err != nil || !slices.Equal(got.IDs(), strings.Fields(want)) {
				t.Errorf("%s in %s: %v, %v, want %s", text, edition, got.IDs(), err, want)
			}
		}
	}
}

// A header of the name of a facet, which another tool wrote, comes first. Tokens
// without a counter are refused, and what another node decides is not local.
func TestFacetsAtTheirLimits(t *testing.T) {
	made := plant(t, 1, "^root root\n ^sys sys\n  block b kind=text content=x")
	run := func(text string) ([]string, error) {
		plan, err := query.Compile(selector.MustParse(text, selector.Canonical))
		must(t, err)
		got, err := plan.Run(context.Background(), made)
		return got.IDs(), err
	}
	if _, err := run("[tokens>1]"); fault.CodeOf(err) != fault.SelectorInvalid {
		t.Errorf("tokens without a counter end as %v", err)
	}
	for text, local := range map[string]bool{"[tool=ls]": false, "[failed]": false, "[bytes>1]": true} {
		plan, err := query.Compile(selector.MustParse(text, selector.Canonical))
		if err != nil || plan.Local() != local {
			t.Errorf("%s is local: %v, %v", text, plan.Local(), err)
		}
	}
	placed := []tree.Placed{{Node: tree.NewNode(tree.Node{ID: "root", Type: "^root", Expiry: tree.Never,
		Headers: []tree.Header{{Name: "tool", Value: `"saw"`}}}, nil), Parent: -1}}
	var err error
	if made, err = tree.Build(1, placed); err != nil {
		t.Fatal(err)
	}
	if got, err := run("[tool=saw]"); err != nil || !slices.Equal(got, []string{"root"}) {
		t.Errorf("a header of that name: %v, %v", got, err)
	}
}
