package tree_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexttree/pact/internal/sure"
)

// The range of every node cuts the objects of the blocks below it out of the
// rendered thread, as the model renders them, and nothing else.
func TestThreadRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, v := range genRun(t).versions {
			var thread bytes.Buffer
			must(t, v.tree.WriteThread(background, &thread))
			objects, at := v.world.thread(), map[string]int{}
			for i, r := range v.world.blocks(v.world.root()) {
				at[r.id] = i
			}
			next := 0 // how many blocks the model has come past, in document order
			for _, r := range v.world.document() {
				below := v.world.blocks(r.id)
				var own []string
				for _, b := range below {
					own = append(own, objects[at[b.id]])
				}
				start, end, ok := sure.Get3(v.tree.ThreadRange(r.id))
				if !ok || start < 1 || end < start || end >= int64(thread.Len()) {
					t.Fatalf("%s: %d to %d of %d, %v", r.id, start, end, thread.Len(), ok)
				}
				equal(t, "bytes of "+r.id, thread.String()[start:end], strings.Join(own, ","))
				before, blocks, _ := sure.Get3(v.tree.ThreadPlace(r.id))
				equal(t, "place of "+r.id, []int{before, blocks}, []int{next, len(below)})
				if len(own) == 0 {
					equal(t, "place of nothing at "+r.id, thread.String()[1:start], strings.Join(objects[:next], ","))
				}
				if _, block := at[r.id]; block {
					next++
				}
			}
			if _, _, ok := sure.Get3(v.tree.ThreadRange("nobody")); ok {
				t.Fatal("nobody has a range")
			}
		}
	})
}
