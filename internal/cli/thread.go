package cli

import (
	"context"

	"github.com/contexttree/pact/transcript"
	"github.com/spf13/cobra"
)

func (a *app) threadCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "thread NAME [@t] | thread --file FILE [@t]",
		Short: "Print what a model is sent",
		Long: `Print the thread of a snapshot, by default of the latest: the canonical thread,
byte for byte the same for the same snapshot, or the message list that the
OpenAI chat API takes. The bytes are followed by one newline.`,
		Example: `  pact thread chat
  pact thread chat @t-1 --as openai
  pact thread chat working
  pact thread --file snapshot.json`,
	}
	flags := a.sourceFlags(cmd)
	as := cmd.Flags().String("as", "canonical", "the `FORM`: canonical or openai")
	_ = cmd.RegisterFlagCompletionFunc("as", cobra.FixedCompletions([]string{"canonical", "openai"},
		cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = a.asks(flags, []string{"[@t]"}, func(ctx context.Context, s *source, rest []string) error {
		if *as != "canonical" && *as != "openai" {
			return usage(cmd, "--as %s is not known: it is canonical or openai", *as)
		}
		snapshot, err := s.argument(ctx, rest)
		if err != nil {
			return err
		}
		if *as == "canonical" {
			err = snapshot.WriteThread(ctx, a.out)
		} else {
			var messages []byte
			if messages, err = transcript.OpenAI(ctx, snapshot); err == nil {
				err = a.writeJSON(messages)
			}
		}
		if err != nil {
			return err
		}
		a.printf("\n")
		return nil
	})
	return cmd
}
