// Agentloop is a conversation with a model in its smallest form: edit, prepare,
// send the thread, commit, and put the answer into the next cycle.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/transcript"
)

// model stands in for a provider's SDK: it takes the messages and answers.
func model(messages []byte) string { return fmt.Sprintf("I was sent %d bytes.", len(messages)) }

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	c, err := pact.Create(ctx, pact.NewDB(store.NewMemory()), "chat", nil)
	if err != nil {
		return err
	}
	say := func(region, role, text string) error {
		return c.Edit(ctx, func(b *pact.Batch) error {
			b.Add(region, pact.Spec{Role: role, Kind: "text", Content: text})
			return nil
		}, nil)
	}
	if err := say("^sys", "system", "You are terse."); err != nil {
		return err
	}
	for _, question := range []string{"Hello!", "What is a context tree?"} {
		if err := say("^ah", "user", question); err != nil {
			return err
		}
		candidate, err := c.Prepare(ctx, nil) // what the model will see, not yet published
		if err != nil {
			return err
		}
		messages, err := transcript.OpenAI(ctx, candidate.Snapshot)
		if err != nil {
			return err
		}
		answer := model(messages)
		snapshot, err := c.Commit(ctx, nil) // exactly the candidate, durable from here on
		if err != nil {
			return err
		}
		fmt.Printf("@c%d %s\n%s\n", snapshot.Cycle(), messages, answer)
		if err := say("^ah", "assistant", answer); err != nil { // belongs to the next cycle
			return err
		}
	}
	return nil
}
