package conformance

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// Profiles are the parts of the specification that a program can claim by themselves, in the order in which they build
// on each other. Each case belongs to one, by what a program needs to answer it.
var Profiles = []string{
	"snapshot",                                                     // reads a document: export, thread, hash
	"select-v01", "select-depth", "select-canonical", "select-1.0", // selects in one snapshot
	"range",     // selects in ranges of a history, and compares its snapshots
	"lifecycle", // commits, or refuses to
	"pruning",   // commits under a limit
	"history",   // answers about the snapshots that its own commits made
	"attempts",  // keeps records of calls
}

// needs are the commands of each profile; those that select share a row.
var needs = map[string]string{
	"snapshot": "export thread hash import", "select": "select fmt", "range": "select diff",
	"lifecycle": "apply import commit add update remove prune select export thread diff fmt",
	"pruning":   "apply import commit add update remove prune select export thread diff",
	"history":   "apply import select export thread diff fmt",
	"attempts":  "apply import export attempts",
}

// Needs returns the commands that a program needs for the profile of the case.
func (c *Case) Needs() []string {
	family, _, _ := strings.Cut(c.Profile(), "-")
	return strings.Fields(needs[family])
}

// Profile returns the profile of the case.
func (c *Case) Profile() string {
	only := func(kinds ...string) bool {
		return !slices.ContainsFunc(c.checks(), func(check Check) bool { return !slices.Contains(kinds, check.Kind) })
	}
	commits := c.applied() || c.Stored || c.Given.Messages != nil || len(c.Steps) > 0
	switch {
	case only("attempts"):
		return "attempts"
	case c.prunes():
		return "pruning"
	case c.History == "" && commits || only("refused") || only("cycles") || only("immutable"):
		return "lifecycle"
	case commits:
		return "history"
	case filepath.Ext(c.Fixture) == ".jsonl" || only("range", "diff", "repeats"):
		return "range"
	case only("select", "same", "fmt", "parses", "repeats"):
		return "select-" + strings.Replace(c.Edition, "v0.1", "v01", 1)
	case only("export", "thread", "rendered", "hash", "nodes", "headers", "stamps", "stable"):
		return "snapshot"
	}
	return "history"
}

// prunes reports whether a commit of the case prunes.
func (c *Case) prunes() bool {
	return slices.ContainsFunc(c.Operations, func(line json.RawMessage) bool {
		var o struct{ Prune json.RawMessage }
		return json.Unmarshal(line, &o) == nil && o.Prune != nil
	}) || slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Op == "prune" || s.Flags["max-nodes"] != nil })
}

// Claim is how far a program can claim a profile: with all of its cases, and the version of the kit, it is a line that
// anybody can repeat.
type Claim struct {
	Profile string `json:"profile"`        // of [Profiles]
	Cases   int    `json:"cases"`          // printed and derived ones that ran
	Passed  int    `json:"passed"`         // of them, with those that fail by a house rule alone
	Form    int    `json:"form,omitempty"` // of the others, right in meaning
	House   int    `json:"house"`          // cases that a house rule alone demands
	Ours    int    `json:"house_passed"`   // of them
}

// claims counts the results by profile, in the order of Profiles.
func (r *Report) claims() []Claim {
	list := []Claim{}
	for _, name := range Profiles {
		n := Claim{Profile: name}
		for _, c := range r.Cases {
			if c.Profile != name || !c.ran() {
				continue
			}
			switch v := c.inMeaning(); {
			case v == "":
				if n.House++; !c.failed() {
					n.Ours++
				}
			case v != Failed:
				n.Cases, n.Passed = n.Cases+1, n.Passed+1
			default:
				if n.Cases++; c.Form {
					n.Form++
				}
			}
		}
		if n.Cases+n.House > 0 {
			list = append(list, n)
		}
	}
	return list
}
