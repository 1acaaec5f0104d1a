package librarytest

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
)

func TestRepeatedRequestIsRecognised(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	c := create(t, s)
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "short", TTL: pact.Unsent, Content: "expires"})
		return nil
	}, nil))
	commit := func(c *pact.Context) *pact.Sealed {
		snapshot, err := c.Commit(background, &pact.CommitOptions{Note: pact.Note{Request: "r1", Actor: "me", Message: "why"},
			Edit: say("once")})
		must(t, err)
		return snapshot
	}
	a := commit(c)
	again, err := pact.Open(background, s, "c", nil)
	must(t, err)
	b := commit(again)
	if a.Digest() != b.Digest() || again.Revision() != c.Revision() {
		t.Error("the repeated request did something")
	}
	if a.Repeated || !b.Repeated || len(a.Report.Removed) != 1 || jsonText(t, a.Report) != jsonText(t, b.Report) {
		t.Errorf("the report of the commit is %s, of the repeated one %s", jsonText(t, a.Report), jsonText(t, b.Report))
	}
	log, err := logOf(c)
	must(t, err)
	if last := log[len(log)-1]; last.Actor != "me" || last.Message != "why" || last.Request != "r1" ||
		last.Kind != history.Commit {
		t.Errorf("the log says %+v", last)
	}
}

// A token belongs to one call.
func TestRequestOfAnEditDoesNotAnswerForACommit(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	must(t, c.Edit(background, say("x"), &pact.Note{Request: "r"}))
	if _, err := c.Commit(background,
		&pact.CommitOptions{Note: pact.Note{Request: "r"}}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("got %v, want E_CONFLICT", err)
	}
}

// A request that another process carried out is answered, and what that
// process did is taken up.
func TestRequestOfAnotherProcessIsTakenUp(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	first := create(t, s)
	second, err := pact.Open(background, s, "c", &pact.OpenOptions{Clock: steps()})
	must(t, err)
	must(t, first.Edit(background, say("once"), &pact.Note{Request: "r"}))
	must(t, second.Edit(background, say("once"), &pact.Note{Request: "r"}))
	if second.Revision() != first.Revision() || second.Working().Digest() != first.Working().Digest() {
		t.Error("the second process does not see what the request did")
	}
	must(t, second.Edit(background, say("more"), nil))
}

// What this process remembers of a context does not hide that another process deleted it.
func TestARequestToADeletedContextFindsNoContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	here, err := dbtest.Open(sqlite.Open(background, path))
	must(t, err)
	defer here.Close()
	there, err := dbtest.Open(sqlite.Open(background, path))
	must(t, err)
	defer there.Close()
	c := create(t, here)
	info, err := here.Find(background, c.Name())
	must(t, err)
	guarded := engine.Guarded{Contexts: engine.Of(here), May: func(context.Context, string) error { return nil }} // as the server asks
	if e, err := guarded.Request(background, info.Key, "token"); e != nil || err != nil {
		t.Fatalf("of a request that nobody made: %+v, %v", e, err)
	}
	must(t, pact.Delete(background, there, c.Name()))
	for _, token := range []string{"", "token"} {
		if e, err := guarded.Request(background, info.Key, token); e != nil || fault.CodeOf(err) != fault.ContextNotFound {
			t.Errorf("%q of a deleted context: %+v, %v", token, e, err)
		}
	}
}

// A history that reads but does not come back as it was: the first byte that
// differs is named with its line and cycle.
func TestReplayFindsTheFirstByte(t *testing.T) {
	s := genRecordedHistory(t, 1, 5)
	var snapshots bytes.Buffer
	must(t, s.context.ExportSnapshots(background, &snapshots, pact.Cycle(1), pact.Latest()))
	whole := snapshots.String()
	lines := strings.SplitAfter(whole, "\n")
	third := len(lines[0]) + len(lines[1])
	cases := map[string]struct {
		file string
		want inspect.Difference
	}{
		"a space": {strings.Replace(whole, "\n{\"cycle\":3", "\n{ \"cycle\":3", 1),
			inspect.Difference{Line: 3, Kind: "snapshot", Cycle: 3, Byte: int64(third) + 1, LineByte: 1, Original: ` "cycle":3`,
				Export: `"cycle":3`}},
		"no last line feed": {strings.TrimSuffix(whole, "\n"),
			inspect.Difference{Line: 5, Kind: "snapshot", Cycle: 5, Byte: int64(len(whole)) - 1,
				LineByte: int64(len(lines[4])) - 1}},
		"an empty line more": {whole + "\n",
			inspect.Difference{Line: 6, Kind: "snapshot", Cycle: 5, Byte: int64(len(whole))}},
	}
	for name, c := range cases {
		r, err := pact.Replay(background, strings.NewReader(c.file), nil)
		must(t, err)
		if r.Same || r.Difference == nil || r.Bytes != c.want.Byte {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		got := *r.Difference
		if !strings.HasPrefix(got.Original, c.want.Original) || !strings.HasPrefix(got.Export, c.want.Export) {
			t.Errorf("%s: %q where %q comes", name, got.Original, got.Export)
		}
		got.Original, got.Export = c.want.Original, c.want.Export
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if _, err := pact.Replay(background, strings.NewReader("{"), nil); !errors.Is(err, fault.DocumentInvalid) {
		t.Errorf("no history: %v", err)
	}
}

// meddler counts a token for every text, and does something when it first does.
type meddler struct{ does func() }

func (*meddler) Name() string { return "meddler" }

func (m *meddler) Count(string) int {
	if m.does != nil {
		m.does()
		m.does = nil
	}
	return 1
}

// A commit sees the holders of one moment: what kept a node is what its report
// says, whatever was let go in the meantime.
func TestACommitSeesTheHoldersOfOneMoment(t *testing.T) {
	m := &meddler{}
	c, err := pact.Create(background, pact.NewDB(store.NewMemory()), "c",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps(), Counter: m}})
	must(t, err)
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "held", Offset: 1, Content: "one"})
		return nil
	}, nil))
	release, err := c.Retain("held")
	must(t, err)
	pruning := &pact.Pruning{Policy: lifecycle.Policy{MaxTokens: 1}, IDs: []string{"held"}}
	plan, err := c.PlanPruning(background, pact.Working(), pruning)
	must(t, err)
	if !slices.Equal(plan.Report.Retained, []string{"held"}) {
		t.Errorf("the plan says that %q were retained", plan.Report.Retained)
	}
	must(t, c.Edit(background, func(b *pact.Batch) error { // a text that was not counted yet
		b.Add("^ah", pact.Spec{Content: "two"})
		return nil
	}, nil))
	m.does = release
	s, err := c.Commit(background, &pact.CommitOptions{Pruning: pruning})
	must(t, err)
	if sure.Get(tree.Of(s).Node("held")) == nil || !slices.Equal(s.Report.Retained, []string{"held"}) {
		t.Errorf("held is there: %v; the report says that %q were retained", sure.Get(tree.Of(s).Node("held")) != nil, s.Report.Retained)
	}
}
