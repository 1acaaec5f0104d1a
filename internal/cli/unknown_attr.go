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
	present := selector.Attr{Name: name, Op: selector.Present}
	probe := &selector.Selector{Edition: q.Edition, Time: q.Time,
		Groups: []selector.Group{{Steps: []selector.Step{{Parts: []selector.Part{present}}}}}}
	if q.Time != nil && q.Time.Kind == selector.Range {
		probe.Time = &selector.Time{Kind: selector.All}
	}
	hits, err := s.find(ctx, probe, pact.SelectOptions{})
	return err == nil && len(hits) == 0
}

// attributesOf lists the names of the attributes that a selector tests.
func attributesOf(q *selector.Selector) (names []string) {
	hops := func(list []selector.Hop) {
		for _, h := range list {
			for _, attr := range h.Attrs {
				names = append(names, attr.Name)
			}
		}
	}
	for _, g := range q.Groups {
		for _, step := range g.Steps {
			for _, part := range step.Parts {
				switch part := part.(type) {
				case selector.Attr:
					names = append(names, part.Name)
				case selector.Search:
					hops(part.Within)
					for _, attr := range part.Attrs {
						names = append(names, attr.Name)
					}
				case selector.Position:
					hops(part.Hops)
				}
			}
		}
	}
	return names
}
