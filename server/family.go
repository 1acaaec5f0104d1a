package server

import (
	"context"

	"github.com/contexttree/pact"
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
			return answer(familyOf(in.Name, all), nil)
		})
}

// familyOf follows the links from a context; all are the contexts that the token may see.
func familyOf(name string, all []store.Info) *family {
	k := known(all)
	rows := make(map[string]*contextInfo, len(all))
	links := map[string][]string{}
	for _, i := range all {
		about := infoOf(i)
		about.Forked, about.Begun = k.forkedFrom(i), k.begunBy(i)
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
		if related[i.Name] {
			f.Items = append(f.Items, *rows[i.Name])
		}
	}
	return f
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
