package server

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/contexttree/pact/lifecycle"

	"github.com/danielgtaylor/huma/v2"
)

// keptPolicy is the policy that the commits of a context follow.
type keptPolicy struct {
	Policy *lifecycle.Policy `json:"policy,omitempty" doc:"Absent if the context keeps none"`
}

// readyPolicies are the policies that need no file.
type readyPolicies struct {
	Items []readyPolicy `json:"items" nullable:"false"`
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

// policies adds the operations that say which policies there are.
func (s *Server) policies() {
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/policy", id: "kept-policy",
		summary: "Say which pruning policy the commits of a context follow"},
		func(ctx context.Context, in *named) (*answered[keptPolicy], error) {
			c, err := s.readContext(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			policy, err := c.Working().Policy()
			return answer(keptPolicy{policy}, err)
		})
	add(s, operation{method: "GET", path: "/v1/policies", id: "list-policies",
		summary: "List the ready policies, for a pruning or for edits that keep one"},
		func(context.Context, *empty) (*answered[readyPolicies], error) {
			list := readyPolicies{Items: []readyPolicy{}}
			for _, name := range lifecycle.ReadyNames() {
				p, err := lifecycle.Ready(name)
				if err != nil {
					return nil, err
				}
				list.Items = append(list.Items, readyPolicy{name, p})
			}
			return answer(list, nil)
		})
}
