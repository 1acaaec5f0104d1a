package server

import (
	"cmp"
	"context"
	"regexp"
	"sort"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// occurrence is a block with a text, and the calls in which it stands there.
type occurrence struct {
	ID    string `json:"id"`
	Kind  string `json:"shown_kind,omitempty" doc:"Its kind in lists and pictures"`
	Role  string `json:"role,omitempty"`
	First int64  `json:"first" doc:"The first call that had the text in this block"`
	Last  int64  `json:"last" doc:"The last one"`
	State string `json:"state,omitempty" enum:"unsent,unanswered,working" doc:"That no finished call has it: an answer that is not sent yet, a request without an answer, or an edit"`
	Count int    `json:"count" doc:"How many lines have the text"`
	Line  string `json:"line" doc:"The first of them, or the part of a long line around the text"`
}

// occurrences are the hits of a search of all calls of a context.
type occurrences struct {
	Context string       `json:"context"`
	Items   []occurrence `json:"items" nullable:"false" doc:"In the order in which they came"`
	Total   int          `json:"total" doc:"How many there are, also if there are more than items"`
}

// unsearched is a context that could not be read.
type unsearched struct {
	Context string `json:"context"`
	Error   string `json:"error"`
}

// matchPage is a page of hits of a search of all contexts.
type matchPage struct {
	Failed []unsearched  `json:"failed,omitempty" doc:"Contexts that could not be searched, and why"`
	Items  []occurrences `json:"items" nullable:"false" doc:"The contexts that have the text, or the one that was searched"`
	Next   string        `json:"next,omitempty" doc:"Value of after for the next page; absent on the last page"`
}

// grepQuery is a text, and where to look for it.
type grepQuery struct {
	Q       string `query:"q" required:"true" minLength:"1" maxLength:"1000" doc:"The text; upper and lower case are the same"`
	RE      bool   `query:"regexp" doc:"q is a regular expression as in Go (RE2), in which upper and lower case differ"`
	Context string `query:"context" doc:"Name of the one context to search; all by default"`
	From    string `query:"from" default:"@t-*" doc:"Of one context the address of the first snapshot; the oldest by default"`
	To      string `query:"to" default:"latest" doc:"Of one context the address of the last snapshot, or working"`
	After   string `query:"after" doc:"Only contexts whose name comes after this one, in the order of bytes"`
	Limit   int    `query:"limit" minimum:"0" maximum:"10000" doc:"At most this many blocks of each context, 100 in a search of all; 0 for 1000 of one and 3 of each of all"`
}

// check refuses what means nothing in the contexts that are to be searched.
func (in *grepQuery) check() error {
	const most = 100
	switch {
	case in.Context != "" && in.After != "":
		return fault.At(fault.DocumentInvalid, fault.NoOffset, "after", "after is for a search of all contexts", "leave it out, or context")
	case in.Context == "" && (in.From != "@t-*" || in.To != "latest"):
		return fault.At(fault.DocumentInvalid, fault.NoOffset, "from", "from and to are snapshots of one context",
			"name it as context, or leave them out")
	case in.Context == "" && in.Limit > most:
		return fault.At(fault.DocumentInvalid, fault.NoOffset, "limit", "limit is at most 100 in a search of all contexts",
			"lower it, or name one context")
	}
	return nil
}

// searches adds the operation that looks for a text in calls.
func (s *Server) searches() {
	add(s, operation{method: "GET", path: "/v1/grep", id: "grep", named: true,
		summary: "Find the blocks of all calls whose content has a text, also those that are gone; in one context or all"},
		func(ctx context.Context, in *grepQuery) (*answered[*matchPage], error) {
			pattern, err := view.Pattern(in.Q, !in.RE, !in.RE)
			if err != nil {
				return nil, err
			}
			if err := in.check(); err != nil {
				return nil, err
			}
			if in.Context == "" {
				return answer(s.searchAll(ctx, in.After, pattern, cmp.Or(in.Limit, 3)))
			}
			found, err := s.search(ctx, in.Context, in.From, in.To, pattern, cmp.Or(in.Limit, 1000))
			if err != nil {
				return nil, err
			}
			return answer(&matchPage{Items: []occurrences{*found}}, nil)
		})
}

// searchAll looks for a pattern in the contexts whose names come after one. A page ends with the context in which it
// has searched so many calls.
func (s *Server) searchAll(ctx context.Context, after string, pattern *regexp.Regexp, limit int) (*matchPage, error) {
	const cyclesOfPage = 5000
	all, err := pact.List(ctx, s.store)
	if err != nil {
		return nil, err
	}
	p, cycles := &matchPage{Items: []occurrences{}}, int64(0)
	for i := sort.Search(len(all), func(i int) bool { return all[i].Name > after }); i < len(all); i++ {
		if cycles >= cyclesOfPage {
			p.Next = all[i-1].Name
			break
		}
		cycles += max(1, all[i].Cycle-all[i].First+1)
		found, err := s.search(ctx, all[i].Name, "@t-*", "latest", pattern, limit)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch {
		case err != nil: // a damaged context must not hide the others
			p.Failed = append(p.Failed, unsearched{all[i].Name, err.Error()})
		case found.Total > 0:
			p.Items = append(p.Items, *found)
		}
	}
	return p, nil
}

// search looks for a pattern in the calls of a context between two addresses.
func (s *Server) search(ctx context.Context, name, from, to string, pattern *regexp.Regexp, limit int) (*occurrences,
	error) {
	c, err := s.readContext(ctx, name)
	if err != nil {
		return nil, err
	}
	found := &occurrences{Context: name, Items: []occurrence{}}
	begin, end, err := ends(c, from, to)
	if err != nil {
		return nil, err
	}
	working := ""
	if end == "latest" || end == "working" {
		tail, err := record.TailOf(ctx, c)
		if err != nil {
			return nil, err
		}
		if working = string(tail); end == "working" {
			end, working = "latest", cmp.Or(working, "working")
		}
	}
	list, err := view.Grep(ctx, c, begin, end, working, pattern, func(int64) {})
	if err != nil {
		return nil, err
	}
	found.Total = len(list)
	for _, o := range list[:min(len(list), limit)] {
		m := o.Matches[0]
		found.Items = append(found.Items, occurrence{ID: o.ID, Kind: o.Shown.String(), Role: o.Role, First: o.First,
			Last: o.Last, State: o.State, Count: len(o.Matches), Line: view.Part(m.Text, m.Start, m.End-m.Start)})
	}
	return found, nil
}
