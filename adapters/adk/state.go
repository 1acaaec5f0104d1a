package adk

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"google.golang.org/adk/v2/session"
)

// A value of the state is a block of ^sys of this kind, whose key is the name of the value.
const kindState = "adk:state"

// keep keeps values: those of the app and of the user in their own contexts, the others in that of the session.
func (s *Service) keep(ctx context.Context, app, user, id string, values map[string]any) error {
	places := map[string]map[string]any{}
	for key, v := range values {
		name := nameOf(app, user, id)
		switch {
		case strings.HasPrefix(key, session.KeyPrefixTemp):
			continue
		case strings.HasPrefix(key, session.KeyPrefixApp):
			name = nameOf(app)
		case strings.HasPrefix(key, session.KeyPrefixUser):
			name = nameOf(app, user)
		}
		if places[name] == nil {
			places[name] = map[string]any{}
		}
		places[name][key] = v
	}
	for name, some := range places {
		if _, err := pact.OpenOrCreate(ctx, s.db, name, nil); err != nil {
			return err
		}
		if err := s.changed(ctx, name, func(c *pact.Context, b *pact.Batch) error { return set(c, b, some) }); err != nil {
			return err
		}
	}
	return nil
}

// set sets values of a context.
func set(c *pact.Context, b *pact.Batch, values map[string]any) error {
	had := map[string]string{} // the blocks of the values
	for n, err := range c.Working().Nodes() {
		if err != nil {
			return err
		}
		if n.Kind == kindState {
			had[n.Key] = n.ID
		}
	}
	for key, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			return fault.Wrap(fault.DocumentInvalid, err, "the value of "+key+" has no JSON form", "keep a value that has one")
		}
		if id := had[key]; id != "" {
			b.Remove(id)
		}
		b.Add("^sys", pact.Spec{Kind: kindState, Key: key, Offset: 1, Content: json.RawMessage(text)})
	}
	return nil
}

// readState reads the values of a context.
func readState(ctx context.Context, s *pact.Snapshot, values map[string]any) error {
	for n, err := range s.Nodes() {
		if err != nil {
			return err
		}
		if n.Kind != kindState {
			continue
		}
		var v any
		if err := n.Decode(ctx, &v); err != nil {
			return err
		}
		values[n.Key] = v
	}
	return nil
}
