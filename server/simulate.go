package server

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/simulate"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
)

// MaxPolicies is how many policies a request may have simulated. The time to answer bounds how long
// the run may be.
const MaxPolicies = 8

// simulating has the policies and prices to replay a run under.
type simulating struct {
	Policies  []simulatedPolicy `json:"policies,omitempty" doc:"At most 8; without any the answer says what the run itself sent and cost"`
	When      lifecycle.When    `json:"when,omitempty" enum:"now,pays,cold" doc:"When what is due goes; by default as each policy says"`
	Model     string            `json:"model,omitempty" doc:"Whose prices and caching count; that of the last call by default"`
	Dialect   string            `json:"dialect,omitempty" doc:"Whose rules of caching count; by default those of the API that was called"`
	Tokenizer string            `json:"tokenizer,omitempty" doc:"How tokens are counted"`
	Prices    *record.Prices    `json:"prices,omitempty" doc:"Prices in place of the built-in ones"`
	Calls     bool              `json:"calls,omitempty" doc:"Also say it of every call"`
}

// simulatedPolicy is a policy and what to call it.
type simulatedPolicy struct {
	Name   string            `json:"name" doc:"Of a ready policy, or what the answer calls the policy"`
	Policy *lifecycle.Policy `json:"policy,omitempty" doc:"Absent for the ready policy of that name"`
}

// simulations adds the operations that say what a run cost, and what it would have cost.
func (s *Server) simulations() {
	add(s, operation{method: "POST", path: "/v1/contexts/{name}/simulation", id: "simulate", dry: true, body: simulating{},
		summary: "Say what a run would have sent and cost under policies; nothing changes"},
		func(ctx context.Context, in *named) (*answered[*simulate.Result], error) {
			asked, err := readJSON[simulating](ctx)
			if err != nil {
				return nil, err
			}
			o, err := s.simulated(asked)
			if err != nil {
				return nil, err
			}
			c, err := s.readContext(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			return answer(simulate.Run(ctx, c, *o))
		})
	type finding struct {
		Name      string `path:"name" doc:"Name of the context; a / in it is written %2F"`
		Model     string `query:"model" doc:"Whose prices and caching count; that of the last call by default"`
		Dialect   string `query:"dialect" doc:"Whose rules of caching count; by default those of the API that was called"`
		Tokenizer string `query:"tokenizer" doc:"How tokens are counted"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/findings", id: "list-findings",
		summary: "Say what a run paid for and may not have needed"},
		func(ctx context.Context, in *finding) (*answered[*simulate.Report], error) {
			o, err := s.simulated(&simulating{Model: in.Model, Dialect: in.Dialect, Tokenizer: in.Tokenizer})
			if err != nil {
				return nil, err
			}
			c, err := s.readContext(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			return answer(simulate.Findings(ctx, c, *o))
		})
}

// simulated reads what a request says about a replay.
func (s *Server) simulated(in *simulating) (*simulate.Options, error) {
	counter, err := s.counter(in.Tokenizer)
	if err != nil {
		return nil, err
	}
	o := &simulate.Options{Counter: counter, Model: in.Model, Dialect: in.Dialect, Calls: in.Calls}
	if in.Prices != nil {
		if o.Prices, err = pricesOf(in.Prices); err != nil {
			return nil, err
		}
	}
	if len(in.Policies) > MaxPolicies {
		return nil, fault.New(fault.Limit, "a request may have "+strconv.Itoa(MaxPolicies)+" policies simulated",
			"send the others in another request")
	}
	if err := (&lifecycle.Policy{When: in.When}).Check(); err != nil {
		return nil, err
	}
	for _, p := range in.Policies {
		if p.Policy == nil {
			ready, err := lifecycle.Ready(p.Name)
			if err != nil {
				return nil, err
			}
			p.Policy = &ready
		}
		policy := *p.Policy
		policy.Tokenizer = "" // all policies count by one counter
		if in.When != "" {
			policy.When = in.When
		}
		o.Policies = append(o.Policies, simulate.Named{Name: p.Name, Policy: policy})
	}
	return o, nil
}

// pricesOf checks and completes the list of prices of a request.
func pricesOf(given *record.Prices) (*record.Prices, error) {
	text, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	return record.ReadPrices(text)
}
