package trace

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/transcript"
)

// threadForms are the forms in which thread prints; the last two are for people.
var threadForms = []string{"canonical", "openai", "responses", "anthropic", "gemini", "text", "markdown"}

// threadFlags say what thread prints.
type threadFlags struct {
	as                *string
	request, verbatim *bool
}

func threadCommand(a *command.App) *cobra.Command {
	cmd := a.Command("thread")
	flags := a.SourceFlags(cmd)
	f := threadFlags{
		as: cmd.Flags().String("as", "", "the `FORM`: canonical, text, markdown, openai, responses, anthropic or "+
			"gemini"),
		request:  cmd.Flags().Bool("request", false, "with --as and an API: a whole request, with its model"),
		verbatim: cmd.Flags().Bool("verbatim", false, "print the recorded bytes of the request"),
	}
	command.CompleteFlag(cmd, "as", threadForms)
	cmd.MarkFlagsMutuallyExclusive("as", "verbatim")
	cmd.RunE = a.Asks(flags, func(ctx context.Context, s *command.Source, rest []string) error {
		if *f.as != "" && !slices.Contains(threadForms, *f.as) {
			return command.Usage(cmd, "--as %s is not known: it is one of %s", *f.as, strings.Join(threadForms, ", "))
		}
		if *f.request && (*f.as == "" || *f.as == "canonical" || *f.as == "text" || *f.as == "markdown") {
			return command.Usage(cmd, "--request needs --as with an API: openai, responses, anthropic or gemini")
		}
		snapshot, err := s.Argument(ctx, rest)
		if err != nil {
			return err
		}
		if *f.verbatim {
			return writeVerbatim(ctx, a, s, snapshot)
		}
		return writeThread(ctx, a, s, snapshot, &f)
	})
	return cmd
}

func writeVerbatim(ctx context.Context, a *command.App, s *command.Source, snapshot *pact.Snapshot) error {
	c, err := s.History(ctx)
	if err != nil {
		return err
	}
	body, err := record.Request(ctx, c, snapshot.Cycle(), 0)
	if err != nil {
		return err
	}
	noteRedacted(a, body)
	_, err = a.Out.Write(body.Bytes)
	return err
}

func writeThread(ctx context.Context, a *command.App, s *command.Source, snapshot *pact.Snapshot, f *threadFlags) error {
	form := *f.as
	read := form == "" && a.OutTerminal && !a.JSON
	switch {
	case read || form == "text" || form == "markdown":
		return readThread(ctx, a, snapshot, form == "markdown", read)
	case form == "" || form == "canonical":
		if err := snapshot.WriteThread(ctx, a.Out); err != nil {
			return err
		}
		a.Printf("\n")
		return nil
	}
	if err := a.NoteLeftOut(ctx, snapshot); err != nil {
		return err
	}
	if form == "openai" && !record.Recorded(snapshot) && !*f.request {
		messages, err := transcript.OpenAI(ctx, snapshot)
		if err != nil {
			return err
		}
		return a.WriteJSON(append(messages, '\n'))
	}
	fields, left, err := fieldsOf(ctx, a, s, snapshot, f)
	if err != nil {
		return err
	}
	if left > 0 {
		a.Reportf("pact: left out %s that this API has no form for", view.Plural(left, "part"))
	}
	return a.WriteJSON(append(fields, '\n'))
}

// readThread writes a thread for people, and cuts long contents if it shall.
func readThread(ctx context.Context, a *command.App, s *pact.Snapshot, markdown, cuts bool) error {
	o := view.ThreadStyle{Markdown: markdown, Terminal: a.OutTerminal, Clip: a.Clip, Strong: a.Paint.Strong,
		Name: a.Paint.Name, Bad: a.Paint.Bad, Faint: a.Paint.Faint}
	if a.Width > 0 {
		o.Wrap = func(line string, indent int) []string { return screen.WrapLine(line, a.Width-indent) }
	}
	if cuts {
		command := catCommandOf(a, s)
		o.Command = func(id string) string { return command + " " + screen.Quote(id) }
	}
	return view.WriteThread(ctx, a.Out, s, &o)
}

// catCommandOf returns the command that prints a content of a snapshot.
func catCommandOf(a *command.App, s *pact.Snapshot) string {
	return "pact cat " + a.Subject + a.InStore() + " @c" + strconv.FormatInt(s.Cycle(), 10)
}

// fieldsOf returns the thread of a snapshot as fields of a request and, with
// --request, the other fields too.
func fieldsOf(ctx context.Context, a *command.App, s *command.Source, snapshot *pact.Snapshot, f *threadFlags) (json.RawMessage, int,
	error) {
	if !*f.request {
		return record.Thread(ctx, snapshot, *f.as)
	}
	if !record.Recorded(snapshot) {
		return record.WholeRequest(ctx, nil, snapshot, *f.as)
	}
	c, err := s.History(ctx)
	if err != nil {
		return nil, 0, err
	}
	return record.WholeRequest(ctx, c, snapshot, *f.as)
}
