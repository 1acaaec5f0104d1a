package view_test

import (
	"testing"

	"github.com/contexttree/pact/internal/view"
)

func TestWordsForStatesAreAddresses(t *testing.T) {
	for text, want := range map[string][2]string{"trip@working": {"trip", "working"}, "trip@latest": {"trip", "latest"},
		"a@b@latest-2": {"a@b", "latest-2"}, "trip@t-1": {"trip", "@t-1"}, "trip@c3": {"trip", "@c3"}, "@c3": {"", "@c3"},
		"latest": {"", "latest"}} {
		if name, address := view.SplitAddress(text); name != want[0] || address != want[1] {
			t.Errorf("%s is %q of %q", text, address, name)
		}
	}
	for text, want := range map[string]bool{"working": true, "latest": true, "latest-1": true, "@c3": true, "@t0": true,
		"block:1-0": false, "latest-x": false, "later": false, "": false} {
		if view.IsAddress(text) != want {
			t.Errorf("%q is an address: %v", text, !want)
		}
	}
}
