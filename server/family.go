package server

import (
	"context"
	"sync"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// family is a context with those that it comes from and those that come from it.
type family struct {
	Items []contextInfo `json:"items" nullable:"false" doc:"By name, each with forked_from and begun_by"`
}

// families adds the operation that links contexts.
func (s *Server) families() {
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/family", id: "get-family",
		summary: "List the context with its forks, its sub-agents and those that it comes from, and theirs"},
		func(ctx context.Context, in *named) (*answered[*family], error) {
			if _, err := s.store.Find(ctx, in.Name); err != nil {
				return nil, err
			}
			all, err := pact.List(ctx, s.store)
			if err != nil {
				return nil, err
			}
			return answer(s.family(ctx, in.Name, all))
		})
}

// family follows the links from a context; all are the contexts that the token may see.
func (s *Server) family(ctx context.Context, name string, all []store.Info) (*family, error) {
	rows := make(map[string]*contextInfo, len(all))
	links := map[string][]string{}
	for _, i := range all {
		about := infoOf(i)
		about.Forked = forkedFromOf(i, all)
		var err error
		if about.Begun, err = s.beginning(ctx, i); err != nil {
			return nil, err
		}
		rows[i.Name] = &about
		for _, from := range about.parents() {
			links[i.Name], links[from] = append(links[i.Name], from), append(links[from], i.Name)
		}
	}
	related, wave := map[string]bool{name: true}, []string{name}
	for len(wave) > 0 {
		var next []string
		for _, from := range wave {
			for _, to := range links[from] {
				if rows[to] != nil && !related[to] {
					related[to] = true
					next = append(next, to)
				}
			}
		}
		wave = next
	}
	f := &family{Items: []contextInfo{}}
	for _, i := range all {
		if !related[i.Name] {
			continue
		}
		about := rows[i.Name]
		if about.Begun != nil {
			var err error
			if about.Begun, err = s.begunBy(ctx, i, all); err != nil {
				return nil, err
			}
		}
		f.Items = append(f.Items, *about)
	}
	return f, nil
}

// parents returns the names of the contexts that a context comes from.
func (i *contextInfo) parents() (names []string) {
	if i.Forked != nil && i.Forked.Name != "" {
		names = append(names, i.Forked.Name)
	}
	if i.Begun != nil {
		names = append(names, i.Begun.Context)
	}
	return names
}

// beginnings remembers what began each context, which never changes.
type beginnings struct {
	mu    sync.Mutex
	known map[store.Key]begunBy
}

// beginning says what began a context, nil if nothing did. Cost: opening the context, once.
func (s *Server) beginning(ctx context.Context, i store.Info) (*begunBy, error) {
	s.begun.mu.Lock()
	by, ok := s.begun.known[i.Key]
	s.begun.mu.Unlock()
	if !ok {
		o := s.open()
		c, err := pact.Open(ctx, s.store, i.Name, &o)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil { // a damaged context must not hide the others
			by.Context, by.Node = record.BegunBy(c.Working())
			s.begun.mu.Lock()
			if s.begun.known == nil {
				s.begun.known = map[store.Key]begunBy{}
			}
			s.begun.known[i.Key] = by
			s.begun.mu.Unlock()
		}
	}
	if by.Context == "" {
		return nil, nil
	}
	return &by, nil
}
