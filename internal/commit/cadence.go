package commit

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// instance is the newest node of a key that comes again: a block with a key and a cad.
type instance struct {
	Key  string `json:"key"`
	ID   string `json:"id"`
	Last int64  `json:"last"` // the cycle of the latest snapshot that has it
	Due  int64  `json:"due"`  // the first cycle whose commit adds the next one

	node *tree.Node
	path []*tree.Entry // in the tree that has it
}

// noted begins the note of an instance among those for the next commit, where the others are ids.
const noted = "\x00"

// materialize adds a new instance of each key whose cadence is due at the commit: at least cad cycles
// after its newest instance came. It does so too when no instance is left, but not when an edit removed
// the newest one, or added one without a cadence. Cost: what changed, and a look at each such key.
//
// Specification: 1.0 03 §3.4, 1.0 03 §3.5.
func (p *pruner) materialize() error {
	if !p.in.Env.Bare || p.in.Before == nil {
		return nil
	}
	all, err := recurring(p.in.Idle, p.in.Before, p.tree, func(*tree.Node) bool { return true })
	if err != nil || len(all) == 0 {
		return err
	}
	if err := p.lookBack(all); err != nil {
		return err
	}
	x, added, err := p.repeat(all, nil)
	if err != nil {
		return err
	}
	if standing, err := p.standing(x.Tree(), all, added); err != nil {
		return err
	} else if len(standing) > 0 {
		if x, added, err = p.repeat(all, standing); err != nil {
			return err
		}
	}
	maps.Copy(all, added)
	p.tree, p.stamps, p.recurring = x.Tree(), x.Stamps, all
	p.in.Working, p.in.Stamps = p.tree, p.stamps
	return nil
}

// repeat adds the instances that are due, but for some keys, and returns them.
func (p *pruner) repeat(all map[string]*instance, but map[string]bool) (*tree.Editor, map[string]*instance, error) {
	x, added := tree.Edit(p.ctx, p.tree, p.in.Before, p.stamps, p.in.Env), make(map[string]*instance)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		i := all[key]
		if but[key] || i.node == nil || p.stamps.Cycle < dueAfter(i.node) || i.path[1].Class() == tree.Head {
			continue
		}
		id, err := x.Repeat(i.path)
		if err != nil {
			return nil, nil, err
		}
		added[key] = &instance{Key: key, ID: id}
	}
	return x, added, nil
}

