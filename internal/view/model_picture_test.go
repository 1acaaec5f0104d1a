package view

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// words counts the words of a content, which stands for a tokenizer.
type words struct{}

func (words) Name() string          { return "words" }
func (words) Count(text string) int { return len(strings.Fields(text)) + len(text)/5 }

// modelBlock is a block of a thread as the model sees it.
type modelBlock struct {
	text   string // as it is in the thread
	node   *tree.Node
	kind   Kind
	height int64
}

// modelThread renders a thread block by block.
func modelThread(t *testing.T, s *pact.Snapshot, unit Unit) (list []modelBlock) {
	t.Helper()
	for b := range sure.All(tree.Of(s).Blocks(0)) {
		text, err := b.Node().AppendRendered(t.Context(), nil, b.Region)
		must(t, err)
		var shown struct {
			Role    string
			Kind    string
			Content string
		}
		must(t, json.Unmarshal(text, &shown))
		b := modelBlock{string(text), b.Node(), KindOf(shown.Role, shown.Kind), int64(len(text)) + 1}
		if unit == Tokens {
			if b.height = 0; shown.Content != "" {
				b.height = int64(words{}.Count(shown.Content))
			}
		}
		list = append(list, b)
	}
	return list
}

// modelBands merges neighbours block by block.
func modelBands(list []modelBlock, unit int64) (bands []Band) {
	var open []modelBlock
	flush := func() {
		if len(open) == 0 {
			return
		}
		b := Band{Blocks: len(open), First: open[0].node.ID, Cycle: open[0].node.Cycle}
		shares := map[Kind]int64{}
		for _, m := range open {
			b.Height, b.Largest = b.Height+m.height, max(b.Largest, m.height)
			shares[m.kind] += m.height
		}
		kinds := make([]Kind, 0, len(shares))
		for k := range shares {
			kinds = append(kinds, k)
		}
		slices.SortFunc(kinds, func(x, y Kind) int {
			return cmp.Or(cmp.Compare(shares[y], shares[x]), cmp.Compare(x, y))
		})
		if b.Kind = kinds[0]; shares[b.Kind] == 0 {
			b.Kind = open[0].kind
		}
		bands, open = append(bands, b), nil
	}
	sum := func() (n int64) {
		for _, m := range open {
			n += m.height
		}
		return n
	}
	for _, m := range list {
		if m.height >= unit {
			flush()
		}
		if open = append(open, m); sum() >= unit {
			flush()
		}
	}
	flush()
	return bands
}

// TestPicturesAgreeWithModel draws random contexts in random sizes and compares every column
// with one that is made block by block.
func TestPicturesAgreeWithModel(t *testing.T) {
	for seed := range testrun.Size(t, 60, 200, 2000) {
		random := rand.New(rand.NewPCG(uint64(seed), 15))
		c := randomContext(t, random, 2+random.IntN(20))
		unit := []Unit{Bytes, Tokens}[random.IntN(2)]
		last := c.Info().Cycle
		from := 1 + random.Int64N(last)
		to := from + random.Int64N(last-from+1)
		calls, err := NewReader(c, unit, nil, nil).Calls(t.Context(), pact.Cycle(from), pact.Cycle(to))
		must(t, err)
		p, err := Draw(t.Context(), c, calls, PictureOptions{Columns: 1 + random.IntN(25), Rows: 1 + random.IntN(60), Unit: unit,
			Counter: words{}})
		must(t, err)
		comparePicture(t, c, p, calls)
		if t.Failed() {
			t.Fatalf("seed %d, %s, %d..%d", seed, unit, from, to)
		}
	}
}

