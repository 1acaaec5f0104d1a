package selector

import (
	"slices"
	"strings"
)

// mergeTags gathers the tags that a step asks for into one chain, sorted and without
// repetitions, where its first +tag stands: {tag='x'} beside a chain is one of its tags,
// also in the braces of the search that it filters (001 §3.10). Nothing changes places with
// :first, :last or :nth, which depend on what stands before them. A step that begins with
// [tag='x'] keeps it, because a tag in its place may mean a search.
//
// Specification: 001 §3.10.
func (s *Step) mergeTags() {
	found, search := s.Parts[0].(Search)
	search = search && hasChain(s.Parts) && len(s.Parts)+len(found.Attrs) <= MaxParts
	if search {
		found.Attrs = s.openBraces(found)
	}
	merged := s.Parts[:0]
	for rest := s.Parts; len(rest) > 0; {
		end := 1
		for end < len(rest) && !isPick(rest[end]) {
			end++
		}
		merged = append(merged, mergedTags(rest[:end], len(merged) == 0)...)
		rest = rest[end:]
	}
	if search && len(found.Attrs) == 0 { // a search for tags alone keeps the first of them
		tag := Attr{Name: "tag", Op: Eq, Values: []Literal{{Kind: Text, Text: merged[1].(Tag).Name}}}
		merged = slices.Replace(merged, 0, 2, Part(Search{found.Deep, found.Within, []Attr{tag}}))
	}
	s.Parts = merged
}

// openBraces moves the tags of a search to the chain behind it and returns what is left in
// the braces. Where a group begins, a chain alone is a search for all of its tags.
func (s *Step) openBraces(found Search) (others []Attr) {
	all := found.Attrs
	var tags []Part
	for _, a := range all {
		if tag, ok := asTag(a); ok {
			tags = append(tags, tag)
		} else {
			others = append(others, a)
		}
	}
	if len(others) == 0 && s.Comb == None && found.Deep && len(found.Within) == 0 {
		s.Parts = slices.Concat(tags, s.Parts[1:])
		return all
	}
	found.Attrs = others
	s.Parts = slices.Concat([]Part{found}, tags, s.Parts[1:])
	return others
}

// mergedTags returns the parts between two picks with all their tags where the first +tag
// stands. The parts themselves may change.
func mergedTags(parts []Part, first bool) []Part {
	if !hasChain(parts) {
		return parts
	}
	var tags, others []Part
	at := -1
	for i, part := range parts {
		tag, ok := asTag(part)
		_, is := part.(Tag)
		switch {
		case is && at < 0:
			at = len(others)
			fallthrough
		case is, ok && !(first && i == 0):
			tags = append(tags, tag)
		default:
			others = append(others, part)
		}
	}
	slices.SortFunc(tags, func(a, b Part) int { return strings.Compare(a.(Tag).Name, b.(Tag).Name) })
	return slices.Insert(others, at, slices.Compact(tags)...)
}

// hasChain reports whether a +tag stands before the first pick that follows the first part.
func hasChain(parts []Part) bool {
	for i, part := range parts {
		if _, is := part.(Tag); is {
			return true
		}
		if i > 0 && isPick(part) {
			return false
		}
	}
	return false
}

func isPick(part Part) bool {
	_, ok := part.(Pick)
	return ok
}

// asTag returns part as a tag, if it is one or asks for one.
func asTag(part Part) (Tag, bool) {
	switch part := part.(type) {
	case Tag:
		return part, true
	case Attr:
		if (part.Name == "tag" || part.Name == "tags") && !part.Quoted && part.Op == Eq && len(part.Values) == 1 {
			if v := part.Values[0]; (v.Kind == Text || v.Kind == Word) && v.Text != "" {
				return Tag{v.Text}, true
			}
		}
	}
	return Tag{}, false
}
