package command

import (
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tokens"
	"github.com/spf13/cobra"
)

// Choose is how a remedy says to choose one conversation of a file.
const Choose = "with --conversation"

// Source answers the questions of a command: a context, or a single document. A document
// serves as @t0, as its own @cN and as its own working state.
type Source struct {
	Context *pact.Context  // nil for a document
	Alone   *pact.Snapshot // nil for a context
	File    *Input         // nil for a stored context
	Store   *pact.DB
	Counter *tokens.Counter // nil unless the user asks for tokens

	edition selector.Edition // that the user asked for, "" for that of the context or the document
	named   pact.Address     // the state that the selector which was parsed last asks by a word, "" for none
}

func (s *Source) Close() { s.Store.Close() }

// options returns the options for opening the context of the source.
func (s *Source) options() (o pact.OpenOptions) {
	if s.Counter != nil {
		o.Counter = s.Counter
	}
	return o
}

// SourceFlags are the flags that name a source.
type SourceFlags struct {
	File, Edition, conversation, tokenizer string
	tokens                                 bool
}

func (a *App) SourceFlags(cmd *cobra.Command) *SourceFlags {
	f := &SourceFlags{}
	cmd.Flags().StringVar(&f.File, "file", "",
		"read a document, a history or a log from `FILE` instead of the store")
	cmd.Flags().StringVar(&f.conversation, "conversation", "",
		"with --file, the `NAME` of the conversation in a log of several")
	cmd.Flags().StringVar(&f.Edition, "edition", "",
		"the `EDITION` to read --file, the selector and addresses in: "+EditionNames)
	CompleteFlag(cmd, "edition", selector.Editions())
	return f
}

// TokenFlags adds the flags of a command that can count tokens.
func (f *SourceFlags) TokenFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.tokens, "tokens", false, "count tokens too")
	cmd.Flags().StringVar(&f.tokenizer, "tokenizer", "", "count tokens as `NAME` does, by default "+DefaultTokenizer)
	CompleteFlag(cmd, "tokenizer", tokens.Names())
}

// counter returns the token counter, nil if the flags ask for none.
func (f *SourceFlags) counter() (*tokens.Counter, error) {
	switch {
	case f.tokenizer != "":
		return tokens.Named(f.tokenizer)
	case f.tokens:
		return tokens.Named(DefaultTokenizer)
	}
	return nil, nil
}

// Asks makes the RunE of a command that queries a source.
func (a *App) Asks(f *SourceFlags, ask func(ctx context.Context, s *Source,
	rest []string) error) func(*cobra.Command, []string) error {
	return a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		s, rest, err := a.Source(ctx, cmd, f, args)
		if err != nil {
			return err
		}
		defer s.Close()
		return ask(ctx, s, rest)
	})
}

// Source opens what the flags and the first argument name, and returns the
// remaining arguments.
func (a *App) Source(ctx context.Context, cmd *cobra.Command, f *SourceFlags, args []string) (*Source, []string,
	error) {
	if f.Edition != "" {
		if _, err := selector.ParseEdition(f.Edition); err != nil {
			return nil, nil, err
		}
	}
	counter, err := f.counter()
	if err != nil {
		return nil, nil, err
	}
	s := &Source{Counter: counter, edition: selector.Edition(f.Edition)}
	if f.File != "" {
		a.Subject = "--file " + screen.Quote(f.File)
		return s, args, a.fileSource(ctx, s, f)
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "@") {
		return nil, nil, Usage(cmd, "%s needs the NAME of a context, or --file FILE", cmd.Name())
	}
	s.Context, s.Store, err = a.LookAt(ctx, args[0], s.options())
	return s, args[1:], err
}

// fileSource opens the file that the flags name.
func (a *App) fileSource(ctx context.Context, s *Source, f *SourceFlags) error {
	in, err := a.ReadFile(ctx, f.File, true)
	if err != nil {
		return err
	}
	kind, err := in.Kind()
	if err != nil {
		return in.Located(err)
	}
	s.File, s.Store = in, pact.NewDB(store.NewMemory())
	if kind == intake.Snapshot {
		var findings []inspect.Finding
		s.Alone, findings, err = pact.ReadSnapshot(in.Data, selector.Edition(f.Edition))
		a.Warn(findings)
		return InFile(err, in.Name, in.Data)
	}
	plan, err := intake.PlanFile(ctx, in.File, intake.Options{Kind: kind, Name: in.Base(), Only: f.conversation,
		One: true, Choose: Choose, ImportOptions: pact.ImportOptions{OpenOptions: s.options(), Edition: selector.Edition(f.Edition)}})
	if err != nil {
		return in.Located(err)
	}
	m := a.Meter("reading")
	made, err := plan.Import(ctx, s.Store, m.At)
	m.End()
	if err != nil {
		return in.Located(err)
	}
	main, err := view.StandingIn(ctx, s.Store, intake.Contexts(made))
	if err != nil {
		return err
	}
	s.Context = made[main].Context
	findings := slices.Concat(in.Findings, plan.Findings)
	for i := range made {
		findings = append(findings, made[i].Findings...)
	}
	a.Warn(findings)
	if len(made) > 1 {
		a.Reportf("pact: the file gives %s; this is about %s, whose own calls sent most. Import it to ask about others.",
			view.Plural(len(made), "context"), view.Visible(s.Context.Info().Name))
	}
	return nil
}

// History returns the context, or one whose only snapshot is the document.
func (s *Source) History(ctx context.Context) (*pact.Context, error) {
	if s.Alone == nil {
		return s.Context, nil
	}
	c, _, err := pact.Import(ctx, s.Store, s.File.Base(), s.File.Data, &pact.ImportOptions{OpenOptions: s.options(),
		Edition: s.Alone.Edition()})
	return c, err
}
