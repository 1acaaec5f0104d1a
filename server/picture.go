package server

import (
	"context"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/view"
)

// cyclesOf are calls of a context, and the unit in which their threads are measured.
type cyclesOf struct {
	Name string    `path:"name" doc:"Name of the context; a / in it is written %2F"`
	From string    `query:"from" default:"@t-*" doc:"Address of the first snapshot; the oldest by default"`
	To   string    `query:"to" default:"latest" doc:"Address of the last snapshot"`
	Unit view.Unit `query:"unit" enum:"bytes,tokens" default:"bytes" doc:"What sizes count"`

	After int64 `query:"after" minimum:"0" doc:"How many rows were listed before"`
	Limit int64 `query:"limit" minimum:"1" maximum:"4000" default:"200"`
}

type callList struct {
	Unit      view.Unit   `json:"unit" enum:"bytes,tokens"`
	Tokenizer string      `json:"tokenizer,omitempty" doc:"How tokens were counted; approx: says that they were not counted exactly"`
	Currency  string      `json:"currency" doc:"Of what attempts cost"`
	AsOf      string      `json:"as_of" doc:"The date of the prices"`
	Items     []view.Call `json:"items" nullable:"false"`
	Next      int64       `json:"next,omitempty" doc:"Value of after for the next page; absent on the last page"`
}

// pictures adds the operations that show all calls of a context at once.
func (s *Server) pictures() {
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/calls", id: "list-calls",
		summary: "Say of each call how large it was, what it repeats of the call before, and why no more"},
		func(ctx context.Context, in *cyclesOf) (*answered[callList], error) {
			c, err := s.read(ctx, in.Name, in.Unit)
			if err != nil {
				return nil, err
			}
			list := callList{Unit: in.Unit, Items: []view.Call{}, Currency: prices.BuiltIn().Currency, AsOf: prices.BuiltIn().AsOf}
			if c.counter != nil {
				list.Tokenizer = c.counter.Name()
			}
			from, to, err := c.drawn(in.From, in.To)
			if err != nil || from == to && from == "working" {
				return answer(list, err)
			}
			first, err := c.context.CycleAt(from)
			if err != nil {
				return nil, err
			}
			last, err := c.context.CycleAt(to)
			if err != nil || in.After > 0 && in.After > last-first {
				return answer(list, err)
			}
			end := max(last, first) // a run that ends before it begins is refused below
			if end-first-in.After >= in.Limit {
				end, list.Next = first+in.After+in.Limit-1, in.After+in.Limit
			}
			list.Items, err = c.reader.Calls(ctx, pact.Cycle(first+in.After), pact.Cycle(min(last, end)))
			return answer(list, err)
		})
	type picture struct {
		Name    string    `path:"name" doc:"Name of the context; a / in it is written %2F"`
		From    string    `query:"from" default:"@t-*" doc:"Address of the first snapshot; the oldest by default"`
		To      string    `query:"to" default:"latest" doc:"Address of the last snapshot"`
		Unit    view.Unit `query:"unit" enum:"bytes,tokens" default:"bytes" doc:"What the height of a band counts"`
		Columns int       `query:"columns" minimum:"1" maximum:"4000" default:"800" doc:"At most that many columns"`
		Rows    int       `query:"rows" minimum:"1" maximum:"4000" default:"300" doc:"Bands lower than one of so many rows are merged"`
		Draft   bool      `query:"draft" doc:"Also draw the working state behind the latest call, if edits changed it"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/strata", id: "strata",
		summary: "Draw a column for each call and a band for each block, in at most 200 kB"},
		func(ctx context.Context, in *picture) (*answered[*view.Picture], error) {
			c, err := s.read(ctx, in.Name, in.Unit)
			if err != nil {
				return nil, err
			}
			from, to, err := c.drawn(in.From, in.To)
			if err != nil {
				return nil, err
			}
			return answer(c.reader.Draw(ctx, from, to, view.PictureOptions{Columns: in.Columns, Rows: in.Rows, Unit: in.Unit,
				Counter: c.counter, Draft: in.Draft}))
		})
}

// summed sums up calls of a context.
type summed struct {
	Calls    int     `json:"calls"`
	Broke    int     `json:"broke" doc:"How many of them broke, as list-calls says"`
	Priced   int     `json:"priced" doc:"Of how many the cost is known: if not of all, cost is the least that they cost"`
	Cost     float64 `json:"cost" doc:"By the counts of the provider and the built-in prices"`
	Currency string  `json:"currency"`
}

// sums sums up the calls of a context from a cycle on. Cost: that of the calls that nobody asked for before.
func (s *Server) sums(ctx context.Context, name string, since int64) (*summed, error) {
	t := &summed{Currency: prices.BuiltIn().Currency}
	c, err := s.read(ctx, name, view.Bytes)
	if err != nil {
		return nil, err
	}
	first, last := c.context.Info().First, c.context.Info().Cycle
	if since = max(since, first); since > last {
		return t, nil
	}
	calls, err := c.reader.Calls(ctx, pact.Cycle(since), pact.Cycle(last))
	for _, call := range calls {
		t.Calls++
		if call.Broke != nil {
			t.Broke++
		}
		if call.Attempts != nil && call.Attempts.Cost != nil {
			t.Priced++
			t.Cost += *call.Attempts.Cost
		}
	}
	return t, err
}

// drawn is ends of the calls that a picture shows: of a context without a snapshot the working state.
func (c *openContext) drawn(from, to string) (a, b pact.Address, err error) {
	if i := c.context.Info(); i.Cycle < i.First {
		return "working", "working", nil
	}
	return ends(c.context, from, to)
}

// ends reads the addresses of a run of snapshots that begins with the first one by default.
func ends(c *pact.Context, from, to string) (a, b pact.Address, err error) {
	first := c.Info().First
	if a, err = addressOr(c, strings.TrimPrefix(from, "@t-*"), pact.Cycle(first)); err == nil {
		b, err = pact.ParseAddress(to, c.Info().Edition)
	}
	return a, b, err
}

// openFor returns how to open a context whose threads are measured in a unit.
func (s *Server) openFor(unit view.Unit) (pact.OpenOptions, error) {
	o := s.open()
	if unit != view.Tokens {
		return o, nil
	}
	var err error
	o.Counter, err = s.counter("")
	return o, err
}
