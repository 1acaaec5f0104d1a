package directory_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/internal/directory"
	"github.com/contexttree/pact/store/internal/page"
	"github.com/contexttree/pact/tree"
)

// drawn makes a page of anything that fits the types.
func drawn(rng *rand.Rand) *directory.Page {
	p := &directory.Page{Runs: []directory.Run{}}
	for i := range rng.IntN(40) {
		r := page.Row{Birth: int64(i / 3), NID: int64(i), Parent: rng.Int64N(40), ID: fmt.Sprintf("block:%d-%d", i/3, i),
			Type: "block", Offset: rng.Int64N(3) - 1, Cycle: int64(i / 3), CreatedNS: rng.Int64(), Expiry: tree.Never}
		if rng.IntN(2) == 0 {
			r.Size = 1 + rng.IntN(1<<20)
			r.Hash = make([]byte, 32)
			r.Hash[i%32] = byte(i)
		}
		p.Rows = append(p.Rows, r)
	}
	turns := 0
	for i := range rng.IntN(6) {
		turns += rng.IntN(3)
		r := directory.Run{Turns: turns, Branch: rng.Int64(), No: int64(i), Odd: rng.IntN(9),
			Cycles: directory.Span{Lo: -rng.Int64(), Hi: rng.Int64()}, NIDs: directory.Span{Lo: 5, Hi: rng.Int64()},
			Stub: tree.Stub{Level: uint8(rng.IntN(16)), Count: 1 + rng.IntN(999)}, Strays: []int64{}, Refs: []uint64{}}
		r.Stub.Summary = tree.Summary{Nodes: rng.Int(), Blocks: rng.IntN(99), Containers: rng.IntN(99), Bytes: rng.Int64(),
			Roleless: rng.IntN(9), Finite: rng.IntN(9), Expiry: rng.Int64() - 1,
			Marks: tree.Marks{Roles: rng.Uint64(), Kinds: rng.Uint64(), Types: rng.Uint64(), Keys: rng.Uint64()}}
		for k := range 32 {
			r.Stub.Digest[k], r.Stub.Proof[k], r.Sum[k] = byte(rng.Uint32()), byte(rng.Uint32()), byte(rng.Uint32())
		}
		for range rng.IntN(5) {
			r.Strays, r.Refs = append(r.Strays, rng.Int64()), append(r.Refs, rng.Uint64())
		}
		slices.Sort(r.Strays)
		slices.Sort(r.Refs)
		p.Runs = append(p.Runs, r)
	}
	return p
}

func TestPagesAreReadAsTheyWereWritten(t *testing.T) {
	for seed := range uint64(200) {
		p := drawn(rand.New(rand.NewPCG(seed, 1)))
		got, err := directory.Decode(p.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, p) {
			t.Fatalf("seed %d\n got %+v\nwant %+v", seed, got, p)
		}
	}
}

// Where nodes are is found by what their ids and nids tell, and by the exceptions.
func TestRunsSayWhatTheyHold(t *testing.T) {
	node := func(id string, cycle int64, refs string) *tree.Node {
		n := tree.Node{ID: id, Type: "block", Cycle: cycle, Expiry: tree.Never}
		if refs != "" {
			n.Headers = []tree.Header{{Name: "refs", Value: tree.JSON(`["` + refs + `"]`)}}
		}
		return tree.NewNode(n, nil)
	}
	turn := node("seg:7-3", 7, "")
	nodes := []*tree.Node{turn, node("block:7-0", 7, "seg:7-3"), node("named", 7, "elsewhere"), node("block:90-1", 90, "")}
	nids := []int64{31, 33, 34, 400}
	below := directory.Run{Cycles: directory.Span{Lo: 2, Hi: 5}, NIDs: directory.Span{Lo: 10, Hi: 28}, Odd: 2,
		Strays: []int64{20, 500}, Refs: []uint64{directory.Hash("far")}}
	var r directory.Run
	if !r.Describe(nodes, nids, []*tree.Node{turn}, []directory.Run{below}) {
		t.Fatal("a page with a turn is not described")
	}
	holds := map[int64]bool{9: false, 10: true, 31: true, 34: true, 35: false, 400: true, 401: false, 500: true}
	for nid, want := range holds {
		if r.HasNID(nid) != want {
			t.Errorf("nid %d: got %v", nid, !want)
		}
	}
	for id, want := range map[string]bool{"elsewhere": true, "far": true, "seg:7-3": false, "named": false} {
		if r.RefersTo(directory.Hash(id)) != want {
			t.Errorf("a reference to %s: got %v", id, !want)
		}
	}
	if r.Cycles != (directory.Span{Lo: 2, Hi: 7}) || r.Odd != 4 || len(r.Strays) != 2 {
		t.Errorf("got %+v", r)
	}
	if new(directory.Run).Describe(nodes, nids, nil, nil) {
		t.Error("a page without a turn is described")
	}
}

func FuzzDecode(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(drawn(rand.New(rand.NewPCG(seed, 2))).Encode())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := directory.Decode(data)
		if err != nil {
			var d *store.Damage
			if !errors.As(err, &d) {
				t.Fatalf("no damage: %v", err)
			}
			return
		}
		if len(p.Rows) > page.MaxRows || len(p.Runs) > len(data) {
			t.Fatalf("%d rows and %d runs in %d bytes", len(p.Rows), len(p.Runs), len(data))
		}
		again, err := directory.Decode(p.Encode())
		if err != nil || len(again.Rows) != len(p.Rows) || !reflect.DeepEqual(again.Runs, p.Runs) {
			t.Fatalf("read again: %v", err)
		}
	})
}
