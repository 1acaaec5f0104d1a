package engine

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
)

// rewritten is a branch as an erasure leaves it.
type rewritten struct {
	touched  bool
	since    int64 // the first cycle whose snapshot changes
	working  *tree.Tree
	bytes    int64 // of the thread of the latest snapshot
	ids      map[string]bool
	versions int
	noted    map[int64]midway  // at the snapshots with which forks begin
	changed  map[int64]bool    // cycles whose snapshot changes
	digests  map[int64]proof   // by revisions that published a snapshot
	left     []history.Attempt // what is left of the attempts, in their order
	ends     []int64           // cycles of those that change
	said     int               // how many of these contain a text
	others   int               // attempts that change, shared ones included
	lost     int               // entries that are blanked, shared ones included
	stripped int               // entries that lose a digest, shared ones included
}

func (r *rewritten) concerned() bool { return r.touched || r.lost+r.stripped+r.others > 0 }

// midway is how far the rewriting of a branch came with a snapshot.
type midway struct {
	old, new *tree.Tree
	ids      map[string]bool
	versions int
	since    int64
}

// proof holds the digests of a snapshot in an entry.
type proof struct {
	digest, thread string
	sent           bool // the thread is the one that was sent
}

// plan works everything out, so that a failure changes nothing.
func (x *erasure) plan() (total *history.Erased, err error) {
	total = &history.Erased{}
	noted := make(map[*member]map[int64]version)
	for _, m := range x.family {
		if err := x.rewrite(m, noted); err != nil {
			return nil, err
		}
		total.Attempts += len(m.ends)
		total.Said += m.said
		total.Entries += len(m.entries)
		total.Digests += len(m.stale)
		if m.others = m.concerns(); m.l.kind != shared && m.concerned() {
			total.Contexts, total.Keys = append(total.Contexts, m.l.name), append(total.Keys, m.l.key)
		}
	}
	gone := make(map[string]bool)
	for n := range x.versions {
		gone[n.ID] = true
	}
	total.IDs, total.Versions = slices.Sorted(maps.Keys(gone)), len(x.versions)
	slices.Sort(total.Contexts)
	return total, nil
}

// gap returns what is left of a node.
func (x *erasure) gap(ctx context.Context, n *tree.Node) (*tree.Node, error) {
	if !x.ids[n.ID] {
		return n, nil
	}
	content, err := n.Content.Value(ctx)
	if err != nil {
		return nil, err
	}
	text, _ := content.Text()
	if err := x.admit(n, text); err != nil {
		return nil, err
	}
	return n.Erase(ctx, x.Salt)
}

// rewrite makes the trees of a member after the erasure, one after the other.
func (x *erasure) rewrite(m *member, noted map[*member]map[int64]version) error {
	m.ids, m.changed, m.digests = make(map[string]bool), make(map[int64]bool), make(map[int64]proof)
	m.noted, m.since, m.bytes = make(map[int64]midway), m.l.last.stamps.Cycle, m.l.last.bytes
	w := rewriter{leave: func(ctx context.Context, n *tree.Node) (*tree.Node, error) {
		gap, err := x.gap(ctx, n)
		if err == nil && gap != n {
			x.versions[n], m.ids[n.ID] = true, true
			m.versions++
		}
		return gap, err
	}}
	begin, err := x.firstVersion(m, noted, x.ids)
	if err != nil {
		return err
	}
	w.old, w.new = begin.t, begin.t
	if m.up != nil && (m.inherits || len(x.Texts) > 0) {
		from := m.up.noted[m.l.origin.Cycle]
		w.old, w.new, m.ids, m.versions = from.old, from.new, maps.Clone(from.ids), from.versions
		_, m.bytes = from.new.ThreadSize()
		if m.noteChange(m.l.origin.Cycle, from.old, from.new); m.touched {
			m.since = from.since
		}
		m.digests[m.l.origin.Revision+1] = proofOf(from.old, from.new) // of the entry of the fork
	}
	shown := make(map[int64]string) // digests of the threads of snapshots that stay as they are
	err = x.walk(m, begin, noted, nil, func(rec *record, t *tree.Tree) error {
		if err := w.next(x.ctx, t); err != nil {
			return err
		}
		if x.past++; x.Progress != nil {
			x.Progress(x.past, x.all)
		}
		m.noteChange(t.Cycle(), t, w.new)
		if rec == nil {
			m.working = w.new
			return nil
		}
		if t.Cycle() >= m.l.first {
			_, m.bytes = w.new.ThreadSize()
		}
		if m.touched {
			m.digests[rec.entry.Revision] = proofOf(t, w.new)
		}
		if m.starts[t.Cycle()] {
			m.noted[t.Cycle()] = midway{t, w.new, maps.Clone(m.ids), m.versions, m.since}
		}
		if thread := t.ThreadDigest(); thread == w.new.ThreadDigest() {
			shown[t.Cycle()] = thread.String()
		}
		return nil
	})
	if err != nil {
		return err
	}
	m.count()
	return x.attemptsLeft(m, shown)
}

// noteChange notes whether a snapshot or the working state changes.
func (m *member) noteChange(cycle int64, old, new *tree.Tree) {
	if old != new {
		m.touched, m.since = true, min(m.since, cycle)
	}
	if old.Digest() != new.Digest() {
		m.changed[cycle] = true
	}
}

func proofOf(old, new *tree.Tree) proof {
	thread := new.ThreadDigest()
	return proof{new.Digest().String(), thread.String(), thread == old.ThreadDigest()}
}

// sent reports whether an attempt of a cycle may have sent erased text: text in the snapshot of
// the cycle or in the snapshot before it, in any version.
func (m *member) sent(cycle int64) bool {
	if cycle > m.l.last.latest {
		return m.changed[m.l.last.stamps.Cycle] || m.changed[m.l.last.latest]
	}
	return m.changed[cycle] || m.changed[cycle-1]
}

// attemptsLeft works out what is left of the attempts of a member.
func (x *erasure) attemptsLeft(m *member, shown map[int64]string) error {
	gone := goneRequests{} // an attempt leaves a part of its request to earlier ones alone
	for _, a := range m.attempts {
		proven := shown[a.Cycle] != "" && shown[a.Cycle] == a.Thread
		unknown := len(x.Texts) > 0 && (x.found || m.lostDrafts(a.Cycle, m.settled.cycle))
		left, changed, err := x.erasedAttempt(a, !proven && m.sent(a.Cycle), !proven && unknown, gone.under(a.Request))
		if err != nil {
			return err
		}
		if left.Request != a.Request {
			gone.add(&a)
		}
		if m.left = append(m.left, left); changed {
			m.ends = append(m.ends, a.Cycle)
			if x.finder.inAttempt(&a) {
				m.said++
			}
		}
	}
	return nil
}

// count counts the entries of a member that change, shared ones included.
func (m *member) count() {
	upTo := int64(math.MaxInt64)
	for c := m; c != nil; c = c.up {
		for revision := range c.entries {
			if revision <= upTo {
				m.lost++
			}
		}
		for revision := range c.stale {
			if revision <= upTo {
				m.stripped++
			}
		}
		upTo = c.l.origin.Revision
	}
}

// concerns counts the attempts that change, shared ones included.
func (m *member) concerns() (n int) {
	upTo := int64(math.MaxInt64)
	for c := m; c != nil; c = c.up {
		for _, cycle := range c.ends {
			if cycle <= upTo {
				n++
			}
		}
		upTo = min(upTo, c.l.origin.Cycle)
	}
	return n
}
