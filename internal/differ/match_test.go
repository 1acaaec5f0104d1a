package differ_test

import (
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/differ"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

// TestReplacementsGoByTheKeyFacet pairs what went with what came: of a key, be it
// empty, and otherwise by the id, which no two nodes share.
func TestReplacementsGoByTheKeyFacet(t *testing.T) {
	read := func(blocks string) *tree.Tree {
		t.Helper()
		d, err := document.Read([]byte(`{"cycle":1,"edition":"v0.1","root":{"id":"r","nodeType":"^root","children":[`+
			`{"id":"s","nodeType":"^sys","children":[`+blocks+`]}]}}`), document.Options{})
		must(t, err)
		return d.Tree
	}
	older := read(`{"id":"a","nodeType":"block","key":"k"},{"id":"b","nodeType":"block","key":""},{"id":"c","nodeType":"block"}`)
	newer := read(`{"id":"x","nodeType":"block"},{"id":"y","nodeType":"block","key":""},{"id":"z","nodeType":"block","key":"k"}`)
	got := sure.Get(differ.MatchReplacements(older, newer, []string{"a", "b", "c"}, []string{"x", "y", "z"}))
	if want := []differ.Match{{"a", "z"}, {"b", "y"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	two := read(`{"id":"a","nodeType":"block","key":"k"},{"id":"d","nodeType":"block","key":"k","offset":1}`)
	got = sure.Get(differ.MatchReplacements(two, newer, []string{"a", "d"}, []string{"x", "y", "z"}))
	if want := []differ.Match{{"a", "z"}}; !slices.Equal(got, want) {
		t.Errorf("of two nodes of a key and one: %v, want %v", got, want)
	}
}

// What moved has the same content: first what has the key too, then what comes first, each node once.
func TestMovesGoByContentAndKey(t *testing.T) {
	read := func(blocks string) *tree.Tree {
		d, err := document.Read([]byte(`{"cycle":1,"edition":"v0.1","root":{"id":"r","nodeType":"^root","children":[`+
			`{"id":"s","nodeType":"^sys","children":[`+blocks+`]}]}}`), document.Options{})
		must(t, err)
		return d.Tree
	}
	older := read(`{"id":"a","nodeType":"block","content":"1"},{"id":"b","nodeType":"block","content":"1","key":"k"},
		{"id":"c","nodeType":"block","content":"1"},{"id":"d","nodeType":"block","content":"2","key":"k"},{"id":"e","nodeType":"block","content":"1"}`)
	newer := read(`{"id":"v","nodeType":"block","content":"1","key":"k"},{"id":"w","nodeType":"block","content":"1"},
		{"id":"x","nodeType":"block","content":"1","key":"l"},{"id":"y","nodeType":"block","content":"3","key":"k"}`)
	got := sure.Get(differ.MatchMoves(older, newer, []string{"a", "b", "c", "d", "e"}, []string{"v", "w", "x", "y"}))
	if want := []differ.Match{{"a", "w"}, {"b", "v"}, {"c", "x"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