func comparePicture(t *testing.T, c *pact.Context, p *Picture, calls []Call) {
	t.Helper()
	threads := map[int64][]modelBlock{}
	for cycle := max(1, p.From-1); cycle <= p.To; cycle++ {
		s, err := c.At(t.Context(), pact.Cycle(cycle))
		must(t, err)
		threads[cycle] = modelThread(t, s, p.Unit)
	}
	high := int64(0)
	for i, call := range calls {
		compareCall(t, threads, &call, p.Unit, p.From+int64(i))
		high = max(high, call.Size)
	}
	if p.Max != high {
		t.Errorf("the picture is %d high, want %d", p.Max, high)
	}
	unit := modelRow(high, int64(p.Rows))
	var drawn []Band
	for i, col := range p.Columns {
		if want := min(p.From+int64(i+1)*p.Step-1, p.To); col.Cycle != want {
			t.Errorf("column %d is cycle %d, want %d", i, col.Cycle, want)
		}
		drawn = append(slices.Clone(drawn[:col.Keep]), col.Bands...)
		want := modelBands(threads[col.Cycle], unit)
		for k := range want {
			if k < len(drawn) {
				want[k].Actor = drawn[k].Actor // TestBandsNameTheirActors compares them
			}
		}
		if !slices.Equal(drawn, want) {
			t.Errorf("cycle %d, rows of %d:\n%+v\nwant\n%+v", col.Cycle, unit, drawn, want)
		}
		var cut *int64
		shared := col.Size
		for n := col.Cycle - min(p.Step, col.Cycle-p.From+1) + 1; n <= col.Cycle; n++ {
			if i > 0 && n <= p.Columns[i-1].Cycle {
				continue
			}
			call := calls[n-p.From]
			shared = min(shared, call.Shared)
			if call.Cut != nil && (cut == nil || call.Cut.At < *cut) {
				cut = &call.Cut.At
			}
		}
		if col.Shared != shared || (cut == nil) != (col.Cut == nil) || cut != nil && *cut != *col.Cut {
			t.Errorf("cycle %d shares %d and is cut at %v, want %d and %v", col.Cycle, col.Shared, col.Cut, shared, cut)
		}
	}
}

// modelRow returns the first power of two that is not lower than a row.
func modelRow(high, rows int64) int64 {
	row := int64(1)
	for row*rows < high {
		row *= 2
	}
	return row
}

// compareCall compares what a call shares with the call before, block by block.
func compareCall(t *testing.T, threads map[int64][]modelBlock, call *Call, unit Unit, cycle int64) {
	t.Helper()
	now, before := threads[cycle], threads[cycle-1]
	var size, shared int64
	for _, b := range now {
		size += b.height
	}
	if unit == Bytes {
		size++ // the closing bracket
	}
	if len(now) == 0 && unit == Bytes {
		size = int64(len("[]"))
	}
	if call.Cycle != cycle || call.Size != size || call.Blocks != len(now) {
		t.Errorf("call %d: %+v, want size %d and %d blocks", cycle, call, size, len(now))
	}
	if cycle == 1 {
		return
	}
	n := 0
	for n < len(now) && n < len(before) && now[n].text == before[n].text {
		shared += now[n].height
		n++
	}
	if unit == Bytes && n == len(now) && n > 0 {
		shared++ // the closing bracket
	}
	if call.Shared != shared || (call.Cut == nil) != (n == len(before)) || call.Cut != nil && call.Cut.At != shared {
		t.Errorf("call %d shares %d, cut %+v, want %d of %d blocks shared", cycle, call.Shared, call.Cut, shared, n)
	}
}

// A band names who brought its first block; each is in the list once, however many blocks he brought, in the order of
// the picture.
func TestBandsNameTheirActors(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	_, err := pact.Create(t.Context(), db, "c", nil)
	must(t, err)
	var c *pact.Context
	for i, actor := range []string{"bea", "abe", "bea", "cid"} {
		c, err = pact.Open(t.Context(), db, "c", &pact.OpenOptions{Actor: actor})
		must(t, err)
		_, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{ID: fmt.Sprint("b", i), Role: "user", Content: strings.Repeat("x", 1000)})
			return nil
		}})
		must(t, err)
	}
	calls, err := NewReader(c, Bytes, nil, nil).Calls(t.Context(), pact.Cycle(1), "latest")
	must(t, err)
	p, err := Draw(t.Context(), c, calls, PictureOptions{Columns: 9, Rows: 60, Unit: Bytes})
	must(t, err)
	var said []string
	for _, col := range p.Columns {
		for _, band := range col.Bands {
			said = append(said, band.First+" by "+p.Actors[band.Actor])
		}
	}
	if got := strings.Join(said, ", "); got != "b0 by bea, b1 by abe, b2 by bea, b3 by cid" || strings.Join(p.Actors, " ") != "bea abe cid" {
		t.Errorf("%s of %q", got, p.Actors)
	}
}

func TestPicturesInJSONAreArrays(t *testing.T) {
	text, err := json.Marshal(Band{812, KindUser, 1, "a", 3, 0, 810})
	if err != nil || !bytes.Equal(text, []byte(`[812,2,1,"a",3,0,810]`)) {
		t.Errorf("%s, %v", text, err)
	}
}
