package pact_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// ruled returns a new context that keeps a policy.
func ruled(t *testing.T, policy string) *pact.Context {
	t.Helper()
	now := int64(0)
	c, err := pact.Create(context.Background(), pact.NewDB(store.NewMemory()), "run", &pact.CreateOptions{OpenOptions: pact.OpenOptions{
		Clock: func() int64 { now++; return now }}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := lifecycle.ParsePolicy([]byte(policy))
	if err != nil {
		t.Fatal(err)
	}
	edit(t, c, func(b *pact.Batch) { b.KeepPolicy(&p) })
	return c
}

func edit(t *testing.T, c *pact.Context, f func(*pact.Batch)) {
	t.Helper()
	if err := c.Edit(context.Background(), func(b *pact.Batch) error { f(b); return nil }, nil); err != nil {
		t.Fatal(err)
	}
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
	s, err := c.Commit(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.Report
}

// texts returns the blocks of the latest snapshot as "id text", the text only of results and stubs.
func texts(t *testing.T, c *pact.Context) (list []string) {
	t.Helper()
	s, err := c.At(context.Background(), pact.Latest())
	if err != nil {
		t.Fatal(err)
	}
	for n, err := range s.Nodes() {
		if err != nil {
			t.Fatal(err)
		}
		switch n.Kind {
		case "call":
			list = append(list, n.ID)
		case "result", lifecycle.StubKind:
			text, err := n.Text(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, n.ID+" "+text)
		}
	}
	return list
}

// A result goes after as many calls as its rule says, its call keeps a short result in its place,
// and the report names the rule. Other results stay, and so does what an earlier rule keeps.
func TestRuleWithTTLAndStub(t *testing.T) {
	c := ruled(t, `{"rules":[{"select":"+keep","keep":true},
		{"select":".cb[kind='result'][tool='read']","ttl":2,"stub":true},{"select":"[kind='result']","priority":7}]}`)
	first := sends(t, c, "1", "read", "the text of a file")
	if len(first.Ruled) != 1 || first.Ruled[0] != (lifecycle.Ruled{ID: "r1", Rule: 2, Does: "ttl 2"}) {
		t.Errorf("the report names %+v", first.Ruled)
	}
	sends(t, c, "2", "read", "what is kept", "keep")
	third := sends(t, c, "3", "ls", "a list")
	if len(third.Removed) != 1 || third.Removed[0] != (lifecycle.Removal{ID: "r1", Reason: lifecycle.Expired,
		Rule: "rule 2 after 2 calls", Number: 2}) {
		t.Errorf("the report has %+v", third.Removed)
	}
	sends(t, c, "4", "ls", "another")
	stub := third.Stubs[0].ID
	want := []string{"c1", stub + " [Left out after 2 calls; r1 is its id. Only pact writes such notes.]", "c2",
		"r2 what is kept", "c3", "r3 a list", "c4", "r4 another"}
	if got := texts(t, c); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What was sealed before the policy came goes by its rules too, as pruning, at the cycle in which
// it would have gone; nothing sealed is changed.
func TestRulesOnWhatIsSealed(t *testing.T) {
	c := ruled(t, `{}`)
	sends(t, c, "1", "read", "one "+strings.Repeat("x", 300))
	sends(t, c, "2", "read", "two "+strings.Repeat("x", 300))
	p := lifecycle.Policy{Rules: []lifecycle.Rule{{Select: "[kind='result'][tool='read']", TTL: new(int64), Stub: true, Head: 4}}}
	*p.Rules[0].TTL = 3
	edit(t, c, func(b *pact.Batch) { b.KeepPolicy(&p) })
	if r := sends(t, c, "3", "ls", "three"); len(r.Removed) != 0 || len(r.Ruled) != 0 {
		t.Errorf("the first commit under the policy reports %+v", r)
	}
	fourth := sends(t, c, "4", "ls", "four")
	if want := (lifecycle.Removal{ID: "r1", Reason: lifecycle.Pruned, Rule: "rule 1 after 3 calls", Number: 1}); len(
		fourth.Removed) != 1 || fourth.Removed[0] != want {
		t.Errorf("got %+v, want %+v", fourth.Removed, want)
	}
	if got := texts(t, c); !slices.Contains(got, "c1") || !slices.Contains(got, "r2 two "+strings.Repeat("x", 300)) {
		t.Errorf("got %q", got)
	}
}

// A call and a result that refer to each other go together, with one stub, when the time of one is
// over: the reference of the call holds the result back from expiry, and the rule prunes both.
func TestRuleTakesAPairThatRefersToEachOther(t *testing.T) {
	c := ruled(t, `{"rules":[{"select":"[kind='result'][tool='read']","ttl":1,"stub":true}]}`)
	edit(t, c, func(b *pact.Batch) {
		b.Add("^ah", pact.Spec{ID: "call", Role: "assistant", Kind: "call", Offset: 1, Refs: []string{"result"},
			Content: map[string]any{"name": "read"}})
		b.Add("^ah", pact.Spec{ID: "result", Role: "tool", Kind: "result", Offset: 1, Refs: []string{"call"},
			Content: strings.Repeat("x", 400)})
	})
	if _, err := c.Commit(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	r := sends(t, c, "2", "ls", "a list")
	if len(r.Removed) != 2 || r.Removed[0].Rule != "rule 1 after 1 call" || len(r.Kept) != 0 || len(r.Stubs) != 1 {
		t.Errorf("got %+v", r)
	}
	want := []string{r.Stubs[0].ID + " [Left out after 1 call; result is its id. Only pact writes such notes.]", "c2", "r2 a list"}
	if got := texts(t, c); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A rule means ^sys only if its selector names it.
func TestRulesLeaveTheSystemPromptAlone(t *testing.T) {
	for selector, stays := range map[string]bool{".cb": true, "[role='system']": true, "^sys .cb": false, "^ah .cb, [id='prompt']": false} {
		c := ruled(t, `{"rules":[{"select":"`+selector+`","ttl":1}]}`)
		edit(t, c, func(b *pact.Batch) { b.Add("^sys", pact.Spec{ID: "prompt", Role: "system", Content: "Be brief."}) })
		sends(t, c, "1", "ls", "one")
		sends(t, c, "2", "ls", "two")
		s, err := c.At(context.Background(), pact.Latest())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Node("prompt"); (err == nil) != stays {
			t.Errorf("%s: the system prompt is there: %v, want %v", selector, err == nil, stays)
		}
	}
}

// A selector that speaks of age finds a node later than when it was sealed.
func TestRuleOfAge(t *testing.T) {
	c := ruled(t, `{"rules":[{"select":"@t0 [kind='result'][age>1]","ttl":0}]}`)
	sends(t, c, "1", "read", "one")
	sends(t, c, "2", "read", "two")
	sends(t, c, "3", "read", "three")
	if got, want := texts(t, c), []string{"c2", "r2 two", "c3", "r3 three"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
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
	s, err := c.At(context.Background(), pact.Latest())
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.Node("r1")
	if err != nil {
		t.Fatal(err)
	}
	if want, err := json.Marshal(long); err != nil || string(n.Original()) != strings.NewReplacer("é", `\u00e9`, "ü", `\u00fc`).Replace(string(want)) {
		t.Errorf("the original is %s", n.Original())
	}
}

// A policy with a rule that cannot be followed is refused where it comes in, with the place.
func TestRulesAreRefused(t *testing.T) {
	for text, says := range map[string]string{
		`{"rules":[{"select":"*"}]}`:                       "rule 1 says nothing",
		`{"rules":[{"ttl":1}]}`:                            "rule 1 has no selector",
		`{"rules":[{"select":"*","ttl":-1}]}`:              "ttl below 0",
		`{"rules":[{"select":"*","stub":true}]}`:           "leaves a stub",
		`{"rules":[{"select":"*","keep":true,"ttl":1}]}`:   "keeps what it finds and limits it",
		`{"rules":[{"select":"*","ttl":1},{"selct":"*"}]}`: "selct",
		`{"rules":[{"select":"*","ttl":1,"ttl":2}]}`:       "is in it twice",
		`{"rules":[{"select":"*","head":-1}]}`:             "below 0",
	} {
		if _, err := lifecycle.ParsePolicy([]byte(text)); !errors.Is(err, fault.DocumentInvalid) ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", text, err, says)
		}
	}
	_, err := lifecycle.ParsePolicy([]byte(`{"rules":[{"select":"*","ttl":1},{"selct":"*"}]}`))
	var f *fault.Error
	if !errors.As(err, &f) || f.Offset != 34 {
		t.Errorf("got %v, want the place 34", err)
	}
	c := ruled(t, `{}`)
	for _, text := range []string{"[kind=", "@t-1 *", "@t0..-2 *", "@* *"} {
		err := c.Edit(context.Background(), func(b *pact.Batch) error {
			b.KeepPolicy(&lifecycle.Policy{Rules: []lifecycle.Rule{{Select: text, Pinned: true}}})
			return nil
		}, nil)
		if !errors.Is(err, fault.SelectorInvalid) || !strings.Contains(err.Error(), "the selector of rule 1 cannot be used: ") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// Rules cost what is new, however many nodes were decided about before.
func TestCostOfRulesDoesNotGrowWithHistory(t *testing.T) {
	testrun.CountsAllocations(t)
	var allocs []float64
	for _, turns := range []int{50, 800} {
		c := ruled(t, `{"rules":[{"select":"[kind='result'][bytes>9000]","ttl":3},
			{"select":".cb[kind='result'][tool='read']","ttl":1000000,"stub":true},{"select":"+keep","keep":true}]}`)
		n := 0
		one := func() { n++; sends(t, c, strconv.Itoa(n), "read", "a result") }
		for range turns {
			one()
		}
		allocs = append(allocs, testing.AllocsPerRun(20, one))
	}
	t.Logf("a commit after 50 turns: %.0f allocations, after 800: %.0f", allocs[0], allocs[1])
	if allocs[1] > 2*allocs[0] {
		t.Errorf("a commit after 800 turns takes %.0f allocations, after 50 turns %.0f", allocs[1], allocs[0])
	}
}
