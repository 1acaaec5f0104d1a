package rules_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

var background = context.Background()

var must = testrun.Must

func latest(t *testing.T, c *pact.Context) *pact.Snapshot {
	t.Helper()
	s, err := c.At(background, "latest")
	must(t, err)
	return s
}

// ruled returns a new context that keeps a policy.
func ruled(t *testing.T, policy string) *pact.Context {
	t.Helper()
	now := int64(0)
	c, err := pact.Create(background, pact.NewDB(store.NewMemory()), "run", &pact.CreateOptions{OpenOptions: pact.OpenOptions{
		Clock: func() int64 { now++; return now }}})
	must(t, err)
	p, err := lifecycle.ParsePolicy([]byte(policy))
	must(t, err)
	edit(t, c, func(b *pact.Batch) { b.KeepPolicy(&p) })
	return c
}

func edit(t *testing.T, c *pact.Context, f func(*pact.Batch)) {
	t.Helper()
	must(t, c.Edit(background, func(b *pact.Batch) error { f(b); return nil }, nil))
}

// sends commits a call of a tool with its result, and returns the report.
func sends(t *testing.T, c *pact.Context, n, tool, result string, tags ...string) *lifecycle.Report {
	t.Helper()
	edit(t, c, func(b *pact.Batch) {
		b.Add("^ah", pact.Spec{ID: "c" + n, Role: "assistant", Kind: "call", Offset: 1,
			Content: map[string]any{"name": tool, "arguments": "{}"}})
		b.Add("^ah", pact.Spec{ID: "r" + n, Role: "tool", Kind: "result", Offset: 1, Content: result, Refs: []string{"c" + n},
			Tags: tags})
	})
	s, err := c.Commit(background, nil)
	must(t, err)
	return s.Report
}

// texts returns the blocks of the latest snapshot as "id text", the text only of results and stubs.
func texts(t *testing.T, c *pact.Context) (list []string) {
	t.Helper()
	s := latest(t, c)
	for n, err := range s.Nodes() {
		must(t, err)
		switch n.Kind {
		case "call":
			list = append(list, n.ID)
		case "result", lifecycle.StubKind:
			text, err := n.Text(background)
			must(t, err)
			list = append(list, n.ID+" "+text)
		}
	}
	return list
}

// A rule means ^sys only if its selector names it.
func TestRulesLeaveTheSystemPromptAlone(t *testing.T) {
	for selector, stays := range map[string]bool{".cb": true, "[role='system']": true, "^sys .cb": false, "^ah .cb, [id='prompt']": false} {
		c := ruled(t, `{"rules":[{"select":"`+selector+`","ttl":1}]}`)
		edit(t, c, func(b *pact.Batch) { b.Add("^sys", pact.Spec{ID: "prompt", Role: "system", Content: "Be brief."}) })
		sends(t, c, "1", "ls", "one")
		sends(t, c, "2", "ls", "two")
		s := latest(t, c)
		if _, err := s.Node("prompt"); (err == nil) != stays {
			t.Errorf("%s: the system prompt is there: %v, want %v", selector, err == nil, stays)
		}
	}
}

// A block is shaped before it is first sent; its content is kept beside it.
func TestRulesThatShape(t *testing.T) {
	c := ruled(t, `{"rules":[{"select":"[kind='result'][bytes>200]","head":10,"tail":5,"once":true}]}`)
	long := "é" + strings.Repeat("abcdefghij", 40) + "ü"
	r := sends(t, c, "1", "read", long)
	sends(t, c, "2", "read", long)
	sends(t, c, "3", "read", "short")
	want := []string{"c1", "r1 éabcdefgh\n[389 bytes are left out here; r1 has them. Only pact writes such notes.]\nhijü",
		"c2", "r2 [The same as r1 above. Only pact writes such notes.]", "c3", "r3 short"}
	if got := texts(t, c); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if len(r.Ruled) != 1 || r.Ruled[0].Rule != 1 {
		t.Errorf("the report names %+v", r.Ruled)
	}
	s := latest(t, c)
	n, err := s.Node("r1")
	must(t, err)
	original, _ := commit.Original(tree.NodeOf(n))
	if want, err := json.Marshal(long); err != nil || string(original) != strings.NewReplacer("é", `\u00e9`, "ü", `\u00fc`).Replace(string(want)) {
		t.Errorf("the original is %s", original)
	}
}

// A policy whose selectors cannot be used is refused where it comes in, with the rule.
func TestRulesAreRefused(t *testing.T) {
	c := ruled(t, `{}`)
	for _, text := range []string{"[kind=", "@t-1 *", "@t0..-2 *", "@* *"} {
		err := c.Edit(background, func(b *pact.Batch) error {
			b.KeepPolicy(&lifecycle.Policy{Rules: []lifecycle.Rule{{Select: text, Pinned: true}}})
			return nil
		}, nil)
		if !errors.Is(err, fault.SelectorInvalid) || !strings.Contains(err.Error(), "the selector of rule 1 cannot be used: ") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
