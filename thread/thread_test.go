package thread_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/thread"
	"github.com/contexttree/pact/tree"
)

var env = tree.Env{
	Vocabulary: tree.Vocabulary{Turn: "mt", Container: "mc", Block: "cb"},
	Clock:      func() int64 { return 0 },
	Taken:      func(string) (bool, error) { return false, nil },
}

// grow seals one turn for each text and returns the snapshots.
func grow(t *testing.T, texts ...string) []*tree.Tree {
	t.Helper()
	working, stamps, err := tree.New(env, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []*tree.Tree
	base := working
	for i, text := range texts {
		x := tree.Edit(context.Background(), working.WithCycle(stamps.Cycle), base, stamps, env)
		if i == 0 {
			add(t, x, "^sys", tree.Spec{ID: "rules", Content: "Be brief."})
		}
		add(t, x, "^ah", tree.Spec{Content: text})
		if working, stamps, err = tree.Seal(x.Tree(), x.Stamps, env); err != nil {
			t.Fatal(err)
		}
		base = working
		all = append(all, working)
	}
	return all
}

func add(t *testing.T, x *tree.Editor, into string, s tree.Spec) {
	t.Helper()
	if _, err := x.Add(into, s); err != nil {
		t.Fatal(err)
	}
}

func TestRolesDefaultByRegion(t *testing.T) {
	got, err := thread.Bytes(context.Background(), grow(t, "hi")[0])
	want := `[{"id":"rules","role":"system","content":"Be brief."},{"id":"cb:1-1","role":"user","content":"hi"}]`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

// Pieces of every size around the limits of the renderer give the same bytes
// as rendering block by block, cold and warm.
func TestLongThreadsAreWrittenWhole(t *testing.T) {
	for _, size := range []int{0, 10, 900, 1100, 5_000, 40_000} {
		texts := make([]string, 150)
		for i := range texts {
			texts[i] = strings.Repeat("x", size) + fmt.Sprint(i)
		}
		list := grow(t, texts...)
		last := list[len(list)-1]
		var want []string
		last.BlocksFrom(0, func(e *tree.Entry, region tree.Class) bool {
			b, err := e.Node().AppendRendered(context.Background(), nil, map[bool]string{true: "system", false: "user"}[region == tree.Sys])
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, string(b))
			return true
		})
		for _, round := range []string{"cold", "warm"} {
			var out bytes.Buffer
			if err := thread.Write(context.Background(), &out, last); err != nil {
				t.Fatal(err)
			}
			if out.String() != "["+strings.Join(want, ",")+"]" {
				t.Errorf("blocks of %d bytes, %s: the thread is not that of its blocks", size, round)
			}
			if _, n := last.ThreadSize(); n != int64(out.Len()) {
				t.Errorf("blocks of %d bytes, %s: %d bytes, the sums say %d", size, round, out.Len(), n)
			}
		}
	}
}

type brokenWriter struct{ left int }

var errFull = errors.New("full")

func (w *brokenWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteErrorsComeBack(t *testing.T) {
	last := grow(t, strings.Repeat("x", 50_000), "y")[1]
	for _, room := range []int{0, 10, 50_100} {
		if err := thread.Write(context.Background(), &brokenWriter{room}, last); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: got %v", room, err)
		}
	}
	lost := errors.New("lost")
	n := tree.NewNode(tree.Node{ID: "b", Type: "cb", Expiry: tree.Never,
		Content: tree.Fetch(3, func(context.Context) (canon.Value, error) { return "", lost })}, new(tree.Digest))
	gone := grow(t, "x")[0].Patch(1, nil, []tree.Born{{Node: n, Parent: "sys"}})
	if err := thread.Write(context.Background(), &bytes.Buffer{}, gone); !errors.Is(err, lost) {
		t.Errorf("content that cannot be read: got %v", err)
	}
}

func TestCommonPrefix(t *testing.T) {
	list := grow(t, "a", "b", "c")
	check := func(name string, older, newer *tree.Tree, blocks int, first string) {
		t.Helper()
		p, err := thread.Common(context.Background(), older, newer)
		if err != nil {
			t.Fatal(err)
		}
		rendered, err := thread.Bytes(context.Background(), newer)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if p.Old != nil {
			got = p.Old.ID
		}
		if p.Blocks != blocks || got != first || p.Complete() != (first == "") {
			t.Errorf("%s: %d blocks, first difference %q; want %d, %q", name, p.Blocks, got, blocks, first)
		}
		if n := bytes.Count(rendered[:p.Bytes], []byte(`{"id"`)); n != blocks {
			t.Errorf("%s: %d bytes hold %d blocks", name, p.Bytes, n)
		}
	}
	check("nothing changed before", list[0], list[1], 2, "")
	check("itself", list[2], list[2], 4, "")
	x := tree.Edit(context.Background(), list[2].WithCycle(4), list[2], tree.Stamps{Cycle: 4, LastNS: 100}, env)
	if err := x.Update("rules", map[string]any{"content": "Be kind."}); err != nil {
		t.Fatal(err)
	}
	check("an edit of the header", list[2], x.Tree(), 0, "rules")
	// A tag is not rendered: the thread is the same though the node is not.
	x = tree.Edit(context.Background(), list[2].WithCycle(4), list[2], tree.Stamps{Cycle: 4, LastNS: 100}, env)
	if err := x.Update("rules", map[string]any{"tags": []string{"t"}}); err != nil {
		t.Fatal(err)
	}
	check("a tag", list[2], x.Tree(), 4, "")
	check("a turn that went", list[2], list[2].Without("mt:2-1"), 2, "cb:2-0")
}
