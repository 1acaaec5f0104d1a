package store

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/contexttree/pact/tree"
)

// gap returns what is left of a node.
func (x *memoryErasure) gap(ctx context.Context, n *tree.Node) (*tree.Node, error) {
	if !x.ids[n.ID] {
		return n, nil
	}
	content, err := n.Content.Value(ctx)
	if err != nil {
		return nil, err
	}
	text, _ := content.Text()
	if err := x.Admit(n, text); err != nil {
		return nil, err
	}
	gap, err := n.Erase(ctx, x.Salt)
	if err == nil && gap != n {
		x.versions[n] = true
	}
	return gap, err
}

// rewritten is a context after the erasure.
type rewritten struct {
	*memoryContext
	snapshots []*tree.Tree
	working   *tree.Tree
	touched   bool
	since     int64 // the first cycle whose snapshot changes
	ids       map[string]bool
	versions  int
	entries   int
	digests   int
	attempts  []Attempt // of its own
	changed   []int64   // cycles of those that change
	said      int       // how many of these contain a text
	others    int       // attempts that change, shared ones included
}

func (r *rewritten) concerned() bool { return r.touched || r.entries+r.digests+r.others > 0 }

// erase works everything out first, so that a failure changes nothing.
func (x *memoryErasure) erase() (*Erased, error) {
	total, list := &Erased{}, make([]*rewritten, len(x.family))
	for i, k := range x.family {
		r, err := x.rewrite(k)
		if err != nil {
			return nil, err
		}
		list[i] = r
		total.Attempts += len(r.changed)
		total.Said += r.said
		if r.others = r.concerns(list[:i+1]); !x.deleted[k] && r.concerned() {
			total.Contexts, total.Keys = append(total.Contexts, k.info.Name), append(total.Keys, k.info.Key)
		}
		total.Entries += len(x.entries[k])
		total.Digests += len(x.stale[k])
	}
	gone := map[string]bool{}
	for n := range x.versions {
		gone[n.ID] = true
	}
	total.IDs, total.Versions = slices.Sorted(maps.Keys(gone)), len(x.versions)
	slices.Sort(total.Contexts)
	if x.DryRun {
		return total, nil
	}
	if x.Before != nil && total.Versions > 0 {
		if err := x.Before(); err != nil {
			return nil, err
		}
	}
	for _, r := range list {
		if err := x.publish(r, total); err != nil {
			return nil, err
		}
	}
	return total, nil
}

// rewrite makes the trees of a context after the erasure.
func (x *memoryErasure) rewrite(k *memoryContext) (*rewritten, error) {
	r := &rewritten{memoryContext: k, ids: map[string]bool{}, since: k.info.Stamps.Cycle}
	w := Rewriter{Gap: func(ctx context.Context, n *tree.Node) (*tree.Node, error) {
		gap, err := x.gap(ctx, n)
		if err == nil && gap != n {
			r.ids[n.ID], r.versions = true, r.versions+1
		}
		return gap, err
	}}
	for _, t := range k.states() {
		if err := w.Next(x.ctx, t); err != nil {
			return nil, err
		}
		if x.past++; x.Progress != nil {
			x.Progress(x.past, x.all)
		}
		if known := x.done[t]; known != nil {
			w.New = known
		}
		x.done[t] = w.New
		if w.New != t {
			r.touched, r.since = true, min(r.since, t.Cycle())
		}
		r.snapshots = append(r.snapshots, w.New)
	}
	r.working = r.snapshots[len(r.snapshots)-1]
	r.snapshots = r.snapshots[:len(r.snapshots)-1]
	for c, upTo := k, k.info.Revision; c != nil; c = c.origin {
		for revision := range x.entries[c] {
			if revision <= upTo {
				r.entries++
			}
		}
		for revision := range x.stale[c] {
			if revision <= upTo {
				r.digests++
			}
		}
		upTo = c.info.Origin.Revision
	}
	for _, a := range k.attempts {
		proven, err := r.shown(x.ctx, a)
		if err != nil {
			return nil, err
		}
		left, changed := a.Erase(!proven && r.sent(a.Cycle), !proven && len(x.Texts) > 0, x.finder)
		if r.attempts = append(r.attempts, left); changed {
			r.changed = append(r.changed, a.Cycle)
			if x.finder.InAttempt(&a) {
				r.said++
			}
		}
	}
	return r, nil
}

