package lifecycle

import (
	"context"
	"slices"
	"strconv"

	"github.com/contexttree/pact/tree"
)

// unit is what a limit counts in.
type unit string

// The units.
const (
	tokens unit = "tokens"
	octets unit = "bytes"
	nodes  unit = "nodes"
	turns  unit = "turns"
)

// limit is the most that a part of the snapshot may have.
type limit struct {
	unit              unit
	max               int
	region, kind, tag string
	used              int64            // by what is left
	sums              [2]*tree.Measure // of what counts, in ^sys and elsewhere, once they are needed
}

// summed reports whether the summaries of a tree answer the limit at once.
func (l *limit) summed() bool { return l.kind == "" && l.tag == "" && l.unit != tokens }

// within reports whether a region counts: what is in ^ah is about to be sealed
// into ^seq.
func (l *limit) within(region tree.Class) bool {
	switch l.region {
	case "", region.String():
		return true
	}
	return l.region == tree.Seq.String() && region == tree.Head
}

// matches reports whether a node counts, its region aside.
func (l *limit) matches(n *tree.Node) bool {
	return (l.kind == "" || n.Kind == l.kind) && (l.tag == "" || slices.Contains(n.Tags, l.tag))
}

// scale weighs nodes for limits.
type scale struct {
	ctx    context.Context
	tokens *tree.Measure // nil where none are counted
}

// weight is what an entry counts by itself for a limit.
func (s *scale) weight(l *limit, e *tree.Entry, region tree.Class) (int64, error) {
	if !l.within(region) || !l.matches(e.Node()) {
		return 0, nil
	}
	return s.own(l.unit, e, region)
}

func (s *scale) own(u unit, e *tree.Entry, region tree.Class) (int64, error) {
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

// use sums what a limit counts in a tree that is about to be sealed: sealing
// gives the head a turn, and a core where it has none. Cost: none for nodes,
// bytes and turns of the whole or of a region; else what changed since the same
// was asked of a tree that this one shares structure with.
func (s *scale) use(t *tree.Tree, l *limit) (int64, error) {
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
		n, err := s.below(l, region)
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

func (s *scale) below(l *limit, region *tree.Entry) (int64, error) {
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
	return s.measure(l, region.Class()).Sum(s.ctx, region)
}

// measure sums what a limit in tokens, or for a kind or a tag, counts.
func (s *scale) measure(l *limit, region tree.Class) *tree.Measure {
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

func (s *scale) sumOf(l *limit, region tree.Class) *tree.Measure {
	m := &tree.Measure{
		Name: string(l.unit) + strconv.Quote(l.kind) + strconv.Quote(l.tag), // which no other kind and tag give
		Of: func(_ context.Context, e *tree.Entry) (int64, error) {
			if !l.matches(e.Node()) {
				return 0, nil
			}
			return s.own(l.unit, e, region)
		},
	}
	if region == tree.Sys {
		m.Name += region.String() // where a missing role is another one
	}
	if s.tokens != nil && l.unit == tokens {
		m.Name += s.tokens.Name
	}
	if l.kind != "" {
		m.Want.Kinds = tree.Mark(l.kind)
	}
	if l.tag != "" {
		m.Want.Keys = tree.Mark(l.tag)
	}
	return m
}
