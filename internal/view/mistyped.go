package view

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/nearest"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Roles are the canonical roles of a block (01 §2), which need no colon.
var Roles = []string{"user", "assistant", "tool", "system", "other"}

// A FindSome returns the first nodes that a selector finds, all of them for a limit of 0.
type FindSome func(q *selector.Selector, limit int) ([]pact.Hit, error)

// MistypedTypes warns, in a sentence each, of types that look like typing errors. Every name is
// a valid type, so .blok finds nothing without an error. A type that no node has where the
// selector looks, and that is one letter away from a canonical name or from one with a pseudo-class, is hardly intended.
func MistypedTypes(q *selector.Selector, find FindSome) (warnings []string) {
	for part := range partsOf(q) {
		t, is := part.(selector.Type)
		if !is {
			continue
		}
		if meant := meantType(t.Name, q.Edition.Traits()); meant != "" && findsNone(q, t, find) {
			warnings = append(warnings, "no node has the type "+t.Name+"; ."+meant+" is one letter away")
		}
	}
	return unique(warnings)
}

// MistypedAttributes warns of attributes that no node has where a selector looks. Every name is a
// valid attribute, so [rol=user] finds nothing without an error.
func MistypedAttributes(q *selector.Selector, find FindSome) (warnings []string) {
	for _, attr := range ComparedIn(q) {
		if slices.Contains(attributes, attr.Name) ||
			!findsNone(q, selector.Attr{Name: attr.Name, Op: selector.Present, Quoted: attr.Quoted}, find) {
			continue
		}
		warning := "no node has the attribute " + Visible(attr.Name)
		if meant := nearest.Word(attr.Name, attributes); meant != "" {
			warning += "; did you mean " + meant + "?"
		}
		warnings = append(warnings, warning)
	}
	return unique(warnings)
}

// MistypedValues warns of a role, kind or tool that no node has where a selector looks, after it
// found nothing. Every value is valid, so [role=usr] finds nothing without an error. A canonical
// role is no mistake where no block has it.
func MistypedValues(ctx context.Context, q *selector.Selector, find FindSome) (warnings []string) {
	for _, attr := range ComparedIn(q) {
		if attr.Op != selector.Eq || !slices.Contains([]string{"role", "kind", "tool"}, attr.Name) ||
			!findsNone(q, attr, find) {
			continue
		}
		known, err := valuesWhere(ctx, q, attr.Name, find)
		if err != nil || len(known) == 0 {
			continue // no node has the attribute at all
		}
		for _, v := range attr.Values {
			if attr.Name == "role" && slices.Contains(Roles, v.Text) {
				continue
			}
			const most = 8 // values that a warning lists
			warning := "no node has the " + attr.Name + " " + Visible(v.Text)
			if meant := nearest.Word(v.Text, known); meant != "" {
				warning += "; did you mean " + Visible(meant) + "?"
			} else if len(known) <= most {
				warning += "; there are " + Visible(strings.Join(known, ", "))
			}
			warnings = append(warnings, warning)
		}
	}
	return warnings
}

// ComparedIn lists the conditions on attributes in a selector.
func ComparedIn(q *selector.Selector) (list []selector.Attr) {
	hops := func(within []selector.Hop) {
		for _, h := range within {
			list = append(list, h.Attrs...)
		}
	}
	for part := range partsOf(q) {
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
	return list
}

func partsOf(q *selector.Selector) iter.Seq[selector.Part] {
	return func(yield func(selector.Part) bool) {
		for _, g := range q.Groups {
			for _, step := range g.Steps {
				for _, part := range step.Parts {
					if !yield(part) {
						return
					}
				}
			}
		}
	}
}

// singleCondition returns a selector for all nodes that pass one condition where another selector looks.
func singleCondition(q *selector.Selector, part selector.Part) *selector.Selector {
	p := &selector.Selector{Edition: q.Edition, Time: q.Time,
		Groups: []selector.Group{{Steps: []selector.Step{{Parts: []selector.Part{part}}}}}}
	if q.Time != nil && q.Time.Kind == selector.Range {
		p.Time = &selector.Time{Kind: selector.All}
	}
	return p
}

// findsNone reports whether no node passes a condition where a selector looks.
func findsNone(q *selector.Selector, part selector.Part, find FindSome) bool {
	hits, err := find(singleCondition(q, part), 1)
	return err == nil && len(hits) == 0
}

// valuesWhere lists the values that a role, kind or tool has where a selector looks, sorted.
func valuesWhere(ctx context.Context, q *selector.Selector, name string, find FindSome) ([]string, error) {
	hits, err := find(singleCondition(q, selector.Attr{Name: name, Op: selector.Present}), 0)
	if err != nil {
		return nil, err
	}
	values := set{}
	for _, h := range hits {
		value := h.Node.Role
		switch name {
		case "kind":
			value = h.Node.Kind
		case "tool":
			t := tree.Of(h.Snapshot)
			n, err := t.Node(h.Node.ID)
			if err != nil {
				return nil, err
			}
			if value, err = toolcall.Name(ctx, t, n); err != nil {
				return nil, err
			}
		}
		values.put(value)
	}
	return values.sorted(), nil
}

// meantType returns the canonical type that is one letter away from a name, "" if there is none
// or the name itself is canonical. It prefers the words of the edition.
func meantType(name string, words selector.Traits) string {
	base, rest, namespaced := strings.Cut(name, ":")
	canonical := []string{words.BlockType, words.TurnType, words.ContainerType, "block", "seg", "cont", "cb", "mt", "mc"}
	if slices.Contains(canonical, base) {
		if pseudo := nearest.Word(rest, []string{"pre", "core", "post", "first", "last", "depth", "nth"}); namespaced && pseudo != "" {
			return base + ":" + pseudo
		}
		return ""
	}
	at := slices.IndexFunc(canonical, func(word string) bool { return nearest.OneLetterAway(base, word) })
	switch {
	case at < 0:
		return ""
	case namespaced:
		return canonical[at] + ":" + rest
	}
	return canonical[at]
}

// unique removes repeated texts.
func unique(list []string) (kept []string) {
	for _, text := range list {
		if !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	return kept
}