// shown reports whether an attempt sent the thread of the snapshot of its cycle, and the
// erasure leaves that thread as it is.
func (r *rewritten) shown(ctx context.Context, a Attempt) (bool, error) {
	i := int(a.Cycle - r.base)
	if i < 0 || i >= len(r.snapshots) || r.memoryContext.snapshots[i].ThreadDigest() != r.snapshots[i].ThreadDigest() {
		return false, nil
	}
	hash, err := ThreadHash(ctx, r.memoryContext.snapshots[i])
	return hash == a.Thread, err
}

// sent reports whether an attempt of a cycle may have sent erased text: text in the snapshot of
// the cycle or in the snapshot before it, in any version.
func (r *rewritten) sent(cycle int64) bool {
	changed := func(cycle int64) bool {
		i := int(cycle - r.base)
		return i >= 0 && i < len(r.snapshots) && r.memoryContext.snapshots[i].Digest() != r.snapshots[i].Digest()
	}
	if cycle > r.info.Cycle {
		return r.memoryContext.working.Digest() != r.working.Digest() || changed(r.info.Cycle)
	}
	return changed(cycle) || changed(cycle-1)
}

// concerns counts the attempts of the family that change and that a context has or shares.
func (r *rewritten) concerns(list []*rewritten) (n int) {
	for c, upTo := r.memoryContext, int64(math.MaxInt64); c != nil; c = c.origin {
		for _, other := range list {
			if other.memoryContext != c {
				continue
			}
			for _, cycle := range other.changed {
				if cycle <= upTo {
					n++
				}
			}
		}
		upTo = min(upTo, c.info.Origin.Cycle)
	}
	return n
}

// publish replaces the state of a context by its rewritten state.
func (x *memoryErasure) publish(r *rewritten, total *Erased) error {
	if !r.concerned() {
		return nil
	}
	k := r.memoryContext
	entry, err := x.Recorded(Erased{IDs: slices.Collect(maps.Keys(r.ids)), Versions: r.versions, Entries: r.entries,
		Attempts: r.others, Digests: r.digests}, k.info)
	if err != nil {
		return err
	}
	total.Salt = entry.Erased().Salt
	log := slices.Clone(k.log)
	at := 0 // the index of the snapshot of an entry
	for i := range log {
		e := &log[i]
		for at < len(k.marks) && k.marks[at].revision < e.Revision {
			at++
		}
		x.blank(k, e)
		switch {
		case e.Kind == Edit || e.Kind == Superseded || e.Kind == Erasing:
			if r.touched && e.Cycle >= r.since {
				e.Digest = "" // it covers a working state that no longer exists, with its drafts
			}
		default:
			n := at // for a fork, the snapshot before
			if e.Kind == Forked {
				n--
			}
			was, is := k.snapshots[n], r.snapshots[n]
			if was.ThreadDigest() != is.ThreadDigest() {
				e.Sent = ""
			}
			e.Digest, e.Thread = is.Digest().String(), is.ThreadDigest().String()
		}
	}
	k.snapshots, k.working, k.log, k.attempts = r.snapshots, r.working, log, r.attempts
	tree.ForgetRendered(append(slices.Clone(k.snapshots), k.working))
	k.requests = map[string]int{}
	for i, e := range log {
		if e.Request != "" && int64(i) >= k.info.Origin.Revision {
			k.requests[e.Request] = i
		}
	}
	if !x.deleted[k] {
		k.info.Erasures++
		k.record(entry.Logged(Erasing, k.working))
	}
	return nil
}

// blank blanks an entry of a context, or removes its digest, if the context or an origin says
// so.
func (x *memoryErasure) blank(k *memoryContext, e *Entry) {
	for e.Revision < k.begins() {
		k = k.origin
	}
	if x.stale[k][e.Revision] {
		e.Digest = ""
	}
	if x.entries[k][e.Revision] {
		*e = e.Blanked()
	}
}
