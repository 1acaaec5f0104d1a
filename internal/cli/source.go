package cli

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/intake"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tokens"
	"github.com/contexttree/pact/transcript"
	"github.com/spf13/cobra"
)

// source is what a command queries: a context, or a single document. A document
// serves as @t0, as its own @cN and as its own working state.
type source struct {
	context *pact.Context  // nil for a document
	alone   *pact.Snapshot // nil for a context
	file    *input         // nil for a stored context
	store   store.Store
	counter *tokens.Counter // nil unless the user asks for tokens
}

func (s *source) close() { s.store.Close() }

// options returns the options for opening the context of the source.
func (s *source) options() (o pact.OpenOptions) {
	if s.counter != nil {
		o.Counter = s.counter
	}
	return o
}

// sourceFlags are the flags that name a source.
type sourceFlags struct {
	file, edition, conversation, tokenizer string
	tokens                                 bool
}

func (a *app) sourceFlags(cmd *cobra.Command) *sourceFlags {
	f := &sourceFlags{}
	cmd.Flags().StringVar(&f.file, "file", "",
		"read a document, a history or a transcript from `FILE` instead of the store")
	cmd.Flags().StringVar(&f.conversation, "conversation", "",
		"with --file, the `NAME` of the conversation in a transcript of several")
	cmd.Flags().StringVar(&f.edition, "edition", "",
		"the `EDITION` to read --file and the selector in: v0.1, depth or canonical")
	_ = cmd.RegisterFlagCompletionFunc("edition", cobra.FixedCompletions(editions, cobra.ShellCompDirectiveNoFileComp))
	cmd.ValidArgsFunction = a.completeNames
	return f
}

// tokenFlags adds the flags of a command that can count tokens.
func (f *sourceFlags) tokenFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.tokens, "tokens", false, "count tokens too")
	cmd.Flags().StringVar(&f.tokenizer, "tokenizer", "", "count tokens as `NAME` does, by default "+defaultTokenizer)
	_ = cmd.RegisterFlagCompletionFunc("tokenizer", cobra.FixedCompletions(tokens.Names(),
		cobra.ShellCompDirectiveNoFileComp))
}

// counter returns the token counter, nil if the flags ask for none.
func (f *sourceFlags) counter() (*tokens.Counter, error) {
	switch {
	case f.tokenizer != "":
		return tokens.Named(f.tokenizer)
	case f.tokens:
		return tokens.Named(defaultTokenizer)
	}
	return nil, nil
}

// asks makes the RunE of a command that queries a source. words are the
// arguments after the command's name.
func (a *app) asks(f *sourceFlags, words []string, ask func(ctx context.Context, s *source,
	rest []string) error) func(*cobra.Command, []string) error {
	return a.does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
		if err := count(cmd, f.file, args, words...); err != nil {
			return err
		}
		s, rest, err := a.source(ctx, cmd, f, args)
		if err != nil {
			return err
		}
		defer s.close()
		return ask(ctx, s, rest)
	})
}

var editions = []string{string(selector.V01), string(selector.Depth), string(selector.Canonical)}

// source opens what the flags and the first argument name, and returns the
// remaining arguments.
func (a *app) source(ctx context.Context, cmd *cobra.Command, f *sourceFlags, args []string) (*source, []string,
	error) {
	if f.edition != "" {
		if _, err := selector.ParseEdition(f.edition); err != nil {
			return nil, nil, err
		}
	}
	counter, err := f.counter()
	if err != nil {
		return nil, nil, err
	}
	s := &source{counter: counter}
	if f.file != "" {
		a.subject = "--file " + quote(f.file)
		return s, args, a.fileSource(ctx, s, f)
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "@") {
		return nil, nil, usage(cmd, "%s needs the NAME of a context, or --file FILE", cmd.Name())
	}
	a.subject = quote(args[0])
	if s.store, err = a.existingStore(ctx); err != nil {
		return nil, nil, err
	}
	o := s.options()
	if s.context, err = pact.Open(ctx, s.store, args[0], &o); err != nil {
		s.close()
		return nil, nil, err
	}
	return s, args[1:], nil
}

// fileSource opens the file that the flags name.
func (a *app) fileSource(ctx context.Context, s *source, f *sourceFlags) error {
	in, err := a.readFile(ctx, f.file, true)
	if err != nil {
		return err
	}
	kind, err := in.shape()
	if err != nil {
		return err
	}
	s.file, s.store = in, store.NewMemory()
	var findings []inspect.Finding
	switch kind {
	case intake.Snapshot:
		s.alone, findings, err = pact.ReadSnapshot(in.data, selector.Edition(f.edition))
		err = inFile(err, in.name, in.data)
	case intake.History:
		s.context, findings, err = in.begin(ctx, kind, s.store, in.base(), pact.ImportHistoryOptions{OpenOptions: s.options(),
			HistoryOptions: pact.HistoryOptions{Edition: selector.Edition(f.edition)}})
	case intake.Log:
		s.context, findings, err = a.logSource(ctx, s, f)
	case intake.Transcript:
		var c *transcript.Conversation
		if c, err = in.conversation(f.conversation); err == nil {
			m := a.meter("reading")
			made := pact.CreateOptions{OpenOptions: s.options(), Edition: selector.Edition(f.edition)}
			s.context, err = transcript.Import(ctx, s.store, in.base(), c, &transcript.ImportOptions{CreateOptions: made,
				Progress: m.at})
			m.end()
		}
	}
	if err != nil {
		return err
	}
	a.warn(findings)
	return nil
}

