package ask

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/transcript"
)

// threadForms are the forms in which show prints a thread: thread is text on a terminal and canonical elsewhere.
var threadForms = []string{"thread", "canonical", "openai", "responses", "anthropic", "gemini", "text", "markdown"}

// threadFlags say how show prints a thread.
type threadFlags struct {
	as      *string
	request *bool
}

func newThreadFlags(cmd *cobra.Command) threadFlags {
	f := threadFlags{
		as:      cmd.Flags().String("as", "", "print what the model is sent, in the `FORM` "+strings.Join(threadForms, ", ")),
		request: cmd.Flags().Bool("request", false, "with --as and an API: a whole request, with its model"),
	}
	command.OneOf(cmd, "as", threadForms)
	return f
}

func (f *threadFlags) check(cmd *cobra.Command) error {
	if *f.request && slices.Contains([]string{"", "thread", "canonical", "text", "markdown"}, *f.as) {
		return command.Usage(cmd, "--request needs --as with an API: openai, responses, anthropic or gemini")
	}
	return nil
}

// writeThread writes the thread of a snapshot, by default of the latest.
func writeThread(ctx context.Context, a *command.App, s *command.Source, address []string, f *threadFlags) error {
	snapshot, err := s.Argument(ctx, address)
	if err != nil {
		return err
	}
	form := *f.as
	read := form == "thread" && a.OutTerminal && !a.JSON
	switch {
	case read || form == "text" || form == "markdown":
		return readThread(ctx, a, snapshot, form == "markdown", read)
	case form == "thread" || form == "canonical":
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
		command := "pact show " + a.Subject + a.InStore() + " " + view.Cycle(s.Cycle())
		o.Command = func(id string) string { return command + " " + screen.Quote(id) }
	}
	return view.WriteThread(ctx, a.Out, s, &o)
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
