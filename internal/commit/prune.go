package commit

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// pruner prunes one state. It collects the result in itself and does not change its
// input.
type pruner struct {
	weigher
	in             Input
	firstProtected *tree.Node      // the oldest protected turn, nil if none is protected
	requested      map[string]bool // the ids that the caller asked for, nil while limits decide
	byRule         map[string]int  // the number of the rule for each id that it asked for, nil while others ask
	ruling         int             // the number of the rule that asks for the current removal, 0 for none
	ruled          *tree.Node      // the node that it found
	ruler          ruler           // asks the rules of the policy
	decided        map[string]int  // what decides about each node, if rules are asked about the whole tree; nil before
	rewriting      bool            // whether these are turns that the conversation replaces (Input.Rewrite)
	components     *components     // the components found so far by the current removeCandidates
	ranking        *ranking        // gives candidates their priority
	task           string          // the id of the user's first message, "" where it is not protected

	tree             *tree.Tree
	stamps           tree.Stamps
	clock            *rewindableClock
	limits           []limit
	orphanedByExpiry map[string]bool  // the calls and results whose last partner expired
	newStubs         map[string]bool  // the stubs that this commit left
	emptyGroups      []lifecycle.Kept // the empty removable groups that something keeps
	freedTokens      int64            // tokens of the removed nodes, less those of new stubs; 0 if none are counted
	removed          []lifecycle.Removal
	notRemoved       []lifecycle.Kept
	stubs            []lifecycle.Stub
	recurring        map[string]*instance // by key, what comes again
}

// prune removes the nodes that the caller asked for, then candidates in canonical order
// (02 §7.1) until no limit is exceeded. Nodes that refer to each other go together or stay
// together.
//
// Specification: 02 §7, 02 §7.3.
func (p *pruner) prune(report *lifecycle.Report) error {
	before := p.tree
	p.ranking = newRanking(&p.in.Policy, p.tree)
	if err := p.measureLimits(); err != nil {
		return err
	}
	p.rewriting = true
	if err := p.pruneRequested(p.in.Rewrite, nil); err != nil {
		return err
	}
	p.rewriting = false
	if err := p.pruneRequested(p.in.Prune, p.in.Chosen); err != nil {
		return err
	}
	asked := p.tree
	if err := p.pruneByRules(); err != nil {
		return err
	}
	if p.tree != asked {
		if err := p.measureLimits(); err != nil {
			return err
		}
	}
	if len(p.exceeded()) > 0 {
		if err := p.protect(); err != nil {
			return err
		}
		if err := p.protectTask(); err != nil {
			return err
		}
		if err := p.pruneToLimits(report); err != nil {
			return err
		}
	}
	if p.tree != before {
		freed := p.freedSince(before, 0)
		report.Savings = &freed
	}
	report.Removed = append(report.Removed, p.removed...)
	for _, s := range p.stubs {
		if has, err := p.tree.Has(s.ID); err != nil {
			return err
		} else if has {
			report.Stubs = append(report.Stubs, s)
		}
	}
	return nil
}

// stillThere returns the nodes that were to be pruned and are still there, each once, with
// the reason that was found last.
func (p *pruner) stillThere() (staying []lifecycle.Kept, err error) {
	last := make(map[string]int, len(p.notRemoved))
	for i, h := range p.notRemoved {
		last[h.ID] = i
	}
	for i, h := range p.notRemoved {
		if last[h.ID] != i {
			continue
		}
		if has, err := p.tree.Has(h.ID); err != nil {
			return nil, err
		} else if has {
			staying = append(staying, h)
		}
	}
	return staying, nil
}

// pruneToLimits prunes until no limit is exceeded. It tries this on a copy first: if the
// policy postpones the pruning, the copy is dropped and the report says so.
func (p *pruner) pruneToLimits(report *lifecycle.Report) error {
	trial := *p
	trial.newStubs = maps.Clone(p.newStubs)
	trial.removed, trial.notRemoved, trial.stubs = slices.Clip(p.removed), slices.Clip(p.notRemoved), slices.Clone(p.stubs)
	trial.limits = slices.Clone(p.limits)
	read := p.clock.next
	wanted := trial.exceeded()
	found, err := trial.candidatesFor(wanted)
	if err == nil {
		err = trial.removeCandidates(found, wanted)
	}
	if err != nil {
		return err
	}
	if waiting := trial.postponed(p); waiting != nil {
		report.Postponed, p.clock.next = waiting, read
		for _, r := range trial.removed[len(p.removed):] {
			if r.Reason == lifecycle.Pruned {
				p.notRemoved = append(p.notRemoved, lifecycle.Kept{ID: r.ID, Reason: lifecycle.Pruned, Why: lifecycle.PruningWaits})
			}
		}
		return nil
	}
	*p = trial
	return nil
}

// emptyGroupIDs returns the ids of the empty groups that something has kept so far.
func (p *pruner) emptyGroupIDs() (ids []string) {
	for _, h := range p.emptyGroups {
		ids = append(ids, h.ID)
	}
	return ids
}

// measureLimits computes for each limit what the tree counts for it.
func (p *pruner) measureLimits() error {
	for i := range p.limits {
		var err error
		if p.limits[i].used, err = p.used(p.tree, &p.limits[i]); err != nil {
			return err
		}
	}
	return nil
}

