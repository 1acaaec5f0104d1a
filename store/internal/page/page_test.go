package page_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/page"
	"github.com/contexttree/pact/tree"
)

// content is a row with what it contains.
type content struct {
	page.Row
	body []byte
}

// built makes a page and returns what reading it has to give: the rows, and for each
// the bytes that its block has to have in its place.
func built(list []content) page.Page {
	var b page.Builder
	for _, r := range list {
		b.Add(r.Row, r.body)
	}
	return b.Page()
}

// checkPage reads a page and compares it with what it was made of.
func checkPage(t *testing.T, p page.Page, want []content) {
	t.Helper()
	var x page.Index
	if err := x.Decode(p.Head); err != nil {
		t.Fatal(err)
	}
	if len(x.Rows) != len(want) || len(x.Blocks) != len(p.Blocks) {
		t.Fatalf("read %d rows and %d blocks, want %d and %d", len(x.Rows), len(x.Blocks), len(want), len(p.Blocks))
	}
	open := make([][]byte, len(p.Blocks))
	for i, stored := range p.Blocks {
		var err error
		if open[i], err = x.Blocks[i].Open(stored); err != nil {
			t.Fatal(err)
		}
	}
	for i, got := range x.Rows {
		var body []byte
		if got.Size > 0 {
			body = open[got.Block][got.At : got.At+got.Size]
		}
		got.Block, got.At = 0, 0
		expected := want[i].Row
		expected.Size = len(want[i].body)
		if !reflect.DeepEqual(got, expected) || !bytes.Equal(body, want[i].body) {
			t.Fatalf("row %d:\nread %+v %q\nwant %+v %q", i, got, body, expected, want[i].body)
		}
	}
}

// drawn draws rows of every kind, with numbers at the ends of their ranges.
func drawn(r *rand.Rand, n int) []content {
	number := func() int64 {
		switch r.IntN(8) {
		case 0:
			return math.MaxInt64 - r.Int64N(3)
		case 1:
			return math.MinInt64 + r.Int64N(3)
		}
		return r.Int64N(100) - 50
	}
	text := func() string {
		return []string{"", "cb", "mt", "\x00\xff", strings.Repeat("long ", 1000), `{"role":"user"}`}[r.IntN(6)]
	}
	id := func(cycle, index int64) string {
		switch r.IntN(6) {
		case 0:
			return text()
		case 1:
			return fmt.Sprintf("mt:%d-%d", cycle, index)
		case 2:
			return fmt.Sprintf("cb:%d-%d-f3", r.Int64N(100), r.Int64N(100))
		case 3:
			return []string{"x:01-2", "x:1-02", ":1-2", "x:1-2-3", "x:9223372036854775808-1", "x:-1-2", "x:1-"}[r.IntN(7)]
		case 4:
			return strings.Repeat("p", 63) + ":" + fmt.Sprintf("%d-%d", cycle, index) + strings.Repeat("s", r.IntN(3))
		}
		return fmt.Sprintf("cb:%d-%d", cycle, index)
	}
	list := make([]content, n)
	for i := range list {
		row := page.Row{Birth: number(), NID: number()}
		if r.IntN(4) == 0 {
			row.Death = "expired"
			list[i] = content{Row: row}
			continue
		}
		row.Parent, row.Type, row.Offset, row.Priority = number(), text(), number(), number()
		row.Cycle, row.CreatedNS, row.ISO, row.Index, row.Expiry = number(), number(), text(), number(), number()
		if r.IntN(2) == 0 {
			row.Expiry = tree.Never
		}
		row.Headers, row.Named, row.ID = text(), r.IntN(2) == 0, id(row.Cycle, row.Index)
		list[i].Row = row
		if r.IntN(3) == 0 {
			continue
		}
		size := 1 + r.IntN(3000)
		if r.IntN(30) == 0 {
			size = 200_000
		}
		list[i].body = bytes.Repeat([]byte{byte(r.IntN(256))}, size)
		if r.IntN(2) == 0 {
			for k := range list[i].body {
				list[i].body[k] = byte(r.IntN(256))
			}
		}
		if r.IntN(8) > 0 {
			sum := sha256.Sum256(list[i].body)
			list[i].Hash = sum[:]
		}
	}
	return list
}

// What is read is what was written, whatever it was.
func TestRoundTrip(t *testing.T) {
	testrun.OneGoroutine(t)
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		list := drawn(r, r.IntN(200))
		checkPage(t, built(list), list)
	}
}

// A builder and an index that are used again keep nothing of what was there before.
func TestUsedAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var b page.Builder
	var x page.Index
	for range 20 {
		list := drawn(r, r.IntN(50))
		for _, c := range list {
			b.Add(c.Row, c.body)
		}
		p := b.Page()
		fresh := built(list)
		if !bytes.Equal(p.Head, fresh.Head) || !reflect.DeepEqual(p.Blocks, fresh.Blocks) {
			t.Fatal("a page depends on the one before")
		}
		if err := x.Decode(p.Head); err != nil {
			t.Fatal(err)
		}
		var y page.Index
		if err := y.Decode(p.Head); err != nil || len(x.Rows) != len(y.Rows) ||
			len(x.Rows) > 0 && !reflect.DeepEqual(x.Rows, y.Rows) {
			t.Fatalf("an index depends on what it held: %v", err)
		}
	}
}

