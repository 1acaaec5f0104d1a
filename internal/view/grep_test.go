package view

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
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
	"github.com/contexttree/pact/lifecycle"
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

// grepContext makes a context in which contents come, change, change back and go, in all regions.
func grepContext(t *testing.T, random *rand.Rand, db *pact.DB) *pact.Context {
	t.Helper()
	c, err := pact.Create(t.Context(), db, "w", nil)
	if err != nil {
		t.Fatal(err)
	}
	edit := func(b *pact.Batch) error {
		for _, id := range blocksOf(c.Working()) {
			path := sure.Get(tree.Of(c.Working()).Path(id))
			switch to := grepTexts[random.IntN(len(grepTexts))]; {
			case path[1].Class().String() != "sys" || random.IntN(3) > 0:
			case random.IntN(3) == 0:
				b.Update(id, func(s *pact.Spec) { s.Priority = int64(random.IntN(9)) })
			case random.IntN(6) == 0:
				b.Remove(id)
			default:
				b.Update(id, func(s *pact.Spec) { s.Content = to })
			}
		}
		for range random.IntN(4) {
			s := pact.Spec{Role: []string{"", "user", "tool"}[random.IntN(3)], Kind: []string{"", "text"}[random.IntN(2)],
				Content: grepTexts[random.IntN(len(grepTexts))]}
			if random.IntN(2) == 0 {
				s.TTL = new(int64(1 + random.IntN(3)))
			}
			b.Add([]string{"^ah", "^sys"}[random.IntN(2)], s)
		}
		return nil
	}
	for range 2 + random.IntN(12) {
		pruning := &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}
		if random.IntN(3) == 0 { // a draft that is a record of its own
			if err := c.Edit(t.Context(), edit, nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: edit, Pruning: pruning}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Edit(t.Context(), edit, nil); err != nil {
		t.Fatal(err)
	}
	return c
}

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

// modelGrep looks at every node of every snapshot.
func modelGrep(t *testing.T, c *pact.Context, from, to int64, pattern *regexp.Regexp, working bool) (list []*Occurrence) {
	t.Helper()
	current := map[string]*Occurrence{}
	hashes := map[*Occurrence]string{}
	look := func(s *pact.Snapshot, state string) {
		had, now := current, map[string]*Occurrence{}
		var ids []string
		for e := range tree.Of(s).All() {
			n := e.Node()
			value, err := n.Content.Value(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if value == "" {
				continue
			}
			lines := modelLines(string(value), pattern)
			if lines == nil {
				continue
			}
			if o := had[n.ID]; o != nil && hashes[o] == n.ContentHash() {
				if now[n.ID] = o; state == "" {
					o.Last = s.Cycle()
				}
				continue
			}
			ids = append(ids, n.ID)
			region := sure.Get(tree.Of(s).Path(n.ID))[1].Class()
			o := &Occurrence{ID: n.ID, Role: n.Role, Kind: n.Kind, First: s.Cycle(), Last: s.Cycle(), State: state, Matches: lines,
				Shown: KindOfNode(n, n.RoleIn(region))}
			now[n.ID], hashes[o] = o, n.ContentHash()
			list = append(list, o)
		}
		current = now
	}
	for s, err := range c.History(t.Context(), pact.Cycle(from), pact.Cycle(to)) {
		if err != nil {
			t.Fatal(err)
		}
		look(s, "")
	}
	if working {
		look(c.Working(), "draft")
	}
	return list
}

func TestGrepFindsWhatALookAtEverySnapshotFinds(t *testing.T) {
	for seed := range testrun.Size[uint64](t, 20, 60, 2000) {
		random := rand.New(rand.NewPCG(seed, 5))
		db := pact.NewDB(store.NewMemory())
		if seed%2 == 0 {
			db = dbtest.Of(engine.NewHasty(store.NewMemory(), store.Packing{}))
		}
		c := grepContext(t, random, db)
		first, last := c.Cycles()
		for _, text := range grepPatterns {
			from := first + random.Int64N(last-first+1)
			to, working := last, random.IntN(2) == 0
			if !working {
				to = from + random.Int64N(last-from+1)
			}
			state := ""
			if working {
				state = "draft"
			}
			pattern, err := Pattern(text, false, false)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Grep(t.Context(), c, pact.Cycle(from), pact.Cycle(to), state, pattern, func(int64) {})
			if err != nil {
				t.Fatal(err)
			}
			want := modelGrep(t, c, from, to, pattern, working)
			byCycle := func(a, b *Occurrence) int {
				return strings.Compare(fmt.Sprintf("%05d %s", a.First, a.ID), fmt.Sprintf("%05d %s", b.First, b.ID))
			}
			if !slices.IsSortedFunc(got, func(a, b *Occurrence) int { return int(a.First - b.First) }) {
				t.Fatalf("seed %d: contents are not in the order in which they came", seed)
			}
			slices.SortFunc(got, byCycle)
			slices.SortFunc(want, byCycle)
			if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
				g, _ := json.Marshal(got)
				w, _ := json.Marshal(want)
				t.Fatalf("seed %d, %q in %d..%d: got\n%s, want\n%s", seed, text, from, to, g, w)
			}
		}
	}
}

// TestASearchOfAHistoryMakesNoTrees: what a search that finds nothing allocates is a few values for each
// content, whatever the number of snapshots before it.
func TestASearchOfAHistoryMakesNoTrees(t *testing.T) {
	testrun.CountsAllocations(t)
	pattern, err := Pattern("no such word", true, false)
	if err != nil {
		t.Fatal(err)
	}
	each := func(cycles int) float64 {
		e := engine.New(struct{ store.Store }{store.NewMemory()}, zstd.Packing)
		c, err := pact.Create(t.Context(), dbtest.Of(e), "w", nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range cycles {
			if _, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
				for range 4 {
					b.Add("^ah", pact.Spec{Role: "user", Content: fmt.Sprint("what is said in turn ", i)})
				}
				return nil
			}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := e.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(3, func() {
			if list, err := Grep(t.Context(), c, pact.Cycle(1), pact.Latest(), "", pattern, func(int64) {}); err != nil || len(list) > 0 {
				t.Fatal(list, err)
			}
		}) / float64(4*cycles)
	}
	few, many := each(100), each(800)
	if t.Logf("%.1f allocations a content of 100 cycles, %.1f of 800", few, many); many > 4 || many > 1.5*few {
		t.Errorf("a content takes %.1f allocations after 800 cycles, %.1f after 100", many, few)
	}
}
