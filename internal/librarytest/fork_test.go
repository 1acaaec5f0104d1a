package librarytest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/sqlite"
)

func TestUndoTakesCommitsBack(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	c := create(t, s)
	turnsOf(t, c, "one", "two", "three")
	must(t, c.Edit(background, say("a draft"), nil))
	two, three, draft := thread(t, c, pact.Cycle(2)), thread(t, c, pact.Cycle(3)), thread(t, c, "working")

	undone, err := c.Undo(background, nil)
	must(t, err)
	if undone != "c~c3" || c.Info().Name != "c" || thread(t, c, "latest") != two || thread(t, c, "working") != two {
		t.Errorf("undone is %q, the context %s holds %s", undone, c.Info().Name, thread(t, c, "working"))
	}
	old, err := pact.Open(background, s, undone, nil)
	must(t, err)
	if thread(t, old, "latest") != three || thread(t, old, "working") != draft {
		t.Error("the old line was not kept")
	}
	turnsOf(t, c, "three, otherwise")
	again, err := pact.Open(background, s, "c", nil)
	must(t, err)
	if thread(t, again, "latest") != thread(t, c, "latest") {
		t.Error("the name does not lead to the fork")
	}
	if got := ids(t, c, "@t0 ^seq .cb"); !slices.Equal(got, []string{"cb:1-0", "cb:2-0", "cb:3-0-f1"}) {
		t.Errorf("the blocks are %q", got)
	}

	// Once more at the same cycle, and back to the beginning.
	for _, want := range []string{"c~c3~2", "c~c2"} {
		if undone, err := c.Undo(background, nil); err != nil || undone != want {
			t.Errorf("undone is %q, %v, want %q", undone, err, want)
		}
	}
	if _, err := c.Undo(background, nil); !errors.Is(err, fault.SnapshotNotFound) {
		t.Errorf("there is nothing to go back to: %v", err)
	}
	if list := verdicts(t, s); len(list) > 0 {
		t.Errorf("does not hold: %q", list)
	}
}

func TestUndoIsRepeatedByItsToken(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	one := create(t, s)
	turnsOf(t, one, "one", "two", "three")
	other, err := pact.Open(background, s, "c", nil) // whose answer got lost
	must(t, err)
	for range 2 {
		undone, err := one.Undo(background, &pact.Note{Request: "token"})
		if last := one.Info().Cycle; err != nil || undone != "c~c3" || last != 2 {
			t.Errorf("undone is %q, %v, at cycle %d", undone, err, last)
		}
	}
	undone, err := other.Undo(background, &pact.Note{Request: "token"})
	if last := other.Info().Cycle; err != nil || undone != "c~c3" || last != 2 || other.Info().Name != "c" {
		t.Errorf("undone is %q, %v, at cycle %d of %s", undone, err, last, other.Info().Name)
	}
	_, err = one.Commit(background, &pact.CommitOptions{Note: pact.Note{Request: "commit"}})
	must(t, err)
	if _, err := one.Undo(background, &pact.Note{Request: "commit"}); !errors.Is(err, fault.Conflict) {
		t.Errorf("the token of a commit: %v", err)
	}
}

// TestCopyOfAFork takes forks through both forms of history and through a
// copy, which know of one line only.
func TestCopyOfAFork(t *testing.T) {
	s, err := dbtest.Open(sqlite.Open(background, filepath.Join(t.TempDir(), "pact.db")))
	must(t, err)
	defer s.Close()
	c := create(t, s)
	turnsOf(t, c, "one", "two", "three")
	f, err := c.Fork(background, pact.Cycle(2), "fork", nil)
	must(t, err)
	turnsOf(t, f, "three, otherwise", "four")
	g, err := f.Fork(background, pact.Cycle(3), "fork of the fork", nil)
	must(t, err)
	turnsOf(t, g, "four, otherwise")
	for _, from := range []*pact.Context{f, g} {
		var compact, whole bytes.Buffer
		must(t, from.Export(background, &compact))
		must(t, from.ExportSnapshots(background, &whole, pact.Cycle(1), "latest"))
		want := whole.String()
		for i, read := range []func(name string) (*pact.Context, error){
			func(name string) (*pact.Context, error) {
				return from.Copy(background, pact.NewDB(store.NewMemory()), name)
			},
			func(name string) (*pact.Context, error) {
				c, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), name, &compact,
					&pact.ImportOptions{Strict: true})
				return c, err
			},
			func(name string) (*pact.Context, error) {
				c, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), name, bytes.NewReader(whole.Bytes()),
					&pact.ImportOptions{Strict: true})
				return c, err
			},
		} {
			again, err := read(fmt.Sprint(i))
			must(t, err)
			var got bytes.Buffer
			must(t, again.ExportSnapshots(background, &got, pact.Cycle(1), "latest"))
			if got.String() != want {
				t.Errorf("%s, way %d: the history differs", from.Info().Name, i)
			}
		}
	}
	origins, err := g.Origins(background)
	if err != nil || len(origins) != 2 || origins[0].Name != "fork" || origins[1].Name != "c" || origins[1].Cycle != 2 {
		t.Errorf("the origins are %+v, %v", origins, err)
	}
	if list := verdicts(t, s); len(list) > 0 {
		t.Errorf("does not hold: %q", list)
	}
}

