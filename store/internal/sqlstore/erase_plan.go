package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// version is a row of node_version after the erasure.
type version struct {
	branch, birth, nid int64
	id                 string
	headers            any
	content            any // number of the row of its content, nil for none
	body               []byte
	size, hash, proof  any
}

// planVersions plans the rows of a branch that the erasure changes. The rows that the branch
// shares with its origin come first.
func (x *erasure) planVersions(b *branch) error {
	if origin := x.byKey[b.Origin.Key]; origin != nil {
		n := sort.Search(len(origin.rows), func(i int) bool { return origin.rows[i].birth > b.Origin.Cycle })
		b.rows = origin.rows[:n:n]
	}
	if len(x.ids) == 0 {
		return nil
	}
	list, err := x.versionsOf(b)
	for _, values := range list {
		if err != nil {
			break
		}
		err = x.planVersion(b, values)
	}
	return err
}

// planVersion plans one row. A row that did not match its proof before does not
// match it afterwards: an erasure hides no damage.
func (x *erasure) planVersion(b *branch, values []any) error {
	var n tree.Node
	n.ID, _ = values[colID].(string)
	n.Type, _ = values[colType].(string)
	iso, _ := values[colISO].(string)
	headers, _ := values[colHeaders].(string)
	var body []byte
	if values[colContent] != nil {
		birth, _ := values[colBirth].(int64)
		nid, _ := values[colNID].(int64)
		v, _, err := x.store.body(x.ctx, nil, int64(b.Key), birth, nid)
		if err != nil {
			return err
		}
		body = []byte(v)
	}
	was, err := nodeOf(n, iso, headers, body)
	if err != nil {
		return err
	}
	text, _ := canon.Value(body).Text()
	if err := x.Admit(was, text); err != nil {
		return err
	}
	is, err := was.Erase(x.ctx, x.Salt)
	if err != nil || is == was {
		return err
	}
	proof, proven := values[colProof].(int64)
	held := proof == rowProof(values[:colProof])
	values[colISO], values[colHeaders] = nil, headersText(is.Headers)
	v := version{branch: int64(b.Key), id: n.ID, content: values[colContent]}
	if v.content != nil {
		left, _ := is.Content.Value(x.ctx)
		v.body = []byte(left)
		values[colSize], values[colHash] = int64(len(v.body)), is.Hash[:]
	}
	if proven {
		proof = rowProof(values[:colProof])
		if !held {
			proof ^= 1
		}
		values[colProof] = proof
	}
	v.birth, _ = values[colBirth].(int64)
	v.nid, _ = values[colNID].(int64)
	v.headers, v.size, v.hash, v.proof = values[colHeaders], values[colSize], values[colHash], values[colProof]
	x.rows, b.rows = append(x.rows, v), append(b.rows, v)
	return nil
}

// firstChange returns the first cycle of a branch whose snapshot changes, or afterAll.
func (b *branch) firstChange() int64 {
	if len(b.rows) == 0 {
		return afterAll
	}
	return b.rows[0].birth
}

// digestTrees walks the trees of the family and computes their digests before and
// after the erasure.
func (x *erasure) digestTrees() error {
	for _, b := range x.family {
		b.needsWalk = false
	}
	for _, b := range slices.Backward(x.family) {
		x.all += b.states()
		b.needsWalk = b.needsWalk || b.firstChange() < afterAll || len(x.Texts) > 0 && len(b.attemptCycles) > 0
		if origin := x.byKey[b.Origin.Key]; origin != nil && b.needsWalk {
			origin.needsWalk = true
		}
	}
	at := map[*branch]*store.Rewriter{}
	for _, b := range x.family {
		if b.digests = map[int64]digestPair{}; !b.needsWalk {
			x.progress(b.states())
		}
	}
	return x.walk(x.firstWalked(), func(b *branch, t *tree.Tree, working bool) error {
		w := at[b]
		if w == nil && b.Origin.Key == 0 {
			w = &store.Rewriter{Gap: func(ctx context.Context, n *tree.Node) (*tree.Node, error) {
				if !x.ids[n.ID] {
					return n, nil
				}
				return n.Erase(ctx, x.Salt)
			}}
		} else if w == nil { // a fork begins with the tree that its origin is at
			w = &store.Rewriter{}
			*w = *at[x.byKey[b.Origin.Key]]
		}
		at[b] = w
		x.progress(1)
		if w.Old != t {
			if err := cmp.Or(x.ctx.Err(), w.Next(x.ctx, t)); err != nil {
				return err
			}
		}
		return x.recordDigests(b, w, working)
	})
}

// firstWalked returns the first cycle of the first branch whose digest the erasure needs.
// Earlier snapshots do not change, but the record of an attempt may need any of them.
func (x *erasure) firstWalked() int64 {
	from := x.family[0].Cycle
	for _, b := range x.family {
		if len(b.attemptCycles) > 0 {
			return beforeAll
		}
		if !b.needsWalk {
			continue
		}
		from = min(from, b.firstChange())
		if b.Origin.Key == x.family[0].Key {
			from = min(from, b.Origin.Cycle)
		}
	}
	return from
}

// recordDigests records the digests of a tree before and after the erasure.
func (x *erasure) recordDigests(b *branch, w *store.Rewriter, working bool) (err error) {
	s := digestPair{digest: w.Old.Digest(), newDigest: w.New.Digest()}
	if working {
		b.working = s
		return nil
	}
	s.thread, s.newThread = w.Old.ThreadDigest(), w.New.ThreadDigest()
	if b.attemptCycles[w.Old.Cycle()] && s.thread == s.newThread {
		s.hash, err = store.ThreadHash(x.ctx, w.Old)
	}
	b.digests[w.Old.Cycle()] = s
	return err
}

// states returns how many trees a branch has of its own, including its first one and the
// working state.
func (b *branch) states() int { return int(b.Cycle-max(b.Origin.Cycle, b.First-1)) + 2 }

func (x *erasure) progress(more int) {
	if x.Progress != nil {
		x.done += more
		x.Progress(min(x.done, x.all), x.all)
	}
}
