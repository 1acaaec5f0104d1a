package view

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

// shape is a context that is hard to draw in little space.
type shape struct {
	calls, blocks int
	id            string // that all ids begin with
	comb          bool   // every call changes the first block
	anew          bool   // every call replaces all blocks
	actor         string // that all names of actors begin with; each call has another
}

func (s shape) make(t testing.TB) *pact.Context {
	t.Helper()
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "shape", nil)
	must(t, err)
	var last []string
	for call := range s.calls {
		note := pact.Note{}
		if s.actor != "" {
			note.Actor = fmt.Sprint(s.actor, call)
		}
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Note: note, Edit: func(b *pact.Batch) error {
			if s.anew || call == 0 {
				for _, id := range last {
					b.Remove(id)
				}
				last = last[:0]
				for i := range s.blocks {
					text := strings.Repeat("x", i%50)
					last = append(last, b.Add("^sys", pact.Spec{ID: fmt.Sprint(s.id, call, "-", i), Content: text}))
				}
			} else if s.comb {
				b.Update(last[0], func(s *pact.Spec) { s.Content = fmt.Sprint("day ", call) })
			}
			b.Add("^ah", pact.Spec{ID: fmt.Sprint(s.id, "turn", call), Role: "user", Content: "next"})
			return nil
		}})
		must(t, err)
	}
	return c
}

// TestPicturesStaySmall draws contexts that would fill megabytes.
func TestPicturesStaySmall(t *testing.T) {
	testrun.OneGoroutine(t)
	long := strings.Repeat("i", 900)
	for name, s := range map[string]shape{
		"1,000 calls":                      {calls: 1000, blocks: 10},
		"100,000 blocks":                   {calls: 2, blocks: testrun.Size(t, 10_000, 100_000, 100_000)},
		"every call rewrites everything":   {calls: 150, blocks: 200, anew: true},
		"every call changes the beginning": {calls: 900, blocks: 400, comb: true},
		"long ids":                         {calls: 60, blocks: 300, id: long, comb: true},
		"long actors, of text":             {calls: 20, blocks: 3, actor: strings.Repeat("ä<", 100_000)},
		"long ids, rewritten":              {calls: 60, blocks: 100, id: long, anew: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := s.make(t)
			calls, err := NewReader(c, Bytes, nil, nil).Calls(t.Context(), pact.Cycle(1), "latest")
			must(t, err)
			p, err := Draw(t.Context(), c, calls, PictureOptions{Columns: 4000, Rows: 4000, Unit: Bytes})
			must(t, err)
			text, err := json.Marshal(p)
			must(t, err)
			if len(text) > MaxAnswer || len(text) < MaxAnswer/100 && !strings.Contains(name, ",") {
				t.Errorf("%d bytes, want at most %d", len(text), MaxAnswer)
			}
			if last := p.Columns[len(p.Columns)-1]; last.Cycle != int64(s.calls) || p.Max < last.Size {
				t.Errorf("the last column is %d, %d of %d high", last.Cycle, last.Size, p.Max)
			}
			t.Logf("%d bytes, %d columns, %d rows", len(text), len(p.Columns), p.Rows)
		})
	}
}

// TestColumnsCostWhatIsNew counts the nodes and runs that a picture looks at. Calls that add
// a block each cost the same, however many blocks they have.
func TestColumnsCostWhatIsNew(t *testing.T) {
	testrun.OneGoroutine(t)
	const calls = 100
	visited := func(blocks int, comb bool) int {
		c := shape{calls: calls, blocks: blocks, comb: comb}.make(t)
		list, err := NewReader(c, Bytes, nil, nil).Calls(t.Context(), pact.Cycle(1), "latest")
		must(t, err)
		return visits(t, c, list)
	}
	few, many := visited(1000, false), visited(8000, false)
	t.Logf("appending: %d nodes and runs of 1,000 blocks, %d of 8,000", few, many)
	if first := 7000 * 4; many > few+first { // the first column looks at each block
		t.Errorf("%d and %d: each call looks at more than what is new", few, many)
	}
	few, many = visited(1000, true), visited(8000, true)
	t.Logf("changing the beginning: %d nodes and runs of 1,000 blocks, %d of 8,000", few, many)
	if many > 3*few { // for eight times as many blocks: a path for each row of each column
		t.Errorf("%d and %d: each call looks at all blocks", few, many)
	}
}

// visits counts the nodes and runs that a picture of 50 rows looks at.
func visits(t *testing.T, c *pact.Context, calls []Call) int {
	t.Helper()
	log, err := provenance.LogOf(c.Log(t.Context(), 0))
	must(t, err)
	d := &drawing{ctx: t.Context(), context: c, calls: calls, log: log, options: PictureOptions{Unit: Bytes}, strips: new(strips)}
	_, err = d.draw(len(calls), 50)
	must(t, err)
	return d.visited
}
