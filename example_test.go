package pact_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/transcript"
)

// check ends an example that fails.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// model stands in for a provider: it takes the messages and answers.
func model(messages []byte) string { return fmt.Sprintf("I was sent %d bytes.", len(messages)) }

// greetings is a context with two committed cycles.
func greetings(ctx context.Context) *pact.Context {
	c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "chat", nil)
	check(err)
	for i, text := range []string{"Hello!", "How are you?"} {
		_, err := c.Commit(ctx, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{ID: fmt.Sprint("m", i+1), Role: "user", Kind: "text", Content: text})
			return nil
		}})
		check(err)
	}
	return c
}

// An agent loop: edit, prepare, ask the model, commit. The README shows these lines.
func Example() {
	ctx := context.Background()
	db := pact.NewDB(store.NewMemory()) // or of what sqlite.Open(ctx, "chat.db") or postgres.Open returns
	c, err := pact.OpenOrCreate(ctx, db, "chat", nil)
	check(err)
	for _, question := range []string{"Hello!", "What is a context tree?"} {
		check(c.Edit(ctx, func(b *pact.Batch) error { // all or nothing, kept across processes
			b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: question})
			return nil
		}, nil))
		candidate, err := c.Prepare(ctx, nil) // what the model is to see
		check(err)
		messages, err := transcript.OpenAI(ctx, candidate.Snapshot)
		check(err)
		answer := model(messages) // here you call your provider
		snapshot, err := c.Commit(ctx, &pact.CommitOptions{
			Next: func(b *pact.Batch) error { // the answer belongs to the next cycle
				b.Add("^ah", pact.Spec{Role: "assistant", Kind: "text", Content: answer})
				return nil
			}})
		check(err) // from here on the candidate is durable, exactly as the model saw it
		fmt.Printf("@c%d %s\n", snapshot.Cycle(), messages)
	}
	// Output:
	// @c1 [{"content":"Hello!","role":"user"}]
	// @c2 [{"content":"Hello!","role":"user"},{"content":"I was sent 36 bytes.","role":"assistant"},{"content":"What is a context tree?","role":"user"}]
}

func ExampleContext_Send() {
	ctx := context.Background()
	c, err := pact.OpenOrCreate(ctx, pact.NewDB(store.NewMemory()), "chat", nil)
	check(err)
	err = c.Edit(ctx, func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{ID: "rule", Role: "system", Kind: "text", Content: "Be brief."})
		b.Add("^ah", pact.Spec{ID: "hello", Role: "user", Kind: "text", Content: "Hello!"})
		return nil
	}, nil)
	check(err)
	if _, err := c.Send(ctx, os.Stdout, nil); err != nil {
		log.Fatal(err)
	}
	snapshot, err := c.Commit(ctx, nil)
	check(err)
	fmt.Printf("\ncycle %d\n", snapshot.Cycle())
	// Output:
	// [{"id":"rule","role":"system","kind":"text","content":"Be brief."},{"id":"hello","role":"user","kind":"text","content":"Hello!"}]
	// cycle 1
}

func ExampleContext_Find() {
	ctx := context.Background()
	hits, err := greetings(ctx).Find(ctx, "@c1 .block[role='user']", nil)
	check(err)
	for _, h := range hits {
		text, err := h.Node.Text(ctx)
		check(err)
		fmt.Println(h.Node.ID, h.Node.Role, text)
	}
	// Output: m1 user Hello!
}

// What chapter 04 writes as ctx.select and ctx.add is written alike in Go.
func ExampleContext_Select() {
	ctx := context.Background()
	c := greetings(ctx)
	for _, text := range []string{
		"@t0 ^seq .seg:depth(1) .cont > .block[role='user']",
		"^seq .seg:depth(1-3) .block[role='user']",
	} {
		ids, err := c.Select(ctx, text, nil)
		check(err)
		fmt.Println(ids)
	}
	r, err := c.RangeDiffLatest(ctx, "@t-1..@t0 .block", &diff.RangeOptions{MaxSnapshots: new(5)})
	check(err)
	fmt.Println(r.Diffs[0].AddedIDs, "came last")
	err = c.Edit(ctx, func(b *pact.Batch) error {
		b.Add("(d0, cont[offset=0], )", "block:text { key='hero' }")
		return nil
	}, nil)
	check(err)
	fmt.Println("cycle", c.Info().Cycle)
	// Output:
	// [m2]
	// [m2 m1]
	// [m2] came last
	// cycle 2
}

