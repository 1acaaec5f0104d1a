package adk

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/contexttree/pact"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"
)

// An event is a block of this kind, which no limit takes and which has everything but the content. Each part of the content
// is a block of its own, with the id of the event and its place.
const (
	kindEvent   = "adk:event"
	attrNumber  = "adk:number"  // of an event and of its parts: how many events were before it
	attrPlace   = "adk:place"   // of a part, from 0
	attrContent = "adk:content" // of an event with a content: its role
)

// roles are the roles of the blocks that a content with a role becomes.
var roles = map[string]string{genai.RoleUser: "user", genai.RoleModel: "assistant"}

// add adds an event behind those that a context has.
func add(ctx context.Context, c *pact.Context, b *pact.Batch, e *session.Event) error {
	number, offset := int64(0), int64(1)
	calls := map[string]string{} // the blocks of calls in ^ah, by the ids of the calls
	for n, err := range c.Working().Nodes() {
		if err != nil {
			return err
		}
		if v, ok := integer(n.Attrs[attrNumber]); ok {
			number, offset = max(number, v+1), max(offset, n.Offset+1)
			if id, ok := n.Attrs["wire:call"].(string); ok && n.Kind == "call" {
				calls[id] = n.ID
			}
		}
	}
	bare := *e
	bare.Content = nil
	text, err := json.Marshal(&bare)
	if err != nil {
		return err
	}
	attrs := map[string]any{attrNumber: number}
	if e.Content != nil {
		attrs[attrContent] = e.Content.Role
	}
	b.Add("^ah", pact.Spec{Kind: kindEvent, Role: "other", Offset: offset, Pinned: true, Content: json.RawMessage(text), Attrs: attrs})
	if e.Content == nil {
		return nil
	}
	for i, p := range e.Content.Parts {
		spec, call, err := specOf(p, e.Content.Role)
		if err != nil {
			return err
		}
		spec.Offset, spec.Attrs[attrNumber], spec.Attrs[attrPlace] = offset+1, number, i
		if of := calls[call]; spec.Kind == "result" && of != "" && b.Has(of) {
			spec.Refs = []string{of}
		}
		id := b.Add("^ah", spec)
		if spec.Kind == "call" {
			calls[call] = id
		}
	}
	return nil
}

// specOf describes the block of a part. A text alone is the content as it is, anything else its JSON.
func specOf(p *genai.Part, role string) (s pact.Spec, call string, err error) {
	text, err := json.Marshal(p)
	if err != nil {
		return s, "", err
	}
	s = pact.Spec{Role: cmp.Or(roles[role], "other"), Kind: "part", Content: json.RawMessage(text), Attrs: map[string]any{}}
	alone, err := json.Marshal(&genai.Part{Text: p.Text})
	switch {
	case err != nil:
		return s, "", err
	case p.Text != "" && string(alone) == string(text):
		s.Kind, s.Content = "text", p.Text
	case p.FunctionCall != nil:
		s.Kind, call = "call", p.FunctionCall.ID
		s.Attrs["wire:call"], s.Attrs["wire:name"] = call, p.FunctionCall.Name
	case p.FunctionResponse != nil:
		s.Kind, s.Role, call = "result", "tool", p.FunctionResponse.ID
		s.Attrs["wire:call"] = call
	case p.Thought:
		s.Kind = "thinking"
	}
	return s, call, nil
}

// integer returns the value of an attribute that is an integer.
func integer(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}

// placed is a part and where it stands.
type placed struct {
	number, place int64
	part          *genai.Part
}

// readEvents reads the events that a snapshot has, in their order. An event whose parts a policy took, all of them, is left out.
func readEvents(ctx context.Context, s *pact.Snapshot) ([]*session.Event, error) {
	events, had := map[int64]*session.Event{}, map[int64]bool{}
	var parts []placed
	for n, err := range s.Nodes() {
		if err != nil {
			return nil, err
		}
		number, ok := integer(n.Attrs[attrNumber])
		if !ok {
			continue
		}
		if n.Kind == kindEvent {
			e := &session.Event{}
			if err := n.Decode(ctx, e); err != nil {
				return nil, err
			}
			if role, ok := n.Attrs[attrContent].(string); ok {
				e.Content, had[number] = &genai.Content{Role: role}, true
			}
			events[number] = e
			continue
		}
		place, _ := integer(n.Attrs[attrPlace])
		p := &genai.Part{}
		if n.Kind == "text" {
			if p.Text, err = n.Text(ctx); err != nil {
				return nil, err
			}
		} else if err := n.Decode(ctx, p); err != nil {
			return nil, err
		}
		parts = append(parts, placed{number, place, p})
	}
	slices.SortFunc(parts, func(a, b placed) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.place, b.place)) })
	for _, p := range parts {
		if e := events[p.number]; e != nil && e.Content != nil {
			e.Content.Parts = append(e.Content.Parts, p.part)
		}
	}
	var list []*session.Event
	for _, number := range slices.Sorted(maps.Keys(events)) {
		if e := events[number]; !had[number] || len(e.Content.Parts) > 0 {
			list = append(list, e)
		}
	}
	return list, nil
}
