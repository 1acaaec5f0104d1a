package command

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/tokens"
	"github.com/spf13/cobra"
)

// Having returns the snapshot at an address or, without an address, the newest
// state that has the node.
func (s *Source) Having(ctx context.Context, address, id string) (*pact.Snapshot, error) {
	if address != "" {
		return s.Argument(ctx, []string{address})
	}
	if s.Alone != nil {
		return s.Alone, nil
	}
	return view.Having(ctx, s.Context, id)
}

// Choose is how a remedy says to choose one conversation of a file.
const Choose = "with --conversation"

// Span reads the two ends of a run of snapshots, as two words or as A..B; without words,
// the run is the whole context.
func Span(c *pact.Context, words []string) (from, to pact.Address, err error) {
	first, last := c.Info().First, c.Info().Cycle
	if last < first {
		return from, to, fault.New(fault.SnapshotNotFound, "there is no snapshot yet", "pact commit makes one")
	}
	from, to = pact.Cycle(first), pact.Cycle(last)
	if len(words) == 1 {
		if a, b, both := strings.Cut(words[0], ".."); both {
			words = []string{a, b}
		}
	}
	if len(words) > 0 {
		if from, err = ParseAddress(words[0], c.Info().Edition); err != nil {
			return from, to, err
		}
	}
	if len(words) > 1 {
		to, err = ParseAddress(words[1], c.Info().Edition)
	}
	return from, to, err
}

// Parse parses a selector in the edition that is asked. With the word working or latest before it,
// the source asks that state, in every edition.
func (s *Source) Parse(ctx context.Context, text string) (*selector.Selector, error) {
	s.named = ""
	word, rest := text, text // as it was asked, because the answer to a range quotes it byte for byte
	if words := strings.Fields(text); len(words) > 1 && view.IsWord(words[0]) {
		word = words[0]
		s.named, rest = pact.Address(word), strings.TrimPrefix(strings.TrimSpace(text), word)
	}
	q, err := selector.Parse(rest, s.Edition())
	if s.named != "" && err == nil && q.Time != nil {
		address, offset := q.Address()
		err = fault.At(fault.SelectorInvalid, offset, address, word+" and an address name two states",
			"leave one of them out")
	}
	if err == nil {
		return q, nil
	}
	asked, _ := cutAddress(rest)
	in, none := s.snapshotAt(ctx, cmp.Or(s.named, pact.Address(asked), "working"))
	if none != nil { // a range, or a mistake
		in, _ = s.snapshotAt(ctx, "working")
	}
	return q, InSelector(err, rest, in)
}

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

// snapshotAt returns the snapshot at an address.
func (s *Source) snapshotAt(ctx context.Context, address pact.Address) (*pact.Snapshot, error) {
	if s.Alone == nil {
		return s.Context.At(ctx, address)
	}
	return s.Alone.At(address)
}

// Argument returns the snapshot that an argument addresses; without one, the
// latest snapshot.
func (s *Source) Argument(ctx context.Context, args []string) (*pact.Snapshot, error) {
	if len(args) > 0 {
		address, err := ParseAddress(args[0], s.Edition())
		if err != nil {
			return nil, err
		}
		return s.snapshotAt(ctx, address)
	}
	latest, err := s.snapshotAt(ctx, "latest")
	return latest, unasked(err, "commit first, or ask for the word working, the state that is being edited")
}

// unasked says, of the latest snapshot that is not there, no address, which the user did not write.
func unasked(err error, remedy string) error {
	f := FactsOf(err)
	if f.Code != fault.SnapshotNotFound {
		return err
	}
	more := *f
	more.Message, more.Token, more.Remedy = "there is no snapshot yet", "", remedy
	return &more
}

// ParseAddress parses the address of one snapshot, as an edition writes it.
func ParseAddress(arg string, e selector.Edition) (pact.Address, error) {
	address, err := pact.ParseAddress(arg, e)
	if f := FactsOf(err); f.Code == fault.SelectorInvalid {
		return address, InArgument(fault.At(f.Code, 0, arg, "this is not the address of one snapshot",
			"write latest, @t-1, @c12 or working"), arg)
	}
	return address, InArgument(err, arg)
}

// Edition returns the edition that the user asked for, else that of the context or the document.
func (s *Source) Edition() selector.Edition {
	if s.Alone != nil {
		return cmp.Or(s.edition, s.Alone.Edition())
	}
	return cmp.Or(s.edition, s.Context.Info().Edition)
}

// searchable can answer a selector: a context, or the snapshot of a single
// document.
type searchable interface {
	Find(ctx context.Context, query string, o *pact.SelectOptions) ([]pact.Hit, error)
	Explain(ctx context.Context, query string, o *pact.SelectOptions) (*inspect.Explanation, error)
}

// searchable returns the document or the context to ask. Only a context answers ranges, so
// it turns a document into one for them.
func (s *Source) searchable(ctx context.Context, q *selector.Selector) (searchable, error) {
	if s.Alone != nil && (q.Time == nil || q.Time.Kind != selector.Range) {
		return s.Alone, nil
	}
	if s.named != "" && s.Context != nil {
		return s.Context.At(ctx, s.named)
	}
	return s.History(ctx)
}

// Find returns what a selector finds.
func (s *Source) Find(ctx context.Context, q *selector.Selector, o pact.SelectOptions) ([]pact.Hit, error) {
	return answered(ctx, s, q, o, searchable.Find)
}

// answered has the document or the context answer a selector.
func answered[T any](ctx context.Context, s *Source, q *selector.Selector, o pact.SelectOptions,
	answer func(searchable, context.Context, string, *pact.SelectOptions) (T, error)) (found T, err error) {
	from, err := s.searchable(ctx, q)
	if err == nil {
		err = s.complete(ctx, q, &o)
	}
	if err != nil {
		return found, err
	}
	found, err = answer(from, ctx, cmp.Or(q.Source, q.String()), &o)
	if q.Time == nil {
		err = unasked(err, "commit first, or write the word working before the selector")
	}
	return found, err
}

// complete sets the edition of the selector, the counter of the source, and whether @* has to ask for the last answer of a run.
func (s *Source) complete(ctx context.Context, q *selector.Selector, o *pact.SelectOptions) error {
	o.Edition = q.Edition
	if s.Counter != nil {
		o.Counter = s.Counter
	}
	if s.Context == nil || q.Time == nil || q.Time.Kind != selector.All {
		return nil
	}
	tail, err := record.TailOf(ctx, s.Context)
	o.Working = tail != record.NoTail
	return err
}

// Explain says how find would evaluate a selector.
func (s *Source) Explain(ctx context.Context, q *selector.Selector, o pact.SelectOptions) (*inspect.Explanation,
	error) {
	return answered(ctx, s, q, o, searchable.Explain)
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
