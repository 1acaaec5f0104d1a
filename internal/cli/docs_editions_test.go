package cli_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/selector"
)

// differences are the rows of the table of editions, as the traits of an
// edition fill them in.
var differences = []struct {
	label string
	cell  func(selector.Traits) string
}{
	{"types of new nodes", func(t selector.Traits) string {
		return "`" + t.TurnType + "` `" + t.ContainerType + "` `" + t.BlockType + "`"
	}},
	{"documents say", func(t selector.Traits) string { return "`" + t.SpecVersion + "`" }},
	{"`@t0` is", either(func(t selector.Traits) bool { return t.T0Working }, "the working state", "the latest snapshot")},
	{"a selector without an address asks", either(func(t selector.Traits) bool { return t.DefaultWorking },
		"the working state", "the latest snapshot")},
	{"`#x` compares", func(t selector.Traits) string {
		if t.KeyOnly {
			return "the key"
		}
		return either(func(t selector.Traits) bool { return t.HashIsKey }, "the key, else the id", "the id")(t)
	}},
	{"`.cb:summary` and `[nodeType='cb:summary']` mean", either(func(t selector.Traits) bool { return t.KindInType },
		"class and kind", "that exact type")},
	{"turns in a result come", either(func(t selector.Traits) bool { return t.NewestFirst }, "newest first",
		"oldest first")},
	{"a `^seq` listed without times is read", either(func(t selector.Traits) bool { return t.UntimedNewestFirst },
		"newest first", "oldest first")},
	{"`:depth(0)`, `:depth(-1)` select", either(func(t selector.Traits) bool { return t.DepthMeansRegions },
		"`^ah`, `^sys`", "nothing")},
	{"nodes of one key come newest first", either(func(t selector.Traits) bool { return t.KeySets }, "yes", "no")},
	{"`[` after a space filters `+tag` and a first `#key`", either(func(t selector.Traits) bool { return t.SpacedFilter },
		"yes", "no")},
	{"a thread has", either(func(t selector.Traits) bool { return t.Bare }, "id, content", "id, role, kind, content")},
	{"the parent is", either(func(t selector.Traits) bool { return t.ParentIDs }, "the header `parent_id`", "the place")},
	{"`A, B` gives", either(func(t selector.Traits) bool { return t.Fragments }, "A, then what B adds", "one set in order")},
	{"`?? {…}`, `within(…)`, `.block:x` are", either(func(t selector.Traits) bool { return t.NoLegacy }, "removed", "read")},
	{"`.x` compares", either(func(t selector.Traits) bool { return t.TypeFacet }, "the class, else the type without it",
		"the class, else the type")},
	{"constructs of the later documents", either(func(t selector.Traits) bool { return t.Extended }, "accepted",
		"refused")},
}

func either(trait func(selector.Traits) bool, yes, no string) func(selector.Traits) string {
	return func(t selector.Traits) string {
		if trait(t) {
			return yes
		}
		return no
	}
}

var editions = []selector.Edition{selector.V01, selector.Depth, selector.Canonical, selector.V1}

// rows returns the cells of the table under a head.
func rows(t *testing.T, page, head string) [][]string {
	t.Helper()
	_, table, ok := strings.Cut(readPage(t, page), head+"\n")
	if !ok {
		t.Fatalf("docs/%s has no table under %s", page, head)
	}
	var list [][]string
	for i, line := range strings.Split(table, "\n") {
		if !strings.HasPrefix(line, "|") {
			break
		}
		if i > 0 {
			list = append(list, strings.Split(strings.Trim(line, "| "), " | "))
		}
	}
	return list
}

// TestTableOfEditions compares the table of the page with the table in package selector.
func TestTableOfEditions(t *testing.T) {
	table := rows(t, "language/editions.md", "| | `v0.1` | `depth` | `canonical` | `1.0` |")
	if len(table) != len(differences) {
		t.Fatalf("%d rows, want %d", len(table), len(differences))
	}
	for i, d := range differences {
		want := []string{d.label}
		for _, e := range editions {
			want = append(want, d.cell(e.Traits()))
		}
		if !slices.Equal(table[i], want) {
			t.Errorf("got %q, want %q", table[i], want)
		}
	}
}

// TestEveryTraitIsInTheTable changes each trait in turn and expects a row to
// change with it.
func TestEveryTraitIsInTheTable(t *testing.T) {
	traits := selector.V01.Traits()
	for i := range reflect.TypeFor[selector.Traits]().NumField() {
		changed := traits
		switch field := reflect.ValueOf(&changed).Elem().Field(i); field.Kind() {
		case reflect.Bool:
			field.SetBool(!field.Bool())
		case reflect.String:
			field.SetString("other")
		}
		told := 0
		for _, d := range differences {
			if d.cell(changed) != d.cell(traits) {
				told++
			}
		}
		if told != 1 {
			t.Errorf("%d rows tell of %s", told, reflect.TypeFor[selector.Traits]().Field(i).Name)
		}
	}
}
