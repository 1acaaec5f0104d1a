package pact_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/store"
)

func ExampleContext_Undo() {
	ctx := context.Background()
	c := greetings(ctx)
	undone, err := c.Undo(ctx, nil)
	check(err)
	_, last := c.Cycles()
	fmt.Println("the latest cycle is", last, "and the undone commit is in", undone)
	// Output: the latest cycle is 1 and the undone commit is in chat~c2
}

func ExampleContext_Erase() {
	ctx := context.Background()
	c := greetings(ctx)
	erased, err := c.Erase(ctx, pact.Erasure{Texts: []string{"How are you?"}, Reason: "asked for", Random: rand.Reader})
	check(err)
	latest, err := c.At(ctx, pact.Latest())
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
		b.Add("^ah", pact.Spec{ID: "note", Role: "system", Kind: "note", Offset: 1, TTL: 1, Content: "Hurry."})
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
