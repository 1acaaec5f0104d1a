package query_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/selector"
)

// An id that begins another one is before it, and ends a path there.
func TestPathOrderComparesIDByID(t *testing.T) {
	answers{
		{canonical, "* @order=path", "r a z a! b"},
		{canonical, ".block @order=path", "z b"},
	}.check(t, plant(t, 1, `
^root r
 ^ah a!
  block b
 ^sys a
  block z
`))
}

func TestCover(t *testing.T) {
	tr := garden(t)
	for where, want := range map[string]string{
		"(d1)":         "new core call result after",
		"(d2, cont)":   "ask reply extra note", // the elided core counts
		"(d2, 0)":      "ask reply",
		".cont:first":  "group rule ask reply core call result draft",
		".cont[id=x]":  "",
		".seg:core":    "old before ask reply extra note new core call result after",
		"^ah":          "ah draft",
		".mt .mc > .x": "",
	} {
		plan, err := query.Compile(selector.MustParse(where, canonical))
		if err != nil {
			t.Fatal(err)
		}
		r, err := plan.Run(context.Background(), tr)
		if err != nil {
			t.Fatal(err)
		}
		cover := r.Subtrees(tr)
		var got []string
		for e := range sure.All(tr.All()) {
			if sure.Get(cover.Has(e.Entry)) {
				got = append(got, e.Node().ID)
			}
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s covers %v, want %s", where, got, want)
		}
	}
}
