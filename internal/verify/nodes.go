package verify

import (
	"strconv"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// nodes checks the nodes of a tree that it does not share with the tree that was checked last: their places
// (02 §2.2, §4.2), their canonical order (02 §4.3), the index, and each version by itself.
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

// entry checks a node in its place, and what is below it. level counts from 1, the root.
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
	was, shared, err := v.before(e, level)
	if err != nil {
		v.err = err
		return nil
	}
	if was != n {
		if d := v.version(t, e); d != nil || v.err != nil {
			return d
		}
	}
	if d := v.list(t, e.Children(), shared, e, level); d != nil || v.err != nil {
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

// before returns the node that the tree before has with the id of an entry, nil for none, and its list of children
// if what the entry still has of it needs no other look: they are as deep, and their parent is of the same kind. The
// regions are few, and say something of each other.
func (v *verifier) before(e *tree.Entry, level int) (*tree.Node, *tree.List, error) {
	if v.last == nil {
		return nil, nil, nil
	}
	var room [8]*tree.Entry
	path, err := v.last.AppendPath(room[:0], e.Node().ID)
	if err != nil || len(path) == 0 {
		return nil, nil, err
	}
	old := path[len(path)-1]
	if len(path) != level || level < regionLevel || old.Class() != e.Class() || old.Core() != e.Core() {
		return old.Node(), nil, nil
	}
	return old.Node(), old.Children(), nil
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

// list checks the order of the items of a list, and the items, but for those that it shares with another list, which
// were checked.
func (v *verifier) list(t *tree.Tree, l, shared *tree.List, parent *tree.Entry, level int) *inspect.Defect {
	if l.Len() == 0 || l == shared {
		return nil
	}
	items, runs, err := l.Parts()
	if err != nil {
		v.err = err
		return nil
	}
	old, err := sharing(l, shared)
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
		run, known := old.next(items[i:])
		if len(runs) > 0 && runs[i].Len() > 0 {
			first, err := runs[i].At(0)
			if err != nil {
				v.err = err
				return nil
			}
			if d := follows(first); d != nil {
				return d
			}
			if d := v.list(t, runs[i], run, parent, level); d != nil || v.err != nil {
				return d
			}
			if last, err = runs[i].At(runs[i].Len() - 1); err != nil {
				v.err = err
				return nil
			}
			bytes += runs[i].Summary().Bytes
		}
		if i == len(items) {
			break
		}
		if d := follows(items[i]); d != nil {
			return d
		}
		if !known {
			if d := v.entry(t, items[i], parent, level+1); d != nil || v.err != nil {
				return d
			}
		}
		last = items[i]
		bytes += last.Summary().Bytes
	}
	if sum := l.Summary(); sum.Bytes != bytes {
		return sizeDefect(t, parent.Node(), sum.Bytes, bytes)
	}
	return nil
}

// sharedFinder goes along a list next to another, to find what they share. It need not find all of it.
type sharedFinder struct {
	items []*tree.Entry
	runs  []*tree.List
	other *tree.List // of a lower level: each run of the list may share something with it
}

func sharing(l, other *tree.List) (b sharedFinder, err error) {
	switch {
	case other.Len() == 0:
	case other.Level() == l.Level():
		b.items, b.runs, err = other.Parts()
	case other.Level() < l.Level():
		b.other = other
	}
	return b, err
}

// next returns the run that the other list has before the next item of the first one, and reports whether it has
// this item.
func (b *sharedFinder) next(items []*tree.Entry) (run *tree.List, known bool) {
	for len(b.items) > 0 && (len(items) == 0 || b.items[0] != items[0] && inOrder(b.items[0], items[0])) {
		b.items, b.runs = b.items[1:], b.runs[min(1, len(b.runs)):]
	}
	run = b.other
	if len(b.runs) > 0 {
		run = b.runs[0]
	}
	return run, len(items) > 0 && len(b.items) > 0 && b.items[0] == items[0]
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
	if content != "" && !content.Canonical() {
		return defectOn(t, n, "the content is not in canonical form")
	}
	again := *n
	again.Content = tree.InMemory(content)
	if !n.HashOK || n.Content.Source() == nil { // a source has just compared the content with the hash
		again.Hash, again.HashOK = n.HashWith(content)
	}
	if again.Hash != n.Hash || again.HashOK != n.HashOK {
		return &inspect.Defect{
			Cycle: t.Cycle(), Node: n.ID, What: "content hash", Recorded: n.ContentHash(), Found: again.ContentHash(),
		}
	}
	if !n.Intact() {
		return defectOn(t, n, "the headers do not agree with what is read out of them")
	}
	if e.Class() != tree.Block {
		return nil
	}
	rendered, err := again.AppendRendered(v.ctx, v.buf[:0], v.region)
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
