package server

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/contexttree/pact/lifecycle"

	"github.com/danielgtaylor/huma/v2"
)

// policies are the policies that need no file, and the one of a context.
type policies struct {
	Items []readyPolicy     `json:"items" nullable:"false" doc:"The ready ones"`
	Kept  *lifecycle.Policy `json:"kept,omitempty" doc:"The one that the commits of the context follow; absent if it keeps none"`
}

type readyPolicy struct {
	Name   string           `json:"name"`
	Policy lifecycle.Policy `json:"policy" doc:"It has no limits: add some"`
}

// policyOrName is a policy, in JSON also the name of a ready one.
type policyOrName struct{ lifecycle.Policy }

// policy returns the policy, nil if there is none.
func (p *policyOrName) policy() *lifecycle.Policy {
	if p == nil {
		return nil
	}
	return &p.Policy
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *policyOrName) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '{':
		return decode(data, &p.Policy)
	case '"':
		var name string
		err := json.Unmarshal(data, &name)
		if err == nil {
			p.Policy, err = lifecycle.Ready(name)
		}
		return err
	}
	return &json.UnmarshalTypeError{Type: reflect.TypeFor[policyOrName]()}
}

// Schema implements huma.SchemaProvider.
func (policyOrName) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{r.Schema(reflect.TypeFor[lifecycle.Policy](), true, ""), {Type: huma.TypeString}}}
}

// policies adds the operation that says which policies there are.
func (s *Server) policies() {
	type of struct {
		Context string `query:"context" doc:"Name of a context: also say which policy its commits follow"`
	}
	add(s, operation{method: "GET", path: "/v1/policies", id: "list-policies", named: true,
		summary: "List the ready policies, for a pruning or for edits that keep one, and the policy of a context"},
		func(ctx context.Context, in *of) (*answered[policies], error) {
			list := policies{Items: []readyPolicy{}}
			for _, name := range lifecycle.ReadyNames() {
				p, err := lifecycle.Ready(name)
				if err != nil {
					return nil, err
				}
				list.Items = append(list.Items, readyPolicy{name, p})
			}
			if in.Context == "" {
				return answer(list, nil)
			}
			c, err := s.readContext(ctx, in.Context)
			if err != nil {
				return nil, err
			}
			list.Kept, err = c.Working().Policy()
			return answer(list, err)
		})
}
