package view

import (
	"testing"

	"github.com/contexttree/pact/selector"
)

func TestMeantType(t *testing.T) {
	for name, want := range map[string]string{
		"blok": "block", "bolck": "block", "blocks": "block", "segg": "seg", "blok:plan": "block:plan", "mtt": "mt",
		"cn":       "cb",
		"mt:depht": "mt:depth", "cb:frist": "cb:first", "block": "", "cb": "", "mt:x": "", "note": "", "tool_call": "", "frist": "", "custom:note": "",
	} {
		if got := meantType(name, selector.Canonical.Traits()); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := meantType("m", selector.V01.Traits()); got != "mt" {
		t.Errorf("m in v0.1: got %q, want mt", got)
	}
}
