package commit_test

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"pgregory.net/rapid"
)

// removals compares what went, why and for which limit, and what was left
// instead.
func (l *comparison) removals(report lifecycle.Report, want *model) {
	removed := map[string]string{}
	for _, r := range report.Removed {
		if _, twice := removed[r.ID]; twice {
			l.Fatalf("%s is reported as removed twice", r.ID)
		}
		removed[r.ID] = string(r.Reason)
		if r.Rule != "" {
			removed[r.ID] += " " + r.Rule
		}
	}
	l.same("removed", removed, want.removed)
	stubs, wantStubs := map[string][]string{}, map[string][]string{}
	for _, s := range report.Stubs {
		stubs[s.ID] = s.For
	}
	for id, s := range want.stubs {
		wantStubs[id] = s.roots
	}
	l.same("stubs", stubs, wantStubs)
}

// places compares what is in the snapshot, and where: the head aside, which
// becomes a turn.
func (l *comparison) places(got *tree.Tree, want *model) {
	head := l.in.Working.Region(tree.Head).Node().ID
	left := slices.DeleteFunc(slices.Sorted(maps.Keys(want.modelTree)), func(id string) bool { return id == head })
	var stayed []string
	for id := range read(got) {
		if sure.Get(l.in.Working.Has(id)) || want.modelTree[id] != nil {
			stayed = append(stayed, id)
		}
	}
	l.same("what stays", sorted(stayed), left)
	for id, s := range want.stubs {
		n := sure.Get(got.Node(id))
		parent := s.parent
		if parent == head {
			turns := got.Region(tree.Seq).Children()
			parent = sure.Get(turns.At(turns.Len() - 1)).Node().ID
		}
		l.same("the place of the stub "+id, []any{sure.Get(got.Parent(id)), n.Offset, n.Priority, n.CreatedNS, n.Index, n.Cycle,
			n.Expiry},
			[]any{parent, s.offset, int64(9007199254740991), s.ns, s.index, l.in.Stamps.Cycle, tree.Never})
		l.same("what the stub "+id+" says it stands for", n.Header("pact:pruned"), canon.Strings(s.roots))
	}
	stamps := map[int64]string{}
	for e := range sure.All(got.All()) {
		n := e.Node()
		if other := stamps[n.Index]; n.Cycle == l.in.Stamps.Cycle && other != "" {
			l.Fatalf("%s and %s share the index %d of cycle %d", other, n.ID, n.Index, n.Cycle)
		} else if n.Cycle == l.in.Stamps.Cycle {
			stamps[n.Index] = n.ID
		}
		path := sure.Get(got.Path(n.ID))
		if len(path) > 3 && path[2].Class() == tree.Turn && !sure.Get(l.in.Working.Has(n.ID)) && sure.Get(l.in.Working.Has(path[2].Node().ID)) &&
			path[3].Node().Offset == 0 {
			l.Fatalf("%s is new in the sealed core of %s", n.ID, path[2].Node().ID)
		}
	}
}

// holds compares what was to go and stayed, and that what keeps it is there.
func (l *comparison) holds(got *tree.Tree, report lifecycle.Report, due []string, want *modelPruner) {
	held := map[lifecycle.Reason][]string{}
	for _, h := range report.Kept {
		held[h.Reason] = append(held[h.Reason], h.ID)
		if h.By != "" && want.waits == nil && h.Reason == lifecycle.Pruned && !slices.Contains(l.in.Prune, h.ID) &&
			!slices.Contains(l.in.Chosen, h.ID) && !sure.Get(got.Has(h.By)) && h.By != l.in.Working.Region(tree.Head).Node().ID &&
			l.in.Policy.Orphans != lifecycle.Drop {
			l.Fatalf("%s is said to be kept by %s, which is gone", h.ID, h.By)
		}
	}
	var wantDue, wantEmpty, wantPruned []string
	for _, id := range due {
		if want.removed[id] != "expired" {
			wantDue = append(wantDue, id)
		}
	}
	for id := range want.modelTree {
		if i := want.modelTree[id]; i != nil && i.removable && i.class == "container" && !want.core(id) &&
			len(want.children(id)) == 0 {
			wantEmpty = append(wantEmpty, id)
		}
	}
	for id, is := range want.held {
		if is && want.modelTree[id] != nil {
			wantPruned = append(wantPruned, id)
		}
	}
	l.same("expired and held", sorted(held[lifecycle.Expired]), sorted(wantDue))
	for _, id := range held[lifecycle.Cascaded] { // it may hold another one that is empty
		i := want.modelTree[id]
		l.same("whether the held "+id+" is an empty group", i != nil && i.removable &&
			len(want.list(func(k *modelNode) bool {
				return k.class == "block" && slices.Contains(want.path(k.id), id)
			})) == 0, true)
	}
	wantEmpty = slices.DeleteFunc(wantEmpty, func(id string) bool { return slices.Contains(held[lifecycle.Cascaded], id) })
	l.same("empty and held, and not said", wantEmpty, []string{})
	l.same("to be pruned and held", sorted(held[lifecycle.Pruned]), sorted(wantPruned))
}

