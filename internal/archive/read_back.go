package archive

import (
	"bytes"
	"context"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/document"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// ReadBack checks of one snapshot after the other that its export is valid and reads back to the same
// bytes. A turn reads back independently of everything around it, so ReadBack looks only at the turns
// and children of ^sys that differ from the previous snapshot. The zero ReadBack is ready to use.
//
// Cost: the changes from one snapshot to the next, each with its turn or group, plus all of the first
// snapshot and of those that are checked whole.
type ReadBack struct {
	last  *tree.Tree // the previous snapshot
	found map[inspect.Finding]bool
}

// Next checks the next snapshot and returns new findings. whole asks it to check everything. It returns
// E_DOCUMENT_INVALID or E_PLACEMENT_INVALID for a snapshot that does not read back.
func (r *ReadBack) Next(ctx context.Context, t *tree.Tree, e selector.Edition, whole bool) ([]inspect.Finding, error) {
	cycle, last := t.Cycle(), r.last
	r.last = t
	if last != nil && !whole {
		var err error
		if t, err = differing(last, t); err != nil {
			return nil, unreadable(cycle, err)
		}
	}
	var data bytes.Buffer
	if err := document.Write(ctx, &data, t, string(e)); err != nil {
		return nil, err
	}
	d, err := document.Read(data.Bytes(), document.Options{})
	if err != nil {
		return nil, unreadable(cycle, err)
	}
	var again bytes.Buffer
	if err := document.Write(ctx, &again, d.Tree, string(d.Edition)); err != nil {
		return nil, err
	}
	if !bytes.Equal(data.Bytes(), again.Bytes()) {
		return nil, fault.New(fault.DocumentInvalid, "snapshot "+address(cycle)+" does not read back to the same bytes", "")
	}
	var fresh []inspect.Finding
	for _, f := range d.Findings {
		if !r.found[f] {
			if r.found == nil {
				r.found = make(map[inspect.Finding]bool)
			}
			r.found[f] = true
			fresh = append(fresh, f)
		}
	}
	return fresh, nil
}

func address(cycle int64) string { return "@c" + strconv.FormatInt(cycle, 10) }

func unreadable(cycle int64, err error) error {
	return fault.Wrap(fault.DocumentInvalid, err, "snapshot "+address(cycle)+" is not valid", "")
}

// differing returns the snapshot now without the turns and children of ^sys
// that the snapshot last has too. It keeps the root, the regions and the active
// head.
func differing(last, now *tree.Tree) (*tree.Tree, error) {
	units := make(map[*tree.Entry]bool)
	differences, err := tree.Differences(last.WithCycle(now.Cycle()), now)
	if err != nil {
		return nil, err
	}
	for _, d := range differences {
		ids := []string{d.OldParent} // of a node that is gone: the group that it left has changed
		if d.New != nil {
			ids[0] = d.New.ID
		}
		if d.New != nil && d.Old != nil && d.OldParent != d.NewParent {
			ids = append(ids, d.OldParent)
		}
		for _, id := range ids {
			path, err := now.Path(id)
			if err != nil {
				return nil, err
			}
			if len(path) > 2 {
				units[path[2]] = true
			}
		}
	}
	placed := []tree.Placed{{Node: now.Root().Node(), Parent: -1}}
	var put func(e *tree.Entry, parent int) error
	put = func(e *tree.Entry, parent int) error {
		placed = append(placed, tree.Placed{Node: e.Node(), Parent: parent})
		at := len(placed) - 1
		for k, err := range e.Children().All() {
			if err == nil {
				err = put(k, at)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	regions := make(map[tree.Class]int)
	for region, err := range now.Root().Children().All() {
		if err != nil {
			return nil, err
		}
		if region.Class() == tree.Head {
			if err := put(region, 0); err != nil {
				return nil, err
			}
			continue
		}
		placed = append(placed, tree.Placed{Node: region.Node(), Parent: 0})
		regions[region.Class()] = len(placed) - 1
	}
	for unit := range units {
		path, err := now.Path(unit.Node().ID)
		if err != nil {
			return nil, err
		}
		if region, ok := regions[path[1].Class()]; ok {
			if err := put(unit, region); err != nil {
				return nil, err
			}
		}
	}
	return tree.Build(now.Cycle(), placed)
}
