package commit_test

import (
	"slices"

	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/lifecycle"
)

// orphans are the calls without a result behind them and the results without a
// call before them that are news: they or their other half were changed or taken since the last
// snapshot.
func (r *model) orphans(before modelTree) []string {
	if before == nil {
		return nil
	}
	same := func(id string) bool {
		return before[id] != nil && r.modelTree[id] != nil && before[id].print == r.modelTree[id].print
	}
	return r.list(func(i *modelNode) bool {
		if i.class != "block" || i.kind != "call" && i.kind != "result" || r.answered(i) || r.lapsed[i.id] {
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
func (r *model) answered(i *modelNode) bool {
	return slices.ContainsFunc(r.pairs(i.id), func(id string) bool {
		return (r.modelTree[id].order > i.order) == (i.kind == "call")
	})
}

// mend deals with orphans. It returns those that were kept or dropped, and the
// one that the commit is refused for.
func (r *model) mend(in commit.Input, before modelTree) (said map[string]bool, refused string) {
	said = map[string]bool{}
	for {
		lone := r.orphans(before)
		set := map[string]bool{}
		for _, id := range lone {
			set[id] = true
			said[id] = true
		}
		switch {
		case len(lone) == 0 || in.Policy.Orphans == "" || in.Policy.Orphans == lifecycle.Keep:
			return said, ""
		case in.Policy.Orphans != lifecycle.Drop:
			for _, id := range lone {
				if !r.answersNobody(before, id) {
					return nil, id
				}
			}
			return said, ""
		}
		for _, id := range lone {
			held := r.modelTree[id].pinned || r.retained[id] || before.settled(id) && r.inCore(id)
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

// answersNobody: a result that no call was ever for, as the documents print them.
func (r *model) answersNobody(before modelTree, id string) bool {
	is := r.modelTree[id].kind == "result" && len(r.pairs(id)) == 0 && (before[id] == nil || len(before.pairs(id)) == 0)
	for _, to := range r.modelTree[id].refs {
		is = is && r.modelTree[to] != nil
	}
	return is
}

// lapse drops the calls and results that were answered before expiry and are not
// any more, and those that this leaves alone, until nothing changes. What has to stay
// stays, and is let be by all that follows.
func (r *model) lapse(in commit.Input, working, before modelTree) (held []string) {
	r.lapsed = map[string]bool{}
	full := &model{modelTree: working}
	if before == nil || len(r.modelTree) == len(working) {
		return nil
	}
	for {
		lone := r.list(func(i *modelNode) bool {
			was := i.class == "block" && (i.kind == "call" || i.kind == "result") && full.answered(working[i.id])
			return was && !r.answered(i) && !r.lapsed[i.id]
		})
		for _, id := range lone {
			r.lapsed[id] = true
		}
		if len(lone) == 0 || in.Policy.Orphans == "" || in.Policy.Orphans == lifecycle.Keep {
			return held
		}
		fixed := map[string]bool{}
		for _, id := range lone {
			fixed[id] = r.retained[id] || r.modelTree[id].pinned || before.settled(id) && r.inCore(id)
		}
		gone := r.largest(lone, fixed)
		for _, id := range lone {
			if !gone[id] {
				held = append(held, id)
			}
		}
		r.take(gone, "orphan")
		r.cascade()
	}
}

// settled: a snapshot has it, and not in ^ah, where nothing was sealed yet.
func (b modelTree) settled(id string) bool {
	return b[id] != nil && (b[id].class == "^ah" || b.region(id) != "^ah")
}
