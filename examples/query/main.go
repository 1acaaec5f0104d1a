// Query searches a conversation in space and time: what the speakers said, what
// the model saw at an earlier call, and what changed in between.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/transcript"
)

func main() {
	if err := run(context.Background(), "examples/conversations/weather.json"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	conversations, err := transcript.Read(data)
	if err != nil {
		return err
	}
	c, err := transcript.Import(ctx, pact.NewDB(store.NewMemory()), "weather", conversations[0],
		&transcript.ImportOptions{CreateOptions: pact.CreateOptions{Edition: selector.V01}})
	if err != nil {
		return err
	}
	for _, text := range []string{
		"@t0 ^sys .cb",
		"@t0 ^seq .mt:depth(1-2) .cb[role='user']",
		"@c2 .cb[kind='call']",
		"@* .cb[role='tool']",
	} {
		found, err := c.Select(ctx, text, nil)
		if err != nil {
			return err
		}
		fmt.Printf("%-42s %v\n", text, found)
	}
	changes, err := c.Diff(ctx, "@t-1", "@t0", nil)
	if err != nil {
		return err
	}
	shown, err := json.Marshal(changes)
	if err != nil {
		return err
	}
	fmt.Printf("%-42s %s\n", "diff @t-1 @t0", shown)
	return nil
}