// standing returns the keys of which an instance in ^sys stays beside the one added after it, as something
// refers to it or holds it: two of a key never stand there (1.0 02 §3.6). Cost: that of expiry, if one is there.
func (p *pruner) standing(t *tree.Tree, all, added map[string]*instance) (map[string]bool, error) {
	keys := make(map[string]bool)
	for key := range added {
		if stands, err := t.Has(all[key].ID); err != nil {
			return nil, err
		} else if stands && all[key].path[1].Class() == tree.Sys {
			keys[key] = true
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	left, _, err := expire(t, p.in, new(lifecycle.Report))
	if err != nil {
		return nil, err
	}
	for key := range keys {
		if stands, err := left.Has(all[key].ID); err != nil {
			return nil, err
		} else if !stands {
			delete(keys, key)
		}
	}
	return keys, nil
}

// lookBack finds the instances whose next one is due, and that are gone, in the last snapshots that had them. One
// that is not there ends its cadence. Cost: each of these snapshots once.
func (p *pruner) lookBack(all map[string]*instance) error {
	past := make(map[int64]*tree.Tree)
	for key, i := range all {
		if i.node != nil || p.stamps.Cycle < i.Due {
			continue
		}
		t, known := past[i.Last]
		if !known && p.in.At != nil {
			var err error
			if t, err = p.in.At(i.Last); err != nil && !errors.Is(err, fault.SnapshotNotFound) {
				return err
			}
			past[i.Last] = t
		}
		if t != nil {
			if err := i.find(t); err != nil {
				return err
			}
		}
		if i.node == nil || i.node.Key != key || i.node.Cad == 0 {
			delete(all, key)
			continue
		}
		i.Due = dueAfter(i.node)
	}
	return nil
}

// dueAfter returns the first cycle whose commit adds the next instance after a node.
func dueAfter(n *tree.Node) int64 { return n.Cycle + min(n.Cad, tree.MaxInteger-max(0, n.Cycle)) }

// recurring returns the newest instance of each key that comes again in a tree, given what was noted of the
// snapshot before it, nil for the first; without the node if it is gone. An instance that left since ends its
// cadence if ended says so, and one without a cad does.
func recurring(was []string, before, now *tree.Tree, ended func(*tree.Node) bool) (map[string]*instance, error) {
	all := make(map[string]*instance)
	for _, text := range was {
		i := scheduled(text)
		if i == nil {
			continue
		}
		if err := i.find(now); err != nil {
			return nil, err
		}
		if i.path == nil {
			had, err := before.Node(i.ID)
			if err != nil {
				return nil, err
			}
			if had != nil && ended(had) {
				continue
			}
		}
		all[i.Key] = i
	}
	take := func(n *tree.Node) error {
		was := all[n.Key]
		if n.Key == "" || was != nil && was.node != nil && was.node.CreatedNS > n.CreatedNS {
			return nil
		}
		i := &instance{Key: n.Key, ID: n.ID}
		if err := i.find(now); err != nil || i.node == nil {
			return err
		}
		all[n.Key] = i
		return nil
	}
	if before == nil {
		for e, err := range now.All() {
			if err == nil {
				err = take(e.Node())
			}
			if err != nil {
				return nil, err
			}
		}
	} else {
		differences, err := tree.Differences(before.WithCycle(now.Cycle()), now)
		if err != nil {
			return nil, err
		}
		for _, d := range differences {
			if d.New == nil {
				continue
			}
			if err := take(d.New); err != nil {
				return nil, err
			}
		}
	}
	maps.DeleteFunc(all, func(_ string, i *instance) bool { return i.path != nil && (i.node == nil || i.node.Cad == 0) })
	return all, nil
}

// scheduled reads the note of an instance. It returns nil for an id.
func scheduled(note string) *instance {
	text, is := strings.CutPrefix(note, noted)
	i := new(instance)
	if !is || json.Unmarshal([]byte(text), i) != nil {
		return nil
	}
	return i
}

// Unscheduled returns what [Idle] said of a snapshot as an erasure of nodes leaves it: without the keys that
// these had, whose cadences end.
func Unscheduled(idle []string, erased map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(idle), func(note string) bool {
		i := scheduled(note)
		return i != nil && erased[i.ID]
	})
}

// find looks an instance up, which has no node if it is not there, was erased or is no block.
func (i *instance) find(t *tree.Tree) (err error) {
	if i.path, err = t.Path(i.ID); err != nil || len(i.path) < 3 {
		return err
	}
	if e := i.path[len(i.path)-1]; e.Class() == tree.Block && !e.Node().Erased() {
		i.node = e.Node()
	}
	return nil
}

// scheduledAfter notes instances for the commit after a snapshot. One that no snapshot has is none.
func scheduledAfter(all map[string]*instance, sealed *tree.Tree) (notes []string, err error) {
	if len(all) == 0 { // as most often
		return nil, nil
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		i := all[key]
		n, err := sealed.Node(i.ID)
		switch {
		case err != nil:
			return nil, err
		case n != nil:
			i.Last, i.Due = sealed.Cycle(), dueAfter(n)
		case i.Last == 0:
			continue
		}
		text, err := json.Marshal(i)
		if err != nil {
			return nil, err
		}
		notes = append(notes, noted+string(text))
	}
	return notes, nil
}

// Scheduled is what [Idle] says of a snapshot that no commit of this program made, given what was said of the one
// before it: which of its keys come again (1.0 03 §3.4). An instance that left before its time ends its cadence.
func Scheduled(was []string, before, now *tree.Tree) ([]string, error) {
	if !now.Root().Node().Bare {
		return nil, nil
	}
	all, err := recurring(was, before, now, func(n *tree.Node) bool { return n.Expiry > now.Cycle() })
	if err != nil {
		return nil, err
	}
	return scheduledAfter(all, now)
}
