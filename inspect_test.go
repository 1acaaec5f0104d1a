package pact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/store"
)

// lasting are the headers that make up a version of a node.
func lasting(n map[string]any) map[string]any {
	if n == nil {
		return nil
	}
	c := timeless(n)
	delete(c, "parent")
	return c
}

func TestBlameAgreesWithDocuments(t *testing.T) {
	versions, authors := 0, 0
	for seed := range uint64(20) {
		s := tell(t, seed, 8)
		for i, p := range s.pages {
			got, err := s.context.Blame(background, s.address(i))
			must(t, err)
			var blocks []string
			for _, b := range got {
				blocks = append(blocks, b.ID)
				born, version := int64(0), int64(0)
				for k, past := range s.pages[:i+1] {
					switch {
					case past.headers[b.ID] == nil:
					case born == 0:
						born = past.cycle
					case !reflect.DeepEqual(lasting(past.headers[b.ID]), lasting(s.pages[k-1].headers[b.ID])):
						version = past.cycle
					}
				}
				if b.Cycle != born || (b.Version == nil) != (version == 0) || b.Version != nil && b.Version.Cycle != version {
					t.Fatalf("seed %d, cycle %d: %+v, want cycle %d, version %d", seed, p.cycle, b, born, version)
				}
				if version != 0 {
					versions++
				}
				if actor := s.actors[b.ID]; actor != "" {
					authors++
					if b.By.Actor != actor {
						t.Fatalf("seed %d, cycle %d: %s is by %+v, want %s", seed, p.cycle, b.ID, b.By, actor)
					}
				}
				p.checkRange(t, b.ID, &b.Range)
			}
			if !slices.Equal(blocks, p.blocks) {
				t.Fatalf("blocks %q, want %q", blocks, p.blocks)
			}
		}
	}
	if versions < 20 || authors < 200 {
		t.Errorf("%d versions, %d authors", versions, authors)
	}
}

// prefixOf is how many whole objects two threads share, and their bytes in the
// newer.
func prefixOf(older, newer *page) (blocks int, bytes int64) {
	for blocks < len(older.blocks) && blocks < len(newer.blocks) && older.objects[older.blocks[blocks]] == newer.objects[newer.blocks[blocks]] {
		blocks++
	}
	var list []string
	for _, id := range newer.blocks[:blocks] {
		list = append(list, newer.objects[id])
	}
	text := "[" + strings.Join(list, ",")
	if blocks == len(newer.blocks) {
		text += "]"
	}
	if !strings.HasPrefix(newer.thread, text) {
		panic("the naive prefix is none")
	}
	return blocks, int64(len(text))
}

func TestPrefixesAgreeWithThreads(t *testing.T) {
	kinds := map[diff.Kind]int{}
	for seed := range uint64(60) {
		s := tell(t, seed, 8)
		pages := s.pages[:len(s.pages)-1]
		i := int(seed % 4) // the first cycle of the run: it is compared with the one before
		for p, err := range s.context.Prefixes(background, pact.Cycle(int64(i)+1), pact.Latest) {
			must(t, err)
			now := pages[i]
			if p.Cycle != now.cycle || p.Blocks != len(now.blocks) || p.Bytes != int64(len(now.thread)) || (p.Prefix == nil) != (i == 0) {
				t.Fatalf("seed %d: %+v of cycle %d with %d blocks, %d bytes", seed, p, now.cycle, len(now.blocks), len(now.thread))
			}
			i++
			if p.Prefix == nil {
				continue
			}
			was := pages[i-2]
			blocks, size := prefixOf(was, now)
			want := &pact.SharedPrefix{Blocks: blocks, OfBlocks: len(was.blocks), Bytes: size, OfBytes: int64(len(was.thread)), Complete: blocks == len(was.blocks)}
			if !want.Complete {
				want.Old = was.blocks[blocks]
				if blocks < len(now.blocks) {
					want.New = now.blocks[blocks]
				}
			}
			if !reflect.DeepEqual(p.Prefix, want) || (p.Break == nil) != want.Complete {
				t.Fatalf("seed %d, cycle %d: %+v, want %+v", seed, p.Cycle, p.Prefix, want)
			}
			if p.Break == nil {
				continue
			}
			kind, node := s.wantBreak(t, was, now, want)
			if p.Break.Cause.Kind != kind || p.Break.Node != node || p.Break.Cause.Cycle != now.cycle {
				t.Fatalf("seed %d, cycle %d: broken by %+v, want %s of %s", seed, p.Cycle, p.Break, kind, node)
			}
			was.checkRange(t, node, p.Break.Previous)
			now.checkRange(t, node, p.Break.New)
			kinds[kind]++
		}
		if i != len(pages) {
			t.Fatalf("seed %d: %d of %d cycles", seed, i, len(pages))
		}
	}
	for _, kind := range []diff.Kind{diff.ByExpiry, diff.ByPruning, diff.ByEdit, diff.ByInsertion, diff.ByReordering} {
		if kinds[kind] < 5 {
			t.Errorf("%d prefixes broken by %s", kinds[kind], kind)
		}
	}
}

