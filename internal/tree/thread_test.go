package tree_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

var threadEnv = tree.Env{
	Vocabulary: tree.Vocabulary{Turn: "mt", Container: "mc", Block: "cb"},
	Clock:      func() int64 { return 0 },
	Taken:      func(string) (bool, error) { return false, nil },
}

// sealTexts seals one turn for each text and returns the snapshots.
func sealTexts(t *testing.T, texts ...string) []*tree.Tree {
	t.Helper()
	working, stamps, err := tree.New(threadEnv, nil)
	must(t, err)
	var all []*tree.Tree
	base := working
	for i, text := range texts {
		x := tree.Edit(context.Background(), working.WithCycle(stamps.Cycle), base, stamps, threadEnv)
		if i == 0 {
			addNode(t, x, "^sys", tree.Spec{ID: "rules", Content: "Be brief."})
		}
		addNode(t, x, "^ah", tree.Spec{Content: text})
		if working, stamps, err = tree.Seal(x.Tree(), x.Stamps, threadEnv); err != nil {
			t.Fatal(err)
		}
		base = working
		all = append(all, working)
	}
	return all
}

func addNode(t *testing.T, x *tree.Editor, into string, s tree.Spec) {
	t.Helper()
	_, err := x.Add(into, s)
	must(t, err)
}

// Pieces of every size around the limits of the renderer give the same bytes
// as rendering block by block, cold and warm.
func TestLongThreadsAreWrittenWhole(t *testing.T) {
	for _, size := range []int{0, 10, 900, 1100, 5_000, 40_000} {
		texts := make([]string, 150)
		for i := range texts {
			texts[i] = strings.Repeat("x", size) + fmt.Sprint(i)
		}
		list := sealTexts(t, texts...)
		last := list[len(list)-1]
		var want []string
		for b := range sure.All(last.Blocks(0)) {
			b, err := b.Node().AppendRendered(context.Background(), nil, b.Region)
			must(t, err)
			want = append(want, string(b))
		}
		for _, round := range []string{"cold", "warm"} {
			var out bytes.Buffer
			must(t, last.WriteThread(context.Background(), &out))
			if out.String() != "["+strings.Join(want, ",")+"]" {
				t.Errorf("blocks of %d bytes, %s: the thread is not that of its blocks", size, round)
			}
			if _, n := last.ThreadSize(); n != int64(out.Len()) {
				t.Errorf("blocks of %d bytes, %s: %d bytes, the sums say %d", size, round, out.Len(), n)
			}
		}
	}
}

// A block outside of ^seq is written in pieces where it is long: whatever its size
// is, nothing is missing between them.
func TestLongBlocksAreWrittenWhole(t *testing.T) {
	for size := 3_900; size < 8_400; size += 7 {
		nodes := []tree.Placed{{Parent: -1, Node: tree.NewNode(tree.Node{ID: "root", Type: "^root"}, nil)}}
		put := func(parent int, n tree.Node) int {
			n.Expiry, n.Index = tree.Never, int64(len(nodes))
			nodes = append(nodes, tree.Placed{Parent: parent, Node: tree.NewNode(n, nil)})
			return len(nodes) - 1
		}
		sys := put(0, tree.Node{ID: "sys", Type: "^sys"})
		put(0, tree.Node{ID: "seq", Type: "^seq"})
		put(0, tree.Node{ID: "ah", Type: "^ah"})
		want := "["
		for i, n := range []int{1, size, 1, size, 0} {
			text := `"` + strings.Repeat("y", n) + `"`
			put(sys, tree.Node{ID: fmt.Sprint(i), Type: "cb", Content: tree.InMemory(canon.Value(text))})
			want += fmt.Sprintf(`,{"id":"%d","role":"system","content":%s}`, i, text)
		}
		built, err := tree.Build(1, nodes)
		must(t, err)
		var out bytes.Buffer
		must(t, built.WriteThread(context.Background(), &out))
		if out.String() != strings.Replace(want, "[,", "[", 1)+"]" {
			t.Fatalf("blocks of %d bytes: the thread is not that of its blocks", size)
		}
	}
}