// A content that makes thousands of bytes of each that are stored is stored as it is:
// else a few bytes could ask for gigabytes.
func TestNothingGrowsWithoutBound(t *testing.T) {
	row := page.Row{Birth: 1, NID: 1, Type: "cb", ID: "a", Expiry: tree.Never}
	list := []content{{Row: row, body: make([]byte, 4<<20)}}
	p := built(list)
	if len(p.Blocks[0]) < 4<<20/300 {
		t.Errorf("4 MiB of zeros are stored in %d bytes", len(p.Blocks[0]))
	}
	checkPage(t, p, list)
	var b page.Builder
	for i := range int64(page.MaxRows + 1) {
		b.Add(page.Row{Birth: 1, NID: i, Death: "edit"}, nil)
	}
	var x page.Index
	checkDamage(t, x.Decode(b.Page().Head))
}

func checkDamage(t *testing.T, err error) {
	t.Helper()
	var d *store.Damage
	if fault.CodeOf(err) != fault.Store || !errors.As(err, &d) {
		t.Fatalf("want E_STORE with a damage, got %v", err)
	}
}

// Each bit that is flipped in a page changes its digest or is found when it is read,
// and never makes the decoder panic.
func TestFlippedBits(t *testing.T) {
	testrun.OneGoroutine(t)
	p := built(drawn(rand.New(rand.NewPCG(5, 5)), 60))
	sum := page.Digest(p.Head, 1, 2, 3)
	var x page.Index
	for bit := range 8 * len(p.Head) {
		flipped := bytes.Clone(p.Head)
		flipped[bit/8] ^= 1 << (bit % 8)
		if page.Digest(flipped, 1, 2, 3) == sum {
			t.Fatal("the digest does not cover the head")
		}
		if err := x.Decode(flipped); err != nil {
			checkDamage(t, err)
		}
	}
	if page.Digest(p.Head, 1, 2, 4) == sum || page.Digest(p.Head, 1, 2) == sum {
		t.Error("the digest does not cover the place")
	}
	if err := x.Decode(p.Head); err != nil {
		t.Fatal(err)
	}
	for i, stored := range p.Blocks {
		for bit := 0; bit < 8*len(stored); bit += 1 + len(stored)/64 {
			stored[bit/8] ^= 1 << (bit % 8)
			_, err := x.Blocks[i].Open(stored)
			checkDamage(t, err)
			stored[bit/8] ^= 1 << (bit % 8)
		}
	}
}

// Cut off, a head is damaged, wherever it ends.
func TestCutOff(t *testing.T) {
	p := built(drawn(rand.New(rand.NewPCG(6, 6)), 20))
	var x page.Index
	for n := range p.Head {
		if err := x.Decode(p.Head[:n]); err == nil {
			t.Fatalf("the first %d bytes of %d are read as a page", n, len(p.Head))
		}
	}
}

// conversation is W(n): turns of four messages and 3.7 kB, as a store has them.
func conversation(turns int) []content {
	r := rand.New(rand.NewPCG(2, 2))
	var list []content
	nid := int64(10)
	for cycle := int64(1); cycle <= int64(turns); cycle++ {
		at := 1_700_000_000_000_000_000 + cycle*40_000_000_000
		list = append(list, content{Row: page.Row{Birth: cycle, NID: nid, Death: "seal"}})
		add := func(n, parent, index int64, kind, headers string, body []byte) {
			row := page.Row{Birth: cycle, NID: n, Parent: parent, Type: kind, ID: fmt.Sprintf("%s:%d-%d", kind, cycle, index),
				Cycle: cycle, CreatedNS: at + index*1_000_003, Index: index, Expiry: tree.Never, Headers: headers}
			if body != nil {
				sum := sha256.Sum256(body)
				row.Hash = sum[:]
			}
			list = append(list, content{row, body})
		}
		add(nid+1, 4, 4, "mt", "", nil)
		add(nid+2, nid+1, 5, "mc", "", nil)
		for i, role := range []string{"user", "assistant", "tool", "assistant"} {
			body := []byte{'"'}
			for len(body) < 925 {
				body = fmt.Appendf(body, "%s ", []string{"the", "quick", "brown", "fox", "jumps", "over", "lazy", "dog"}[r.IntN(8)])
			}
			body = append(body, '"')
			add(nid+3+int64(i), nid+2, int64(i), "cb", `{"kind":"text","role":"`+role+`"}`, body)
		}
		nid += 8
		add(nid, 1, 6, "^ah", "", nil)
	}
	return list
}

// Reading a page allocates the same few times, whatever its size.
func TestDecodeAllocatesAFewTimes(t *testing.T) {
	testrun.CountsAllocations(t)
	head := func(turns int) []byte { return built(conversation(turns)).Head }
	small, large := head(8), head(64)
	var x page.Index
	count := func(head []byte) float64 {
		return testing.AllocsPerRun(50, func() {
			if err := x.Decode(head); err != nil {
				t.Fatal(err)
			}
		})
	}
	count(large)
	if few, many := count(small), count(large); many > few+2 || many > 16 {
		t.Errorf("8 turns take %v allocations, 64 take %v", few, many)
	}
}

func BenchmarkDecode(b *testing.B) {
	p := built(conversation(64))
	b.ReportMetric(float64(len(p.Head))/64, "B/turn")
	var x page.Index
	b.ReportAllocs()
	for b.Loop() {
		if err := x.Decode(p.Head); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/turn")
}

func BenchmarkEncode(b *testing.B) {
	list := conversation(64)
	raw, stored := 0, 0
	for _, c := range list {
		raw += len(c.body)
	}
	for _, block := range built(list).Blocks {
		stored += len(block)
	}
	b.SetBytes(int64(raw))
	b.ReportAllocs()
	for b.Loop() {
		built(list)
	}
	b.ReportMetric(float64(stored)/float64(raw), "stored/raw")
}

func BenchmarkOpen(b *testing.B) {
	p := built(conversation(64))
	var x page.Index
	if err := x.Decode(p.Head); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(x.Blocks[0].Size))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := x.Blocks[0].Open(p.Blocks[0]); err != nil {
			b.Fatal(err)
		}
	}
}
