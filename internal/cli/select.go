package cli

import (
	"context"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/selector"
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
answer is ids.`,
		Example: `  pact select chat '@t0 ^sys .block'
  pact select chat "^seq .seg:depth(1-3) .block[role='user']"
  pact select chat '@* #block:12-3'
  pact select chat '@t-3..@t0 .block'
  pact select chat --where '.seg:depth(>0)' --limit 1 "[key='plan']"
  pact select --file snapshot.json --edition v0.1 -- '@t0 ^seq .mt:depth(1)'`,
	}
	flags := a.sourceFlags(cmd)
	w := windowFlags{}
	w.registerWindows(cmd)
	w.registerRange(cmd)
	cmd.RunE = a.asks(flags, []string{"SELECTOR"}, func(ctx context.Context, s *source, rest []string) error {
		q, err := s.parse(rest[0], flags.edition)
		if err != nil {
			return err
		}
		o, ranged, err := w.options(cmd, s, flags.edition, q)
		if err != nil {
			return err
		}
		defer a.warnOfUnknownTypes(ctx, s, q)
		if ranged {
			return a.selectRange(ctx, cmd, s, q, rest[0], &w)
		}
		hits, err := s.find(ctx, q, o)
		if err != nil {
			return inArgument(err, rest[0])
		}
		if cmd.Flags().Changed("limit") && w.limit == 0 {
			hits = nil
		}
		if a.outTerminal && !a.json && flags.file == "" {
			return a.listNodes(ctx, hits)
		}
		ids := make([]string, len(hits))
		for i, h := range hits {
			ids[i] = h.Node.ID
		}
		return a.printJSON(ids)
	})
	return cmd
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
		a.printf("%s\n", line)
	}
	a.printf("%s\n", a.paint.faint(plural(len(hits), "node")))
	return nil
}