// again commits an input of which the outcome is known.
func (l *comparison) again(in commit.Input, got *tree.Tree, stamps tree.Stamps, report lifecycle.Report) {
	l.same("digest of what is committed again", in.Working.Digest(), l.in.Working.Digest())
	again, stampsAgain, reportAgain, err := commit.Run(context.Background(), in)
	must(l, err)
	l.same("digest of a second commit", again.Digest(), got.Digest())
	l.same("thread of a second commit", thread(again), thread(got))
	l.same("stamps of a second commit", stampsAgain, stamps)
	l.same("report of a second commit", print(reportAgain), print(report))
}

// count notes what a commit had to do with.
func (l *comparison) count(report lifecycle.Report, missed string, p *modelPruner) {
	note := func(what string, happened bool) {
		if happened {
			l.seen[what]++
		}
	}
	for _, r := range report.Removed {
		l.seen[string(r.Reason)]++
	}
	note("stub", len(p.stubs) > 0)
	note("waiting", p.waits != nil)
	note("budget", missed != "")
	note("kept", len(report.Orphans) > 0 && (l.in.Policy.Orphans == "" || l.in.Policy.Orphans == lifecycle.Keep))
}

// comparison is a commit that is held to the model.
type comparison struct {
	*rapid.T
	in   commit.Input
	seen map[string]int
}

func (l *comparison) same(what string, got, want any) {
	l.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		l.Fatalf("%s\n got %s\nwant %s\n\npolicy %+v named %q chosen %q idle %q\n%s", what, g, w, l.in.Policy, l.in.Prune,
			l.in.Chosen, l.in.Idle, show(l.in.Working))
	}
}

// commit commits and compares. It returns nothing where the model refuses.
func (l *comparison) commit() (*tree.Tree, tree.Stamps, lifecycle.Report) {
	in := l.in
	before := in.Working.Digest()
	got, stamps, report, err := commit.Run(context.Background(), in)

	want := newModel(in)
	due := want.due(in.Stamps.Cycle)
	var old modelTree
	if in.Before != nil {
		old = read(in.Before)
	}
	want.expire()
	alone := want.lapse(in, read(in.Working), old)
	start := want.clone()
	p := want.prune(in)
	freed := start.freed(want)
	said, refused := want.mend(in, old)
	if refused != "" {
		e, _ := err.(*fault.Error)
		if e == nil || e.Code != fault.PlacementInvalid || e.Node != refused {
			l.same("error", err, "E_PLACEMENT_INVALID for "+refused)
		}
		l.seen["refused"]++
		return nil, stamps, report
	}
	l.same("error", err, nil)
	l.removals(report, want)
	l.places(got, want)
	l.same("thread", thread(got), want.thread())
	for id := range want.lapsed {
		said[id] = true
	}
	l.holds(got, report, due, p)
	var left []string
	for _, h := range report.Kept {
		if h.Reason == lifecycle.Orphaned {
			left = append(left, h.ID)
		}
	}
	l.same("left alone and held", sorted(left), sorted(alone))
	l.seen["lapsed"] += len(want.lapsed) - len(alone)
	l.seen["left alone"] += len(alone)

	var orphans []string
	for _, o := range report.Orphans {
		orphans = append(orphans, o.ID)
	}
	l.same("orphans", sorted(orphans), slices.Sorted(maps.Keys(said)))
	missed := want.missed(limitsOf(in.Policy))
	switch {
	case missed != "" && p.waits != nil:
		missed += ": pruning waits"
	case missed != "":
		missed += ": everything else is protected or part of a core"
	}
	l.same("budget", report.Budget, missed)
	l.same("waiting", report.Postponed != nil, p.waits != nil)
	if p.waits != nil {
		l.same("what waits", *report.Postponed, *p.waits)
	}
	if report.Savings != nil {
		l.same("freed", *report.Savings, freed)
	}
	l.same("whether anything is said to be freed", report.Savings != nil, p.took)
	l.same("digest of the input", in.Working.Digest(), before)
	l.again(in, got, stamps, report)
	l.count(report, missed, p)
	return got, stamps, report
}
