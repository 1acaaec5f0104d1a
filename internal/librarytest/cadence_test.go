package librarytest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// A cadence whose note names what no snapshot has ends, and commits go on.
func TestNotesOfCadencesThatAreWrong(t *testing.T) {
	c := published(t, 0)
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "first", Key: "k", Cad: 3, TTL: 1, Content: "x"})
		return nil
	}, nil))
	turn(t, c, "1")
	turn(t, c, "2")
	var b bytes.Buffer
	must(t, c.Export(background, &b))
	for _, wrong := range [][2]string{{`\"last\":1`, `\"last\":99`}, {`\"last\":1`, `\"last\":-5`}, {`\"last\":1`, `\"last\":0`},
		{`\"id\":\"first\"`, `\"id\":\"nope\"`}, {`\"id\":\"first\"`, `\"id\":\"\"`}, {`\"key\":\"k\"`, `\"key\":\"j\"`},
		{`\"due\":4`, `\"due\":-4`}, {`\"due\":4`, `\"due\":9223372036854775807`}} {
		text := strings.ReplaceAll(b.String(), wrong[0], wrong[1])
		if text == b.String() {
			t.Fatalf("the export has no %s:\n%s", wrong[0], text)
		}
		d, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()).WithEdition(selector.V1), "d",
			strings.NewReader(text), nil)
		if err != nil {
			continue
		}
		for i := range 4 {
			if _, err := d.Commit(background, nil); err != nil {
				t.Errorf("%s, commit %d: %v", wrong[1], i, err)
			}
		}
	}
}

// A cadence that is longer than all cycles comes never again; one outside of the integers of a header is refused.
func TestLongestCadence(t *testing.T) {
	c := published(t, 0)
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Key: "k", Cad: 1, TTL: 4, Content: "x"})
		return nil
	}, nil))
	turn(t, c, "1")
	doc := exported(t, snapshotAt(t, c, pact.Cycle(1)))
	for cad, want := range map[string]fault.Code{"9223370937343148031": "", "9223370937343148032": fault.PlacementInvalid,
		"9223372036854775807": fault.PlacementInvalid, "9223372036854775808": fault.PlacementInvalid} {
		d, _, err := pact.Import(background, pact.NewDB(store.NewMemory()).WithEdition(selector.V1), "d",
			[]byte(strings.Replace(doc, `"cad":1`, `"cad":`+cad, 1)), nil)
		if fault.CodeOf(err) != want || err != nil && !strings.Contains(err.Error(), "is not an integer from 1 to 9223370937343148031") {
			t.Errorf("cad %s: %v", cad, err)
		}
		if err != nil {
			continue
		}
		for range 3 {
			turn(t, d, "y")
		}
		if got, err := d.Select(background, "@t-1 #k", nil); err != nil || len(got.IDs) != 1 {
			t.Errorf("cad %s: %d nodes of the key, %v", cad, len(got.IDs), err)
		}
	}
}

// Keys that are gone are looked for when they are due, all of a snapshot in one reading of it.
func TestCadencesReadASnapshotOnce(t *testing.T) {
	c := published(t, 0)
	must(t, c.Edit(background, func(b *pact.Batch) error {
		for i := range 20 {
			b.Add("^ah", pact.Spec{Key: fmt.Sprint("k", i), Cad: 4, TTL: 1, Content: "x"})
		}
		return nil
	}, nil))
	turn(t, c, "1")
	turn(t, c, "2")
	trees := make(map[int64]*tree.Tree)
	for cycle := int64(1); cycle <= 2; cycle++ {
		trees[cycle] = tree.Of(snapshotAt(t, c, pact.Cycle(cycle)))
	}
	idle, err := commit.Scheduled(nil, nil, trees[1])
	must(t, err)
	idle, err = commit.Scheduled(idle, trees[1], trees[2])
	must(t, err)
	for cycle := int64(3); cycle <= 6; cycle++ {
		read, last := 0, trees[cycle-1]
		sealed, _, report, err := commit.Run(background, commit.Input{Before: last, Working: last.WithCycle(cycle), Idle: idle,
			Stamps: tree.Stamps{Cycle: cycle, LastNS: cycle << 32, Given: cycle - 1},
			Env:    tree.Env{Bare: true, Clock: func() int64 { return 0 }},
			At:     func(of int64) (*tree.Tree, error) { read++; return trees[of], nil }})
		must(t, err)
		if want := map[int64]int{5: 1}[cycle]; read != want {
			t.Errorf("the commit of cycle %d read %d snapshots, want %d", cycle, read, want)
		}
		trees[cycle], idle = sealed, commit.Idle(&report)
	}
}

// A node of ^sys that something refers to has no other of its key beside it; the next comes when it is gone.
func TestCadenceWaitsForWhatStaysInSys(t *testing.T) {
	for name, refs := range map[string][]string{"another": nil, "itself": {"p"}} {
		c := published(t, 0)
		must(t, c.Edit(background, func(b *pact.Batch) error {
			b.Add("^sys", pact.Spec{ID: "p", Key: "s", Cad: 1, TTL: 1, Content: "x", Refs: refs})
			if refs == nil {
				b.Add("^ah", pact.Spec{ID: "r", Content: "see p", Refs: []string{"p"}, TTL: 3})
			}
			return nil
		}, nil))
		other := false
		for range 6 {
			_, err := c.Commit(background, nil)
			must(t, err)
			got, err := c.Select(background, "@t-1 ^sys #s", nil)
			must(t, err)
			if len(got.IDs) > 1 {
				t.Errorf("referred to by %s: %q stand beside each other", name, got.IDs)
			}
			other = other || len(got.IDs) == 1 && got.IDs[0] != "p"
		}
		if !other {
			t.Errorf("referred to by %s: the key did not come again", name)
		}
	}
}

// A refusal names the cadence that was written.
func TestRefusalNamesTheCadence(t *testing.T) {
	c := published(t, 0)
	must(t, c.Edit(background, func(b *pact.Batch) error { b.Add("^ah", pact.Spec{ID: "n", Key: "n", Content: "x"}); return nil }, nil))
	for written, edit := range map[string]func(*pact.Batch){
		"0":     func(b *pact.Batch) { b.Add("(d0, end)", "block {key='M'} [cad=0]") },
		"-3":    func(b *pact.Batch) { b.Add("(d0, end)", "block {key='M', cad=-3}") },
		"0 set": func(b *pact.Batch) { b.Update("n", func(s *pact.Spec) { s.Cad = pact.Unsent }) },
	} {
		err := c.Edit(background, func(b *pact.Batch) error { edit(b); return b.Err() }, nil)
		if f := new(fault.Error); !errors.As(err, &f) || f.Token != strings.TrimSuffix(written, " set") {
			t.Errorf("%s: %v", written, err)
		}
	}
}
