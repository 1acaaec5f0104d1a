package pact_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/transcript"
)

// greetings is a context with two committed cycles.
func greetings(ctx context.Context) *pact.Context {
	c, err := pact.Create(ctx, store.NewMemory(), "chat", nil)
	if err != nil {
		log.Fatal(err)
	}
	for i, text := range []string{"Hello!", "How are you?"} {
		_, err := c.Commit(ctx, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{ID: fmt.Sprint("m", i+1), Role: "user", Kind: "text", Content: text})
			return nil
		}})
		if err != nil {
			log.Fatal(err)
		}
	}
	return c
}

// Edit, prepare, send, commit: one cycle. The README shows these lines.
func Example() {
	ctx := context.Background()
	c, err := pact.OpenOrCreate(ctx, store.NewMemory(), "chat", nil) // or sqlite.Open(ctx, "chat.db"), or postgres.Open
	if err != nil {
		log.Fatal(err)
	}
	err = c.Edit(ctx, func(b *pact.Batch) error { // all or nothing, kept across processes
		b.Add("^sys", pact.Spec{Role: "system", Kind: "text", Content: "Be brief."})
		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: "Hello!"})
		return nil
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	candidate, err := c.Prepare(ctx, nil) // what the model is to see
	if err != nil {
		log.Fatal(err)
	}
	messages, err := transcript.OpenAI(ctx, candidate)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", messages)        // send these; the answer belongs to the next cycle: add it to ^ah
	snapshot, err := c.Commit(ctx, nil) // exactly the candidate, durable when it returns
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("cycle", snapshot.Cycle())
	// Output:
	// [{"content":"Be brief.","role":"system"},{"content":"Hello!","role":"user"}]
	// cycle 1
}

func ExampleContext_Send() {
	ctx := context.Background()
	c, err := pact.OpenOrCreate(ctx, store.NewMemory(), "chat", nil)
	if err != nil {
		log.Fatal(err)
	}
	err = c.Edit(ctx, func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{ID: "rule", Role: "system", Kind: "text", Content: "Be brief."})
		b.Add("^ah", pact.Spec{ID: "hello", Role: "user", Kind: "text", Content: "Hello!"})
		return nil
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.Send(ctx, os.Stdout, nil); err != nil {
		log.Fatal(err)
	}
	snapshot, err := c.Commit(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("\ncycle %d\n", snapshot.Cycle())
	// Output:
	// [{"id":"rule","role":"system","kind":"text","content":"Be brief."},{"id":"hello","role":"user","kind":"text","content":"Hello!"}]
	// cycle 1
}

func ExampleContext_Find() {
	ctx := context.Background()
	hits, err := greetings(ctx).Find(ctx, "@c1 .block[role='user']", nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		text, err := h.Node.Text(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(h.Node.ID, h.Node.Role, text)
	}
	// Output: m1 user Hello!
}

func ExampleContext_Diff() {
	ctx := context.Background()
	d, err := greetings(ctx).Diff(ctx, pact.Back(1), pact.Latest, &pact.DiffOptions{Select: ".block"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Added, d.Removed)
	// Output: [m2] []
}

func ExampleContext_Fork() {
	ctx := context.Background()
	fork, err := greetings(ctx).Fork(ctx, pact.Cycle(1), "what if", nil)
	if err != nil {
		log.Fatal(err)
	}
	_, last := fork.Cycles()
	fmt.Println(fork.Name(), last)
	// Output: what if 1
}

func ExampleContext_PlanPruning() {
	ctx := context.Background()
	plan, err := greetings(ctx).PlanPruning(ctx, &pact.Pruning{Policy: lifecycle.Policy{MaxTurns: 2}})
	if err != nil {
		log.Fatal(err)
	}
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
