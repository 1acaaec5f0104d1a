package record

import (
	"context"
	"encoding/json"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// answers holds what providers reported about their answers.
type answers struct {
	about  map[string]canon.Any // by the id of the attempt
	cycles map[string]int64     // cycle of each call, by the provider's id of its answer
	known  map[string]bool      // nodes that take has already read
}

func newAnswers() *answers {
	return &answers{about: map[string]canon.Any{}, cycles: map[string]int64{}, known: map[string]bool{}}
}

// take reads the blocks of a snapshot that it has not read before.
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
			a.put(memberText(v, "attempt"), s.Cycle()-1, v) // a snapshot holds the answer to the call of the cycle before it
		}
		return true
	})
	return err
}

// takeKept reads what an attempt keeps of its answer. The report on a broken
// answer does not count: it may have broken off before a change.
func (a *answers) takeKept(from store.Attempt) error {
	if from.Status != store.Completed {
		return nil
	}
	about, err := aboutOf(from)
	if err == nil && about.Kind != canon.KindAbsent {
		a.put(from.ID, from.Cycle, about)
	}
	return err
}

// put notes what the provider reported about the answer to an attempt.
func (a *answers) put(attempt string, cycle int64, about canon.Any) {
	a.about[attempt] = about
	if id := memberText(about, "id"); id != "" && a.cycles[id] == 0 {
		a.cycles[id] = cycle
	}
}

func memberText(v canon.Any, name string) string {
	m, _ := v.Get(name)
	if m.Kind != canon.KindString {
		return ""
	}
	return m.Text
}

// heldFields lists the fields of a body that refer to what the provider stores.
var heldFields = map[api.Name][]string{
	api.Responses: {"previous_response_id", "conversation", "prompt"},
	api.Gemini:    {"cachedContent", "cached_content"},
}

// editFields lists the fields that allow a provider to change what it was sent.
var editFields = map[api.Name][]string{
	api.Responses: {"context_management", "truncation"},
	api.Messages:  {"context_management"},
}

// seen says whether the model saw all of a request. about is what the provider
// reported about the answer.
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

// Sight says whether the model saw what the snapshot of a cycle holds: which
// parts the request takes from the provider's own storage, and which parts the
// provider said it changed. It fails as [Request] does. Cost: that of the
// threads up to the following cycle.
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
