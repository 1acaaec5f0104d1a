package cli

import (
	"context"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/wording"
	"github.com/spf13/cobra"
)

// found is a line of pact grep --json: a content that matches the pattern, and
// the snapshots that have it.
type found struct {
	ID      string  `json:"id"`
	Role    string  `json:"role,omitempty"`
	Kind    string  `json:"kind,omitempty"`
	First   int64   `json:"first"` // cycle of the first searched snapshot with this content
	Last    int64   `json:"last"`  // cycle of the last one
	Matches []match `json:"matches"`

	hash string // content hash
}

// match is one matching line of a content.
type match struct {
	Line int    `json:"line"` // from 1
	Text string `json:"text"`

	start, end int // of the first match in Text
}

func (a *app) grepCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "grep NAME PATTERN [A [B]] | grep --file FILE PATTERN [A [B]]",
		Short: "Find a text in everything that was ever sent",
		Long: `Search the contents of all nodes in the snapshots from A to B, also written A..B, or of
the whole context, including nodes that are gone by now. Print the lines that match, each with the
snapshots that have this content, the id, role and kind. Each content is searched once,
however many snapshots hold it, and the JSON of a call without its escapes.

The pattern is a regular expression as in Go (RE2). --ignore-case ignores case,
--fixed takes the pattern as a plain text. The exit code is 1 if nothing matches.`,
		Example: `  pact grep chat 'Zürich'
  pact grep chat -i 'permission denied' @c10..@c20
  pact grep chat --fixed 'f(x)' --json | jq .id
  pact grep --file run.traj Traceback`,
	}
	flags := a.sourceFlags(cmd)
	fold := cmd.Flags().BoolP("ignore-case", "i", false, "take upper and lower case as the same")
	fixed := cmd.Flags().BoolP("fixed", "F", false, "the pattern is a plain text")
	cmd.RunE = a.asks(flags, []string{"PATTERN", "[A]", "[B]"}, func(ctx context.Context, s *source, rest []string) error {
		pattern, err := compilePattern(rest[0], *fixed, *fold)
		if err != nil {
			return err
		}
		c, err := s.history(ctx)
		if err != nil {
			return err
		}
		from, to, err := span(c, rest[1:])
		if err != nil {
			return err
		}
		g := grep{app: a, pattern: pattern}
		if err := g.search(ctx, c, from, to); err != nil {
			return err
		}
		a.failed = len(g.list) == 0
		if a.failed {
			a.foundNothing("nothing in %s matches %s", spanText(c, rest[1:]), visible(rest[0]))
		}
		return g.print()
	})
	return cmd
}

// spanText names the snapshots that a search looked at, by the addresses that were given.
func spanText(c *pact.Context, ends []string) string {
	switch len(ends) {
	case 0:
		return "any snapshot of " + visible(c.Name())
	case 1:
		return visible(c.Name()) + " " + visible(ends[0])
	}
	return visible(c.Name()) + " from " + visible(ends[0]) + " to " + visible(ends[1])
}

// compilePattern compiles a pattern. Matching takes time proportional to the
// length of the pattern times that of the contents; the engine does not
// backtrack.
func compilePattern(text string, fixed, fold bool) (*regexp.Regexp, error) {
	pattern := text
	if fixed {
		pattern = regexp.QuoteMeta(pattern)
	}
	if fold {
		pattern = "(?i)" + pattern
	}
	compiled, err := regexp.Compile(pattern)
	if err == nil {
		return compiled, nil
	}
	reason := err.Error()
	if e, ok := err.(*syntax.Error); ok {
		reason = e.Code.String() + ": " + e.Expr
	}
	return nil, fault.At(fault.SelectorInvalid, fault.NoOffset, text, "this is not a regular expression: "+reason,
		"write it as Go does, or give --fixed for a plain text")
}

// grep collects the contents that match a pattern, from the oldest snapshot to
// the newest.
type grep struct {
	app     *app
	pattern *regexp.Regexp
	list    []*found
	current map[string]*found // matching contents of the previous snapshot, by node id
}

