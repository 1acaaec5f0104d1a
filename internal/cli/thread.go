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

// threadForms are the forms in which thread prints; the last two are for people.
var threadForms = []string{"canonical", "openai", "responses", "anthropic", "gemini", "text", "markdown"}

// threadFlags say what thread prints.
type threadFlags struct {
	as                *string
	request, verbatim *bool
}

func (a *app) threadCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "thread NAME [@t] | thread --file FILE [@t]",
		Short: "Print what a model is sent",
		Long: `Print the thread of a snapshot, by default of the latest. On a terminal this is a
conversation to read: each role with its texts, each call with its results, long
contents cut with a note of how much is left out. Elsewhere it is the canonical
thread, byte for byte the same for the same snapshot, followed by one newline.

--as writes another form everywhere: canonical, text or markdown with whole contents,
or an API: responses, anthropic and gemini give the fields of a request that hold the
thread, with its tools. So does openai of a recorded context; of others it gives the
message list of the chat API. What an API has no form for, such as thinking that another
provider signed, is left out and counted.

--request adds the other fields, so that the answer is a whole request: model, and for
the API that was recorded also the parameters. --verbatim prints the bytes that were
recorded, as pact request does.`,
		Example: `  pact thread chat
  pact thread chat @t-1 --as openai
  pact thread chat working --as text
  pact thread chat --as markdown > chat.md
  pact thread codex @c12 --as anthropic --request
  pact thread codex @c12 --verbatim
  pact thread --file snapshot.json`,
	}
	flags := a.sourceFlags(cmd)
	f := threadFlags{
		as: cmd.Flags().String("as", "", "the `FORM`: canonical, text, markdown, openai, responses, anthropic or "+
			"gemini"),
		request:  cmd.Flags().Bool("request", false, "with --as and an API: a whole request, with its model"),
		verbatim: cmd.Flags().Bool("verbatim", false, "print the recorded bytes of the request"),
	}
	_ = cmd.RegisterFlagCompletionFunc("as", cobra.FixedCompletions(threadForms,
		cobra.ShellCompDirectiveNoFileComp))
	cmd.MarkFlagsMutuallyExclusive("as", "verbatim")
	cmd.RunE = a.asks(flags, []string{"[@t]"}, func(ctx context.Context, s *source, rest []string) error {
		if *f.as != "" && !slices.Contains(threadForms, *f.as) {
			return usage(cmd, "--as %s is not known: it is one of %s", *f.as, strings.Join(threadForms, ", "))
		}
		if *f.request && (*f.as == "" || *f.as == "canonical" || *f.as == "text" || *f.as == "markdown") {
			return usage(cmd, "--request needs --as with an API: openai, responses, anthropic or gemini")
		}
		snapshot, err := s.argument(ctx, rest)
		if err != nil {
			return err
		}
		if *f.verbatim {
			return a.writeVerbatim(ctx, s, snapshot)
		}
		return a.writeThread(ctx, s, snapshot, &f)
	})
	return cmd
}

func (a *app) writeVerbatim(ctx context.Context, s *source, snapshot *pact.Snapshot) error {
	c, err := s.history(ctx)
	if err != nil {
		return err
	}
	body, err := record.Request(ctx, c, snapshot.Cycle())
	if err != nil {
		return err
	}
	a.noteRedacted(body)
	_, err = a.out.Write(body.Bytes)
	return err
}

func (a *app) writeThread(ctx context.Context, s *source, snapshot *pact.Snapshot, f *threadFlags) error {
	form := *f.as
	read := form == "" && a.outTerminal && !a.json
	switch {
	case read || form == "text" || form == "markdown":
		return a.readThread(ctx, snapshot, form == "markdown", read)
	case form == "" || form == "canonical":
		if err := snapshot.WriteThread(ctx, a.out); err != nil {
			return err
		}
		a.printf("\n")
		return nil
	case form == "openai" && !record.Recorded(snapshot) && !*f.request:
		messages, err := transcript.OpenAI(ctx, snapshot)
		if err != nil {
			return err
		}
		return a.writeJSON(append(messages, '\n'))
	}
	fields, left, err := a.fieldsOf(ctx, s, snapshot, f)
	if err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(a.err, "pact: left out %s that this API has no form for\n", number(left, "part"))
	}
	return a.writeJSON(append(fields, '\n'))
}
