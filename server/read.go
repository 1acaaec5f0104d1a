package server

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
)

// at is a state of a context.
type at struct {
	Name string `path:"name" doc:"Name of the context; a / in it is written %2F"`
	At   string `query:"at" default:"latest" doc:"Address of the state: @t0, @t-1, @c12, latest or working"`
}

// query is a selector and the context that it asks.
type query struct {
	Name    string `path:"name" doc:"Name of the context; a / in it is written %2F"`
	Q       string `query:"q" required:"true" doc:"The selector"`
	Edition string `query:"edition" doc:"Edition of the selector; that of the context by default"`
	Where   string `query:"where" doc:"A second selector: only nodes that it finds too, and nodes below these"`
	Skip    int    `query:"skip" minimum:"0" doc:"Leaves out this many nodes at the beginning"`
	Limit   int    `query:"limit" minimum:"0" doc:"At most this many nodes, 0 for all"`
}

// options returns the options of a query of a context. @* of a recorded run finds the last
// answer too.
func (q *query) options(ctx context.Context, c *pact.Context) (*pact.SelectOptions, error) {
	tail, err := record.TailOf(ctx, c)
	return &pact.SelectOptions{Edition: selector.Edition(q.Edition), Where: q.Where, Skip: q.Skip, Limit: q.Limit,
		Working: tail != record.NoTail}, err
}

type found struct {
	IDs      []string `json:"ids" nullable:"false"`
	Warnings []string `json:"warnings,omitempty" nullable:"false" doc:"What means nothing in the selector and is ignored"`
}

type selectorCheck struct {
	Valid    bool     `json:"valid"`
	Selector string   `json:"selector,omitempty" doc:"The selector in its normal form"`
	Error    *failure `json:"error,omitempty" doc:"What is wrong with the text, as select would refuse it"`
}

type formatted struct {
	Selector string `json:"selector" doc:"The selector in its normal form"`
}

type blamed struct {
	Cycle  int64           `json:"cycle"`
	Blocks []inspect.Blame `json:"blocks" nullable:"false"`
}

type prefixes struct {
	Cycles    []*view.Step `json:"cycles" nullable:"false"`
	Totals    view.Totals  `json:"totals,omitzero" doc:"Of what the provider counted in these cycles"`
	Tokenizer string       `json:"tokenizer,omitempty" doc:"How tokens were counted; approx: says that they were not counted exactly"`
}

type attempts struct {
	Items []history.Attempt `json:"items" nullable:"false"`
	Next  int               `json:"next,omitempty" doc:"Value of after for the next page; absent on the last page"`
}

type logPage struct {
	Items []history.Entry `json:"items" nullable:"false"`
	Next  int64           `json:"next,omitempty" doc:"Value of after for the next page; absent on the last page"`
}

// questions adds the operations that ask selectors.
func (s *Server) questions() {
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/select", id: "select",
		summary: "Find nodes with a selector"},
		func(ctx context.Context, in *query) (*answered[found], error) {
			c, err := s.readContext(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			o, err := in.options(ctx, c)
			if err != nil {
				return nil, err
			}
			hits, err := c.Find(ctx, in.Q, o)
			if err != nil {
				return nil, placed(err, in.Q)
			}
			q, err := selector.Parse(in.Q, cmp.Or(o.Edition, c.Edition()))
			if err != nil {
				return nil, placed(err, in.Q)
			}
			ids := make([]string, len(hits))
			for i, h := range hits {
				ids[i] = h.Node.ID
			}
			return answer(found{ids, q.Warnings()}, nil)
		})
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/explain", id: "explain",
		summary: "Say how a selector is evaluated and what that costs"},
		func(ctx context.Context, in *query) (*answered[*inspect.Explanation], error) {
			c, err := s.readContext(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			o, err := in.options(ctx, c)
			if err != nil {
				return nil, err
			}
			e, err := c.Explain(ctx, in.Q, o)
			return answer(e, placed(err, in.Q))
		})
	type checking struct {
		Name    string `path:"name" doc:"Name of the context; a / in it is written %2F"`
		Q       string `query:"q" required:"true" doc:"The text, finished or not"`
		Edition string `query:"edition" doc:"Edition of the selector; that of the context by default"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/check", id: "check",
		summary: "Say whether a text is a selector, for an editor while the user writes"},
		func(ctx context.Context, in *checking) (*answered[selectorCheck], error) {
			c, err := s.readContext(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			edition := c.Edition()
			if in.Edition != "" {
				if edition, err = selector.ParseEdition(in.Edition); err != nil {
					return nil, err
				}
			}
			q, err := selector.Parse(in.Q, edition)
			if err != nil {
				return answer(selectorCheck{Error: failureOf(placed(err, in.Q))}, nil)
			}
			return answer(selectorCheck{Valid: true, Selector: q.String()}, nil)
		})
	type formatting struct {
		Q       string `query:"q" required:"true" doc:"The selector"`
		Edition string `query:"edition" default:"canonical" doc:"Edition of the selector"`
	}
	add(s, operation{method: "GET", path: "/v1/fmt", id: "format", summary: "Write a selector in its normal form"},
		func(_ context.Context, in *formatting) (*answered[formatted], error) {
			e, err := selector.ParseEdition(in.Edition)
			if err != nil {
				return nil, err
			}
			q, err := selector.Parse(in.Q, e)
			if err != nil {
				return nil, placed(err, in.Q)
			}
			return answer(formatted{q.String()}, nil)
		})
}

// origins adds the operations that say where nodes come from, and what calls repeat.
func (s *Server) origins() {
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/blame", id: "blame",
		summary: "Say which cycle brought each block of a thread, and who"},
		func(ctx context.Context, in *at) (*answered[blamed], error) {
			c, snapshot, address, err := s.state(ctx, in)
			if err != nil {
				return nil, err
			}
			list, err := c.Blame(ctx, address)
			return answer(blamed{snapshot.Cycle(), append([]inspect.Blame{}, list...)}, err)
		})
	type node struct {
		Name string `path:"name" doc:"Name of the context; a / in it is written %2F"`
		ID   string `path:"id" doc:"Id of the node; a / in it is written %2F"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/nodes/{id}/life", id: "life",
		summary: "Tell everything that happened to a node, even if it is gone"},
		func(ctx context.Context, in *node) (*answered[*inspect.Timeline], error) {
			c, err := s.readContext(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			return answer(c.Timeline(ctx, in.ID))
		})
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/prefix", id: "prefix",
		summary: "Say how much of each thread the next one repeats, and what broke it"},
		func(ctx context.Context, in *repeating) (*answered[prefixes], error) {
			return answer(s.prefixes(ctx, in))
		})
}

