package view

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/record"
)

// Overlap says what the sums of a run share with those of other contexts, and what they leave to them.
type Overlap struct {
	// Inherited is how many of its calls are those of the context that it was forked from, which counts them too.
	Inherited int `json:"inherited,omitempty"`
	// Beside are its sub-agents and what was asked aside of it, and theirs, whose calls it does not count.
	Beside []string `json:"beside,omitempty"`
}

// Relations say which contexts of a store come from which.
type Relations struct {
	// Names are those of all contexts, in their order.
	Names []string
	list  map[string]*history.Info
	keys  map[history.Key]*history.Info
	below map[string][]string
}

// RelationsOf reads those of all contexts of a store. Cost: listing them.
func RelationsOf(ctx context.Context, db *pact.DB) (*Relations, error) {
	list, err := pact.List(ctx, db)
	if err != nil {
		return nil, err
	}
	r := &Relations{nil, make(map[string]*history.Info, len(list)), make(map[history.Key]*history.Info, len(list)), map[string][]string{}}
	for i := range list {
		name := list[i].Name
		above := record.AsideOf(name)
		if above == "" {
			above, _ = record.BegunBy(list[i].Listed)
		}
		r.Names, r.list[name], r.keys[list[i].Key], r.below[above] = append(r.Names, name), &list[i], &list[i], append(r.below[above], name)
	}
	return r, nil
}

// Of returns what is listed of a context, nil for a name that none has.
func (r *Relations) Of(name string) *history.Info { return r.list[name] }

// Line returns what is listed of the context of a key, nil for one that is not there.
func (r *Relations) Line(key history.Key) *history.Info { return r.keys[key] }

// OverlapOf returns that of one context. Cost: listing the contexts.
func OverlapOf(ctx context.Context, db *pact.DB, c *pact.Context) (a Overlap, err error) {
	r, err := RelationsOf(ctx, db)
	if err != nil {
		return a, err
	}
	return r.Overlap(c.Info().Name), nil
}

// Overlap returns that of the context of a name. The calls of an origin that was deleted are those of its fork alone.
func (r *Relations) Overlap(name string) (a Overlap) {
	if at := r.list[name]; at != nil && r.keys[at.Origin.Key] != nil {
		a.Inherited = int(max(0, at.Origin.Cycle-at.First+1))
	}
	known := map[string]bool{name: true}
	for wave := []string{name}; len(wave) > 0; wave = wave[1:] {
		for _, name := range r.below[wave[0]] {
			if !known[name] {
				known[name] = true
				a.Beside, wave = append(a.Beside, name), append(wave, name)
			}
		}
	}
	return a
}

// Standing returns which of some contexts stands for all: of those that ask nothing aside the one whose own calls sent
// most bytes, the first of several, and -1 if there is none.
func Standing(names []string, own []int64) int {
	first := -1
	better := func(i int) bool {
		if aside, before := record.AsideOf(names[i]) != "", record.AsideOf(names[first]) != ""; aside != before {
			return before
		}
		return own[i] > own[first]
	}
	for i := range names {
		if first < 0 || better(i) {
			first = i
		}
	}
	return first
}

// StandingIn is [Standing] of contexts of a store. Cost: listing them, and reading the sizes of their own snapshots if
// there are several.
func StandingIn(ctx context.Context, db *pact.DB, list []*pact.Context) (int, error) {
	if len(list) < 2 {
		return len(list) - 1, nil
	}
	r, err := RelationsOf(ctx, db)
	if err != nil {
		return 0, err
	}
	names, own := make([]string, len(list)), make([]int64, len(list))
	for i, c := range list {
		names[i] = c.Info().Name
		first, last := c.Info().First, c.Info().Cycle
		if first += int64(r.Overlap(names[i]).Inherited); last < first {
			continue
		}
		for s, err := range c.History(ctx, pact.Cycle(first), pact.Cycle(last)) {
			if err != nil {
				return 0, err
			}
			_, size := s.ThreadSize()
			own[i] += size
		}
	}
	return Standing(names, own), nil
}

// InWords says it in a sentence without its end, "" if the sums are those of its own calls and there are no others.
func (a *Overlap) InWords() string {
	var parts []string
	switch a.Inherited {
	case 0:
	case 1:
		parts = append(parts, "1 call is inherited from the context that it was forked from, which counts it too")
	default:
		parts = append(parts, strconv.Itoa(a.Inherited)+" calls are inherited from the context that it was forked from, which counts them too")
	}
	const named = 3
	if n := len(a.Beside); n > 0 {
		text := "sub-agents and asides count for themselves: " + list(a.Beside[:min(named, n)], ", ")
		if n > named {
			text += " and " + strconv.Itoa(n-named) + " more"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