// unfindable is a store that fails when it is asked for a name, once that is switched on.
type unfindable struct {
	engine.Contexts
	fails bool
}

func (s *unfindable) Find(ctx context.Context, name string) (engine.Info, error) {
	if s.fails {
		return engine.Info{}, fault.New(fault.Store, "the disk failed", "check the disk")
	}
	return s.Contexts.Find(ctx, name)
}

// TestUndoSaysThatTheStoreFailed has a name that is taken, and a store that fails when it is
// asked about it: that is no conflict with another writer.
func TestUndoSaysThatTheStoreFailed(t *testing.T) {
	s := &unfindable{Contexts: engine.InMemory()}
	c := create(t, dbtest.Of(s))
	turnsOf(t, c, "one", "two")
	_, err := pact.Create(background, dbtest.Of(s), "c~c2", nil)
	must(t, err)
	before := thread(t, c, "latest")
	s.fails = true
	if _, err := c.Undo(background, nil); fault.CodeOf(err) != fault.Store {
		t.Errorf("undo: %v", err)
	}
	s.fails = false
	must(t, c.Refresh(background))
	if thread(t, c, "latest") != before {
		t.Error("the undo was made")
	}
}

// TestACopyReadsItsOwnStore: the store of the original can be closed before what was copied is read.
func TestACopyReadsItsOwnStore(t *testing.T) {
	from := pact.NewDB(store.NewMemory())
	turn(t, create(t, from), "hello")
	c, err := pact.Open(background, from, "c", nil)
	must(t, err)
	to, err := c.Copy(background, pact.NewDB(store.NewMemory()), "copy")
	must(t, err)
	must(t, from.Close())
	if text := textOf(t, to.Working()); !strings.Contains(text, "hello") {
		t.Errorf("the copy shows %s", text)
	}
}

// Four times as many forks of the fork before, or commits that are taken back, cost four times as much, with a little more
// for the longer names: none looks at the lines before it, nor at the turns of a page, also where a checkpoint is due.
func TestForksAndUndosCostTheirNumber(t *testing.T) {
	testrun.CountsAllocations(t)
	for what, do := range map[string]func(c *pact.Context, i int) *pact.Context{
		"a fork of the fork before": func(c *pact.Context, i int) *pact.Context {
			fork, err := c.Fork(background, "latest", fmt.Sprint("fork", i), nil)
			must(t, err)
			commitTurn(t, fork, 2, 0)
			return fork
		},
		"a commit of the parent before each fork": func(c *pact.Context, i int) *pact.Context {
			commitTurn(t, c, 2, 0)
			fork, err := c.Fork(background, "latest", fmt.Sprint("fork", i), nil)
			must(t, err)
			return fork
		},
		"a commit and its undo": func(c *pact.Context, _ int) *pact.Context {
			commitTurn(t, c, 2, 0)
			_, err := c.Undo(background, nil)
			must(t, err)
			return c
		},
	} {
		cost := func(n int) float64 {
			c := create(t, pact.NewDB(store.NewMemory()))
			commitTurn(t, c, 2, 0)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for i := range n {
				c = do(c, i)
			}
			runtime.ReadMemStats(&after)
			return float64(after.Mallocs - before.Mallocs)
		}
		const n = 600 // some forks write a checkpoint, of which a page has up to 256 turns
		few, many := cost(n), cost(4*n)
		if t.Logf("%s: %.0f allocations for %d, %.0f for %d", what, few, n, many, 4*n); many > 4.2*few {
			t.Errorf("%s: %.0f allocations for %d, %.1f times as many for %d", what, few, n, many/few, 4*n)
		}
	}
}
