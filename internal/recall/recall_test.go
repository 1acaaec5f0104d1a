package recall_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/recall"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tokens"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"
)

var must = testrun.Must

// connect returns a client of the tools for a store.
func connect(t testing.TB, db *pact.DB, o recall.Options) *mcp.ClientSession {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	server, err := recall.NewServer(db, o).Connect(t.Context(), far, nil)
	must(t, err)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), near, nil)
	must(t, err)
	t.Cleanup(func() { _ = client.Close(); _ = server.Wait() })
	return client
}

// ask calls a tool and returns its text, and whether it says that the call failed.
func ask(t testing.TB, s *mcp.ClientSession, tool string, arguments map[string]any) (text string, failed bool) {
	t.Helper()
	r, err := s.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	must(t, err)
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// has fails the test unless a text has all of some parts.
func has(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

// memory returns an empty store.
func memory(t testing.TB) *pact.DB {
	t.Helper()
	db := pact.NewDB(store.NewMemory())
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// begin makes a context under a policy, which is "" for none.
func begin(t testing.TB, db *pact.DB, name, policy string) *pact.Context {
	t.Helper()
	c, err := pact.Create(t.Context(), db, name, nil)
	must(t, err)
	if policy != "" {
		p, err := lifecycle.ParsePolicy([]byte(policy))
		must(t, err)
		must(t, c.Edit(t.Context(), func(b *pact.Batch) error { b.KeepPolicy(&p); return nil }, nil))
	}
	return c
}

// say adds a block to the next cycle and returns its id.
func say(t testing.TB, c *pact.Context, spec pact.Spec) (id string) {
	t.Helper()
	must(t, c.Edit(t.Context(), func(b *pact.Batch) error { id = b.Add("^ah", spec); return nil }, nil))
	return id
}

// commit ends so many cycles.
func commit(t testing.TB, c *pact.Context, times int) {
	t.Helper()
	for range times {
		_, err := c.Commit(t.Context(), nil)
		must(t, err)
	}
}

func TestDefinitionsAreShort(t *testing.T) {
	list, err := connect(t, memory(t), recall.Options{Pin: true, Note: true}).ListTools(t.Context(), nil)
	must(t, err)
	text, err := json.Marshal(list.Tools)
	must(t, err)
	counter, err := tokens.Named("o200k_base")
	must(t, err)
	n := counter.Count(string(text))
	if len(list.Tools) != 5 || n > 1500 {
		t.Errorf("%d tools have definitions of %d tokens, want 5 with at most 1,500", len(list.Tools), n)
	}
}

// What a rule took out comes back by the id that its stub names, what a rule shortened as it was before.
func TestRecallGivesBackWhatARuleTook(t *testing.T) {
	db := memory(t)
	c := begin(t, db, "chat", `{"rules":[{"select":".cb[kind='file']","ttl":2,"stub":true},{"select":".cb[kind='log']","head":5}]}`)
	long := strings.Repeat("the lost command is make deploy; ", 40)
	gone := say(t, c, pact.Spec{Role: "tool", Kind: "file", Offset: 1, Content: long})
	short := say(t, c, pact.Spec{Role: "tool", Kind: "log", Content: strings.Repeat("0123456789", 50)})
	commit(t, c, 4)
	hits, err := c.Working().Thread(t.Context())
	must(t, err)
	named := regexp.MustCompile(`(block:\S+) is its id`).FindSubmatch(hits)
	if named == nil || string(named[1]) != gone || strings.Contains(string(hits), "make deploy") {
		t.Fatalf("no stub names %s in %s", gone, hits)
	}
	s := connect(t, db, recall.Options{})
	text, failed := ask(t, s, "recall", map[string]any{"id": gone})
	has(t, text, "\n"+long+"\n", "A tool printed it", "context chat")
	again, _ := ask(t, s, "recall", map[string]any{"search": "MAKE DEPLOY"})
	if again != text || failed {
		t.Errorf("a search gives\n%s", again)
	}
	text, _ = ask(t, s, "recall", map[string]any{"id": short})
	has(t, text, strings.Repeat("0123456789", 50))
}

// The parts of a text put together are the text, byte for byte.
func TestRecallGoesOnWhereItStopped(t *testing.T) {
	next := regexp.MustCompile(`There is more: call recall with id "[^"]+" and from (\d+)\.$`)
	rapid.Check(t, func(r *rapid.T) {
		db := memory(t)
		c := begin(t, db, "chat", "")
		unit := rapid.StringOfN(rapid.RuneFrom([]rune("aé€😀-\n")), 1, 40, -1).Draw(r, "unit")
		want := strings.Repeat(unit, rapid.IntRange(1, 3000).Draw(r, "times"))
		id := say(t, c, pact.Spec{Role: "user", Content: want})
		s := connect(t, db, recall.Options{})
		got := ""
		for from := 0; ; {
			text, failed := ask(t, s, "recall", map[string]any{"id": id, "from": from})
			_, text, found := strings.Cut(text, "\n")
			fence, text, _ := strings.Cut(text, "\n")
			part, _, closed := strings.Cut(text, "\n"+fence)
			if failed || !found || !closed || len(part) > 12_000 || strings.Count(part, "\n") > 1_000 {
				r.Fatalf("an answer of %d bytes: %s", len(part), text)
			}
			got += part
			m := next.FindStringSubmatch(text)
			if m == nil {
				break
			}
			if from, _ = strconv.Atoi(m[1]); from != len(got) {
				r.Fatalf("go on at %d after %d bytes", from, len(got))
			}
		}
		if got != want {
			r.Fatalf("%d bytes came back of %d", len(got), len(want))
		}
	})
}

// Calls of the tools and their answers repeat what they look for, and are not found. What the context says that
// changed last are the user's words only if the agent named it: anybody could have made it.
func TestSearchLeavesItselfOut(t *testing.T) {
	db := memory(t)
	c := begin(t, db, "chat", "")
	id := say(t, c, pact.Spec{Role: "user", Content: "the word is xylophone"})
	s := connect(t, db, recall.Options{})
	first, _ := ask(t, s, "recall", map[string]any{"search": "xylophone"})
	call := say(t, c, pact.Spec{Role: "assistant", Kind: "call", Content: map[string]any{"search": "xylophone"},
		Attrs: map[string]any{"wire:name": "mcp__pact__recall"}})
	say(t, c, pact.Spec{Role: "tool", Kind: "result", Content: first, Refs: []string{call}})
	commit(t, c, 1)
	second, failed := ask(t, s, "recall", map[string]any{"search": "xylophone"})
	has(t, second, id+" of", "\nthe word is xylophone\n", "it is no request of the user")
	for _, named := range []*mcp.ClientSession{s, connect(t, db, recall.Options{Context: "chat"})} {
		text, _ := ask(t, named, "recall", map[string]any{"id": id, "context": "chat"})
		has(t, text, "The user said it earlier")
	}
	if failed || strings.Contains(second, "newest") {
		t.Errorf("found\n%s", second)
	}
	say(t, c, pact.Spec{Role: "assistant", Content: "xylophones are many"})
	both, _ := ask(t, s, "recall", map[string]any{"search": "xylophone"})
	has(t, both, "2 blocks have it", "  xylophones are many", "  the word is xylophone")
	if text, failed := ask(t, s, "recall", map[string]any{"search": "harp"}); !failed {
		t.Errorf("found %s", text)
	}
}

// A text that matches in very many lines gives an answer as short as any other, and a tool of another program that
// recalls something is found.
func TestSearchIsBounded(t *testing.T) {
	db := memory(t)
	c := begin(t, db, "chat", "")
	for range 2 {
		say(t, c, pact.Spec{Role: "tool", Kind: "log", Content: strings.Repeat("an error happened here\n", 20_000)})
	}
	call := say(t, c, pact.Spec{Role: "assistant", Kind: "call", Content: map[string]any{"brand": "zebra"},
		Attrs: map[string]any{"wire:name": "product_recalls"}})
	say(t, c, pact.Spec{Role: "tool", Kind: "result", Content: "grep says From pact: zebra", Refs: []string{call}})
	s := connect(t, db, recall.Options{})
	text, failed := ask(t, s, "recall", map[string]any{"search": "error"})
	has(t, text, "2 blocks have it", "and 19995 more lines")
	if failed || len(text) > 12_500 {
		t.Errorf("the answer has %d bytes", len(text))
	}
	text, _ = ask(t, s, "recall", map[string]any{"search": "zebra"})
	has(t, text, "2 blocks have it", "grep says")
}

func TestErasedTextsDoNotComeBack(t *testing.T) {
	db := memory(t)
	c := begin(t, db, "chat", "")
	id := say(t, c, pact.Spec{Role: "user", Content: "my number is 4711"})
	commit(t, c, 1)
	_, err := c.Erase(t.Context(), pact.Erasure{IDs: []string{id}, Reason: "asked for", Random: rand.Reader})
	must(t, err)
	s := connect(t, db, recall.Options{})
	for _, arguments := range []map[string]any{{"id": id}, {"search": "4711"}} {
		text, failed := ask(t, s, "recall", arguments)
		if !failed || strings.Contains(text, "number is") {
			t.Errorf("%v gives %s", arguments, text)
		}
	}
}

// The tools reach no context but those that they were given.
func TestToolsStayWithinTheirContexts(t *testing.T) {
	db := memory(t)
	for _, name := range []string{"mine", "mine/originals", "mine-too", "yours"} {
		say(t, begin(t, db, name, ""), pact.Spec{Role: "user", Content: "secret of " + name})
	}
	for _, o := range []recall.Options{
		{Context: "mine"},
		{Covers: func(name string) bool { return name == "mine" || name == "mine/originals" }},
	} {
		s := connect(t, db, o)
		for _, name := range []string{"mine-too", "yours", "nothing"} {
			for tool, arguments := range map[string]map[string]any{"show": {}, "changes": {}, "recall": {"search": "secret"}} {
				arguments["context"] = name
				text, failed := ask(t, s, tool, arguments)
				has(t, text, "E_CONTEXT_NOT_FOUND")
				if !failed || strings.Contains(text, "secret of") || strings.Contains(text, "are mine-too") {
					t.Errorf("%s of %s gives %s", tool, name, text)
				}
			}
		}
		text, _ := ask(t, s, "recall", map[string]any{"search": "secret of"})
		has(t, text, "secret of mine", "secret of mine/originals")
	}
}

func TestShowAndChanges(t *testing.T) {
	db := memory(t)
	c := begin(t, db, "chat", "")
	first := say(t, c, pact.Spec{Role: "user", Content: "one"})
	commit(t, c, 1)
	second := say(t, c, pact.Spec{Role: "user", Content: "two"})
	commit(t, c, 1)
	s := connect(t, db, recall.Options{})
	text, _ := ask(t, s, "show", nil)
	has(t, text, "2 calls", second+" user 5 B: two\n"+first+" user 5 B: one")
	text, _ = ask(t, s, "show", map[string]any{"selector": ".cb[role='user']", "at": "@c1"})
	has(t, text, first+" user 5 B: one")
	if strings.Contains(text, "two") {
		t.Errorf("the first snapshot shows %s", text)
	}
	text, _ = ask(t, s, "changes", nil)
	has(t, text, "from @t-1 to @t0", "+ "+second+" block: added")
	for i := range 400 {
		say(t, c, pact.Spec{Role: "user", Content: fmt.Sprint("number ", i, strings.Repeat(" long", 20))})
	}
	more := regexp.MustCompile(`There are \d+ more: call show with at "working" and from (\d+)\.`)
	seen, from := 0, 0
	for {
		text, _ = ask(t, s, "show", map[string]any{"at": "working", "from": from})
		seen += strings.Count(text, "number ")
		m := more.FindStringSubmatch(text)
		if m == nil {
			break
		}
		from, _ = strconv.Atoi(m[1])
	}
	if seen != 400 {
		t.Errorf("the pages show %d of 400 blocks", seen)
	}
}

// What is pinned stays, sealed or not; the change is in the log.
func TestPinAndNote(t *testing.T) {
	db := memory(t)
	c := begin(t, db, "chat", `{"rules":[{"select":".cb[kind='log']","ttl":2}]}`)
	block := func(kind, text string) string {
		return say(t, c, pact.Spec{Role: "tool", Kind: kind, Content: text})
	}
	kept, goes := block("file", "kept"), block("log", "goes")
	s := connect(t, db, recall.Options{Pin: true, Note: true, Actor: "agent"})
	commit(t, c, 1)
	text, failed := ask(t, s, "pin", map[string]any{"id": kept})
	if failed {
		t.Fatal(text)
	}
	if text, failed := ask(t, s, "pin", map[string]any{"id": goes}); !failed {
		t.Errorf("a sealed block with a ttl was pinned: %s", text)
	}
	text, failed = ask(t, s, "note", map[string]any{"text": "look out", "ttl": 2, "key": "warning"})
	if failed {
		t.Fatal(text)
	}
	must(t, c.Refresh(t.Context()))
	policy, err := c.Working().Policy()
	must(t, err)
	if len(policy.Rules) != 2 || !policy.Rules[0].Keep {
		t.Errorf("the policy has the rules %+v", policy.Rules)
	}
	commit(t, c, 1)
	thread, err := c.Working().Thread(t.Context())
	must(t, err)
	has(t, string(thread), `"look out"`)
	commit(t, c, 3)
	thread, err = c.Working().Thread(t.Context())
	must(t, err)
	has(t, string(thread), `"kept"`)
	if strings.Contains(string(thread), "look out") {
		t.Error("the note outlived its ttl")
	}
	if text, failed := ask(t, s, "pin", map[string]any{"id": goes}); !failed || !strings.Contains(text, "no longer") {
		t.Errorf("a block that is gone was pinned: %s", text)
	}
	if _, failed := ask(t, s, "pin", map[string]any{"id": kept, "off": true}); failed {
		t.Error("it cannot be let go")
	}
	must(t, c.Refresh(t.Context()))
	if policy, _ := c.Working().Policy(); len(policy.Rules) != 1 {
		t.Errorf("the policy has the rules %+v", policy.Rules)
	}
	list, err := connect(t, db, recall.Options{}).ListTools(t.Context(), nil)
	must(t, err)
	for _, tool := range list.Tools {
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is offered where nothing may change", tool.Name)
		}
	}
}

// A note names an id that leads to the whole text whichever conversation of the agent changed last, and also where that one
// has no originals of its own.
func TestRecallFollowsANote(t *testing.T) {
	db := memory(t)
	for _, name := range []string{"claude", "claude/originals", "claude-2"} {
		s := pact.Spec{Role: "user", Content: "text of " + name}
		if name == "claude/originals" {
			s.ID = "toolu_9"
		}
		say(t, begin(t, db, name, ""), s)
	}
	text, failed := ask(t, connect(t, db, recall.Options{}), "recall", map[string]any{"id": "toolu_9"})
	has(t, text, "text of claude/originals")
	if failed {
		t.Error(text)
	}
}
