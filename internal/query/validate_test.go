package query_test

import (
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/selector"
)

// Selectors put together by hand are refused where no text could give them.
func TestSelectorsThatAreNotWhole(t *testing.T) {
	of := func(parts ...selector.Part) *selector.Selector {
		return &selector.Selector{Edition: canonical, Groups: []selector.Group{{Steps: []selector.Step{{Parts: parts}}}}}
	}
	null := []selector.Literal{{Kind: selector.Null, Text: "null"}}
	for i, s := range []*selector.Selector{
		{Edition: canonical}, {Edition: canonical, Groups: []selector.Group{{}}}, of(),
		of(selector.Attr{Name: "role", Op: selector.Lt, Values: null}), of(selector.Attr{Name: "role", Op: selector.Match}),
		of(selector.Attr{Name: "offset", Op: selector.Ge}), of(selector.Attr{Name: "role", Op: selector.Eq}),
		of(selector.Attr{Name: "role", Op: selector.Ne, Values: []selector.Literal{{Text: "a"}, {Text: "b"}}}),
		of(selector.Attr{Name: "role", Op: selector.Present, Values: null}),
		of(selector.Search{Attrs: []selector.Attr{{Name: "role", Op: selector.Ne}}}), of(selector.Position{}),
		of(selector.Position{Hops: []selector.Hop{{Kind: selector.HopContainer,
			Attrs: []selector.Attr{{Name: "kind", Op: selector.Gt}}}}}),
	} {
		if _, err := query.Compile(s); fault.CodeOf(err) != fault.SelectorInvalid {
			t.Errorf("%d: got %v", i, err)
		}
	}
}
