package provenance_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// Each content occurs from the snapshot that brought it to the last that has it as it was, under the role that the
// thread shows first, as the documents of the snapshots say.
func TestOccurrencesAgreeWithModel(t *testing.T) {
	ended, regions := 0, 0
	for seed := range uint64(15) {
		s := genRecordedHistory(t, seed, 8)
		for first := range int64(4) {
			states, working := s.states[first:], seed%2 == 0
			if !working {
				states = states[:len(states)-1]
			}
			var want []inspect.Occurrence
			var hashes []any            // of their contents
			current := map[string]int{} // by id, which of them is that of the node
			for _, p := range states {
				draft, now := p == s.states[len(s.states)-1], map[string]int{}
				for _, id := range p.order {
					n := p.headers[id]
					if n["content"] == nil {
						continue
					}
					at, known := current[id]
					if !known || hashes[at] != n["content_hash"] {
						var o struct{ Role string }
						if p.objects[id] != "" { // else a group, of which the thread shows nothing
							must(t, json.Unmarshal([]byte(p.objects[id]), &o))
						}
						at, hashes = len(want), append(hashes, n["content_hash"])
						want = append(want, inspect.Occurrence{ID: id, Shown: o.Role, First: p.cycle, Last: p.cycle, Working: draft})
						if n["role"] == nil {
							regions++
						}
					} else if !draft {
						want[at].Last = p.cycle
					}
					now[id] = at
				}
				for id := range current {
					if _, there := now[id]; !there {
						ended++
					}
				}
				current = now
			}
			got, err := s.context.Occurrences(background, pact.Cycle(first+1), "latest", working,
				func(int64, string) bool { return true })
			must(t, err)
			last := int64(0)
			for i := range got {
				o := &got[i]
				if o.First < last {
					t.Errorf("seed %d: %+v comes after one of cycle %d", seed, o, last)
				}
				if last = o.First; s.state(last).objects[o.ID] == "" {
					o.Shown = ""
				}
				o.Role, o.Kind = "", ""
			}
			inOrder := func(a, b inspect.Occurrence) int {
				return cmp.Or(cmp.Compare(a.First, b.First), strings.Compare(a.ID, b.ID))
			}
			slices.SortFunc(got, inOrder)
			slices.SortFunc(want, inOrder)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, from cycle %d:\n got %+v\nwant %+v", seed, first+1, got, want)
			}
		}
	}
	if ended < 20 || regions < 20 {
		t.Errorf("%d contents ended, %d have no role of their own", ended, regions)
	}
}

// A snapshot weighs its nodes, and tokens only where somebody counts them.
func TestASnapshotWeighsItsNodes(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	must(t, c.Edit(background, say("hue"), nil))                                                                       // three tokens of vowels
	must(t, c.Edit(background, func(b *pact.Batch) error { b.Add("^sys", pact.Spec{Content: "x"}); return nil }, nil)) // one
	s, err := c.Commit(background, nil)
	must(t, err)
	thread, err := s.Thread(background)
	must(t, err)
	for _, counter := range []tree.Counter{nil, vowels{}} {
		w, err := provenance.Weigh(background, tree.Of(s.Snapshot), counter)
		if want := map[bool]int64{false: 0, true: 4}[counter != nil]; err != nil || w.Tokens != want || w.Blocks != 2 || w.Turns != 1 ||
			w.Bytes != int64(len(thread)) || w.Nodes != 3 { // with the core of the turn
			t.Errorf("%+v of %d bytes, %v", w, len(thread), err)
		}
	}
}

// A plan says how many tokens of the thread that was sent are not sent again because of pruning.
func TestTokensThatPruningLoses(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	for _, text := range []string{"hue", "x", "ee"} { // 3, 1 and 3 tokens
		must(t, c.Edit(background, say(text), nil))
		_, err := c.Commit(background, nil)
		must(t, err)
	}
	last := tree.Of(c.Working())
	turns := last.Region(tree.Seq).Children()
	for n, want := range map[int]int64{0: 7, 1: 4, 2: 3, 3: 0} { // the turn that goes, of none the last
		with := last
		if n < 3 {
			turn, err := turns.At(n)
			must(t, err)
			with, err = last.Without(turn.Node().ID)
			must(t, err)
		}
		p, err := provenance.Cached(background, last, last, with, vowels{})
		if err != nil || p.LostTokens != want || p.LostBytes != p.Without-p.With || (p.LostBytes > 0) != (want > 0) {
			t.Errorf("without turn %d of 3: %+v, %v, want %d tokens lost", n, p, err, want)
		}
		if bare, err := provenance.Cached(background, last, last, with, nil); err != nil || bare.LostTokens != 0 || bare.LostBytes != p.LostBytes {
			t.Errorf("without a counter: %+v, %v", bare, err)
		}
	}
}

