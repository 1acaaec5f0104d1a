package lifecycle_test

import (
	"slices"

	"github.com/contexttree/pact/lifecycle"
)

// orphans are the calls without a result behind them and the results without a
// call before them that are news: they or their other half were changed or taken since the last
// snapshot.
func (r *run) orphans(before bag) []string {
	if before == nil {
		return nil
	}
	same := func(id string) bool {
		return before[id] != nil && r.bag[id] != nil && before[id].print == r.bag[id].print
	}
	return r.list(func(i *item) bool {
		if i.kind != "call" && i.kind != "result" || r.answered(i) {
			return false
		}
		news := !same(i.id)
		if before[i.id] != nil {
			for _, half := range before.pairs(i.id) {
				news = news || !same(half)
			}
		}
		return news
	})
}

// answered: a result stands behind the call, or a call before the result.
func (r *run) answered(i *item) bool {
	return slices.ContainsFunc(r.pairs(i.id), func(id string) bool {
		return (r.bag[id].order > i.order) == (i.kind == "call")
	})
}

// mend deals with orphans. It returns those that were kept or dropped, and the
// one that the commit is refused for.
func (r *run) mend(in lifecycle.Input, before bag) (said map[string]bool, refused string) {
	said = map[string]bool{}
	for {
		lone := r.orphans(before)
		set := map[string]bool{}
		for _, id := range lone {
			set[id] = true
			said[id] = true
		}
		switch {
		case len(lone) == 0 || in.Policy.Orphans == lifecycle.Keep:
			return said, ""
		case in.Policy.Orphans != lifecycle.Drop:
			return nil, lone[0]
		}
		for _, id := range lone {
			held := r.bag[id].pinned || r.retained[id] || before[id] != nil && r.inCore(id)
			for _, from := range r.referrers(id) {
				held = held || !set[from]
			}
			if held {
				return nil, id
			}
		}
		r.take(set, "orphan")
		r.cascade()
	}
}
