package ask

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/transcript"
	"github.com/spf13/cobra"
)

// contentFlags say how show prints contents.
type contentFlags struct{ original, raw bool }

func newContentFlags(cmd *cobra.Command) *contentFlags {
	f := &contentFlags{}
	cmd.Flags().BoolVar(&f.original, "original", false, "print the contents as they were before a rule shortened them")
	cmd.Flags().BoolVar(&f.raw, "raw", false, "print the bytes of one content and nothing else")
	return f
}

// show prints the contents of blocks; without an address, as the newest state that has a block holds it.
func (f *contentFlags) show(ctx context.Context, a *command.App, cmd *cobra.Command, s *command.Source, address string,
	ids []string) error {
	if f.raw && len(ids) > 1 {
		return command.Usage(cmd, "--raw prints one content; %d given", len(ids))
	}
	var list []pact.Hit
	for _, id := range ids {
		hit, err := s.Block(ctx, address, id)
		if err != nil {
			return err
		}
		_, shaped := commit.Original(tree.NodeOf(hit.Node))
		if f.original && hit.Node.Kind == toolcall.Result && !shaped && s.Context != nil {
			if kept, of, err := record.WholeOf(ctx, s.Store, s.Context.Info().Name, hit.Node); err == nil {
				if n, err := kept.Working().Node(of); err == nil {
					hit = pact.Hit{Snapshot: kept.Working(), Node: n}
				}
			}
		}
		list = append(list, hit)
		if hit.Node.Kind != toolcall.Call || f.raw {
			continue
		}
		partners, err := toolcall.Partners(tree.Of(hit.Snapshot), tree.NodeOf(hit.Node))
		if err != nil {
			return err
		}
		for _, p := range partners {
			result, err := hit.Snapshot.Node(p.ID)
			if err != nil {
				return err
			}
			list = append(list, pact.Hit{Snapshot: hit.Snapshot, Node: result})
		}
	}
	return printContents(ctx, a, list, f.raw, f.original)
}

// showWhole prints the text that a note names, without the name of a context. It returns missing, the error that no
// context has the name, if no note names it.
func showWhole(ctx context.Context, a *command.App, id string, raw bool, missing error) error {
	s, err := a.ExistingStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	_, hit, err := view.Find(ctx, s, nil, nil, id)
	if err != nil {
		return missing
	}
	return printContents(ctx, a, []pact.Hit{hit}, raw, true)
}

// contentLine is a line of pact show ID --json.
type contentLine struct {
	ID      string          `json:"id"`
	At      int64           `json:"snapshot"` // the cycle of the one that has this content
	Role    string          `json:"role,omitempty"`
	Kind    string          `json:"kind,omitempty"`
	Content json.RawMessage `json:"content"`
}

func printContents(ctx context.Context, a *command.App, list []pact.Hit, raw, original bool) error {
	for i, h := range list {
		kept, err := h.Node.JSON(ctx)
		if err != nil {
			return err
		}
		if before, shaped := commit.Original(tree.NodeOf(h.Node)); original && shaped {
			kept = []byte(before)
		}
		switch {
		case raw:
			text := string(kept)
			if len(kept) > 0 && canon.Value(kept).Kind() == canon.KindString {
				text, _ = canon.Value(kept).Text()
			}
			a.Printf("%s", text)
			continue
		case a.JSON:
			if kept == nil {
				kept = []byte("null")
			}
			line := contentLine{h.Node.ID, h.Snapshot.Cycle(), h.Node.Role, h.Node.Kind, kept}
			if err := a.PrintJSON(line); err != nil {
				return err
			}
			continue
		}
		if len(list) > 1 {
			if i > 0 {
				a.Printf("\n")
			}
			a.Printf("%s\n", a.Paint.Strong("── "+strings.Join(screen.Cells(view.Words(h.Node.ID, h.Node.Role, h.Node.Kind)...), "  ")))
		}
		a.PrintText(view.Whole(h.Node.Kind, canon.Value(kept)))
	}
	return nil
}

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
