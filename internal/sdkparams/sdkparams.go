// Package sdkparams takes snapshots to the parameters of a provider's client and back, and finds out whether the parameters
// can hold all of it.
package sdkparams

import (
	"context"
	"encoding/json"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/record"
)

// RoundTrips decodes JSON into parameters, and reports whether these are encoded as the same JSON again. With
// emptyIsAbsent a client may leave out members that are empty, as the JSON of protocol buffers does.
func RoundTrips(body []byte, params any, emptyIsAbsent bool) bool {
	if json.Unmarshal(body, params) != nil {
		return false
	}
	again, err := json.Marshal(params)
	if err != nil {
		return false
	}
	before, err := canon.ParseAny(body)
	if err != nil {
		return false
	}
	after, err := canon.ParseAny(again)
	if err == nil && emptyIsAbsent {
		before, after = withoutEmpty(before), withoutEmpty(after)
	}
	return err == nil && before.Value() == after.Value()
}

// withoutEmpty returns a value without members that are empty.
func withoutEmpty(v canon.Any) canon.Any {
	switch v.Kind {
	case canon.KindArray:
		elems := make([]canon.Any, len(v.Elems))
		for i, e := range v.Elems {
			elems[i] = withoutEmpty(e)
		}
		return canon.ArrayOf(elems...)
	case canon.KindObject:
		var kept []canon.Member
		for _, m := range v.Members {
			m.Value = withoutEmpty(m.Value)
			switch m.Value.Value() {
			case "{}", "[]", `""`, "false", "0", "null":
			default:
				kept = append(kept, m)
			}
		}
		return canon.Object(kept...)
	}
	return v
}

// New returns base, parameters of a client, with what a snapshot has of the conversation, as [record.NewRequest] writes it. raw makes
// parameters that the client sends as they are, for a body that its parameters cannot hold.
func New[P any](ctx context.Context, s *pact.Snapshot, form string, base P, mend bool, raw func(body any) P) (p P, err error) {
	given, err := json.Marshal(base)
	if err != nil {
		return p, err
	}
	body, err := record.NewRequest(ctx, s, form, given, mend)
	if err == nil && !RoundTrips(body, &p, false) {
		p = raw(body)
	}
	return p, err
}

// Add adds what parameters of a client, or some fields of them, say to a context, as [record.AddRequest] does.
func Add(ctx context.Context, c *pact.Context, form string, said any) ([]string, error) {
	body, err := json.Marshal(said)
	if err != nil {
		return nil, err
	}
	return record.AddRequest(ctx, c, form, body, nil)
}
