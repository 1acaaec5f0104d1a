package view

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/zstd"
	"github.com/contexttree/pact/store"
)

// grepTexts are contents with everything that JSON writes in another way than people read it.
var grepTexts = []any{
	"word", "a word\r\nand a line\nword", "tab\tword", `quoted "word" \ here`, "wo\u2028rd u2028", "Zürich \U0001f600", "",
	map[string]any{"type": "text", "text": "word in a part"}, map[string]any{"thinking": "deep\nword", "signature": "8word"},
	[]any{map[string]any{"type": "text", "text": "one\n"}, map[string]any{"type": "text", "text": "a word"}},
	[]any{"wo\u2029rd", 12, true, nil}, map[string]any{"name": "word", "input": map[string]any{"n": 12.5, "a b": "c\nd"}}, 12, "\x7f\x01word",
}

var grepPatterns = []string{"word", "wo", "^word$", "(?i)WORD", `"word"`, "a b", "1", "12", "  12", "true", `u2028`, "8word", "rd u", `\\`, "x",
	"Zü", "\U0001f600", `: "`, "line\nword", "n", `\x7f`, "word in", ".", "c", `one|a word`, "name", "ndeep", "\ufffd"}

// modelLines searches a content as it is shown, line by line.
func modelLines(content string, pattern *regexp.Regexp) (list []Line) {
	in := func(text string) {
		for i, line := range strings.Split(text, "\n") {
			line = strings.TrimSuffix(line, "\r")
			if at := pattern.FindStringIndex(line); at != nil {
				list = append(list, Line{i + 1, line, at[0], at[1]})
			}
		}
	}
	if text, ok := Readable(canon.Value(content)); ok {
		in(text)
	}
	if list == nil && content[0] != '"' {
		in(indented([]byte(content)))
	}
	return list
}

// In which snapshots a content occurs is proved in internal/provenance; here what is found in it, and how it is shown.
func TestGrepFindsTheLinesThatAreShown(t *testing.T) {
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "w", nil)
	must(t, err)
	add := func(into string, texts ...any) func(b *pact.Batch) error {
		return func(b *pact.Batch) error {
			for i, text := range texts {
				b.Add(into, pact.Spec{Role: []string{"", "user", "tool"}[i%3], Kind: []string{"", "text"}[i%2], Content: text})
			}
			return nil
		}
	}
	_, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: add("^sys", grepTexts...)})
	must(t, err)
	must(t, c.Edit(t.Context(), add("^ah", grepTexts[:4]...), nil))
	for _, text := range grepPatterns {
		pattern, err := Pattern(text, false, false)
		must(t, err)
		var want []*Occurrence
		for _, region := range []tree.Class{tree.Sys, tree.Head} {
			state, cycle := "", int64(1)
			if region == tree.Head {
				state, cycle = "draft", 2
			}
			for e := range sure.All(tree.Of(c.Working()).Region(region).All()) {
				n := e.Node()
				if value := sure.Get(n.Content.Value(t.Context())); value != "" {
					if lines := modelLines(string(value), pattern); lines != nil {
						want = append(want, &Occurrence{ID: n.ID, Role: n.Role, Kind: n.Kind, First: cycle, Last: cycle, State: state,
							Matches: lines, Shown: KindOfNode(n, n.RoleIn(region))})
					}
				}
			}
		}
		got, err := Grep(t.Context(), c, pact.Cycle(1), "latest", "draft", pattern, func(int64) {})
		must(t, err)
		byID := func(a, b *Occurrence) int { return strings.Compare(a.ID, b.ID) }
		slices.SortFunc(got, byID)
		slices.SortFunc(want, byID)
		if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			g, _ := json.Marshal(got)
			w, _ := json.Marshal(want)
			t.Errorf("%q: got\n%s, want\n%s", text, g, w)
		}
	}
}

// TestASearchOfAHistoryMakesNoTrees: what a search that finds nothing allocates is a few values for each
// content, whatever the number of snapshots before it.
func TestASearchOfAHistoryMakesNoTrees(t *testing.T) {
	testrun.CountsAllocations(t)
	pattern, err := Pattern("no such word", true, false)
	must(t, err)
	each := func(cycles int) float64 {
		e := engine.New(struct{ store.Store }{store.NewMemory()}, zstd.Packing)
		c, err := pact.Create(t.Context(), dbtest.Of(e), "w", nil)
		must(t, err)
		for i := range cycles {
			_, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
				for range 4 {
					b.Add("^ah", pact.Spec{Role: "user", Content: fmt.Sprint("what is said in turn ", i)})
				}
				return nil
			}})
			must(t, err)
		}
		_, err = e.Compact(t.Context())
		must(t, err)
		return testing.AllocsPerRun(3, func() {
			if list, err := Grep(t.Context(), c, pact.Cycle(1), "latest", "", pattern, func(int64) {}); err != nil || len(list) > 0 {
				t.Fatal(list, err)
			}
		}) / float64(4*cycles)
	}
	few, many := each(100), each(800)
	if t.Logf("%.1f allocations a content of 100 cycles, %.1f of 800", few, many); many > 4 || many > 1.5*few {
		t.Errorf("a content takes %.1f allocations after 800 cycles, %.1f after 100", many, few)
	}
}

// Alone, the working state says of each content whether only it has that, or a snapshot too.
func TestGrepOfTheWorkingStateAlone(t *testing.T) {
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "w", nil)
	must(t, err)
	add := func(text string) func(b *pact.Batch) error {
		return func(b *pact.Batch) error { b.Add("^ah", pact.Spec{Content: text}); return nil }
	}
	_, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: add("sent word")})
	must(t, err)
	must(t, c.Edit(t.Context(), add("new word"), nil))
	got, err := Grep(t.Context(), c, "working", "working", "draft", regexp.MustCompile("word"), func(int64) {})
	if err != nil || len(got) != 2 || got[0].State != "working" || got[1].State != "draft" {
		list, _ := json.Marshal(got)
		t.Errorf("%s, %v", list, err)
	}
}

// A long line is shown as a hundred bytes on either side of what was found, and no character by halves.
func TestPartsOfLongLines(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	for _, x := range []struct {
		line     string
		at, size int
		want     string
	}{
		{"short", 1, 2, "short"}, {a(100) + "found" + a(100), 100, 5, a(100) + "found" + a(100)},
		{a(101) + "found" + a(50), 101, 5, "…" + a(100) + "found" + a(50)}, {"found" + a(101), 0, 5, "found" + a(100) + "…"},
		{"é" + a(99) + "found" + a(99) + "é", 101, 5, "…" + a(99) + "found" + a(99) + "…"},
	} {
		if got := Part(x.line, x.at, x.size); got != x.want {
			t.Errorf("%q is shown as %q, want %q", x.line, got, x.want)
		}
	}
}
