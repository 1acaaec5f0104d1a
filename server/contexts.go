package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"sort"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/selector"
)

// named is the name of a context in a path.
type named struct {
	Name string `path:"name" doc:"Name of the context; a / in it is written %2F"`
}

// answered is an answer without headers.
type answered[T any] struct{ Body T }

// revised is an answer about a context with the tag of its revision, for If-Match of an edit.
type revised[T any] struct {
	ETag string `header:"ETag"`
	Body T
}

func answer[T any](v T, err error) (*answered[T], error) {
	if err != nil {
		return nil, err
	}
	return &answered[T]{v}, nil
}

// contextInfo describes a context in a list: the columns of its row in the store.
type contextInfo struct {
	Name      string             `json:"name"`
	Edition   string             `json:"edition" doc:"Edition of its selectors"`
	First     int64              `json:"first_cycle" doc:"Cycle of the oldest snapshot"`
	Last      int64              `json:"last_cycle" doc:"Cycle of the latest snapshot; below first_cycle if there is none"`
	Cycles    int64              `json:"cycles" doc:"Number of snapshots"`
	Revision  int64              `json:"revision" doc:"Number of the latest log entry"`
	Selectors []inspect.Migrated `json:"selectors,omitempty" doc:"Of a copy in another edition: what became of those of the rules that it keeps"`
	Aside     int                `json:"aside,omitempty" doc:"Of a list: how many contexts aside of its conversation are left out"`
	State     *digested          `json:"state,omitempty" doc:"With at: the state there"`
	Sums      *summed            `json:"sums,omitempty" doc:"With since: what those calls cost, and how many broke"`
	ContextDetails
}

// digested is a state and the digest of it.
type digested struct {
	Cycle  int64  `json:"cycle"`
	Digest string `json:"digest" doc:"Of the whole state"`
}

func infoOf(i history.Info) contextInfo {
	return contextInfo{Name: i.Name, Edition: string(i.Edition), First: i.First, Last: i.Cycle,
		Cycles: max(0, i.Cycle-i.First+1), Revision: i.Revision}
}

type contextPage struct {
	Items []contextInfo `json:"items" nullable:"false"`
	Next  string        `json:"next,omitempty" doc:"Value of after for the next page; absent on the last page"`
}

type newContext struct {
	Name    string                     `json:"name"`
	Edition string                     `json:"edition,omitempty" doc:"1.0, canonical, depth or v0.1; canonical by default. Of a copy 1.0, or by default that of the context"`
	Attrs   map[string]json.RawMessage `json:"attrs,omitempty" doc:"Custom attributes of the root"`
	Copy    string                     `json:"copy,omitempty" doc:"Name of a context whose snapshots and edits the new one has too; it shares nothing with it, so that an erasure spares it"`
	Force   bool                       `json:"force,omitempty" doc:"Copy also if a rule that is kept does not mean the same in the other edition for sure"`
}

type renaming struct {
	Name string `json:"name" doc:"The new name"`
}

// newOne is the answer about a context that was made.
type newOne struct {
	ETag     string `header:"ETag"`
	Location string `header:"Location" doc:"Where the context is found"`
	Body     contextInfo
}

// contextListing says which contexts a list has.
type contextListing struct {
	After   string `query:"after" doc:"Only contexts whose name comes after this one, in the order of bytes"`
	Limit   int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
	Details bool   `query:"details" doc:"Also say sizes, forks, cuts"`
	Family  string `query:"family" doc:"Only this context with its forks, its sub-agents and those that it comes from, and theirs, all of them, with forked_from and begun_by"`
	All     bool   `query:"all" doc:"Also list what stands aside of a conversation, such as chat/summary-1 and chat/originals; otherwise aside counts it"`
}

