package server

import (
	"context"
	"errors"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
)

// stateAddress is a state of a context.
type stateAddress struct {
	Name string `path:"name" doc:"Name of the context; a / in it is written %2F"`
	At   string `query:"at" default:"latest" doc:"Address of the state: @t0, @t-1, @c12, latest or working"`
}

// query is a selector and the context that it asks.
type query struct {
	Name      string   `path:"name" doc:"Name of the context; a / in it is written %2F"`
	Q         string   `query:"q" required:"true" doc:"The selector"`
	Edition   string   `query:"edition" doc:"Edition of the selector; that of the context by default"`
	Normal    bool     `query:"normal" doc:"Find nothing: only write q in its normal form, or say what is wrong with it while a user writes it"`
	Explain   bool     `query:"explain" doc:"Find nothing: only say how the selector is evaluated and what that costs"`
	Where     string   `query:"where" doc:"A second selector: only nodes that it finds too, and nodes below these"`
	Skip      int      `query:"skip" minimum:"0" doc:"Leaves out this many nodes at the beginning"`
	Limit     int      `query:"limit" minimum:"0" doc:"At most this many nodes, 0 for all"`
	Snapshots int      `query:"max_snapshots" minimum:"0" doc:"Of a range only this many of the newest snapshots; 0 for all"`
	Changes   int      `query:"max_changes" minimum:"-1" default:"-1" doc:"Of a range only this many changes of each step; -1 for all"`
	Mode      string   `query:"content_mode" enum:"unified,jsonpatch,tokens" doc:"Of a range also show how contents changed"`
	Headers   []string `query:"materialize" doc:"Of a range show the values of these headers: content, mime, encoding, content_hash"`
}

// options returns the options of a query of a context. @* of a recorded run finds the last
// answer too.
func (in *query) options(ctx context.Context, c *pact.Context) (*pact.SelectOptions, error) {
	tail, err := record.TailOf(ctx, c)
	return &pact.SelectOptions{Edition: selector.Edition(in.Edition), Where: in.Where, Skip: in.Skip, Limit: in.Limit,
		Working: tail != record.NoTail}, err
}

// rangeOptions returns the options of a query over a range of snapshots.
func (in *query) rangeOptions() *diff.RangeOptions {
	o := &diff.RangeOptions{Edition: selector.Edition(in.Edition), Materialize: in.Headers,
		IncludeContent: in.Mode != "", ContentMode: diff.Mode(in.Mode)}
	if in.Snapshots != 0 {
		o.MaxSnapshots = &in.Snapshots
	}
	if in.Changes >= 0 { // -1 stands for all
		o.MaxChangesPerSnapshot = &in.Changes
	}
	return o
}

// found is what a selector finds, or what is said of it instead.
type found struct {
	IDs         []string                    `json:"ids" nullable:"false" doc:"Empty for a range, and where nothing was to be found"`
	Warnings    []string                    `json:"warnings,omitempty" nullable:"false" doc:"What means nothing in the selector and is ignored"`
	Range       *diff.RangeDiffLatestResult `json:"range,omitempty" doc:"Of a range of snapshots: how the nodes changed from one to the next"`
	Normal      string                      `json:"normal,omitempty" doc:"With normal: the selector in its normal form"`
	Error       *failure                    `json:"error,omitempty" doc:"With normal: what is wrong with the text, as select would refuse it"`
	Explanation *inspect.Explanation        `json:"explanation,omitempty" doc:"With explain: how it is evaluated"`
}

type attempts struct {
	Items    []history.Attempt `json:"items" nullable:"false"`
	Forms    []threadForm      `json:"forms" nullable:"false" doc:"In which get-thread returns what each of these calls was sent"`
	Recorded []string          `json:"recorded,omitempty" doc:"Ids of those whose request was recorded, which get-thread also returns as verbatim"`
	Next     int               `json:"next,omitempty" doc:"Value of after for the next page; absent on the last page"`
}

