package server

import (
	"context"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/view"
)

// family lists a context with its forks, its sub-agents and those that it comes from, and theirs.
func (s *Server) family(ctx context.Context, name string) (contextPage, error) {
	if _, err := s.store.Find(ctx, name); err != nil {
		return contextPage{}, err
	}
	all, err := pact.List(ctx, s.store)
	if err != nil {
		return contextPage{}, err
	}
	p := contextPage{Items: familyOf(name, all)}
	for i := range p.Items {
		if err := s.complete(ctx, p.Items[i].Begun, all); err != nil {
			return p, err
		}
	}
	return p, nil
}

// familyOf follows the links from a context; all are the contexts that the token may see.
func familyOf(name string, all []history.Info) []contextInfo {
	k := linksOf(all)
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
	list := []contextInfo{}
	for _, i := range all {
		if related[i.Name] {
			list = append(list, *rows[i.Name])
		}
	}
	return list
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

// complete looks up the first call that had the block which began a sub-agent, if the id does not tell
// the call. Cost: that of the life of the block.
func (s *Server) complete(ctx context.Context, by *begunBy, all []history.Info) error {
	if by == nil || by.Node == "" || by.Cycle != 0 ||
		!slices.ContainsFunc(all, func(i history.Info) bool { return i.Name == by.Context }) {
		return nil
	}
	parent, err := s.read(ctx, by.Context, view.Bytes)
	if err != nil {
		return err
	}
	life, err := parent.context.Timeline(ctx, by.Node)
	switch {
	case fault.CodeOf(err) == fault.NodeNotFound: // it was erased
		return nil
	case err == nil && life.First != nil:
		by.Cycle = *life.First
	}
	return err
}
