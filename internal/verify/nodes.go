package verify

import (
	"slices"
	"strconv"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// part is a list of children with its parent.
type part struct {
	list *tree.List
	of   tree.Class
}

// checkedParts remembers the versions of nodes and the lists of children that are checked,
// because one snapshot shares most of them with the next.
type checkedParts struct {
	nodes   map[*tree.Node]struct{}
	lists   map[part]struct{}
	sweepAt int // at how many remembered parts to drop those that the current tree lacks
}

const firstSweep = 1 << 12

func newCheckedParts() *checkedParts {
	return &checkedParts{nodes: map[*tree.Node]struct{}{}, lists: map[part]struct{}{}, sweepAt: firstSweep}
}

// addNode remembers a version and reports whether it is new.
func (c *checkedParts) addNode(n *tree.Node) bool {
	before := len(c.nodes)
	c.nodes[n] = struct{}{}
	return len(c.nodes) > before
}

// addList remembers a list and reports whether it is new.
func (c *checkedParts) addList(p part) bool {
	before := len(c.lists)
	c.lists[p] = struct{}{}
	return len(c.lists) > before
}

// sweep drops the parts that a completely checked tree lacks, once these may be half of all.
// Later trees share only with t what they share with earlier trees.
func (c *checkedParts) sweep(t *tree.Tree) error {
	if len(c.nodes)+len(c.lists) < c.sweepAt {
		return nil
	}
	kept := newCheckedParts()
	var keep func(e *tree.Entry) error
	var keepList func(l *tree.List, of tree.Class) error
	keep = func(e *tree.Entry) error {
		kept.addNode(e.Node())
		return keepList(e.Children(), e.Class())
	}
	keepList = func(l *tree.List, of tree.Class) error {
		if l.Len() == 0 {
			return nil
		}
		kept.addList(part{l, of})
		items, runs, err := l.Parts()
		for _, e := range items {
			if err == nil {
				err = keep(e)
			}
		}
		for _, run := range runs {
			if err == nil {
				err = keepList(run, of)
			}
		}
		return err
	}
	if err := keep(t.Root()); err != nil {
		return err
	}
	kept.sweepAt = max(firstSweep, 2*(len(kept.nodes)+len(kept.lists)))
	*c = *kept
	return nil
}

// nodes checks the nodes of a tree that are not checked yet: their places (02 §2.2, §4.2),
// their canonical order (02 §4.3), the index, and each version by itself.
func (v *verifier) nodes(t *tree.Tree) *inspect.Defect {
	if !t.HasRegions() {
		return &inspect.Defect{Cycle: t.Cycle(), What: tree.HasThreeRegions}
	}
	return v.entry(t, t.Root(), nil, 1)
}

// sizeDefect says that a part of the tree has other sums than its members. The size of a thread
// is made of these sums.
func sizeDefect(t *tree.Tree, n *tree.Node, recorded, found int64) *inspect.Defect {
	return &inspect.Defect{
		Cycle: t.Cycle(), Node: n.ID, What: "size of the thread",
		Recorded: strconv.FormatInt(recorded, 10), Found: strconv.FormatInt(found, 10),
	}
}

// entry checks a node in its place, and everything below it that is not checked yet. level
// counts from 1, the root.
func (v *verifier) entry(t *tree.Tree, e, parent *tree.Entry, level int) *inspect.Defect {
	n := e.Node()
	known, above, err := located(t, n.ID)
	if err != nil {
		v.err = err
		return nil
	}
	switch {
	case level > tree.MaxDepth:
		return defectOn(t, n, "the node is nested too deep")
	case tree.PlacementFault(e, parent) != "":
		return defectOn(t, n, tree.PlacementFault(e, parent))
	case known != n || parent != nil && above != parent.Node().ID:
		return defectOn(t, n, "another node has the same id")
	}
	if level == regionLevel {
		v.region = e.Class()
	}
	if d := v.version(t, e); d != nil || v.err != nil {
		return d
	}
	if d := v.children(t, e, level); d != nil || v.err != nil {
		return d
	}
	bytes := e.Children().Summary().Bytes
	if e.Class() == tree.Block {
		bytes += int64(n.ThreadBytes(tree.Seq))
	}
	if sum := e.Summary(); sum.Bytes != bytes {
		return sizeDefect(t, n, sum.Bytes, bytes)
	}
	return nil
}

// located returns what the index of a tree has for an id: the node and the id of its parent.
func located(t *tree.Tree, id string) (n *tree.Node, parent string, err error) {
	if n, err = t.Node(id); err == nil {
		parent, err = t.Parent(id)
	}
	return n, parent, err
}

// regionLevel is the level of the regions; the root has 1.
const regionLevel = 2

// children checks the list of children of an entry.
func (v *verifier) children(t *tree.Tree, e *tree.Entry, level int) *inspect.Defect {
	if e.Children().Len() == 0 {
		return nil
	}
	return v.list(t, e.Children(), e, level)
}

// list checks the order of the items of a list, and the items.
func (v *verifier) list(t *tree.Tree, l *tree.List, parent *tree.Entry, level int) *inspect.Defect {
	if !v.checked.addList(part{l, parent.Class()}) {
		return nil
	}
	items, runs, err := l.Parts()
	if err != nil {
		v.err = err
		return nil
	}
	bytes := int64(0)
	var last *tree.Entry
	follows := func(e *tree.Entry) *inspect.Defect {
		if last != nil && !inOrder(last, e) {
			return defectOn(t, e.Node(), "the node does not come after its sibling "+last.Node().ID+" in canonical order")
		}
		return nil
	}
	for i := range len(items) + 1 {
		if len(runs) > 0 && runs[i].Len() > 0 {
			first, err := runs[i].At(0)
			if err != nil {
				v.err = err
				return nil
			}
			if d := follows(first); d != nil {
				return d
			}
			if d := v.list(t, runs[i], parent, level); d != nil || v.err != nil {
				return d
			}
			if last, err = runs[i].At(runs[i].Len() - 1); err != nil {
				v.err = err
				return nil
			}
			bytes += runs[i].Sum().Bytes
		}
		if i == len(items) {
			break
		}
		if d := follows(items[i]); d != nil {
			return d
		}
		if d := v.entry(t, items[i], parent, level+1); d != nil || v.err != nil {
			return d
		}
		last = items[i]
		bytes += last.Summary().Bytes
	}
	if sum := l.Sum(); sum.Bytes != bytes {
		return sizeDefect(t, parent.Node(), sum.Bytes, bytes)
	}
	return nil
}

// inOrder reports whether sibling a stands before sibling b: regions in their fixed order,
// other nodes in canonical order.
func inOrder(a, b *tree.Entry) bool {
	if a.Class().Region() && b.Class().Region() {
		return a.Class() < b.Class()
	}
	return tree.Less(a.Node(), b.Node())
}

// version reads the content of a version, makes the node again from its headers and that
// content, and renders it if it is a block: all must agree.
func (v *verifier) version(t *tree.Tree, e *tree.Entry) *inspect.Defect {
	n := e.Node()
	if !v.checked.addNode(n) {
		return nil
	}
	v.fresh = append(v.fresh, n.ID)
	v.found.Versions++
	if n.Erased() {
		v.erased[n.ID] = true
	}
	content, err := n.Content.Value(v.ctx)
	if err == nil {
		err = v.ctx.Err()
	}
	if err != nil {
		var d *inspect.Defect
		if d, v.err = defectOf(nil, err); d != nil {
			d.Cycle = t.Cycle()
		}
		return d
	}
	if n.ID == "" || len(n.ID) > tree.MaxID || !canon.ValidText(n.ID) {
		return defectOn(t, n, "the id is not one that a node can have")
	}
	if len(content) != n.Content.Size() {
		return &inspect.Defect{
			Cycle: t.Cycle(), Node: n.ID, What: "size of the content",
			Recorded: strconv.Itoa(n.Content.Size()), Found: strconv.Itoa(len(content)),
		}
	}
	if content != "" && !canon.Value(content).Canonical() {
		return defectOn(t, n, "the content is not in canonical form")
	}
	again := *n
	again.Headers, again.Content = slices.Clone(n.Headers), tree.Hold(content)
	var hash *tree.Digest
	if n.HashOK && n.Content.Source() != nil { // a source has just compared the content with this hash
		hash = &n.Hash
	}
	made := tree.NewNode(again, hash)
	if made.ContentHash() != n.ContentHash() {
		return &inspect.Defect{
			Cycle: t.Cycle(), Node: n.ID, What: "content hash", Recorded: n.ContentHash(), Found: made.ContentHash(),
		}
	}
	if !made.Same(n) {
		return defectOn(t, n, "the headers do not agree with what is read out of them")
	}
	if e.Class() != tree.Block {
		return nil
	}
	rendered, err := made.AppendRendered(v.ctx, v.buf[:0], v.region)
	if v.err = err; err != nil {
		return nil
	}
	if cap(rendered) <= maxKeptBuffer {
		v.buf = rendered
	}
	if size := n.ThreadBytes(v.region); len(rendered) != size {
		return &inspect.Defect{
			Cycle: t.Cycle(), Node: n.ID, What: "size in the thread",
			Recorded: strconv.Itoa(size), Found: strconv.Itoa(len(rendered)),
		}
	}
	return nil
}

// maxKeptBuffer is the largest buffer that the verifier reuses for rendering.
const maxKeptBuffer = 64 << 10

func defectOn(t *tree.Tree, n *tree.Node, what string) *inspect.Defect {
	return &inspect.Defect{Cycle: t.Cycle(), Node: n.ID, What: what}
}
