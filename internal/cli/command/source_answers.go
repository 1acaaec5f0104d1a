package command

import (
	"cmp"
	"context"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
)

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

// Block returns the block with an id as the snapshot at an address has it or, without an address, as [view.Find] finds it.
func (s *Source) Block(ctx context.Context, address, id string) (hit pact.Hit, err error) {
	switch {
	case address != "":
		hit.Snapshot, err = s.Argument(ctx, []string{address})
	case s.Alone != nil:
		hit.Snapshot = s.Alone
	default:
		_, hit, err = view.Find(ctx, s.Store, s.Context, nil, id)
		return hit, err
	}
	if err == nil {
		hit.Node, err = hit.Snapshot.Node(id)
	}
	return hit, err
}

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
