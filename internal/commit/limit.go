package commit

import (
	"context"
	"slices"
	"strconv"

	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// unit says which quantity a limit counts (02 §7.4, decision 059).
type unit string

// The units.
const (
	tokens unit = "tokens"
	octets unit = "bytes"
	nodes  unit = "nodes"
	turns  unit = "turns"
)

// limit is the most that the snapshot, or a part of it, may have.
type limit struct {
	unit              unit
	max               int
	region, kind, tag string
	used              int64            // the count of the nodes that are left
	sums              [2]*tree.Measure // sums of what counts, for ^sys and for the rest; made when needed
}

// summed reports whether the summaries of a tree hold the sum for the limit, so that it
// costs O(1).
func (l *limit) summed() bool { return l.kind == "" && l.tag == "" && l.unit != tokens }

// takesAll reports whether all candidates help in their order, whatever they weigh (02 §7.3): they do where the limit is
// on the whole snapshot.
func (l *limit) takesAll() bool {
	return l.region == "" && l.kind == "" && l.tag == "" && l.unit != turns
}

// within reports whether the nodes of a region count. For a limit on ^seq those of ^ah
// count too, because this commit seals them into ^seq.
func (l *limit) within(region tree.Class) bool {
	switch l.region {
	case "", region.String():
		return true
	}
	return l.region == tree.Seq.String() && region == tree.Head
}

// matches reports whether a node has the kind and the tag of the limit.
func (l *limit) matches(n *tree.Node) bool {
	return (l.kind == "" || n.Kind == l.kind) && (l.tag == "" || slices.Contains(n.Tags, l.tag))
}

// marks are those of a tree in which a node may have the kind and the tag of the limit.
func (l *limit) marks() (m tree.Marks) {
	if l.kind != "" {
		m.Kinds = tree.Mark(l.kind)
	}
	if l.tag != "" {
		m.Keys = tree.Mark(l.tag)
	}
	return m
}

// weigher measures what nodes count for limits.
type weigher struct {
	ctx    context.Context
	tokens *tree.Measure // sums of tokens, nil where tokens are not counted
}

// weight returns what an entry, without its children, counts for a limit.
func (s *weigher) weight(l *limit, e *tree.Entry, region tree.Class) (int64, error) {
	if !l.within(region) || !l.matches(e.Node()) {
		return 0, nil
	}
	return s.ownWeight(l.unit, e, region)
}

// ownWeight returns what an entry, without its children, counts in a unit.
func (s *weigher) ownWeight(u unit, e *tree.Entry, region tree.Class) (int64, error) {
	class := e.Class()
	switch {
	case u == tokens && class == tree.Block:
		return s.tokens.Own(s.ctx, e)
	case u == octets && class == tree.Block:
		return int64(e.Node().ThreadBytes(region)) + 1, nil // with its comma
	case u == nodes && (class == tree.Block || class == tree.Container), u == turns && class == tree.Turn:
		return 1, nil
	}
	return 0, nil
}

// used returns what a limit counts in a tree that is about to be sealed. It counts the
// turn that sealing makes of ^ah, and the core that sealing adds where ^ah has none. Cost:
// O(1) for nodes, bytes and turns of the whole tree or of a region; otherwise what changed
// since the last call for a tree that shares structure with this one.
func (s *weigher) used(t *tree.Tree, l *limit) (int64, error) {
	if l.unit == octets && l.region == "" && l.kind == "" && l.tag == "" {
		_, bytes := t.ThreadSize()
		return bytes, nil
	}
	sum := int64(0)
	for _, class := range [...]tree.Class{tree.Sys, tree.Seq, tree.Head} {
		region := t.Region(class)
		if region == nil || !l.within(class) {
			continue
		}
		n, err := s.usedIn(l, region)
		if err != nil {
			return 0, err
		}
		sum += n
		if class == tree.Head && (l.unit == turns || l.unit == nodes && l.kind == "" && l.tag == "" && region.Core() == nil) {
			sum++
		}
	}
	return sum, nil
}

// usedIn returns what a limit counts in a region as it stands.
func (s *weigher) usedIn(l *limit, region *tree.Entry) (int64, error) {
	sum := region.Summary()
	if l.summed() {
		switch l.unit {
		case nodes:
			return int64(sum.Blocks + sum.Containers), nil
		case turns:
			if region.Class() != tree.Seq {
				return 0, nil
			}
			return int64(region.Children().Len()), nil
		case octets:
			return sum.Bytes + int64(sum.Blocks) + int64(sum.Roleless*tree.RoleBytes(region.Class())), nil
		}
	}
	if !sum.Marks.May(l.marks()) { // so that no measure is made for a region without such nodes
		return 0, nil
	}
	return s.measureOf(l, region.Class()).Sum(s.ctx, region)
}

// measureOf returns the measure that sums a limit in tokens, or on a kind or a tag.
func (s *weigher) measureOf(l *limit, region tree.Class) *tree.Measure {
	if l.kind == "" && l.tag == "" {
		return s.tokens
	}
	at := 1
	if region == tree.Sys {
		at = 0
	}
	if l.sums[at] == nil {
		l.sums[at] = s.sumOf(l, region)
	}
	return l.sums[at]
}

func (s *weigher) sumOf(l *limit, region tree.Class) *tree.Measure {
	name := ""
	if region == tree.Sys {
		name = region.String() // a node without a role renders with another role in each region
	}
	if s.tokens != nil && l.unit == tokens {
		name += s.tokens.Name
	}
	return &tree.Measure{
		Name: string(l.unit) + strconv.Quote(l.kind) + strconv.Quote(l.tag) + name, // unique for this kind and tag
		Want: l.marks(),
		Of: func(_ context.Context, e *tree.Entry) (int64, error) {
			if !l.matches(e.Node()) {
				return 0, nil
			}
			return s.ownWeight(l.unit, e, region)
		},
	}
}

// limitsOf returns the limits of a policy one by one, in the order of the fields.
func limitsOf(p *lifecycle.Policy) []limit {
	var list []limit
	add := func(of lifecycle.Part) {
		for _, l := range [...]limit{{unit: tokens, max: of.MaxTokens}, {unit: octets, max: of.MaxBytes},
			{unit: nodes, max: of.MaxNodes}, {unit: turns, max: of.MaxTurns}} {
			if l.max > 0 {
				l.region, l.kind, l.tag = of.Region, of.Kind, of.Tag
				list = append(list, l)
			}
		}
	}
	add(lifecycle.Part{MaxTokens: p.MaxTokens, MaxBytes: p.MaxBytes, MaxNodes: p.MaxNodes, MaxTurns: p.MaxTurns})
	for _, part := range p.Parts {
		add(part)
	}
	return list
}

// String describes a limit, such as "max_nodes 200 in ^sys".
func (l *limit) String() string {
	var room [64]byte
	b := append(append(append(room[:0], "max_"...), l.unit...), ' ')
	b = strconv.AppendInt(b, int64(l.max), 10)
	if l.region != "" {
		b = append(append(b, " in "...), l.region...)
	}
	if l.kind != "" {
		b = append(append(b, " of kind "...), l.kind...)
	}
	if l.tag != "" {
		b = append(append(b, " with tag "...), l.tag...)
	}
	return string(b)
}
