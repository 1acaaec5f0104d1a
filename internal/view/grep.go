package view

import (
	"context"
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// Occurrence is a content that matches a pattern, and the snapshots that have it.
type Occurrence struct {
	ID      string `json:"id"`
	Role    string `json:"role,omitempty"`
	Kind    string `json:"kind,omitempty"`
	First   int64  `json:"first"`           // cycle of the first searched snapshot with this content
	Last    int64  `json:"last"`            // cycle of the last one
	State   string `json:"state,omitempty"` // what Grep was given for the working state, if no snapshot has it
	Matches []Line `json:"matches"`

	Shown Kind   `json:"-"` // the kind in which a list shows the block
	hash  string // of the content
}

// Pattern compiles a regular expression, or with fixed a plain text; with fold upper and lower case
// are the same. Matching takes time proportional to the length of the pattern times that of the
// contents; the engine does not backtrack.
func Pattern(text string, fixed, fold bool) (*regexp.Regexp, error) {
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
	if e := (*syntax.Error)(nil); errors.As(err, &e) {
		reason = e.Code.String() + ": " + e.Expr
	}
	return nil, fault.At(fault.SelectorInvalid, fault.NoOffset, text, "this is not a regular expression: "+reason,
		"write it as Go does, or search for it as a plain text")
}

// Grep finds each content that matches a pattern in the snapshots between two addresses, in the
// order in which the contents came. If working is not "", Grep searches the working state as well,
// also alone, and marks what only this has with the given word. After each snapshot it calls at with its cycle. Cost: the first
// snapshot, the changes from each to the next, and reading each of their contents once.
func Grep(ctx context.Context, c *pact.Context, from, to pact.Address, working string, pattern *regexp.Regexp,
	at func(cycle int64)) (list []*Occurrence, err error) {
	defer tree.Recover(&err)
	g := grep{pattern: pattern, current: map[string]*Occurrence{}}
	if first, last := c.Cycles(); from != pact.Working() && first <= last {
		for s, err := range c.History(ctx, from, to) {
			if err == nil {
				err = g.next(ctx, s)
			}
			if err != nil {
				return nil, err
			}
			at(s.Cycle())
		}
	}
	for _, o := range g.current {
		o.Last = g.before.Cycle()
	}
	if snapshots := len(g.list); working != "" {
		if err := g.next(ctx, c.Working()); err != nil {
			return nil, err
		}
		sent := (*pact.Snapshot)(nil) // if no snapshot was searched, the last one tells what is only here
		if first, last := c.Cycles(); snapshots == 0 && first <= last {
			if sent, err = c.At(ctx, pact.Latest()); err != nil {
				return nil, err
			}
		}
		for _, o := range g.list[snapshots:] {
			o.Last, o.State = o.First, working
			if sent == nil {
				continue
			}
			if n := sent.Tree().Node(o.ID); n != nil && n.ContentHash() == o.hash {
				o.State = "working"
			}
		}
	}
	return g.list, ctx.Err()
}

// grep collects the contents that match a pattern, from the oldest snapshot to the newest.
type grep struct {
	pattern *regexp.Regexp
	list    []*Occurrence
	before  *pact.Snapshot         // the previous snapshot, nil before the first
	current map[string]*Occurrence // its matching contents, by node id
}

// next searches what the next state has beyond the one before.
func (g *grep) next(ctx context.Context, s *pact.Snapshot) error {
	before := g.before
	g.before = s
	if before != nil {
		return g.changes(ctx, before, s)
	}
	for e := range s.Tree().All() {
		if err := g.look(ctx, s, e.Node()); err != nil {
			return err
		}
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
	ids := slices.Clone(d.Added)
	for _, change := range d.Changed {
		ids = append(ids, change.ID)
	}
	for _, id := range ids {
		n := s.Tree().Node(id)
		if o := g.current[id]; o != nil && o.hash == n.ContentHash() {
			continue // only its headers changed
		}
		g.gone(id, before.Cycle())
		if err := g.look(ctx, s, n); err != nil {
			return err
		}
	}
	return nil
}

// gone records the last cycle that has a content.
func (g *grep) gone(id string, last int64) {
	if o := g.current[id]; o != nil {
		o.Last = last
		delete(g.current, id)
	}
}

// look searches the content that a node has from a snapshot on.
func (g *grep) look(ctx context.Context, s *pact.Snapshot, n *tree.Node) error {
	content, err := n.Content.Value(ctx)
	if err != nil || content == "" {
		return err
	}
	v := canon.Value(content)
	text, readable := Readable(v)
	var lines []Line
	if readable {
		lines = g.matches(text)
	}
	if _, plain := v.Text(); !plain && lines == nil { // what stands beside the text of a part is searched as well
		lines = g.matches(Indented([]byte(content)))
	}
	if lines == nil {
		return nil
	}
	o := &Occurrence{ID: n.ID, Role: n.Role, Kind: n.Kind, First: s.Cycle(), Matches: lines, hash: n.ContentHash()}
	if path := s.Tree().Path(n.ID); len(path) > 1 {
		o.Shown = KindOfNode(n, n.RoleIn(path[1].Class()))
	}
	g.current[n.ID] = o
	g.list = append(g.list, o)
	return nil
}

// matches returns the lines of a text that match.
func (g *grep) matches(text string) (list []Line) {
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		line = strings.TrimSuffix(line, "\r")
		if at := g.pattern.FindStringIndex(line); at != nil {
			list = append(list, Line{number, line, at[0], at[1]})
		}
	}
	return list
}
