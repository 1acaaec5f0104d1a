package selector

import (
	"reflect"
	"slices"
	"testing"
)

// meaning is a selector without the text it was parsed from.
func meaning(s *Selector) *Selector {
	bare := *s
	bare.Source, bare.Advice = "", nil
	if bare.Time == nil && bare.Edition.Traits().T0Working { // 1.0 04 §2.5: the normal form names it
		bare.Time = &Time{Kind: Single, From: Point{Axis: 't'}}
	}
	return &bare
}

// equal compares what two selectors mean as reflect.DeepEqual does, but fast
// enough for a hundred million of them.
func equal(a, b *Selector) bool {
	if a.Edition != b.Edition || (a.Time == nil) != (b.Time == nil) || a.Time != nil && *a.Time != *b.Time {
		return false
	}
	return slices.EqualFunc(a.Groups, b.Groups, equalGroups) && slices.Equal(a.Controls, b.Controls)
}

func equalGroups(a, b Group) bool {
	return slices.EqualFunc(a.Steps, b.Steps, func(a, b Step) bool {
		return a.Comb == b.Comb && slices.EqualFunc(a.Parts, b.Parts, equalParts)
	})
}

func equalParts(a, b Part) bool {
	switch a := a.(type) {
	case Attr:
		b, ok := b.(Attr)
		return ok && equalAttrs(a, b)
	case DepthIs:
		b, ok := b.(DepthIs)
		return ok && slices.Equal(a.Set.Terms, b.Set.Terms)
	case DepthStep:
		b, ok := b.(DepthStep)
		return ok && slices.Equal(a.Set.Terms, b.Set.Terms)
	case Search:
		b, ok := b.(Search)
		return ok && a.Deep == b.Deep && slices.EqualFunc(a.Within, b.Within, equalHops) && slices.EqualFunc(a.Attrs, b.Attrs,
			equalAttrs)
	case Position:
		b, ok := b.(Position)
		return ok && equalPositions(a, b)
	case Type:
		b, ok := b.(Type)
		return ok && a == b
	case ID:
		b, ok := b.(ID)
		return ok && a == b
	case Tag:
		b, ok := b.(Tag)
		return ok && a == b
	}
	return a == b // no slices in the others
}

func equalAttrs(a, b Attr) bool {
	return a.Name == b.Name && a.Op == b.Op && slices.Equal(a.Values, b.Values)
}

func equalPositions(a, b Position) bool {
	return a.Insert == b.Insert && a.N == b.N && slices.EqualFunc(a.Hops, b.Hops, equalHops)
}

func equalHops(a, b Hop) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Any == b.Any && a.Offset == b.Offset &&
		slices.Equal(a.Depth.Terms, b.Depth.Terms) && slices.EqualFunc(a.Attrs, b.Attrs, equalAttrs)
}

// TestEqual holds equal against reflect.DeepEqual, on selectors that differ in
// little: each with each of its neighbours, and one after its text was spoilt.
func TestEqual(t *testing.T) {
	var w writer
	var last *Selector
	same, different := 0, 0
	check := func(a, b *Selector) {
		want := reflect.DeepEqual(meaning(a), meaning(b))
		if equal(a, b) != want {
			t.Fatalf("%s and %s: %v", a, b, !want)
		}
		if want {
			same++
		} else {
			different++
		}
	}
	for n := range uint64(4000) {
		w.seed(n)
		w.selector()
		s := MustParse(string(w.buf), w.edition)
		check(s, MustParse(string(w.buf), w.edition))
		if last != nil {
			check(s, last)
		}
		for range 8 {
			spoilt := slices.Clone(w.buf)
			spoilt[w.n(len(spoilt))] ^= byte(1 + w.n(31))
			if other, err := Parse(string(spoilt), w.edition); err == nil {
				check(s, other)
			}
		}
		last = s
	}
	if same < 4000 || different < 5000 {
		t.Errorf("%d equal pairs, %d others", same, different)
	}
}