// What went from a history without a log went by its lifetime, with a removable group that it left empty, or by an edit.
func TestWhyNodesWentIsInferred(t *testing.T) {
	const block, group = `{"id":"%s","nodeType":"cb","content":"x"%s}`, `{"id":"%s","nodeType":"mc","offset":1%s,"children":[%s]}`
	due := func(id string) string { return fmt.Sprintf(block, id, `,"ttl":1`) }
	stays := func(id string) string { return fmt.Sprintf(block, id, "") }
	removable := `,"removable":true`
	lines := ""
	for cycle, in := range []string{strings.Join([]string{fmt.Sprintf(group, "emptied", removable, due("a")+","+due("b")),
		fmt.Sprintf(group, "edited", removable, due("c")+","+stays("d")), fmt.Sprintf(group, "fixed", "", due("e")),
		fmt.Sprintf(group, "inner", removable, fmt.Sprintf(group, "innermost", removable, due("f"))), fmt.Sprintf(group, "left", removable, due("h")+","+stays("i")),
		stays("g")}, ","), fmt.Sprintf(group, "left", removable, stays("i"))} {
		lines += fmt.Sprintf(`{"cycle":%d,"edition":"v0.1","root":{"id":"root","nodeType":"^root","children":[{"id":"sys","nodeType":"^sys","children":[%s]},`+
			`{"id":"seq","nodeType":"^seq","children":[]},{"id":"ah","nodeType":"^ah","children":[]}]}}`+"\n", cycle+1, in)
	}
	c, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "c", strings.NewReader(lines), nil)
	must(t, err)
	r, err := c.RichDiff(background, pact.Cycle(1), pact.Cycle(2), nil)
	must(t, err)
	want := map[string]diff.Kind{"emptied": diff.ByCascade, "edited": diff.ByEdit, "fixed": diff.ByEdit, "inner": diff.ByCascade,
		"innermost": diff.ByCascade, "d": diff.ByEdit, "g": diff.ByEdit}
	for _, id := range []string{"a", "b", "c", "e", "f", "h"} {
		want[id] = diff.ByExpiry
	}
	for _, gone := range r.Removed {
		if gone.Cause.Kind != want[gone.ID] || gone.Cause.Inferred != (want[gone.ID] != diff.ByEdit) {
			t.Errorf("%s went by %+v, want %s", gone.ID, gone.Cause, want[gone.ID])
		}
		delete(want, gone.ID)
	}
	if len(want) > 0 {
		t.Errorf("%v did not go", want)
	}
}

// What a commit of the library reports is no guess, though the context was imported: an edit may remove what is due.
func TestAReportIsNoGuess(t *testing.T) {
	doc := `{"cycle":1,"edition":"v0.1","root":{"id":"root","children":[{"id":"sys","nodeType":"^sys","children":[
		{"id":"a","nodeType":"cb","content":"x","ttl":1},{"id":"b","nodeType":"cb","content":"x","ttl":1}]}]}}`
	c, _, err := pact.Import(background, pact.NewDB(store.NewMemory()), "c", []byte(doc), nil)
	must(t, err)
	must(t, c.Edit(background, func(b *pact.Batch) error { b.Remove("a"); return nil }, nil))
	_, err = c.Commit(background, nil)
	must(t, err)
	r, err := c.RichDiff(background, pact.Cycle(1), pact.Cycle(2), nil)
	must(t, err)
	for _, gone := range r.Removed {
		if want := map[string]diff.Kind{"a": diff.ByEdit, "b": diff.ByExpiry}[gone.ID]; want != "" && (gone.Cause.Kind != want || gone.Cause.Inferred) {
			t.Errorf("%s went by %+v, want %s", gone.ID, gone.Cause, want)
		}
	}
}
