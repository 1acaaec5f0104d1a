package operations

import (
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// TestAnEditNamesOnePlace: an edit that adds or moves has one of into, at and depth, and no offset beside a position; one
// that adds to a named node may have none. None has a member that it does not read.
func TestAnEditNamesOnePlace(t *testing.T) {
	node := &pact.Spec{}
	for _, c := range []struct {
		edit     Edit
		named    bool
		accepted bool
	}{
		{Edit{Op: "add", Node: node, Into: "^ah"}, false, true},
		{Edit{Op: "add", Node: node}, false, false},
		{Edit{Op: "add", Node: node}, true, true},
		{Edit{Op: "add", Into: "^ah"}, false, false},
		{Edit{Op: "add", Node: node, Into: "^ah", At: "(d0, end)"}, false, false},
		{Edit{Op: "add", Node: node, At: "(d0, end)"}, false, true},
		{Edit{Op: "add", Node: node, Into: "^ah", Depth: 2}, false, false},
		{Edit{Op: "move", ID: "x", Into: "^ah", Offset: 3}, false, true},
		{Edit{Op: "move", ID: "x", At: "(d0, end)", Offset: 3}, false, false},
		{Edit{Op: "move", ID: "x"}, true, false},
		{Edit{Op: "remove", ID: "x"}, false, true},
		{Edit{Op: "remove", ID: "x", Into: "^ah"}, false, false},
		{Edit{Op: "reorder", IDs: []string{"x"}, ID: "x"}, false, false},
		{Edit{Op: "policy", Set: map[string]canon.Value{"ttl": canon.Null}}, false, false},
		{Edit{Op: "add", Node: node, Into: "^ah", Offset: 1}, false, false},
		{Edit{Op: "update", ID: "x", Node: node}, false, false},
		{Edit{Op: "replace", ID: "x"}, false, false},
		{Edit{Op: "updat", ID: "x", Set: map[string]canon.Value{"ttl": "1"}}, false, true}, // Apply says that there is none
	} {
		err := c.edit.check(c.named)
		if (err == nil) != c.accepted || err != nil && fault.CodeOf(err) != fault.DocumentInvalid {
			t.Errorf("%+v: %v", c.edit, err)
		}
	}
}
