package cli

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/tokens"
	"github.com/contexttree/pact/tree"
	"github.com/spf13/cobra"
)

func (a *app) selectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "select NAME SELECTOR | select --file FILE SELECTOR",
		Short: "Find nodes with a selector",
		Long: `Find nodes with a selector and print their ids as one JSON array, in document
order. On a terminal a stored context is answered with a line for each node; with
--json the array is printed there too.

A selector without an address asks the working state, or the latest snapshot in
edition v0.1. --edition reads the selector, and with --file the document as well, in
another edition than its own. Write -- before a selector that looks like a flag.

For a range of snapshots, such as @t-3..@t0, the answer is one JSON object that says
how the selected nodes changed from each snapshot to the one before it. With
@mode=union or @mode=latest after the selector, and in edition v0.1 with --ids, the
answer is ids.

The attributes tool, failed, bytes and tokens tell calls of tools and large contents
apart; --sort sorts by them before --skip and --limit apply. --partners adds to each
call its results and to each result its calls. --output table, wide or jsonl shows what
is known of each node: calls is how many calls of the model carried it.`,
		Example: `  pact select chat '@t0 ^sys .block'
  pact select chat "^seq .seg:depth(1-3) .block[role='user']"
  pact select chat '@* #block:12-3'
  pact select chat '@t-3..@t0 .block'
  pact select chat --where '.seg:depth(>0)' --limit 1 "[key='plan']"
  pact select chat "[tool='bash'][failed]" --partners --output table
  pact select chat "@* [kind='result']" --sort bytes:desc --output table
  pact select --file snapshot.json --edition v0.1 -- '@t0 ^seq .mt:depth(1)'`,
	}
	flags := a.sourceFlags(cmd)
	w := windowFlags{}
	w.registerWindows(cmd)
	w.registerRange(cmd)
	flags.tokenFlags(cmd)
	sorted := cmd.Flags().String("sort", "", "sort by a `FACT`, with :asc or :desc behind it: "+
		strings.Join(sortNames, ", "))
	partners := cmd.Flags().Bool("partners", false, "add to each call its results, to each result its calls")
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(sortNames, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = a.asks(flags, []string{"SELECTOR"}, func(ctx context.Context, s *source, rest []string) error {
		q, err := s.parse(rest[0], flags.edition)
		if err != nil {
			return err
		}
		o, ranged, err := w.options(cmd, s, flags.edition, q)
		if err != nil {
			return err
		}
		order, err := parseOrder(cmd, *sorted)
		if err != nil {
			return err
		}
		if err := s.countFor(q, order); err != nil {
			return err
		}
		defer a.warnOfUnknownTypes(ctx, s, q)
		defer a.warnOfUnknownAttributes(ctx, s, q)
		if ranged {
			if order != nil || *partners {
				return usage(cmd, "--sort and --partners apply to ids, and a range of snapshots gives changes")
			}
			return a.selectRange(ctx, cmd, s, q, rest[0], &w)
		}
		if order != nil { // the windows apply to the sorted list
			o.Skip, o.Limit = 0, 0
		}
		hits, err := s.find(ctx, q, o)
		if err != nil {
			return inArgument(err, rest[0])
		}
		if len(hits) == 0 && o.Skip == 0 {
			defer a.warnOfUnknownValues(ctx, s, q)
		}
		if cmd.Flags().Changed("limit") && w.limit == 0 {
			hits = nil
		}
		if *partners {
			hits = withPartners(hits)
		}
		if order == nil && a.form == "" && a.outTerminal && flags.file == "" {
			return a.listNodes(ctx, hits)
		}
		return a.printHits(ctx, s, hits, order, &w)
	})
	return cmd
}

// countFor sets a counter of tokens if the selector or the order needs one and
// no flag names one.
func (s *source) countFor(q *selector.Selector, order *nodeOrder) (err error) {
	if s.counter == nil && (order != nil && order.by == "tokens" || slices.Contains(attributesOf(q), "tokens")) {
		s.counter, err = tokens.Named(defaultTokenizer)
	}
	return err
}

// withPartners adds to each call its results and to each result its calls,
// each node once.
func withPartners(hits []pact.Hit) (list []pact.Hit) {
	there := map[string]bool{}
	add := func(h pact.Hit) {
		if !there[h.Node.ID] {
			there[h.Node.ID], list = true, append(list, h)
		}
	}
	for _, h := range hits {
		t := h.Snapshot.Tree()
		before := len(list)
		add(h)
		for _, p := range toolcall.Partners(t, t.Node(h.Node.ID)) {
			if n, err := h.Snapshot.Node(p.ID); err == nil {
				add(pact.Hit{Snapshot: h.Snapshot, Node: n})
			}
		}
		if h.Node.Kind == toolcall.Result && len(list) > before { // calls come before their results
			slices.Reverse(list[before:])
		}
	}
	return list
}

// printHits prints found nodes sorted, within the windows of the flags.
func (a *app) printHits(ctx context.Context, s *source, hits []pact.Hit, order *nodeOrder, w *windowFlags) error {
	if order == nil && (a.form == "" || a.form == "json") {
		ids := make([]string, len(hits))
		for i, h := range hits {
			ids[i] = h.Node.ID
		}
		return a.printJSON(ids)
	}
	newest := int64(math.MaxInt64)
	if s.context != nil {
		_, newest = s.context.Cycles()
	}
	list := make([]nodeFacts, len(hits))
	for i, h := range hits {
		var counter tree.Counter
		if s.counter != nil {
			counter = s.counter
		}
		var err error
		if list[i], err = factsOfNode(ctx, h, counter, newest); err != nil {
			return err
		}
	}
	if order != nil {
		order.sort(list)
		list = list[min(w.skip, len(list)):]
		if w.limit > 0 {
			list = list[:min(w.limit, len(list))]
		}
		if a.form == "" && a.outTerminal {
			a.form = "table"
		}
	}
	return a.printFacts(list)
}

// count checks the number of arguments: the command's own, preceded by the name
// of a context unless --file is given. Words in brackets are optional.
func count(cmd *cobra.Command, file string, args []string, words ...string) error {
	if file == "" {
		words = append([]string{"NAME"}, words...)
	}
	least := 0
	for _, w := range words {
		if !strings.HasPrefix(w, "[") {
			least++
		}
	}
	if len(args) >= least && len(args) <= len(words) {
		return nil
	}
	want := strings.Join(words, " ")
	switch {
	case want == "":
		want = "no arguments"
	case file != "":
		want += " beside --file"
	}
	return usage(cmd, "%s takes %s; %d given", cmd.Name(), want, len(args))
}

// parse parses a selector in an edition; "" stands for the edition of the
// source.
func (s *source) parse(text, edition string) (*selector.Selector, error) {
	e := s.edition()
	if edition != "" {
		e = selector.Edition(edition)
	}
	q, err := selector.Parse(text, e)
	return q, inArgument(err, text)
}

// listNodes prints a line for each node that a selector found.
func (a *app) listNodes(ctx context.Context, hits []pact.Hit) error {
	for _, h := range hits {
		line, err := a.nodeLine(ctx, h.Snapshot.Tree().Node(h.Node.ID), h.Snapshot)
		if err != nil {
			return err
		}
		a.printf("%s\n", a.clip(line))
	}
	a.printf("%s\n", a.paint.faint(plural(len(hits), "node")))
	return nil
}
