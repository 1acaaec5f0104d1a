package librarytest

import (
	"fmt"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// inMemory counts the turns of a tree that are not in a run that was left in the store.
func inMemory(t *tree.Tree) int {
	var of func(l *tree.List) int
	of = func(l *tree.List) int {
		if l.Len() == 0 || l.Unopened() {
			return 0
		}
		items, runs := sure.Get2(l.Parts())
		n := len(items)
		for _, run := range runs {
			n += of(run)
		}
		return n
	}
	return of(t.Region(tree.Seq).Children())
}

// A process that commits and asks for nothing keeps some thousand turns in memory, however
// many it makes; what it lets go of is what another process reads. Where threads are
// rendered all the time, all stays.
func TestWhatIsSettledLeavesMemory(t *testing.T) {
	testrun.OneGoroutine(t)
	const most = 2048 + 512
	turns := testrun.Size(t, 3000, 4500, 20_000)
	for _, render := range []bool{false, true} {
		db := pact.NewDB(store.NewMemory())
		c := create(t, db)
		highest := 0
		for n := range turns {
			s, err := c.Commit(background, &pact.CommitOptions{Edit: say(fmt.Sprint("turn ", n))})
			must(t, err)
			if render && n%16 == 0 {
				_, err = s.Thread(background)
				must(t, err)
			}
			if n%256 == 0 || n == turns-1 {
				highest = max(highest, inMemory(tree.Of(c.Working())))
			}
		}
		if render && highest != turns || !render && highest > most {
			t.Errorf("%d of %d turns were in memory at once", highest, turns)
		}
		if thread(t, c, "working") != thread(t, reopened(t, db, "c"), "working") {
			t.Error("another process reads another thread")
		}
	}
}
