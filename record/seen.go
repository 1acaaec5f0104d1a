package record

import (
	"context"
	"encoding/json"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/tree"
)

// answers are what providers said of their answers, by the id of the attempt.
type answers struct {
	about  map[string]canon.Any
	cycles map[string]int64 // of the calls, by the id that the provider gave to the answer
	known  map[string]bool  // nodes that were looked at
}

func newAnswers() *answers {
	return &answers{about: map[string]canon.Any{}, cycles: map[string]int64{}, known: map[string]bool{}}
}

// take looks through the blocks of a snapshot that are new.
func (a *answers) take(s *pact.Snapshot) (err error) {
	defer tree.Recover(&err)
	s.Tree().BlocksFrom(0, func(e *tree.Entry, _ tree.Class) bool {
		n := e.Node()
		if a.known[n.ID] {
			return true
		}
		a.known[n.ID] = true
		if about := n.Header(attrAnswer); about != "" {
			v := canon.Value(about).Any()
			a.about[memberText(v, "attempt")] = v
			// The snapshot of a cycle has the answer to the call of the cycle before.
			if id := memberText(v, "id"); id != "" && a.cycles[id] == 0 {
				a.cycles[id] = s.Cycle() - 1
			}
		}
		return true
	})
	return err
}

func memberText(v canon.Any, name string) string {
	m, _ := v.Get(name)
	if m.Kind != canon.KindString {
		return ""
	}
	return m.Text
}

// heldFields are the fields of a body by which a request refers to what the
// provider holds.
var heldFields = map[api.Name][]string{
	api.Responses: {"previous_response_id", "conversation", "prompt"},
	api.Gemini:    {"cachedContent", "cached_content"},
}

// editFields are the fields that let a provider change what it was sent.
var editFields = map[api.Name][]string{
	api.Responses: {"context_management", "truncation"},
	api.Messages:  {"context_management"},
}

// seen says whether the model saw what a request has. about is what the provider
// said of the answer.
func (a *answers) seen(r *api.Request, about canon.Any) inspect.Seen {
	s := inspect.Seen{State: inspect.SeenWhole}
	refer := func(field, id string) {
		ref := inspect.Reference{Field: field, ID: id, Cycle: a.cycles[id]}
		switch {
		case ref.Cycle == 0:
			s.State = inspect.SeenPartial
		case s.State == inspect.SeenWhole:
			s.State = inspect.SeenTraced
		}
		s.References = append(s.References, ref)
	}
	for _, field := range heldFields[r.API] {
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
	for _, field := range editFields[r.API] {
		if v, _ := r.Parameters.Get(field); v.Kind != canon.KindAbsent && v.Kind != canon.KindNull && v.Text != "disabled" {
			s.Asked = append(s.Asked, field)
			if field == "truncation" {
				s.State = inspect.SeenPartial // no answer says whether anything was left out
			}
		}
	}
	changed, _ := about.Get("changed")
	for _, change := range changed.Elems {
		s.Changed = append(s.Changed, json.RawMessage(change.Value()))
		if memberText(change, "path") == "" {
			s.State = inspect.SeenPartial // it does not say which block
		}
	}
	if about.Kind == canon.KindAbsent && len(s.Asked) > 0 {
		s.State = inspect.SeenPartial // there is no answer that could say it
	}
	return s
}

// Sight says whether the model saw what the snapshot of a cycle has: what the
// request refers to that the provider holds, and what the provider said that it
// changed. Errors are those of [Request]. Cost: that of the threads up to the
// cycle after it.
func Sight(ctx context.Context, c *pact.Context, cycle int64) (*inspect.Seen, error) {
	for p, err := range Prefixes(ctx, c, "") {
		if err != nil {
			return nil, err
		}
		if p.Cycle == cycle && p.Problem == "" {
			return &p.Seen, nil
		}
	}
	_, err := Request(ctx, c, cycle)
	return nil, err
}
