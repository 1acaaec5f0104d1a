package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/listing"
	"github.com/contexttree/pact/selector"
)

// warnOfUnknownAttributes warns of attributes that no node has where a selector
// looks. Every name is a valid attribute, so [rol=user] finds nothing without an
// error.
func (a *app) warnOfUnknownAttributes(ctx context.Context, s *source, q *selector.Selector) {
	var warned []string
	for _, name := range attributesOf(q) {
		if slices.Contains(listing.Attributes(), name) || slices.Contains(warned, name) || !a.hasNowhere(ctx, s, q, name) {
			continue
		}
		warned = append(warned, name)
		meant := ""
		for _, known := range listing.Attributes() {
			if oneLetterAway(name, known) || strings.EqualFold(name, known) {
				meant = "; did you mean " + known + "?"
				break
			}
		}
		a.warnf("no node has the attribute %s%s", visible(name), meant)
	}
}

// hasNowhere reports whether no node has an attribute where the selector looks.
func (a *app) hasNowhere(ctx context.Context, s *source, q *selector.Selector, name string) bool {
	hits, err := s.find(ctx, probe(q, selector.Attr{Name: name, Op: selector.Present}), pact.SelectOptions{Limit: 1})
	return err == nil && len(hits) == 0
}

// probe returns a selector for all nodes that pass a condition where another selector looks.
func probe(q *selector.Selector, attr selector.Attr) *selector.Selector {
	p := &selector.Selector{Edition: q.Edition, Time: q.Time,
		Groups: []selector.Group{{Steps: []selector.Step{{Parts: []selector.Part{attr}}}}}}
	if q.Time != nil && q.Time.Kind == selector.Range {
		p.Time = &selector.Time{Kind: selector.All}
	}
	return p
}

// attributesOf lists the names of the attributes that a selector tests.
func attributesOf(q *selector.Selector) (names []string) {
	for _, attr := range comparedIn(q) {
		names = append(names, attr.Name)
	}
	return names
}

// comparedIn lists the conditions on attributes in a selector.
func comparedIn(q *selector.Selector) (list []selector.Attr) {
	hops := func(within []selector.Hop) {
		for _, h := range within {
			list = append(list, h.Attrs...)
		}
	}
	for _, g := range q.Groups {
		for _, step := range g.Steps {
			for _, part := range step.Parts {
				switch part := part.(type) {
				case selector.Attr:
					list = append(list, part)
				case selector.Search:
					hops(part.Within)
					list = append(list, part.Attrs...)
				case selector.Position:
					hops(part.Hops)
				}
			}
		}
	}
	return list
}
