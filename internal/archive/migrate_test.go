package archive_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// blocksOf returns the id and the content of each block of a thread.
func blocksOf(t *testing.T, s *pact.Snapshot) (list []string) {
	t.Helper()
	text, err := s.Thread(context.Background())
	must(t, err)
	var blocks []struct {
		ID      string
		Content any
	}
	must(t, json.Unmarshal(text, &blocks))
	for _, b := range blocks {
		list = append(list, fmt.Sprint(b.ID, b.Content))
	}
	return list
}

// A history that was copied to edition 1.0 says the same in each thread, and its nodes keep what they were born with.
func TestMigratedHistoriesSayTheSame(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(12) {
		e := []selector.Edition{selector.V01, selector.Depth, selector.Canonical}[seed%3]
		c := genHistory(t, e, seed, 8)
		to := pact.NewDB(store.NewMemory())
		made, list, err := c.Migrate(ctx, to, "made", selector.V1, false)
		must(t, err)
		first, last := c.Info().First, c.Info().Cycle
		if a, b := made.Info().First, made.Info().Cycle; a != first || b != last || made.Info().Edition != selector.V1 || len(list) > 0 {
			t.Fatalf("the cycles are %d to %d of edition %s, %v", a, b, made.Info().Edition, list)
		}
		for cycle := first; cycle <= last+1; cycle++ {
			at := pact.Cycle(cycle)
			if cycle > last {
				at = "working"
			}
			was, err := c.At(ctx, at)
			must(t, err)
			is, err := made.At(ctx, at)
			must(t, err)
			if a, b := blocksOf(t, was), blocksOf(t, is); !slices.Equal(a, b) {
				t.Errorf("seed %d, cycle %d: %q became %q", seed, cycle, a, b)
			}
			for n, err := range was.Nodes() {
				must(t, err)
				now, err := is.Node(n.ID)
				must(t, err)
				if now.Cycle != n.Cycle || now.CreatedNS != n.CreatedNS || now.Index != n.Index || now.Offset != n.Offset ||
					now.NodeType != n.NodeType || now.Role != n.Role || now.Kind != n.Kind || !slices.Equal(now.Tags, n.Tags) {
					t.Errorf("seed %d, cycle %d: %+v became %+v", seed, cycle, n, now)
				}
			}
		}
		if v, err := pact.Verify(ctx, to, "made", nil); err != nil || !v.Holds() {
			t.Errorf("%+v, %v", v.Defect, err)
		}
		for range 3 { // what expires later does so in both
			_, err := c.Commit(ctx, nil)
			must(t, err)
			_, err = made.Commit(ctx, nil)
			must(t, err)
		}
		if a, b := blocksOf(t, c.Working()), blocksOf(t, made.Working()); !slices.Equal(a, b) {
			t.Errorf("seed %d, later: %q became %q", seed, a, b)
		}
	}
}

func TestMigratedRules(t *testing.T) {
	ctx := context.Background()
	kept := func(selects ...string) *pact.Context {
		c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "c", nil)
		must(t, err)
		p := &lifecycle.Policy{}
		for _, text := range selects {
			p.Rules = append(p.Rules, lifecycle.Rule{Select: text, TTL: new(int64(3))})
		}
		must(t, c.Edit(ctx, func(b *pact.Batch) error {
			b.KeepPolicy(p)
			b.Add("^ah", pact.Spec{ID: "plan", Content: "x"})
			return nil
		}, nil))
		_, err = c.Commit(ctx, nil)
		must(t, err)
		return c
	}
	c := kept("?? {role=tool}", ".seg ? {role=user}", ".cb:result", "@t0 .block[age>3]", "[kind='text'] [role='user']", "[ephemeral]",
		"+draft", "#goal")
	made, list, err := c.Migrate(ctx, pact.NewDB(store.NewMemory()), "made", selector.V1, false)
	must(t, err)
	want := []string{"@t0 *[role=tool]", "@t0 *[nodeType='seg'] > *[role=user]", "@t0 *[nodeType='block'][kind='result']",
		"@t0 *[nodeType='block'][age>3]", "@t0 *[kind='text'] *[role='user']", "@t0 *[ttl=0]", "@t0 *[tags='draft']", "@t0 #goal"}
	var got []string
	for _, m := range list {
		got = append(got, m.To)
	}
	p, err := made.Working().Policy()
	must(t, err)
	var stored []string
	for _, r := range p.Rules {
		stored = append(stored, r.Select)
	}
	if !slices.Equal(got, want) || !reflect.DeepEqual(stored, want) {
		t.Errorf("%q\n%q, want\n%q", got, stored, want)
	}
	_, err = made.Commit(ctx, nil) // and they can be used
	must(t, err)
	for _, text := range []string{"within(d1) ?? {role=tool}", "#plan", ".a, .b @limit=1"} {
		c := kept(".block", text)
		if _, list, err := c.Migrate(ctx, pact.NewDB(store.NewMemory()), "made", selector.V1, false); !errors.Is(err, fault.SelectorInvalid) ||
			!strings.Contains(err.Error(), "rule 2") || len(list) != 2 {
			t.Errorf("%s: %v", text, err)
		}
		made, list, err := c.Migrate(ctx, pact.NewDB(store.NewMemory()), "made", selector.V1, true)
		must(t, err)
		p, err := made.Working().Policy()
		if err != nil || len(p.Rules) != 1 && list[1].To == "" || len(list[1].Doubts) == 0 {
			t.Errorf("%s: %+v, %+v, %v", text, p, list, err)
		}
	}
	if _, _, err := c.Migrate(ctx, pact.NewDB(store.NewMemory()), "made", selector.Depth, false); !errors.Is(err, fault.SelectorInvalid) {
		t.Errorf("to another edition than 1.0: %v", err)
	}
	if _, _, err := made.Migrate(ctx, pact.NewDB(store.NewMemory()), "again", selector.V1, false); !errors.Is(err, fault.Conflict) {
		t.Errorf("once more: %v", err)
	}
}

