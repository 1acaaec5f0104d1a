package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Scope is what a program says it has: some of [Profiles], and editions. An empty list is all of them.
type Scope struct {
	Profiles []string `json:"profiles"`
	Editions []string `json:"editions"`
}

// Editions are those that cases of the kit are in.
var Editions = []string{"v0.1", "depth", "canonical", "1.0"}

// Capabilities asks a program what it has: {"profiles":["select-v01"],"editions":["v0.1"]}, the answer to the command
// capabilities. One that fails or prints no such object has all. It fails if there is no answer, or one that names what the
// kit does not have.
func Capabilities(ctx context.Context, command Command) (s Scope, err error) {
	a, err := command(ctx, "capabilities")
	if err != nil || a.Exit != 0 || json.Unmarshal(a.Out, &s) != nil {
		return Scope{}, err
	}
	if err := s.Check(); err != nil {
		return s, fmt.Errorf("capabilities: %w", err)
	}
	return s, nil
}

// Check fails if a profile or an edition is unknown.
func (s Scope) Check() error {
	unknown := func(what string, names, known []string) error {
		for _, name := range names {
			if !slices.Contains(known, name) {
				return fmt.Errorf("there is no %s %s: they are %s", what, name, strings.Join(known, ", "))
			}
		}
		return nil
	}
	return errors.Join(unknown("profile", s.Profiles, Profiles), unknown("edition", s.Editions, Editions))
}

// Has reports whether a case belongs to what the program has.
func (s Scope) Has(c *Case) bool {
	return (len(s.Profiles) == 0 || slices.Contains(s.Profiles, c.Profile())) &&
		(len(s.Editions) == 0 || slices.Contains(s.Editions, c.Edition))
}

// leavesOut returns the verdict of a case that does not run, "" for one that does. Pruning is an optional chapter.
func (s Scope) leavesOut(c *Case) Verdict {
	switch {
	case s.Has(c):
		return ""
	case c.Profile() == "pruning" && len(s.Profiles) > 0 && !slices.Contains(s.Profiles, "pruning"):
		return NotApplicable
	}
	return NotClaimed
}

// ran reports whether the case was put to the program.
func (r Result) ran() bool { return r.Verdict != NotClaimed && r.Verdict != NotApplicable }