// repeating are calls that are compared with the calls before them.
type repeating struct {
	Name    string `path:"name" doc:"Name of the context; a / in it is written %2F"`
	From    string `query:"from" default:"@t-*" doc:"Address of the first snapshot; the oldest by default"`
	To      string `query:"to" default:"latest" doc:"Address of the last snapshot"`
	Tokens  bool   `query:"tokens" doc:"Also count tokens, which reads every content"`
	Dialect string `query:"dialect" doc:"Compare recorded calls by what this provider caches; by default the one that was called"`
}

func (s *Server) prefixes(ctx context.Context, in *repeating) (p prefixes, err error) {
	o := s.open()
	p.Cycles = []*view.Step{}
	if in.Tokens {
		if o.Counter, err = s.counter(""); err != nil {
			return p, err
		}
		p.Tokenizer = o.Counter.Name()
	}
	c, err := pact.Open(ctx, s.store, in.Name, &o)
	if err != nil {
		return p, err
	}
	first, _ := c.Cycles()
	from, to, err := ends(c, first, in.From, in.To)
	if err != nil {
		return p, err
	}
	for step, err := range view.Walk(ctx, c, from, to, view.WalkOptions{Dialect: in.Dialect}) {
		if err != nil {
			return p, err
		}
		p.Cycles = append(p.Cycles, step)
		p.Totals.Add(step)
	}
	return p, nil
}

// records adds the operations that list attempts and log entries.
func (s *Server) records() {
	type cycles struct {
		Name string `path:"name" doc:"Name of the context; a / in it is written %2F"`
		From int64  `query:"from" minimum:"0" doc:"First cycle"`
		To   int64  `query:"to" minimum:"0" doc:"Last cycle, 0 for the current one"`

		After int `query:"after" minimum:"0" doc:"How many rows were listed before"`
		Limit int `query:"limit" minimum:"1" maximum:"1000" default:"200"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/attempts", id: "list-attempts",
		summary: "List the calls of a provider"},
		func(ctx context.Context, in *cycles) (*answered[attempts], error) {
			c, err := s.readContext(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			if in.To == 0 {
				in.To = c.Working().Cycle()
			}
			list, err := c.Attempts(ctx, in.From, in.To)
			p := attempts{Items: append([]history.Attempt{}, list[min(in.After, len(list)):]...)}
			if len(p.Items) > in.Limit {
				p.Items, p.Next = p.Items[:in.Limit], in.After+in.Limit
			}
			return answer(p, err)
		})
	type page struct {
		Name  string `path:"name" doc:"Name of the context; a / in it is written %2F"`
		After int64  `query:"after" minimum:"0" doc:"Only entries with a later revision"`
		Limit int64  `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/log", id: "log",
		summary: "List the log, oldest entry first"},
		func(ctx context.Context, in *page) (*answered[logPage], error) {
			i, err := s.store.Find(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			p := logPage{Items: []history.Entry{}}
			if in.After >= i.Revision {
				return answer(p, nil)
			}
			last := min(i.Revision, in.After+in.Limit)
			list, err := s.store.Log(ctx, i.Key, in.After+1, last)
			if last < i.Revision {
				p.Next = last
			}
			p.Items = append(p.Items, list...)
			return answer(p, err)
		})
}

// state opens a context and reads the state at an address.
func (s *Server) state(ctx context.Context, in *at) (*pact.Context, *pact.Snapshot, pact.Address, error) {
	c, err := s.read(ctx, in.Name, view.Bytes)
	if err != nil {
		return nil, nil, "", err
	}
	address, err := c.context.ParseAddress(in.At)
	if err != nil {
		return nil, nil, address, err
	}
	snapshot, err := c.stateAt(ctx, address)
	return c.context, snapshot, address, err
}

// placed gives an error of a selector that has a token but no offset the place of that
// token, if the text has it once.
func placed(err error, text string) error {
	var f *fault.Error
	if errors.As(err, &f) && f.Offset == fault.NoOffset && f.Token != "" && strings.Count(text, f.Token) == 1 {
		at := *f
		at.Offset = strings.Index(text, f.Token)
		return &at
	}
	return err
}

// attempt describes the form of history.Attempt in JSON (03 §6.2).
type attempt struct {
	ID       string  `json:"attempt_id"`
	Cycle    int64   `json:"cycle_id"`
	Status   string  `json:"status" enum:"running,completed,canceled,error"`
	Started  string  `json:"started_at"`
	Ended    *string `json:"ended_at" nullable:"true"`
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	Params   string  `json:"params_hash"`
	TokenIn  *int64  `json:"token_in" nullable:"true"`
	TokenOut *int64  `json:"token_out" nullable:"true"`
	Error    string  `json:"error,omitempty"`
	Thread   string  `json:"thread_hash"`
}