// wantBreak says what ended a prefix: what removed the block that stood there,
// else what put another before it.
func (s *saga) wantBreak(t *testing.T, was, now *page, p *pact.SharedPrefix) (diff.Kind, string) {
	t.Helper()
	moved := map[string]bool{}
	r, err := s.context.RichDiff(background, pact.Cycle(was.cycle), pact.Cycle(now.cycle), nil)
	must(t, err)
	for _, m := range r.Moves {
		moved[m.PreviousID], moved[m.NewID] = true, true
	}
	switch {
	case p.Old == p.New:
		return diff.ByEdit, p.Old
	case now.objects[p.Old] == "" && s.removed[p.Old].Kind != "":
		return s.removed[p.Old].Kind, p.Old
	case now.objects[p.Old] == "" && moved[p.Old]:
		return diff.ByReordering, p.Old
	case now.objects[p.Old] == "":
		return diff.ByEdit, p.Old
	case was.objects[p.New] == "" && moved[p.New]:
		return diff.ByReordering, p.New
	case was.objects[p.New] == "":
		return diff.ByInsertion, p.New
	}
	return diff.ByReordering, p.New
}

// happened is what the naive story of a node knows of an event.
func happened(e pact.LifeEvent) string { return fmt.Sprint(e.Cycle, " ", e.What, " ", e.Node) }

func TestLivesAgreeWithDocuments(t *testing.T) {
	counts := map[pact.Happening]int{}
	for seed := range uint64(20) {
		s := tell(t, seed, 8)
		all := map[string]bool{}
		for _, p := range s.pages {
			for _, id := range p.order {
				all[id] = true
			}
		}
		for id := range all {
			l, err := s.context.Life(background, id)
			must(t, err)
			got := map[string]bool{}
			for _, e := range l.Events {
				counts[e.What]++
				if e.Draft != (e.Cycle == int64(len(s.pages))) {
					t.Fatalf("%s: %+v is no draft, or is one", id, e)
				}
				switch e.What {
				case pact.Born, pact.Removed: // by what they were or became, and of a birth the region
					e.Node = ""
				case pact.Sealed, pact.Retained, pact.Held:
					continue
				}
				got[happened(e)] = true
			}
			want := s.naiveLife(id)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, %s:\n got %v\nwant %v", seed, id, got, want)
			}
			s.checkLife(t, l)
		}
	}
	for _, what := range []pact.Happening{pact.Born, pact.Sealed, pact.Updated, pact.Attached, pact.Detached, pact.Referred, pact.Unreferred, pact.Retained, pact.Held, pact.Removed} {
		if counts[what] < 3 {
			t.Errorf("%d times %s", counts[what], what)
		}
	}
}

// naiveLife reads the events of a node off the documents.
func (s *saga) naiveLife(id string) map[string]bool {
	want := map[string]bool{}
	tell := func(p *page, what pact.Happening, node string) {
		want[happened(pact.LifeEvent{Cycle: p.cycle, What: what, Node: node})] = true
	}
	last := s.pages[0].ofCycleZero()
	if last.headers[id] != nil {
		tell(last, pact.Born, "")
	}
	for _, p := range s.pages {
		was, is := last.headers[id], p.headers[id]
		switch {
		case was == nil && is == nil:
			last = p
			continue
		case was == nil:
			tell(p, pact.Born, "")
		case is == nil:
			tell(p, pact.Removed, "")
		case !reflect.DeepEqual(lasting(was), lasting(is)):
			tell(p, pact.Updated, "")
		}
		for _, other := range without(p.kids[id], last.kids[id]) {
			tell(p, pact.Attached, other)
		}
		for _, other := range without(last.kids[id], p.kids[id]) {
			tell(p, pact.Detached, other)
		}
		for other := range union(p.headers, last.headers) {
			now, before := refers(p.headers[other], id), refers(last.headers[other], id)
			switch {
			case other == id:
			case now && !before:
				tell(p, pact.Referred, other)
			case before && !now:
				tell(p, pact.Unreferred, other)
			}
		}
		last = p
	}
	return want
}