func ExampleContext_Diff() {
	ctx := context.Background()
	d, err := greetings(ctx).Diff(ctx, "@t-1", "@t0", &pact.DiffOptions{Select: ".block"})
	check(err)
	fmt.Println(d.Added, d.Removed)
	// Output: [m2] []
}

func ExampleContext_Fork() {
	ctx := context.Background()
	fork, err := greetings(ctx).Fork(ctx, pact.Cycle(1), "what if", nil)
	check(err)
	last := fork.Info().Cycle
	fmt.Println(fork.Info().Name, last)
	// Output: what if 1
}

func ExampleContext_PlanPruning() {
	ctx := context.Background()
	plan, err := greetings(ctx).PlanPruning(ctx, "working", &pact.Pruning{Policy: lifecycle.Policy{MaxTurns: 2}})
	check(err)
	fmt.Println(plan.Before.Turns, plan.After.Turns)
	// Output: 3 2
}

func ExampleBatch_AddResult() {
	ctx := context.Background()
	c := greetings(ctx)
	err := c.Edit(ctx, func(b *pact.Batch) error {
		call := b.Add("^ah", pact.Spec{Role: "assistant", Kind: "call", Offset: 1,
			Content: map[string]any{"name": "weather"}})
		b.AddResult(call, pact.Spec{Content: "sunny"})
		return nil
	}, nil)
	fmt.Println(err)
	// Output: <nil>
}

func ExampleContext_Undo() {
	ctx := context.Background()
	c := greetings(ctx)
	undone, err := c.Undo(ctx, nil)
	check(err)
	last := c.Info().Cycle
	fmt.Println("the latest cycle is", last, "and the undone commit is in", undone)
	// Output: the latest cycle is 1 and the undone commit is in chat~c2
}

func ExampleContext_Erase() {
	ctx := context.Background()
	c := greetings(ctx)
	erased, err := c.Erase(ctx, pact.Erasure{Texts: []string{"How are you?"}, Reason: "asked for", Random: rand.Reader})
	check(err)
	latest, err := c.At(ctx, "latest")
	check(err)
	n, err := latest.Node("m2")
	check(err)
	text, err := n.Text(ctx)
	check(err)
	fmt.Println(erased.IDs, n.Erased, text)
	// Output: [m2] true [erased]
}

func ExampleConflict_Rebase() {
	ctx := context.Background()
	s := pact.NewDB(store.NewMemory())
	ours, err := pact.Create(ctx, s, "chat", nil)
	check(err)
	theirs, err := pact.Open(ctx, s, "chat", nil)
	check(err)
	say := func(text string) func(*pact.Batch) error {
		return func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: text})
			return nil
		}
	}
	check(theirs.Edit(ctx, say("Hello!"), nil))
	err = ours.Edit(ctx, say("Hi!"), nil) // another writer was faster, and nothing changed
	var lost *pact.Conflict
	for errors.As(err, &lost) {
		fmt.Println(lost)
		_, err = lost.Rebase(ctx)
	}
	check(err)
	blocks, _ := ours.Working().ThreadSize()
	fmt.Println(blocks, "blocks")
	// Output:
	// meanwhile revision 2, edit of cycle 1
	// 2 blocks
}

func ExampleContext_Timeline() {
	ctx := context.Background()
	c := greetings(ctx)
	check(c.Edit(ctx, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{ID: "note", Role: "system", Kind: "note", Offset: 1, TTL: new(int64(1)), Content: "Hurry."})
		return nil
	}, nil))
	for range 3 {
		_, err := c.Commit(ctx, nil)
		check(err)
	}
	t, err := c.Timeline(ctx, "note")
	check(err)
	for _, e := range t.Events {
		fmt.Printf("@c%d %s\n", e.Cycle, e.Kind)
	}
	// Output:
	// @c3 born
	// @c3 sealed
	// @c4 removed
}
