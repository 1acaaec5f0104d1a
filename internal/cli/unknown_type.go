package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/selector"
)

// warnOfUnknownTypes warns of types that look like typing errors. Every name is
// a valid type, so .blok finds nothing without an error. A type that occurs
// nowhere and is one letter away from a canonical name is hardly intended.
func (a *app) warnOfUnknownTypes(ctx context.Context, s *source, q *selector.Selector) {
	var warned []string
	for _, g := range q.Groups {
		for _, step := range g.Steps {
			for _, part := range step.Parts {
				t, is := part.(selector.Type)
				if !is || slices.Contains(warned, t.Name) {
					continue
				}
				if meant := meantType(t.Name, q.Edition.Traits()); meant != "" && a.occursNowhere(ctx, s, q, t) {
					warned = append(warned, t.Name)
					a.warnf("no node has the type %s; .%s is one letter away", t.Name, meant)
				}
			}
		}
	}
}

// occursNowhere reports whether a type finds nothing where the selector looks.
func (a *app) occursNowhere(ctx context.Context, s *source, q *selector.Selector, t selector.Type) bool {
	probe := &selector.Selector{Edition: q.Edition, Time: q.Time,
		Groups: []selector.Group{{Steps: []selector.Step{{Parts: []selector.Part{t}}}}}}
	if q.Time != nil && q.Time.Kind == selector.Range {
		probe.Time = &selector.Time{Kind: selector.All}
	}
	hits, err := s.find(ctx, probe, pact.SelectOptions{})
	return err == nil && len(hits) == 0
}

// meantType returns the canonical type that is one letter away from a name, ""
// if there is none or the name itself is canonical. It prefers the words of the
// edition.
func meantType(name string, words selector.Traits) string {
	base, rest, namespaced := strings.Cut(name, ":")
	canonical := []string{words.BlockType, words.TurnType, words.ContainerType, "block", "seg", "cont", "cb", "mt", "mc"}
	if slices.Contains(canonical, base) {
		return ""
	}
	for _, word := range canonical {
		if oneLetterAway(base, word) {
			if namespaced {
				word += ":" + rest
			}
			return word
		}
	}
	return ""
}

// oneLetterAway reports whether one inserted, deleted, replaced or swapped
// letter turns a into b.
func oneLetterAway(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 1:
		return a[i:] == b[i+1:]
	case 0:
		if i == len(a) {
			return false
		}
		swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		return a[i+1:] == b[i+1:] || swapped
	}
	return false
}