// ofCycleZero is what a new context begins with: root and regions.
func (p *page) ofCycleZero() *page {
	zero := &page{headers: map[string]map[string]any{}, kids: map[string][]string{}}
	for _, id := range p.order {
		if n := p.headers[id]; fmt.Sprint(n["cycle"]) == "0" {
			zero.headers[id] = n
			parent := n["parent"].(string)
			zero.kids[parent] = append(zero.kids[parent], id)
		}
	}
	return zero
}

func union(a, b map[string]map[string]any) map[string]bool {
	all := map[string]bool{}
	for id := range a {
		all[id] = true
	}
	for id := range b {
		all[id] = true
	}
	return all
}

func refers(n map[string]any, id string) bool {
	list, _ := n["refs"].([]any)
	return slices.Contains(list, any(id))
}

// checkLife compares what is said of the present, and how it ended.
func (s *saga) checkLife(t *testing.T, l *pact.Life) {
	t.Helper()
	var first, last int64
	for _, p := range s.pages[:len(s.pages)-1] {
		if p.headers[l.ID] != nil {
			if last = p.cycle; first == 0 {
				first = p.cycle
			}
		}
	}
	if first == 0 != (l.First == nil) || first != 0 && (*l.First != first || *l.Last != last) {
		t.Fatalf("%s: snapshots %v to %v, want %d to %d", l.ID, l.First, l.Last, first, last)
	}
	if last != 0 {
		s.page(last).checkRange(t, l.ID, l.Range)
	}
	latest := int64(len(s.pages) - 1)
	_, drafted := s.pages[latest].headers[l.ID]
	want := map[bool]map[bool]pact.State{true: {true: pact.There, false: pact.Going}, false: {true: pact.Draft, false: pact.Gone}}[last == latest][drafted]
	if l.State != want {
		t.Fatalf("%s is %s, want %s", l.ID, l.State, want)
	}
	if end := l.Events[len(l.Events)-1]; want == pact.Gone {
		i := slices.IndexFunc(l.Events, func(e pact.LifeEvent) bool { return e.What == pact.Removed })
		end = l.Events[i]
		cause := *end.Cause
		cause.Author = diff.Author{}
		if wanted := s.wantCause(l.ID, int(last)-1, int(last)); cause != wanted {
			t.Fatalf("%s went by %+v, want %+v", l.ID, cause, wanted)
		}
	}
}

func TestLifeOfWhatNeverWas(t *testing.T) {
	s := tell(t, 3, 4)
	_, err := s.context.Life(background, "nobody")
	if !errors.Is(err, pact.ErrNodeNotFound) || !strings.Contains(err.Error(), "pact select") {
		t.Errorf("got %v", err)
	}
}

func TestReplay(t *testing.T) {
	for seed := range uint64(6) {
		s := tell(t, seed, 5)
		var compact, snapshots bytes.Buffer
		must(t, s.context.Backup(background, &compact))
		must(t, s.context.ExportHistory(background, &snapshots, pact.Cycle(1), pact.Latest))
		for form, data := range map[string][]byte{"compact": compact.Bytes(), "snapshots": snapshots.Bytes()} {
			r, err := pact.Replay(background, bytes.NewReader(data))
			must(t, err)
			want := &pact.Replayed{Form: form, Edition: pact.V01, First: 1, Last: 5, Bytes: int64(len(data)), Same: true, Findings: []pact.Finding{}}
			if !reflect.DeepEqual(r, want) {
				t.Errorf("seed %d: %+v, want %+v", seed, r, want)
			}
		}
	}
}

