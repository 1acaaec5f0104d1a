package record

import (
	"context"
	"encoding/json"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// answerCycles has the cycle of each call, by the provider's id of its answer.
type answerCycles map[string]int64

// note notes the answer to an attempt.
func (c answerCycles) note(cycle int64, about canon.Any) {
	if id := memberText(about, "id"); id != "" && c[id] == 0 {
		c[id] = cycle
	}
}

// unforked drops the number of the fork from the id of an attempt. Requests name earlier
// attempts as they were recorded; after an export and an import of a fork these are part of a
// context that is none.
func unforked(attempt string) string {
	if cycle, number, _, ok := history.ParseAttemptID(attempt); ok {
		return history.AttemptID(cycle, number, 0)
	}
	return attempt
}

func memberText(v canon.Any, name string) string {
	m, _ := v.Get(name)
	if m.Kind != canon.KindString {
		return ""
	}
	return m.Text
}

// seen reports whether the model saw all of a request. about is the report of the provider about the answer.
func (c answerCycles) seen(r *provider.Request, about canon.Any) inspect.Seen {
	s := inspect.Seen{State: inspect.SeenWhole}
	refer := func(field, id string) {
		ref := inspect.Reference{Field: field, ID: id, Cycle: c[id]}
		switch {
		case ref.Cycle == 0:
			s.State = inspect.SeenPartial
		case s.State == inspect.SeenWhole:
			s.State = inspect.SeenTraced
		}
		s.References = append(s.References, ref)
	}
	stored, edits := provider.FieldsOf(r.API)
	for _, field := range stored {
		if v, _ := r.Parameters.Get(field); v.Kind == canon.KindString {
			refer(field, v.Text)
		} else if id := memberText(v, "id"); id != "" {
			refer(field, id)
		}
	}
	for _, p := range r.Parts {
		if p.Kind == "reference" {
			refer("item_reference", memberText(p.Content, "id"))
		}
	}
	for _, field := range edits {
		if v, _ := r.Parameters.Get(field); v.Kind != canon.KindAbsent && v.Kind != canon.KindNull && v.Text != "disabled" {
			s.Asked = append(s.Asked, field)
			if field == "truncation" {
				s.State = inspect.SeenPartial // no answer reports whether the provider left anything out
			}
		}
	}
	changed, _ := about.Get("changed")
	for _, change := range changed.Elems {
		s.Changed = append(s.Changed, json.RawMessage(change.Value()))
		if memberText(change, "path") == "" {
			s.State = inspect.SeenPartial // the provider does not say which block it changed
		}
	}
	if about.Kind == canon.KindAbsent && len(s.Asked) > 0 {
		s.State = inspect.SeenPartial // no answer could report the change
	}
	return s
}

// SeenByModel reports whether the model saw the whole request of an attempt: which parts the request takes from
// the storage of the provider, and which parts the provider said it changed. It fails as [Request] does. Cost:
// that of the threads up to the following cycle.
func SeenByModel(ctx context.Context, c *pact.Context, of history.Attempt) (*inspect.Seen, error) {
	w := newFollower()
	w.asked = of.ID
	w.begin(ctx, c)
	first, last := c.Info().First, c.Info().Cycle
	attempts, err := c.Attempts(ctx, first, of.Cycle)
	if err != nil {
		return nil, err
	}
	var seen *inspect.Seen
	err = w.walk(attempts, last, func(p inspect.CallPrefix) bool {
		if p.Attempt == of.ID && p.Seen.State != "" {
			seen = &p.Seen
		}
		return true
	})
	if err != nil || seen != nil {
		return seen, err
	}
	_, number, _, _ := history.ParseAttemptID(of.ID)
	_, err = Request(ctx, c, of.Cycle, number)
	return nil, err
}