// What a snapshot kept and the working state no longer does is doubted too; an attempt does not prove bytes that are gone.
func TestMigrateTellsOfEarlierPolicies(t *testing.T) {
	ctx := context.Background()
	c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "c", nil)
	must(t, err)
	for _, text := range []string{"#plan", ".block"} {
		must(t, c.Edit(ctx, func(b *pact.Batch) error {
			if text == "#plan" {
				b.Add("^ah", pact.Spec{ID: "plan", Content: "x"})
			}
			b.KeepPolicy(&lifecycle.Policy{Rules: []lifecycle.Rule{{Select: text, TTL: new(int64(3))}}})
			return nil
		}, nil))
		a, err := c.StartAttempt(ctx, pact.ProviderCall{Provider: "p", Model: "m"}, io.Discard, nil)
		must(t, err)
		_, err = c.EndAttempt(ctx, pact.Outcome{ID: a.ID, Status: history.Completed})
		must(t, err)
		_, err = c.Commit(ctx, nil)
		must(t, err)
	}
	to := pact.NewDB(store.NewMemory())
	if _, list, err := c.Migrate(ctx, to, "made", selector.V1, false); !errors.Is(err, fault.SelectorInvalid) ||
		!strings.Contains(err.Error(), "snapshot 1") || len(list) != 2 || list[1].Cycle != 1 || len(list[1].Doubts) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	made, _, err := c.Migrate(ctx, to, "made", selector.V1, true)
	must(t, err)
	first, err := made.At(ctx, pact.Cycle(1))
	must(t, err)
	if p, err := first.Policy(); err != nil || len(p.Rules) != 1 || p.Rules[0].Select != "@t0 #plan" {
		t.Errorf("%+v, %v", p, err)
	}
	attempts, err := made.Attempts(ctx, 1, 2)
	must(t, err)
	if len(attempts) != 2 || attempts[0].Thread != history.NoThread || attempts[1].Thread != history.NoThread {
		t.Errorf("%+v", attempts)
	}
	copies := pact.NewDB(store.NewMemory())
	_, err = made.Copy(ctx, copies, "again")
	must(t, err)
	if v, err := pact.Verify(ctx, copies, "again", nil); err != nil || !v.Holds() {
		t.Errorf("%+v, %v", v, err)
	}

	doc := strings.Replace(exported(t, c.Working()), `"pact:policy":{`, `"pact:policy":{"no_such_limit":1,`, 1)
	bad, _, err := pact.Import(ctx, pact.NewDB(store.NewMemory()), "bad", []byte(doc), nil)
	must(t, err)
	_, list, err := bad.Migrate(ctx, to, "unread", selector.V1, false)
	if !errors.Is(err, fault.SelectorInvalid) || len(list) == 0 || !strings.Contains(list[0].Doubts[0], "cannot be read") {
		t.Errorf("%+v, %v", list, err)
	}
}

// genHistory returns a context of an edition with so many snapshots, in which texts, groups and references come
// and go, move and change, and a block or two waits for the next commit.
func genHistory(t *testing.T, e selector.Edition, seed uint64, cycles int) *pact.Context {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 41))
	c, err := pact.Create(background, pact.NewDB(store.NewMemory()), "c",
		&pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: steps()}, Edition: e})
	must(t, err)
	ids := []string{"^ah"}
	some := func() string { return ids[r.IntN(len(ids))] }
	edit := func() {
		for range 2 + r.IntN(4) {
			err := c.Edit(background, func(b *pact.Batch) error {
				n := pact.Spec{Role: "user", Kind: "text", Offset: r.Int64N(3) - 1, Content: fmt.Sprint("text ", r.IntN(6))}
				switch r.IntN(7) {
				case 0:
					b.Remove(some())
					return nil
				case 1:
					b.Update(some(), func(s *pact.Spec) { s.Content, s.Tags = fmt.Sprint("changed ", r.IntN(6)), []string{"a"} })
					return nil
				case 2:
					if ttl := r.Int64N(4); ttl > 0 {
						n.TTL = &ttl
					}
				case 3:
					n = pact.Spec{NodeType: "cont", Offset: 1, Removable: true}
				case 4:
					n.Refs = []string{some()}
				case 5:
					ids = append(ids, b.Move(some(), []string{"^ah", "^sys"}[r.IntN(2)], 0))
					return nil
				}
				ids = append(ids, b.Add([]string{"^ah", "^ah", "^sys", some()}[r.IntN(4)], n))
				return nil
			}, nil)
			if err != nil && fault.CodeOf(err) == "" { // the library may refuse what was drawn
				t.Fatal(err)
			}
		}
	}
	for range cycles {
		edit()
		_, err := c.Commit(background, nil)
		must(t, err)
	}
	edit()
	return c
}
