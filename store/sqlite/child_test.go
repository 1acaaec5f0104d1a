package sqlite_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/tree"

	"github.com/contexttree/pact/store/sqlite"
)

// The crash and trace tests run this test binary again as another process that
// commits turns and acknowledges each on its standard output.
const (
	childFile  = "PACT_CHILD_FILE"  // the file to commit to
	childTurns = "PACT_CHILD_TURNS" // how many turns, 0 for as many as it lives
	childForks = "PACT_CHILD_FORKS" // to take every second turn back
	childCalls = "PACT_CHILD_CALLS" // to start attempts and end them
	childErase = "PACT_CHILD_ERASE" // to erase every turn
	childQueue = "PACT_CHILD_QUEUE" // to begin when told, beside others
	childOpens = "PACT_CHILD_OPENS" // to open the file, and so to migrate it, unless it is onlyReads
	childNamed = "PACT_CHILD_NAMED" // to make contexts, and acknowledge each by its name
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		count, _ := strconv.Atoi(os.Getenv(childTurns))
		if count == 0 { // it will be killed, and joins and checkpoints with it
			joinSoon()
		}
		work := child
		if os.Getenv(childForks) != "" {
			work = forkingChild
		}
		if os.Getenv(childCalls) != "" {
			work = callingChild
		}
		if os.Getenv(childErase) != "" {
			work = erasingChild
		}
		if os.Getenv(childQueue) != "" {
			work = queuingChild
		}
		if os.Getenv(childNamed) != "" {
			work = namingChild
		}
		if how := os.Getenv(childOpens); how != "" {
			if how != onlyReads {
				sqlite.AddStep(laterStep)
			}
			work = openingChild
		}
		if err := work(context.Background(), path, count); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// resume opens the file and goes on with what is there.
func resume(ctx context.Context, path string) (*file, *turns, error) {
	s, err := openFile(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	w := &turns{store: s}
	info, err := s.Find(ctx, "turns")
	if err != nil {
		return s, w, w.create(ctx)
	}
	return s, w, w.load(ctx, info.Key)
}

func child(ctx context.Context, path string, count int) error {
	s, w, err := resume(ctx, path)
	if err != nil {
		return err
	}
	for i := 0; count == 0 || i < count; i++ {
		if err := w.commit(ctx, fmt.Sprintf("turn %d of %d", w.state.Stamps.Cycle, os.Getpid()), i%3 == 0); err != nil {
			return err
		}
		// One write a line: what is acknowledged is in the pipe, whole.
		if _, err := fmt.Fprintf(os.Stdout, "ack %d %s\n", w.state.Cycle, w.state.Head.Digest()); err != nil {
			return err
		}
	}
	return s.Close()
}

// forkingChild commits two turns and takes the second back: a fork takes over
// the name.
func forkingChild(ctx context.Context, path string, _ int) error {
	s, w, err := resume(ctx, path)
	if err != nil {
		return err
	}
	for {
		for range 2 {
			if err := w.commit(ctx, "turn", false); err != nil {
				return err
			}
		}
		aside := fmt.Sprintf("aside %d of %d", w.state.Revision, os.Getpid())
		f, err := s.Fork(ctx, w.state.Key, w.state.Cycle-1, engine.Fork{Name: "turns", SupersededName: aside,
			Guard: engine.Guard{Cycle: w.state.Cycle, Revision: w.state.Revision}})
		if err != nil {
			return err
		}
		if err := w.load(ctx, f.Key); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(os.Stdout, "ack %d %s\n", f.Key, w.state.Head.Digest()); err != nil {
			return err
		}
	}
}

// callingChild starts attempts, ends each and commits now and then. It
// acknowledges the attempts by their number and their status.
func callingChild(ctx context.Context, path string, _ int) error {
	s, w, err := resume(ctx, path)
	if err != nil {
		return err
	}
	before, err := s.Attempts(ctx, w.state.Key, 0, w.state.Stamps.Cycle)
	if err != nil {
		return err
	}
	for number := len(before) + 1; ; number++ {
		a, err := s.PutAttempt(ctx, w.state.Key, w.call())
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(os.Stdout, "ack %d %s\n", number, a.Status); err != nil {
			return err
		}
		a.Status, a.EndedNS, a.Error = history.Failed, a.StartedNS+1, strings.Repeat("it took too long ", 100)
		if a, err = s.PutAttempt(ctx, w.state.Key, a); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(os.Stdout, "ack %d %s\n", number, a.Status); err != nil {
			return err
		}
		if number%4 == 0 {
			if err := w.commit(ctx, "turn", false); err != nil {
				return err
			}
		}
	}
}

// namingChild makes contexts, and acknowledges each by its name.
func namingChild(ctx context.Context, path string, count int) error {
	s, err := openFile(ctx, path)
	if err != nil {
		return err
	}
	for i := range count {
		w := &turns{store: s, name: fmt.Sprintf("%d of %d", i, os.Getpid())}
		if err := w.create(ctx); err != nil {
			return err
		}
		if _, err := fmt.Println("ack", w.name); err != nil {
			return err
		}
	}
	return s.Close()
}

// turns commits turn after turn, as a program does.
type turns struct {
	store   engine.Contexts
	name    string // of the context, turns where it is empty
	state   engine.State
	collect bool // changes are not made but collected, to be made in one step
	changes []engine.Change
}

func begin(t testing.TB, s engine.Contexts) *turns {
	t.Helper()
	w := &turns{store: s}
	must(t, w.create(t.Context()))
	return w
}

func (w *turns) create(ctx context.Context) error {
	first, stamps, err := tree.New(w.env(), nil)
	if err != nil {
		return err
	}
	begun, err := w.store.Create(ctx, engine.Creation{Name: cmp.Or(w.name, "turns"), Edition: "canonical", Tree: first,
		Stamps: stamps})
	if err == nil {
		w.state = *begun
	}
	return err
}

func (w *turns) load(ctx context.Context, key history.Key) error {
	st, err := w.store.Load(ctx, key)
	if err == nil {
		w.state = *st
	}
	return err
}

func (w *turns) env() tree.Env {
	return tree.Env{
		Vocabulary: tree.Vocabulary{Turn: "seg", Container: "cont", Block: "block"},
		Clock:      func() int64 { return 1_700_000_000_000_000_000 + w.state.Revision*1_000_003 },
		Taken:      func(string) (bool, error) { return false, nil },
	}
}

// commit makes a turn with a block of text, in one durable step or in two.
func (w *turns) commit(ctx context.Context, text string, two bool) error {
	x := tree.Edit(ctx, w.state.Working, w.state.Head, w.state.Stamps, w.env())
	if _, err := x.Add("^ah", tree.Spec{Role: "user", Kind: "text", Content: text}); err != nil {
		return err
	}
	c := engine.Change{Before: w.state.Working, After: x.Tree(), Stamps: x.Stamps, Entry: history.Entry{Cycle: x.Cycle}}
	if two {
		if err := w.apply(ctx, c); err != nil {
			return err
		}
		c.Before = c.After
	}
	sealed, stamps, _, err := commit.Run(context.Background(), commit.Input{Working: c.After, Stamps: c.Stamps,
		Env: w.env()})
	if err != nil {
		return err
	}
	c.After, c.Sealed, c.Stamps = sealed.WithCycle(stamps.Cycle), sealed, stamps
	return w.apply(ctx, c)
}

// apply makes a change, or puts it off where changes are collected.
func (w *turns) apply(ctx context.Context, c engine.Change) error {
	guard := engine.Guard{Cycle: w.state.Cycle, Revision: w.state.Revision}
	if w.collect {
		w.changes = append(w.changes, c)
	} else if err := w.store.Apply(ctx, w.state.Key, guard, c); err != nil {
		return err
	}
	w.state.Revision++
	w.state.Working, w.state.Stamps = c.After, c.Stamps
	if c.Sealed != nil {
		w.state.Head, w.state.Cycle = c.Sealed, c.Sealed.Cycle()
	}
	return nil
}

// next makes a turn in one durable step.
func (w *turns) next(t testing.TB, text string) {
	must(t, w.commit(t.Context(), text, false))
}

// attempt records an attempt of the turn to come.
func (w *turns) attempt(t testing.TB) history.Attempt {
	t.Helper()
	a, err := w.store.PutAttempt(t.Context(), w.state.Key, w.call())
	must(t, err)
	return a
}

func (w *turns) call() history.Attempt {
	return history.Attempt{Cycle: w.state.Stamps.Cycle, Status: history.Running, StartedNS: w.env().Clock(),
		Provider: "provider", Model: "model",
		Params: strings.Repeat("0a", 32), Thread: strings.Repeat("b0", 32)}
}
