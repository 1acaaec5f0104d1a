package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/transcript"
	"github.com/spf13/cobra"
)

// threadForms are the forms in which thread prints.
var threadForms = []string{"canonical", "openai", "responses", "anthropic", "gemini"}

func (a *app) threadCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "thread NAME [@t] | thread --file FILE [@t]",
		Short: "Print what a model is sent",
		Long: `Print the thread of a snapshot, by default of the latest: the canonical thread,
byte for byte the same for the same snapshot, or the message list that the
OpenAI chat API takes. The bytes are followed by one newline.

Of a recorded context --as writes the fields of a request that hold the thread, with its
tools, for any of four APIs: openai (chat completions), responses, anthropic, gemini. What
an API has no form for, such as thinking that another provider signed, is left out and
counted. pact request prints the bytes that were sent.`,
		Example: `  pact thread chat
  pact thread chat @t-1 --as openai
  pact thread chat working
  pact thread codex @c12 --as anthropic
  pact thread --file snapshot.json`,
	}
	flags := a.sourceFlags(cmd)
	as := cmd.Flags().String("as", "canonical",
		"the `FORM`: canonical, openai or, of a recorded context, responses, anthropic, gemini")
	_ = cmd.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(threadForms,
		cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = a.asks(flags, []string{"[@t]"}, func(ctx context.Context, s *source, rest []string) error {
		if !slices.Contains(threadForms, *as) {
			return usage(cmd, "--as %s is not known: it is one of %s", *as, strings.Join(threadForms, ", "))
		}
		snapshot, err := s.argument(ctx, rest)
		if err != nil {
			return err
		}
		if err := a.writeThread(ctx, snapshot, *as); err != nil {
			return err
		}
		a.printf("\n")
		return nil
	})
	return cmd
}

func (a *app) writeThread(ctx context.Context, s *pact.Snapshot, form string) error {
	switch {
	case form == "canonical":
		return s.WriteThread(ctx, a.out)
	case form == "openai" && !record.Recorded(s):
		messages, err := transcript.OpenAI(ctx, s)
		if err != nil {
			return err
		}
		return a.writeJSON(messages)
	}
	fields, left, err := record.Thread(ctx, s, form)
	if err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(a.err, "pact: left out %s that this API has no form for\n", number(left, "block"))
	}
	return a.writeJSON(fields)
}