// conversation picks one conversation of a transcript.
func (in *input) conversation(name string) (*transcript.Conversation, error) {
	list, err := transcript.Read(in.data)
	if err != nil {
		return nil, inFile(err, in.name, in.data)
	}
	if name == "" && len(list) == 1 {
		return list[0], nil
	}
	var names []string
	for _, c := range list {
		if name != "" && c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	const most = 5
	if len(names) > most {
		names = append(names[:most], "…")
	}
	remedy := "choose one with --conversation: " + strings.Join(names, ", ")
	if name != "" {
		return nil, fault.New(fault.SnapshotNotFound, "the transcript has no conversation "+strconv.Quote(name), remedy)
	}
	return nil, fault.New(fault.DocumentInvalid, "the transcript holds several conversations", remedy)
}

// at returns the snapshot at an address.
func (s *source) at(ctx context.Context, address pact.Address) (*pact.Snapshot, error) {
	if s.alone == nil {
		return s.context.At(ctx, address)
	}
	return s.alone.At(address)
}

// argument returns the snapshot that an argument addresses; without one, the
// latest snapshot.
func (s *source) argument(ctx context.Context, args []string) (*pact.Snapshot, error) {
	if len(args) > 0 {
		address, err := parseAddress(args[0])
		if err != nil {
			return nil, err
		}
		return s.at(ctx, address)
	}
	latest, err := s.at(ctx, pact.Latest)
	if f := factsOf(err); f.Code == fault.SnapshotNotFound {
		more := *f
		more.Message, more.Token = "there is no snapshot yet", ""
		more.Remedy = "commit first, or ask for the word working, the state that is being edited"
		return nil, &more
	}
	return latest, err
}

// parseAddress parses the address of one snapshot.
func parseAddress(arg string) (pact.Address, error) {
	address, err := pact.ParseAddress(arg)
	if f := factsOf(err); f.Code == fault.SelectorInvalid {
		return address, inArgument(fault.At(f.Code, 0, arg, "this is not the address of one snapshot",
			"write @t0, @t-1, @c12 or working"), arg)
	}
	return address, inArgument(err, arg)
}

// edition returns the edition of the context or the document.
func (s *source) edition() selector.Edition {
	if s.alone != nil {
		return s.alone.Edition()
	}
	return s.context.Edition()
}

// searchable can answer a selector: a context, or the snapshot of a single
// document.
type searchable interface {
	Find(ctx context.Context, text string, o *pact.SelectOptions) ([]pact.Hit, error)
	Explain(ctx context.Context, text string, o *pact.SelectOptions) (*inspect.Explanation, error)
}

// searchable returns what answers a selector. Only a context answers ranges, so
// it turns a document into one for them.
func (s *source) searchable(ctx context.Context, q *selector.Selector) (searchable, error) {
	if s.alone != nil && (q.Time == nil || q.Time.Kind != selector.Range) {
		return s.alone, nil
	}
	return s.history(ctx)
}

// find returns what a selector finds.
func (s *source) find(ctx context.Context, q *selector.Selector, o pact.SelectOptions) ([]pact.Hit, error) {
	from, err := s.searchable(ctx, q)
	if err != nil {
		return nil, err
	}
	o.Edition = q.Edition
	if s.counter != nil {
		o.Counter = s.counter
	}
	return from.Find(ctx, cmp.Or(q.Source, q.String()), &o)
}

// explain says how find would evaluate a selector.
func (s *source) explain(ctx context.Context, q *selector.Selector, o pact.SelectOptions) (*inspect.Explanation,
	error) {
	from, err := s.searchable(ctx, q)
	if err != nil {
		return nil, err
	}
	o.Edition = q.Edition
	if s.counter != nil {
		o.Counter = s.counter
	}
	return from.Explain(ctx, q.Source, &o)
}

// history returns the context, or one whose only snapshot is the document.
func (s *source) history(ctx context.Context) (*pact.Context, error) {
	if s.alone == nil {
		return s.context, nil
	}
	c, _, err := pact.Import(ctx, s.store, "document", s.file.data, &pact.ImportOptions{OpenOptions: s.options(),
		Edition: s.alone.Edition()})
	return c, err
}
