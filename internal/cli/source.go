package cli

import (
	"context"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tokens"
	"github.com/contexttree/pact/transcript"
	"github.com/spf13/cobra"
)

// source is what a question is put to: a context, or a document that stands
// alone and is @t0, its own @cN and its own working state at once.
type source struct {
	context *pact.Context  // nil for a document
	alone   *pact.Snapshot // nil for a context
	file    *input         // nil for a stored context
	store   store.Store
	counter *tokens.Counter // nil where no tokens are asked for
}

func (s *source) close() { s.store.Close() }

// options adds the counter of the source to the options of its context.
func (s *source) options(more ...pact.Option) []pact.Option {
	if s.counter != nil {
		more = append(more, pact.WithCounter(s.counter))
	}
	return more
}

// sourceFlags are the flags that name a source.
type sourceFlags struct {
	file, edition, conversation, tokenizer string
	tokens                                 bool
}

func (a *app) sourceFlags(cmd *cobra.Command) *sourceFlags {
	f := &sourceFlags{}
	cmd.Flags().StringVar(&f.file, "file", "", "read a document, a history or a transcript from `FILE` instead of the store")
	cmd.Flags().StringVar(&f.conversation, "conversation", "", "with --file, the `NAME` of the conversation in a transcript of several")
	cmd.Flags().StringVar(&f.edition, "edition", "", "the `EDITION` to read --file and the selector in: v0.1, depth or canonical")
	_ = cmd.RegisterFlagCompletionFunc("edition", cobra.FixedCompletions(editions, cobra.ShellCompDirectiveNoFileComp))
	cmd.ValidArgsFunction = a.completeNames
	return f
}

// tokenFlags are those of a question that can be answered in tokens.
func (f *sourceFlags) tokenFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.tokens, "tokens", false, "count tokens too")
	cmd.Flags().StringVar(&f.tokenizer, "tokenizer", "", "count tokens as `NAME` does, by default "+defaultTokenizer)
	_ = cmd.RegisterFlagCompletionFunc("tokenizer", cobra.FixedCompletions(tokens.Names(), cobra.ShellCompDirectiveNoFileComp))
}

// counter is what counts tokens, nil where the flags ask for none.
func (f *sourceFlags) counter() (*tokens.Counter, error) {
	switch {
	case f.tokenizer != "":
		return tokens.Named(f.tokenizer)
	case f.tokens:
		return tokens.Named(defaultTokenizer)
	}
	return nil, nil
}

// asks makes the RunE of a command that puts a question to a source. words are
// the arguments behind its name.
func (a *app) asks(f *sourceFlags, words []string, ask func(ctx context.Context, s *source, rest []string) error) func(*cobra.Command, []string) error {
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

var editions = []string{string(pact.V01), string(pact.Depth), string(pact.Canonical)}

// source finds what the flags and the first argument name, and returns the
// arguments that are left.
func (a *app) source(ctx context.Context, cmd *cobra.Command, f *sourceFlags, args []string) (*source, []string, error) {
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
		return s, args, a.fileSource(ctx, s, f)
	}
	if len(args) == 0 || strings.HasPrefix(args[0], "@") {
		return nil, nil, usage(cmd, "%s needs the NAME of a context, or --file FILE", cmd.Name())
	}
	if s.store, err = a.existingStore(ctx); err != nil {
		return nil, nil, err
	}
	if s.context, err = pact.Open(ctx, s.store, args[0], s.options()...); err != nil {
		s.close()
		return nil, nil, a.noContext(err, args[0])
	}
	return s, args[1:], nil
}

// fileSource makes a source of the file that the flags name.
func (a *app) fileSource(ctx context.Context, s *source, f *sourceFlags) error {
	in, err := a.read(ctx, f.file)
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
	case isSnapshot:
		s.alone, findings, err = pact.ReadSnapshot(in.data, pact.Edition(f.edition))
		err = inFile(err, in.name, in.data)
	case isHistory:
		s.context, findings, err = in.begin(ctx, kind, s.store, in.base(), s.options(pact.WithEdition(pact.Edition(f.edition))))
	case isTranscript:
		var c *transcript.Conversation
		if c, err = in.conversation(f.conversation); err == nil {
			m := a.meter("reading")
			s.context, err = transcript.Import(ctx, s.store, in.base(), c, m.at, transcriptOptions(f.edition, s.options()...)...)
			m.end()
		}
	}
	if err != nil {
		return err
	}
	a.warn(findings)
	return nil
}

