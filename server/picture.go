package server

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/strata"
)

// cyclesOf are calls of a context, and the unit in which their threads are measured.
type cyclesOf struct {
	Name string      `path:"name" doc:"Name of the context; a / in it is written %2F"`
	From int64       `query:"from" minimum:"0" doc:"First cycle, 0 for the first of the context"`
	To   int64       `query:"to" minimum:"0" doc:"Last cycle, 0 for the latest"`
	Unit strata.Unit `query:"unit" enum:"bytes,tokens" default:"bytes" doc:"What sizes count"`
}

type callList struct {
	Unit      strata.Unit   `json:"unit" enum:"bytes,tokens"`
	Tokenizer string        `json:"tokenizer,omitempty" doc:"How tokens were counted; approx: says that they were not counted exactly"`
	Calls     []strata.Call `json:"calls" nullable:"false"`
}

// pictures adds the operations that show all calls of a context at once.
func (s *Server) pictures() {
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/calls", id: "list-calls",
		summary: "Say of each call how large it was, what it repeats of the call before, and why no more"},
		func(ctx context.Context, in *cyclesOf) (*answered[callList], error) {
			o, err := s.openFor(in.Unit)
			if err != nil {
				return nil, err
			}
			c, err := pact.Open(ctx, s.store, in.Name, &o)
			if err != nil {
				return nil, err
			}
			list, err := strata.Calls(ctx, c, in.From, in.To, in.Unit)
			answered := callList{Unit: in.Unit, Calls: list}
			if o.Counter != nil {
				answered.Tokenizer = o.Counter.Name()
			}
			return answer(answered, err)
		})
	type picture struct {
		Name    string      `path:"name" doc:"Name of the context; a / in it is written %2F"`
		From    int64       `query:"from" minimum:"0" doc:"First cycle, 0 for the first of the context"`
		To      int64       `query:"to" minimum:"0" doc:"Last cycle, 0 for the latest"`
		Unit    strata.Unit `query:"unit" enum:"bytes,tokens" default:"bytes" doc:"What the height of a band counts"`
		Columns int         `query:"columns" minimum:"1" maximum:"4000" default:"800" doc:"At most that many columns"`
		Rows    int         `query:"rows" minimum:"1" maximum:"4000" default:"300" doc:"Bands lower than one of so many rows are merged"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/strata", id: "strata",
		summary: "Draw a column for each call and a band for each block, in at most 200 kB"},
		func(ctx context.Context, in *picture) (*answered[*strata.Picture], error) {
			o, err := s.openFor(in.Unit)
			if err != nil {
				return nil, err
			}
			c, err := pact.Open(ctx, s.store, in.Name, &o)
			if err != nil {
				return nil, err
			}
			calls, err := strata.Calls(ctx, c, in.From, in.To, in.Unit)
			if err != nil {
				return nil, err
			}
			return answer(strata.Draw(ctx, c, calls, strata.Options{Columns: in.Columns, Rows: in.Rows,
				Unit: in.Unit, Counter: o.Counter}))
		})
}

// openFor returns how to open a context whose threads are measured in a unit.
func (s *Server) openFor(unit strata.Unit) (pact.OpenOptions, error) {
	o := s.open()
	if unit != strata.Tokens {
		return o, nil
	}
	var err error
	o.Counter, err = s.counter("")
	return o, err
}
