package librarytest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/transcript"
)

// secret is the text that is erased in the tests of handles.
const secret = "hello to Jane Doe"

func erasureOf(text string) pact.Erasure {
	return pact.Erasure{Texts: []string{text}, Reason: "asked for", Random: chance()}
}

// handles are pairs of handles on one empty store: two contexts in one process have the same one, two processes have one
// each.
func handles() map[string][2]*pact.DB {
	one, medium := pact.NewDB(store.NewMemory()), store.NewMemory()
	return map[string][2]*pact.DB{"one process": {one, one}, "two": {pact.NewDB(medium), pact.NewDB(medium)}}
}

// twice opens a context in which a secret was said by two handles.
func twice(t *testing.T, on [2]*pact.DB) (c, other *pact.Context) {
	t.Helper()
	c = create(t, on[0], pact.CreateOptions{Edition: selector.Canonical})
	for n := 1; n <= 3; n++ {
		hello(t, c, n, secret)
	}
	start(t, c)
	must(t, c.Edit(background, say(secret+" again"), nil))
	other, err := pact.Open(background, on[1], "c", &pact.OpenOptions{Clock: steps(), Counter: wordCounter{}})
	must(t, err)
	return c, other
}

// TestErasureReachesHandles erases through one handle, and then makes each call through another one that had loaded the
// text: it gives out what is left, or E_CONFLICT.
func TestErasureReachesHandles(t *testing.T) {
	gave := 0
	for name, call := range callsOfContext {
		_, c := twice(t, handles()["one process"])
		answer, err := call(c)
		must(t, err)
		if text, err := shown(answer); err == nil && strings.Contains(text, "Jane") {
			gave++
		}
		for pair, on := range handles() {
			c, other := twice(t, on)
			_, err := c.Erase(background, erasureOf(secret))
			must(t, err)
			answer, err := call(other)
			if err != nil && fault.CodeOf(err) != fault.Conflict {
				t.Errorf("%s, %s: %v", pair, name, err)
			}
			writes := name == "Edit" || name == "Commit" || name == "Undo"
			if writes != (err != nil) && name != "Erase" {
				t.Errorf("%s, %s of what it did not know: %v", pair, name, err)
			}
			if text, _ := shown(answer); err == nil && name != "Working" && strings.Contains(text, "Jane") {
				t.Errorf("%s, %s gives out %s", pair, name, text)
			}
			if list := verdicts(t, on[1]); len(list) > 0 {
				t.Errorf("%s, %s: verify says %q", pair, name, list)
			}
		}
	}
	if gave < 12 {
		t.Errorf("%d calls gave out the text before", gave)
	}
}

// A Snapshot that somebody read, with everything of it in his memory, gives out nothing once another handle or
// process has erased, and the others of its context neither.
func TestAttackHeldSnapshotsGiveOutNothingErased(t *testing.T) {
	testrun.Door(t, "an erased text, asked of snapshots that others hold")
	calls := map[string]func(s *pact.Snapshot) (any, error){
		"OpenAI": func(s *pact.Snapshot) (any, error) { return answer(transcript.OpenAI(background, s)) },
		"record.Thread": func(s *pact.Snapshot) (any, error) {
			text, _, err := record.Thread(background, s, "anthropic")
			return text, err
		},
	}
	for name, call := range callsOfSnapshot {
		calls[name] = call
	}
	gave := 0
	for name, call := range calls {
		for pair, on := range handles() {
			c, reader := twice(t, on)
			held := []*pact.Snapshot{reader.Working()}
			for _, at := range []pact.Address{"latest", pact.Cycle(1)} {
				held = append(held, snapshotAt(t, reader, at))
			}
			byContent := name == "Select" || name == "Explain"
			for i, s := range held {
				answer, err := call(s)
				must(t, err)
				text, err := shown(answer)
				if err != nil {
					t.Fatalf("%s of %d before the erasure: %v", name, i, err)
				}
				byContent = byContent || strings.Contains(text, "Jane")
			}
			if byContent {
				gave++
			}
			_, err := c.Erase(background, erasureOf(secret))
			must(t, err)
			for i, s := range held {
				answer, err := call(s)
				text, failed := shown(answer)
				if err = errors.Join(err, failed); strings.Contains(text, "Jane") || byContent && !errors.Is(err, fault.Conflict) {
					t.Errorf("%s, %s of %d after the erasure: %q, %v", pair, name, i, text, err)
				}
			}
			if text := thread(t, reader, "latest"); strings.Contains(text, "Jane") {
				t.Errorf("read again: %s", text)
			}
		}
	}
	if gave < 2*9 {
		t.Errorf("%d calls gave out the text before", gave)
	}
}

// TestWhatAsksNobodyAnswersFromWhatWasLoadedLast erases through one handle. The calls of another
// one that ask no store answer as before, until a call that asks has loaded the context again.
func TestWhatAsksNobodyAnswersFromWhatWasLoadedLast(t *testing.T) {
	for pair, on := range handles() {
		c, other := twice(t, on)
		told := func() string {
			first, last := other.Info().First, other.Info().Cycle
			return fmt.Sprintln(other.Info().Name, first, last, other.Info().Revision, other.Working().Digest())
		}
		before := told()
		must(t, pact.Rename(background, on[0], "c", "d"))
		_, err := c.Erase(background, erasureOf(secret))
		must(t, err)
		if after := told(); after != before {
			t.Errorf("%s: before the erasure %s, after it %s", pair, before, after)
		}
		_, err = other.At(background, "working")
		must(t, err)
		if want := fmt.Sprintln("d", 1, 3, c.Info().Revision, c.Working().Digest()); told() != want {
			t.Errorf("%s: loaded again it is %s, want %s", pair, told(), want)
		}
	}
}
