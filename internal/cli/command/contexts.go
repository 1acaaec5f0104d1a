package command

import (
	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/view"
)

// OriginOf returns where a context in a list began, nil if it is not a fork.
func OriginOf(c history.Info, all []history.Info) *pact.Origin {
	if c.Origin.Key == 0 {
		return nil
	}
	o := &pact.Origin{Cycle: c.Origin.Cycle}
	for _, other := range all {
		if other.Key == c.Origin.Key {
			o.Name = other.Name
		}
	}
	return o
}

func OriginText(o pact.Origin) string {
	if o.Name == "" {
		return "a deleted context, " + view.Cycle(o.Cycle)
	}
	return o.Name + " " + view.Cycle(o.Cycle)
}