// A history that reads but does not come back as it was: the first byte that
// differs is named with its line and cycle.
func TestReplayFindsTheFirstByte(t *testing.T) {
	s := tell(t, 1, 5)
	var snapshots bytes.Buffer
	must(t, s.context.ExportHistory(background, &snapshots, pact.Cycle(1), pact.Latest))
	whole := snapshots.String()
	lines := strings.SplitAfter(whole, "\n")
	third := len(lines[0]) + len(lines[1])
	cases := map[string]struct {
		file string
		want pact.Unlike
	}{
		"a space": {strings.Replace(whole, "\n{\"cycle\":3", "\n{ \"cycle\":3", 1),
			pact.Unlike{Line: 3, What: "snapshot", Cycle: 3, Byte: int64(third) + 1, In: 1, Was: ` "cycle":3`, Comes: `"cycle":3`}},
		"no last line feed": {strings.TrimSuffix(whole, "\n"),
			pact.Unlike{Line: 5, What: "snapshot", Cycle: 5, Byte: int64(len(whole)) - 1, In: int64(len(lines[4])) - 1}},
		"an empty line more": {whole + "\n",
			pact.Unlike{Line: 6, What: "snapshot", Cycle: 5, Byte: int64(len(whole))}},
	}
	for name, c := range cases {
		r, err := pact.Replay(background, strings.NewReader(c.file))
		must(t, err)
		if r.Same || r.Difference == nil || r.Bytes != c.want.Byte {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		got := *r.Difference
		if !strings.HasPrefix(got.Was, c.want.Was) || !strings.HasPrefix(got.Comes, c.want.Comes) {
			t.Errorf("%s: %q where %q comes", name, got.Was, got.Comes)
		}
		got.Was, got.Comes = c.want.Was, c.want.Comes
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if _, err := pact.Replay(background, strings.NewReader("{")); !errors.Is(err, pact.ErrDocumentInvalid) {
		t.Errorf("no history: %v", err)
	}
}

// A history of snapshots brings no log. Lifetimes, turns that go and groups left
// empty still tell why a node went, and the report says that it is a guess; what
// came when is in the headers.
func TestCausesInAnImportedHistory(t *testing.T) {
	kinds := map[diff.Kind]int{}
	for seed := range uint64(15) {
		s := tell(t, seed, 8)
		var snapshots bytes.Buffer
		must(t, s.context.ExportHistory(background, &snapshots, pact.Cycle(1), pact.Latest))
		again, _, err := pact.ImportHistory(background, store.NewMemory(), "again", &snapshots)
		must(t, err)
		for i, was := range s.pages[:len(s.pages)-2] {
			r, err := again.RichDiff(background, pact.Cycle(was.cycle), pact.Cycle(was.cycle+1), nil)
			must(t, err)
			for _, gone := range r.Removed {
				want := s.wantCause(gone.ID, i, i+1)
				due := was.headers[gone.ID]["ttl"] == json.Number("1")
				emptied := len(was.kids[gone.ID]) > 0 && !slices.ContainsFunc(was.kids[gone.ID], func(id string) bool { return was.headers[id]["ttl"] != json.Number("1") })
				turn := was.headers[gone.ID]["nodeType"] == "mt"
				switch {
				case want.Kind == diff.ByExpiry && due || want.Kind == diff.ByCascade && emptied || want.Kind == diff.ByPruning && turn && !due:
					if gone.Cause.Kind != want.Kind || !gone.Cause.Inferred {
						t.Fatalf("seed %d, cycle %d: %s went by %+v, want %+v", seed, was.cycle+1, gone.ID, gone.Cause, want)
					}
					kinds[want.Kind]++
				case want.Kind == diff.BySeal:
					if gone.Cause.Kind != diff.BySeal || gone.Cause.Inferred {
						t.Fatalf("seed %d: %s went by %+v", seed, gone.ID, gone.Cause)
					}
				}
			}
		}
		for _, cycle := range []int64{1, 4, 8} {
			a, err := s.context.Blame(background, pact.Cycle(cycle))
			must(t, err)
			b, err := again.Blame(background, pact.Cycle(cycle))
			must(t, err)
			for i := range a {
				a[i].By, b[i].By = pact.Author{}, pact.Author{}
				if a[i].Version != nil && b[i].Version != nil {
					a[i].Version.By, b[i].Version.By = pact.Author{}, pact.Author{}
				}
			}
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d, cycle %d: blame\n got %+v\nwant %+v", seed, cycle, b, a)
			}
		}
	}
	for _, kind := range []diff.Kind{diff.ByExpiry, diff.ByCascade, diff.ByPruning} {
		if kinds[kind] < 3 {
			t.Errorf("%d times %s", kinds[kind], kind)
		}
	}
}

// A fork is asked like any other context: what it shares and what came after.
func TestInspectingAFork(t *testing.T) {
	s := tell(t, 5, 6)
	f, err := s.context.Fork(background, pact.Cycle(4), "fork", pact.By("ann"))
	must(t, err)
	must(t, f.Edit(background, func(b *pact.Batch) error {
		_, err := b.Add("^sys", pact.Spec{ID: "own", Content: "own"})
		return err
	}, pact.By("carl")))
	_, err = f.Commit(background, pact.By("dora"))
	must(t, err)
	blame, err := f.Blame(background, pact.Latest)
	must(t, err)
	for _, b := range blame {
		if actor := s.actors[b.ID]; actor != "" && b.By.Actor != actor || b.ID == "own" && (b.By.Actor != "carl" || b.Cycle != 5) {
			t.Errorf("%+v", b)
		}
	}
	r, err := f.RichDiff(background, pact.Cycle(3), pact.Cycle(5), nil)
	must(t, err)
	if !slices.ContainsFunc(r.Added, func(c diff.Component) bool { return c.ID == "own" && c.Cause.Actor == "carl" }) {
		t.Errorf("added %+v", r.Added)
	}
	for _, gone := range r.Removed {
		cause := gone.Cause
		cause.Author = diff.Author{}
		if want := s.wantCause(gone.ID, 2, 3); s.page(4).headers[gone.ID] == nil && cause != want {
			t.Errorf("%s went by %+v, want %+v", gone.ID, gone.Cause, want)
		}
	}
	l, err := f.Life(background, "own")
	must(t, err)
	if l.State != pact.There || *l.First != 5 || l.Events[0].Cause.Actor != "carl" {
		t.Errorf("%+v", l)
	}
	cycles := 0
	for _, err := range f.Prefixes(background, pact.Cycle(1), pact.Latest) {
		must(t, err)
		cycles++
	}
	if cycles != 5 {
		t.Errorf("%d cycles", cycles)
	}
}

// A new context has nothing published, and all of it can be asked.
func TestInspectingANewContext(t *testing.T) {
	c := create(t, store.NewMemory(), pact.WithActor("ann"))
	must(t, c.Edit(background, say("hello")))
	blame, err := c.Blame(background, pact.Working)
	must(t, err)
	if len(blame) != 1 || blame[0].Cycle != 1 || blame[0].By.Actor != "ann" || blame[0].Region != "^ah" {
		t.Errorf("blame %+v", blame)
	}
	l, err := c.Life(background, blame[0].ID)
	must(t, err)
	if l.State != pact.Draft || l.First != nil || l.Range != nil || len(l.Events) != 1 || l.Events[0].What != pact.Born || !l.Events[0].Draft {
		t.Errorf("life %+v", l)
	}
	if _, err := c.Life(background, "ah"); err != nil {
		t.Error(err)
	}
	for _, err := range c.Prefixes(background, pact.Latest, pact.Latest) {
		if !errors.Is(err, pact.ErrSnapshotNotFound) {
			t.Errorf("prefixes: %v", err)
		}
	}
	_, err = c.Commit(background)
	must(t, err)
	if l, err = c.Life(background, "ah"); err != nil || l.State != pact.Gone || l.Events[1].Cause.Kind != diff.BySeal {
		t.Errorf("the first active head: %+v, %v", l, err)
	}
}

// What a report on neighbours costs must not grow with the history, beyond a
// few more levels of the tree and of the search in the log.
func TestInspectionCostsWhatChanged(t *testing.T) {
	var costs [2][2]float64
	for i, turns := range []int{500, 20_000} {
		c := long(t, turns, "hello")
		costs[0][i] = testing.AllocsPerRun(5, func() {
			r, err := c.RichDiff(background, pact.Back(1), pact.Latest, nil)
			if err != nil || len(r.Added) != 4 || len(r.Removed) != 1 {
				t.Fatal(r, err)
			}
		})
		costs[1][i] = testing.AllocsPerRun(5, func() {
			for p, err := range c.Prefixes(background, pact.Latest, pact.Latest) {
				if err != nil || !p.Prefix.Complete {
					t.Fatal(p, err)
				}
			}
		})
	}
	for what, cost := range costs {
		if cost[1] > 1.5*cost[0] {
			t.Errorf("%d: %v allocations at 500 turns, %v at 20,000", what, cost[0], cost[1])
		}
	}
}