type logPage struct {
	Items []history.Entry `json:"items" nullable:"false"`
	Next  int64           `json:"next,omitempty" doc:"Value of after for the next page; absent on the last page"`
}

// questions adds the operation that asks selectors.
func (s *Server) questions() {
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/select", id: "select",
		summary: "Find nodes with a selector; of a range of snapshots say how they changed"},
		func(ctx context.Context, in *query) (*answered[*found], error) {
			c, err := s.readContext(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			edition := c.Info().Edition
			if in.Edition != "" {
				if edition, err = selector.ParseEdition(in.Edition); err != nil {
					return nil, err
				}
			}
			q, err := selector.Parse(in.Q, edition)
			switch {
			case err != nil && in.Normal: // browsers log a refusal as an error, and most texts are unfinished
				return answer(&found{IDs: []string{}, Error: failureOf(locateFault(err, in.Q))}, nil)
			case err != nil:
				return nil, locateFault(err, in.Q)
			case in.Normal:
				return answer(&found{IDs: []string{}, Normal: q.String()}, nil)
			}
			list, err := in.run(ctx, c, q)
			return answer(list, locateFault(err, in.Q))
		})
}

// run asks a context what a selector finds.
func (in *query) run(ctx context.Context, c *pact.Context, q *selector.Selector) (f *found, err error) {
	f = &found{IDs: []string{}, Warnings: q.Warnings()}
	mode, controlled := q.Control(selector.ControlMode)
	if q.Time != nil && q.Time.Kind == selector.Range && !(controlled && mode.Word != "reduce") {
		if in.Where != "" || in.Skip+in.Limit > 0 {
			return nil, fault.New(fault.DocumentInvalid, "where, skip and limit apply to ids, and a range of snapshots gives changes",
				"leave them out, or write max_snapshots and max_changes")
		}
		if !in.Explain {
			f.Range, err = c.RangeDiffLatest(ctx, in.Q, in.rangeOptions())
			return f, err
		}
	}
	o, err := in.options(ctx, c)
	if err != nil {
		return nil, err
	}
	if in.Explain {
		f.Explanation, err = c.Explain(ctx, in.Q, o)
		return f, err
	}
	hits, err := c.Find(ctx, in.Q, o)
	for _, h := range hits {
		f.IDs = append(f.IDs, h.Node.ID)
	}
	return f, err
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
			p := attempts{Items: append([]history.Attempt{}, list[min(in.After, len(list)):]...), Forms: threadForms}
			if len(p.Items) > in.Limit {
				p.Items, p.Next = p.Items[:in.Limit], in.After+in.Limit
			}
			for _, a := range p.Items {
				if a.Request != "" {
					p.Recorded = append(p.Recorded, a.ID)
				}
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
			list, err := engine.Of(s.store).Log(ctx, i.Key, in.After+1, last)
			if last < i.Revision {
				p.Next = last
			}
			p.Items = append(p.Items, list...)
			return answer(p, err)
		})
}

// snapshotAt opens a context and reads the state at an address.
func (s *Server) snapshotAt(ctx context.Context, name, at string) (*pact.Context, *pact.Snapshot, error) {
	c, err := s.read(ctx, name, view.Bytes)
	if err != nil {
		return nil, nil, err
	}
	snapshot, err := c.at(ctx, at)
	return c.context, snapshot, err
}

// otherSnapshot reads the state at an address, of c or of the context that the address names.
func (s *Server) otherSnapshot(ctx context.Context, c *openContext, text string) (*pact.Snapshot, error) {
	name, address := view.SplitAddress(text)
	if name == "" {
		return c.at(ctx, address)
	}
	_, snapshot, err := s.snapshotAt(ctx, name, address)
	return snapshot, err
}

// locateFault gives an error of a selector that has a token but no offset the place of that
// token, if the text has it once.
func locateFault(err error, text string) error {
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