// search reads each content of the snapshots once. Cost: the first snapshot,
// and the changes from each to the next.
func (g *grep) search(ctx context.Context, c *pact.Context, from, to pact.Address) error {
	g.current = map[string]*found{}
	first, last := c.Cycles()
	m := g.app.meter("searching")
	defer m.end()
	var before *pact.Snapshot
	for s, err := range c.History(ctx, from, to) {
		if err != nil {
			return err
		}
		if before == nil {
			for n, err := range s.Nodes() {
				if err != nil {
					return err
				}
				if err := g.look(ctx, n, s.Cycle()); err != nil {
					return err
				}
			}
		} else if err := g.changes(ctx, before, s); err != nil {
			return err
		}
		before = s
		m.at(int(s.Cycle()-first+1), int(last-first+1))
	}
	for _, f := range g.current {
		f.Last = before.Cycle()
	}
	return nil
}

// changes searches what a snapshot changed since the previous one.
func (g *grep) changes(ctx context.Context, before, s *pact.Snapshot) error {
	d, err := pact.Diff(ctx, before, s, nil)
	if err != nil {
		return err
	}
	for _, id := range d.Removed {
		g.gone(id, before.Cycle())
	}
	ids := d.Added
	for _, change := range d.Changed {
		ids = append(ids, change.ID)
	}
	for _, id := range ids {
		n, err := s.Node(id)
		if err != nil {
			return err
		}
		if f := g.current[id]; f != nil && f.hash == n.ContentHash {
			continue // only its headers changed
		}
		g.gone(id, before.Cycle())
		if err := g.look(ctx, n, s.Cycle()); err != nil {
			return err
		}
	}
	return nil
}

// gone records the last cycle that has a content.
func (g *grep) gone(id string, last int64) {
	if f := g.current[id]; f != nil {
		f.Last = last
		delete(g.current, id)
	}
}

// look searches the content that a node has from a cycle on.
func (g *grep) look(ctx context.Context, n pact.Node, cycle int64) error {
	kept, err := n.JSON(ctx)
	if err != nil || kept == nil {
		return err
	}
	text, err := n.Text(ctx)
	if err != nil {
		return err
	}
	f := &found{ID: n.ID, Role: n.Role, Kind: n.Kind, First: cycle, hash: n.ContentHash}
	if isText(kept) {
		f.Matches = g.matches(text)
	} else if text, ok := wording.Readable(canon.Value(kept)); ok {
		f.Matches = g.matches(text)
	}
	if !isText(kept) && f.Matches == nil { // what stands beside the text of a part is searched as well
		f.Matches = g.matches(indented(kept))
	}
	if f.Matches != nil {
		g.current[n.ID] = f
		g.list = append(g.list, f)
	}
	return nil
}

// matches returns the lines of a text that match.
func (g *grep) matches(text string) (list []match) {
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		line = strings.TrimSuffix(line, "\r")
		if at := g.pattern.FindStringIndex(line); at != nil {
			list = append(list, match{number, line, at[0], at[1]})
		}
	}
	return list
}

func (g *grep) print() error {
	a := g.app
	c := layoutOf("llll")
	rows := make([][]string, len(g.list))
	for i, f := range g.list {
		if a.json {
			if err := a.printJSON(f); err != nil {
				return err
			}
			continue
		}
		cycles := "@c" + strconv.FormatInt(f.First, 10)
		if f.Last > f.First {
			cycles += "–@c" + strconv.FormatInt(f.Last, 10)
		}
		rows[i] = append([]string{a.paint.name(cycles)}, cells(f.ID, f.Role, f.Kind)...)
		c.fit(rows[i])
	}
	if a.json {
		return nil
	}
	for i, f := range g.list {
		for _, m := range f.Matches {
			a.printf("%s\n", a.clip(c.line(rows[i])+"  "+m.shown(a)))
		}
	}
	return nil
}

// around is how many bytes of a long line a terminal shows in front of a match.
const around = 20

// shown returns the line with its first match in colour. On a terminal it cuts
// a long line shortly before the match.
func (m *match) shown(a *app) string {
	head := m.Text[:m.start]
	if a.outTerminal && len(head) > around {
		head = "…" + strings.ToValidUTF8(head[len(head)-around:], "")
	}
	return visible(head) + a.paint.bad(visible(m.Text[m.start:m.end])) + visible(m.Text[m.end:])
}
