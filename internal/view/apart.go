package view

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
)

// Apart says what the sums of a run share with those of other contexts, and what they leave to them.
type Apart struct {
	// Inherited is how many of its calls are those of the context that it was forked from, which counts them too.
	Inherited int `json:"inherited,omitempty"`
	// Beside are its sub-agents and what was asked aside of it, and theirs, whose calls it does not count.
	Beside []string `json:"beside,omitempty"`
}

// ApartOf returns that of a context. Cost: listing the contexts.
func ApartOf(ctx context.Context, db *pact.DB, c *pact.Context) (a Apart, err error) {
	list, err := pact.List(ctx, db)
	if err != nil {
		return a, err
	}
	below := map[string][]string{}
	for i := range list {
		name := list[i].Name
		if name == c.Name() && list[i].Origin.Key != 0 {
			a.Inherited = int(max(0, list[i].Origin.Cycle-list[i].First+1))
		}
		above := record.AsideOf(name)
		if above == "" {
			above, _ = record.BegunBy(list[i].Listed)
		}
		below[above] = append(below[above], name)
	}
	known := map[string]bool{c.Name(): true}
	for wave := []string{c.Name()}; len(wave) > 0; wave = wave[1:] {
		for _, name := range below[wave[0]] {
			if !known[name] {
				known[name] = true
				a.Beside, wave = append(a.Beside, name), append(wave, name)
			}
		}
	}
	return a, nil
}

// InWords says it in a sentence without its end, "" if the sums are those of its own calls and there are no others.
func (a *Apart) InWords() string {
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