// transcriptOptions leaves the edition to the library where none is named.
func transcriptOptions(edition string, more ...pact.Option) []pact.Option {
	if edition == "" {
		return more
	}
	return append(more, pact.WithEdition(pact.Edition(edition)))
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
		return nil, fault.New(fault.SnapshotNotFound, "the transcript has no conversation "+name, remedy)
	}
	return nil, fault.New(fault.DocumentInvalid, "the transcript holds several conversations", remedy)
}

// at returns the snapshot at an address.
func (s *source) at(ctx context.Context, address pact.Address) (*pact.Snapshot, error) {
	if s.alone == nil {
		return s.context.At(ctx, address)
	}
	if address == pact.Working || address == pact.Latest || address == pact.Cycle(s.alone.Cycle()) {
		return s.alone, nil
	}
	return nil, fault.At(fault.SnapshotNotFound, fault.NoOffset, address.String(), "there is no snapshot "+address.String(),
		"the document is @t0 and "+pact.Cycle(s.alone.Cycle()).String()+", and has no others beside it")
}

// argument is at for what the command line says; without a word it is the
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

// parseAddress reads the address of one snapshot.
func parseAddress(arg string) (pact.Address, error) {
	address, err := pact.ParseAddress(arg)
	if f := factsOf(err); f.Code == fault.SelectorInvalid {
		return address, inArgument(fault.At(f.Code, 0, arg, "this is not the address of one snapshot", "write @t0, @t-1, @c12 or working"), arg)
	}
	return address, inArgument(err, arg)
}

// edition is that of the context or of the document.
func (s *source) edition() pact.Edition {
	if s.alone != nil {
		return s.alone.Edition()
	}
	return s.context.Edition()
}

// ask returns the ids that a selector finds.
func (s *source) ask(ctx context.Context, q *selector.Selector, opts ...pact.SelectOption) ([]string, error) {
	bare, err := s.bare(q)
	if err == nil && bare != nil {
		return s.alone.Select(ctx, bare, opts...)
	}
	if err != nil {
		return nil, err
	}
	c, err := s.history(ctx)
	if err != nil {
		return nil, err
	}
	return c.Select(ctx, q, opts...)
}

// explain says how a selector is evaluated, where ask would look.
func (s *source) explain(ctx context.Context, q *selector.Selector, opts ...pact.SelectOption) (*pact.Explanation, error) {
	bare, err := s.bare(q)
	if err == nil && bare != nil {
		x, err := s.alone.Explain(ctx, bare, opts...)
		if err == nil {
			x.Selector = q.String()
		}
		return x, err
	}
	if err != nil {
		return nil, err
	}
	c, err := s.history(ctx)
	if err != nil {
		return nil, err
	}
	return c.Explain(ctx, q, opts...)
}

// bare is the selector without its address where it asks the one snapshot that
// a document is, nil where it asks a context or for a range.
func (s *source) bare(q *selector.Selector) (*selector.Selector, error) {
	if s.alone == nil || q.Time != nil && q.Time.Kind == selector.Range {
		return nil, nil
	}
	if q.Time != nil && q.Time.Kind == selector.Single {
		if err := s.onlyOne(q.Time.From); err != nil {
			return nil, err
		}
	}
	bare := *q
	bare.Time = nil
	return &bare, nil
}

// history is the context, or one with the document as its only snapshot.
func (s *source) history(ctx context.Context) (*pact.Context, error) {
	if s.alone == nil {
		return s.context, nil
	}
	c, _, err := pact.Import(ctx, s.store, "document", s.file.data, s.options(pact.WithEdition(s.alone.Edition()))...)
	return c, err
}

// onlyOne refuses every address but those of the one snapshot.
func (s *source) onlyOne(p selector.Point) error {
	if p.Axis == 't' && p.N == 0 || p.Axis == 'c' && p.N == s.alone.Cycle() {
		return nil
	}
	address := pact.Back(-p.N)
	if p.Axis == 'c' {
		address = pact.Cycle(p.N)
	}
	_, err := s.at(context.Background(), address)
	return err
}
