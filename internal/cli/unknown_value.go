package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/selector"
)

// mostValues is how many values a warning lists where none is near the one that was written.
const mostValues = 8

// namedRoles are the canonical roles of a block (01 §2), which need no colon.
var namedRoles = []string{"user", "assistant", "tool", "system", "other"}

// warnOfUnknownValues warns of a role, kind or tool that no node has where a selector looks,
// after it found nothing. Every value is valid, so [role=usr] finds nothing without an error.
// A canonical role (01 §2) is no mistake where nobody speaks in it.
func (a *app) warnOfUnknownValues(ctx context.Context, s *source, q *selector.Selector) {
	for _, attr := range comparedIn(q) {
		if attr.Op != selector.Eq || !slices.Contains([]string{"role", "kind", "tool"}, attr.Name) {
			continue
		}
		if hits, err := s.find(ctx, probe(q, attr), pact.SelectOptions{Limit: 1}); err != nil || len(hits) > 0 {
			continue
		}
		known, err := s.valuesWhere(ctx, q, attr.Name)
		if err != nil || len(known) == 0 {
			continue // no node has the attribute at all
		}
		for _, v := range attr.Values {
			if attr.Name == "role" && slices.Contains(namedRoles, v.Text) {
				continue
			}
			a.warnf("no node has the %s %s%s", attr.Name, visible(v.Text), meantValue(v.Text, known))
		}
	}
}

// meantValue names the value that was meant, or the values that there are.
func meantValue(written string, known []string) string {
	for _, value := range known {
		if oneLetterAway(written, value) || strings.EqualFold(written, value) {
			return "; did you mean " + visible(value) + "?"
		}
	}
	if len(known) > mostValues {
		return ""
	}
	return "; there are " + visible(strings.Join(known, ", "))
}

// valuesWhere lists the values that a role, kind or tool has where a selector looks, sorted.
func (s *source) valuesWhere(ctx context.Context, q *selector.Selector, name string) ([]string, error) {
	hits, err := s.find(ctx, probe(q, selector.Attr{Name: name, Op: selector.Present}), pact.SelectOptions{})
	if err != nil {
		return nil, err
	}
	values := map[string]bool{}
	for _, h := range hits {
		value := h.Node.Role
		switch name {
		case "kind":
			value = h.Node.Kind
		case "tool":
			t := h.Snapshot.Tree()
			if value, err = toolcall.Name(ctx, t, t.Node(h.Node.ID)); err != nil {
				return nil, err
			}
		}
		values[value] = true
	}
	delete(values, "")
	return slices.Sorted(maps.Keys(values)), nil
}
