package conformance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/conformance"
)

// Each case belongs to a profile, and the cases of a profile ask only for commands that docs/conformance.md says it needs.
func TestProfilesNeedFewCommands(t *testing.T) {
	needs := map[string]string{
		"snapshot": "export thread hash import", "select": "select fmt", "range": "select diff",
		"lifecycle": "apply import commit add update remove prune select export thread diff fmt",
		"pruning":   "apply import commit add update remove prune select export thread diff",
		"history":   "apply import select export thread diff fmt", "attempts": "",
	}
	report, err := conformance.RunAll(t.Context(), sample(t, 1), command, conformance.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range report.Cases {
		if !slices.Contains(conformance.Profiles, c.Profile) {
			t.Errorf("%s: there is no profile %q", c.ID, c.Profile)
		}
		seen[c.Profile] = true
		family, _, _ := strings.Cut(c.Profile, "-")
		for _, verb := range c.Commands {
			if family != "attempts" && !slices.Contains(strings.Fields(needs[family]), verb) {
				t.Errorf("%s, of the profile %s, runs %s", c.ID, c.Profile, verb)
			}
		}
	}
	if len(seen) != len(conformance.Profiles) {
		t.Errorf("cases of the profiles %v", seen)
	}
}