// weightsOf returns, for each limit without a sum in the summaries, what some nodes count
// with everything below them; 0 for the other limits.
func (p *pruner) weightsOf(t *tree.Tree, ids []string) ([]int64, error) {
	sums := make([]int64, len(p.limits))
	var room [8]*tree.Entry
	for _, id := range ids {
		path, err := t.AppendPath(room[:0], id)
		if err != nil {
			return nil, err
		}
		for i := range p.limits {
			l, region := &p.limits[i], path[1].Class()
			if l.summed() || !l.within(region) {
				continue
			}
			n, err := p.measureOf(l, region).Sum(p.ctx, path[len(path)-1])
			if err != nil {
				return nil, err
			}
			sums[i] += n
		}
	}
	return sums, nil
}

// usedAfter returns what limit i counts in a tree that was changed: less and more, from
// weightsOf, are what it counted for the removed and for the added nodes. Cost: O(1).
func (p *pruner) usedAfter(t *tree.Tree, i int, less, more []int64) (int64, error) {
	if l := &p.limits[i]; l.summed() {
		return p.used(t, l)
	}
	return p.limits[i].used - less[i] + more[i], nil
}

// exceeded returns the limits that the tree exceeds now.
func (p *pruner) exceeded() (list []*limit) {
	for i := range p.limits {
		if l := &p.limits[i]; l.used > int64(l.max) {
			list = append(list, l)
		}
	}
	return list
}

// unmetLimits says for the report which limits are still exceeded, by how much and why.
func (p *pruner) unmetLimits(waits bool) (budget string, over []lifecycle.Over) {
	var list []string
	for _, l := range p.exceeded() {
		list = append(list, l.String()+" is exceeded by "+strconv.FormatInt(l.used-int64(l.max), 10))
		name, where, _ := strings.Cut(l.String(), " "+strconv.Itoa(l.max))
		over = append(over, lifecycle.Over{Limit: name + where, Most: int64(l.max), Has: l.used})
	}
	switch {
	case len(list) == 0:
		return "", nil
	case waits:
		return strings.Join(list, "; ") + ": pruning waits", over
	}
	return strings.Join(list, "; ") + ": everything else is protected or part of a core", over
}

// protect determines the most recent turns, which limits and requests leave alone.
//
// Specification: 02 §7.2.
func (p *pruner) protect() error {
	turns := p.tree.Region(tree.Seq).Children()
	p.firstProtected = nil
	if k := min(p.in.Policy.ProtectTurns, turns.Len()); k > 0 && !p.rewriting {
		item, err := turns.At(turns.Len() - k)
		if err != nil {
			return err
		}
		p.firstProtected = item.Node()
	}
	return nil
}

// protectTask finds the first message of the user, which limits leave alone if the policy
// says so.
func (p *pruner) protectTask() error {
	if !p.in.Policy.ProtectTask {
		return nil
	}
	n, err := Task(p.ctx, p.tree)
	if n != nil {
		p.task = n.ID
	}
	return err
}

// isProtected reports whether the node at the end of path is a protected turn or in one.
func (p *pruner) isProtected(path []*tree.Entry) bool {
	return p.firstProtected != nil && len(path) > 2 && path[1].Class() == tree.Seq &&
		!tree.Less(path[2].Node(), p.firstProtected)
}

// pruneRequested prunes the nodes that the caller asked for (02 §7).
func (p *pruner) pruneRequested(ids, chosen []string) error {
	if len(ids)+len(chosen) == 0 {
		return nil
	}
	if err := p.protect(); err != nil {
		return err
	}
	list, err := p.resolveRequest(ids, chosen)
	if err == nil {
		slices.SortFunc(list, compareCandidates)
		err = p.removeCandidates(list, nil)
	}
	p.requested = nil
	return err
}

// resolveRequest returns the candidates that the caller asked for. It refuses an id that
// cannot be pruned if the caller named it, and holds it back if a selector chose it.
func (p *pruner) resolveRequest(named, chosen []string) ([]candidate, error) {
	p.requested = make(map[string]bool)
	var list []candidate
	for i, id := range slices.Concat(named, chosen) {
		byName := i < len(named)
		path, err := p.tree.Path(id)
		if err != nil {
			return nil, err
		}
		if path == nil {
			if expired, err := p.in.Working.Has(id); !expired || err != nil { // it expired in this very commit
				return nil, cmp.Or(err, tree.NoNode(id, "to prune"))
			}
			continue
		}
		switch {
		case !prunable(path) && !byName:
			p.notRemoved = append(p.notRemoved, lifecycle.Kept{ID: id, Reason: lifecycle.Pruned, Why: lifecycle.PartOfTurn})
		case !prunable(path):
			return nil, fault.OnNode(fault.PlacementInvalid, id, "only a block outside a core or a whole turn can be pruned",
				"name the turn around it")
		case !p.requested[id]:
			p.requested[id] = true
			// Unlike a limit, a request may take any block of ^sys.
			c, err := p.candidate(path[len(path)-1].Node(), path[1].Class())
			if err != nil {
				return nil, err
			}
			c.sys = false
			list = append(list, c)
		}
	}
	return list, nil
}