func (s *Server) contexts() {
	add(s, operation{method: "GET", path: "/v1/contexts", id: "list-contexts", named: true, summary: "List the contexts by name"},
		s.list)
	add(s, operation{method: "POST", path: "/v1/contexts", id: "create-context", named: true, summary: "Make a context: an empty one, or a copy of another",
		status: http.StatusCreated, body: newContext{}},
		s.create)
	type state struct {
		Name string `path:"name" doc:"Name of the context; a / in it is written %2F"`
		At   string `query:"at" doc:"Also say the cycle and the digest of the state at this address"`
		// A fork has the calls of its origin too: whoever adds up contexts begins behind them.
		Since int64 `query:"since" minimum:"1" doc:"Also sum up the calls from this cycle on"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}", id: "get-context", summary: "Say what a context has"},
		func(ctx context.Context, in *state) (*revised[contextInfo], error) {
			i, err := s.info(ctx, in.Name)
			if err == nil && in.Since > 0 {
				i.Body.Sums, err = s.sums(ctx, in.Name, in.Since)
			}
			if err != nil || in.At == "" {
				return i, err
			}
			_, snapshot, err := s.snapshotAt(ctx, in.Name, in.At)
			if err != nil {
				return nil, err
			}
			i.Body.State = &digested{snapshot.Cycle(), snapshot.Digest()}
			return i, nil
		})
	add(s, operation{method: "PATCH", path: "/v1/contexts/{name}", id: "rename-context", summary: "Rename a context",
		body: renaming{}},
		func(ctx context.Context, in *named) (*revised[contextInfo], error) {
			to, err := readJSON[renaming](ctx)
			if err != nil {
				return nil, err
			}
			if err := pact.Rename(ctx, s.store, in.Name, to.Name); err != nil {
				return nil, err
			}
			return s.info(ctx, to.Name)
		})
	add(s, operation{method: "DELETE", path: "/v1/contexts/{name}", id: "delete-context", status: http.StatusNoContent,
		summary: "Delete a context with all its snapshots; this cannot be undone"},
		func(ctx context.Context, in *named) (*empty, error) {
			return nil, pact.Delete(ctx, s.store, in.Name)
		})
	s.lines()
}

// list lists the contexts by name.
func (s *Server) list(ctx context.Context, in *contextListing) (*answered[contextPage], error) {
	if in.Family != "" {
		if in.Details || in.After != "" || in.Limit != 100 {
			return nil, fault.At(fault.DocumentInvalid, fault.NoOffset, "family", "a family is listed whole, without details",
				"leave details, after and limit out")
		}
		return answer(s.family(ctx, in.Family))
	}
	all, err := pact.List(ctx, s.store)
	if err != nil {
		return nil, err
	}
	shown, asides := all, map[string]int(nil)
	if !in.All {
		shown, asides = record.FoldAsides(all)
	}
	page := shown[sort.Search(len(shown), func(i int) bool { return shown[i].Name > in.After }):]
	p := contextPage{Items: []contextInfo{}}
	if len(page) > in.Limit {
		page = page[:in.Limit]
		p.Next = page[in.Limit-1].Name
	}
	k := linksOf(all)
	for _, info := range page {
		about := infoOf(info)
		about.Aside = asides[info.Name]
		if in.Details {
			about.ContextDetails = k.details(info)
		}
		p.Items = append(p.Items, about)
	}
	return answer(p, nil)
}

// create makes a context: an empty one, or a copy of another.
func (s *Server) create(ctx context.Context, _ *empty) (*newOne, error) {
	made, err := readJSON[newContext](ctx)
	if err != nil {
		return nil, err
	}
	if made.Copy != "" {
		return s.copied(ctx, made)
	}
	if made.Force {
		return nil, fault.At(fault.DocumentInvalid, fault.NoOffset, "force", "force is for a copy in another edition",
			"leave it out, or name the context as copy")
	}
	attrs, err := valuesOf(made.Attrs)
	if err != nil {
		return nil, err
	}
	if _, err = pact.Create(ctx, s.store, made.Name, &pact.CreateOptions{OpenOptions: s.open(),
		Edition: selector.Edition(made.Edition), Attrs: attrs}); err != nil {
		return nil, err
	}
	return s.created(ctx, made.Name)
}

// copied makes a copy of a context, in another edition if that is asked for.
func (s *Server) copied(ctx context.Context, wanted *newContext) (*newOne, error) {
	if wanted.Attrs != nil {
		return nil, fault.At(fault.DocumentInvalid, fault.NoOffset, "attrs", "a copy has the attributes of the context",
			"leave attrs out, and edit the copy")
	}
	c, err := s.context(ctx, wanted.Copy)
	if err != nil {
		return nil, err
	}
	if wanted.Edition == "" || wanted.Edition == string(c.Info().Edition) {
		if _, err := c.Copy(ctx, s.store, wanted.Name); err != nil {
			return nil, err
		}
		return s.created(ctx, wanted.Name)
	}
	_, list, err := c.Migrate(ctx, s.store, wanted.Name, selector.Edition(wanted.Edition), wanted.Force)
	if err != nil {
		return nil, err
	}
	made, err := s.created(ctx, wanted.Name)
	if err == nil {
		made.Body.Selectors = list
	}
	return made, err
}

func (s *Server) open() pact.OpenOptions {
	return pact.OpenOptions{Actor: s.options.Actor}
}

// counter returns the counter of tokens with a name.
func (s *Server) counter(name string) (pact.Counter, error) {
	if s.options.Counter == nil {
		return nil, fault.New(fault.DocumentInvalid, "this server does not count tokens", "ask without tokens")
	}
	return s.options.Counter(name)
}

// context opens a context for one request, so that the request sees what other processes
// did before.
func (s *Server) context(ctx context.Context, name string) (*pact.Context, error) {
	o := s.open()
	return pact.Open(ctx, s.store, name, &o)
}

// created answers for a new context.
func (s *Server) created(ctx context.Context, name string) (*newOne, error) {
	i, err := s.store.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	return &newOne{revisionTag(i.Revision), pathOf(name), infoOf(i)}, nil
}

// pathOf is where a context is found.
func pathOf(name string) string { return "/v1/contexts/" + url.PathEscape(name) }

// info answers with what the store knows about a context.
func (s *Server) info(ctx context.Context, name string) (*revised[contextInfo], error) {
	i, err := s.store.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	return &revised[contextInfo]{revisionTag(i.Revision), infoOf(i)}, nil
}

// revisionTag is the entity tag of a context, which every edit and commit changes.
func revisionTag(revision int64) string { return `"r` + strconv.FormatInt(revision, 10) + `"` }

// addressOr reads an address; "" is another one.
func addressOr(c *pact.Context, text string, other pact.Address) (pact.Address, error) {
	if text == "" {
		return other, nil
	}
	return pact.ParseAddress(text, c.Info().Edition)
}

// valuesOf reads JSON values with all digits of their numbers.
func valuesOf(raw map[string]json.RawMessage) (map[string]any, error) {
	if raw == nil {
		return nil, nil
	}
	values := make(map[string]any, len(raw))
	for name, text := range raw {
		v, err := canon.Parse(text)
		if err != nil {
			return nil, fault.At(fault.DocumentInvalid, fault.NoOffset, name, "the value is not JSON", "write it as JSON: a text in quotation marks")
		}
		values[name] = v
	}
	return values, nil
}
