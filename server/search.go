package server

import (
	"context"
	"regexp"
	"sort"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// occurrence is a block with a text, and the calls in which it stands there.
type occurrence struct {
	Node  string `json:"node"`
	Kind  string `json:"kind,omitempty"`
	Role  string `json:"role,omitempty"`
	First int64  `json:"first" doc:"The first call that had the text in this block"`
	Last  int64  `json:"last" doc:"The last one"`
	State string `json:"state,omitempty" enum:"unsent,unanswered" doc:"That no finished call has it: an answer that is not sent yet, or a request without an answer"`
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
	Items  []occurrences `json:"items" nullable:"false" doc:"The contexts that have the text"`
	Next   string        `json:"next,omitempty" doc:"Value of after for the next page; absent on the last page"`
}

// searches adds the operations that look for a text in calls and in contexts.
func (s *Server) searches() {
	type inCalls struct {
		Name  string `path:"name" doc:"Name of the context; a / in it is written %2F"`
		Q     string `query:"q" required:"true" minLength:"1" maxLength:"1000" doc:"The text; upper and lower case are the same"`
		RE    bool   `query:"regexp" doc:"q is a regular expression as in Go (RE2), in which upper and lower case differ"`
		From  string `query:"from" default:"@t-*" doc:"Address of the first snapshot; the oldest by default"`
		To    string `query:"to" default:"latest" doc:"Address of the last snapshot"`
		Limit int    `query:"limit" minimum:"1" maximum:"10000" default:"1000" doc:"At most this many blocks"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/search", id: "search-calls",
		summary: "Find the blocks of all calls whose content has a text, also those that are gone"},
		func(ctx context.Context, in *inCalls) (*answered[*occurrences], error) {
			pattern, err := view.Pattern(in.Q, !in.RE, !in.RE)
			if err != nil {
				return nil, err
			}
			return answer(s.search(ctx, in.Name, in.From, in.To, pattern, in.Limit))
		})
	type inContexts struct {
		Q     string `query:"q" required:"true" minLength:"1" maxLength:"1000" doc:"The text; upper and lower case are the same"`
		RE    bool   `query:"regexp" doc:"q is a regular expression as in Go (RE2), in which upper and lower case differ"`
		After string `query:"after" doc:"Only contexts whose name comes after this one, in the order of bytes"`
		Limit int    `query:"limit" minimum:"1" maximum:"100" default:"3" doc:"At most this many blocks of each context"`
	}
	const cyclesOfPage = 5000 // a page ends with the context in which it has searched so many calls
	add(s, operation{method: "GET", path: "/v1/search", id: "search-contexts",
		summary: "Find the contexts that have a text in any call"},
		func(ctx context.Context, in *inContexts) (*answered[*matchPage], error) {
			pattern, err := view.Pattern(in.Q, !in.RE, !in.RE)
			if err != nil {
				return nil, err
			}
			all, err := pact.List(ctx, s.store)
			if err != nil {
				return nil, err
			}
			p, cycles := &matchPage{Items: []occurrences{}}, int64(0)
			for i := sort.Search(len(all), func(i int) bool { return all[i].Name > in.After }); i < len(all); i++ {
				if cycles >= cyclesOfPage {
					p.Next = all[i-1].Name
					break
				}
				cycles += max(1, all[i].Cycle-all[i].First+1)
				found, err := s.search(ctx, all[i].Name, "@t-*", "latest", pattern, in.Limit)
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
			return answer(p, nil)
		})
}

// search looks for a pattern in the calls of a context between two addresses.
func (s *Server) search(ctx context.Context, name, from, to string, pattern *regexp.Regexp, limit int) (*occurrences,
	error) {
	c, err := s.readContext(ctx, name)
	if err != nil {
		return nil, err
	}
	found := &occurrences{Context: name, Items: []occurrence{}}
	first, _ := c.Cycles()
	begin, end, err := ends(c, first, from, to)
	if err != nil {
		return nil, err
	}
	tail := record.NoTail
	if end == pact.Latest() {
		if tail, err = record.TailOf(ctx, c); err != nil {
			return nil, err
		}
	}
	list, err := view.Grep(ctx, c, begin, end, string(tail), pattern, func(int64) {})
	if err != nil {
		return nil, err
	}
	found.Total = len(list)
	for _, o := range list[:min(len(list), limit)] {
		m := o.Matches[0]
		found.Items = append(found.Items, occurrence{Node: o.ID, Kind: o.Shown.String(), Role: o.Role, First: o.First,
			Last: o.Last, State: o.State, Count: len(o.Matches), Line: view.Part(m.Text, m.Start, m.End-m.Start)})
	}
	return found, nil
}
