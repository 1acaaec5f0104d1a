package pact

import (
	"cmp"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

// Update changes headers of a node. f gets a description of the node and changes it: content, priority, tags and
// custom attributes; for a node of this cycle also ttl, offset, role, kind, key, refs, pinned, provenance, mime
// and encoding. The zero value takes an optional header away. In the description the content is a string if it
// is a text, else a [json.RawMessage]. Errors: E_NODE_NOT_FOUND if there is no such node, E_SEALED for a header
// that a commit has fixed, E_DOCUMENT_INVALID for a header that never changes or a value that does not fit.
// Cost: as [Batch.Add], and reading the content.
func (b *Batch) Update(id string, f func(*Spec)) {
	b.change(func() error {
		id, err := b.named(id)
		if err != nil {
			return err
		}
		return b.editor.Change(id, func(s *tree.Spec) { f((*Spec)(s)) })
	})
}

// Splice adds a sealed turn with these nodes at a depth of the history, 1 for the newest turn, and returns its
// id; the turns there and behind it stand one deeper (1.0 05 §6.1). Nodes at offset 0 are in its core. Until the
// next commit it can be edited. In edition 1.0 alone. Errors: those of [Batch.Add], E_PLACEMENT_INVALID for a
// depth beyond the history, and OverlapWouldViolateODI if a node of a key lives in the history already.
func (b *Batch) Splice(depth int64, nodes ...Spec) (turn string) {
	return b.node(func() (string, error) {
		specs := make([]tree.Spec, len(nodes))
		for i := range nodes {
			specs[i] = tree.Spec(nodes[i])
		}
		return b.editor.Splice(depth, specs...)
	})
}

// MoveToDepth moves nodes into a new sealed turn at a depth of the history and returns its id (1.0 05 §6.3):
// nodes of ^ah are sealed early. A turn that moves gets a new id, all that is in it keeps its own. In edition 1.0
// alone. Its errors are those of [Batch.Splice] and [Batch.Move].
func (b *Batch) MoveToDepth(depth int64, ids ...string) (turn string) {
	return b.node(func() (string, error) {
		if len(ids) == 0 {
			return "", fault.New(fault.DocumentInvalid, "no node is named", "give the ids of the nodes to move")
		}
		named := make([]string, len(ids))
		for i, id := range ids {
			var err error
			if named[i], err = b.named(id); err != nil {
				return "", err
			}
		}
		return b.editor.Bury(depth, named...)
	})
}

// Replace gives a node another content, and the headers that the spec has, and returns its id. A block of a sealed
// turn stays as it is and is sent still: in edition 1.0 the spec becomes a new block behind the core that refers to
// it (1.0 05 §6.2), in others it is E_SEALED. Its other errors are those of [Batch.Update] and [Batch.Add].
func (b *Batch) Replace(id string, s Spec) (replaced string) {
	return b.node(func() (string, error) {
		id, err := b.named(id)
		if err != nil {
			return "", err
		}
		return b.editor.Replace(id, tree.Spec(s))
	})
}

// named returns the id of the node that a text names: an id or, in edition 1.0, a selector that finds one node of
// the working state, such as #key or {id='x'}. AmbiguousKey if several have the key (1.0 02 §14).
func (b *Batch) named(text string) (string, error) {
	if !b.edition.Traits().ParentIDs || text == "" || !strings.ContainsAny(text[:1], "#.*{[(@+") {
		return text, nil
	}
	if has, err := b.editor.Has(text); has || err != nil {
		return text, err
	}
	found, err := newSearch(text, b.edition, SelectOptions{})
	if err == nil {
		err = found.CheckGivesIDs()
	}
	if err != nil {
		return "", err
	}
	if at := found.Selector.Time; at != nil && (at.Kind != selector.Single || at.From != selector.Point{Axis: 't'}) {
		return "", fault.At(fault.PlacementInvalid, 0, text, "the address names a snapshot, which never changes",
			"name a node of the working state, @t0")
	}
	list, err := found.Find(b.ctx, []*tree.Tree{b.editor.Tree()})
	if err != nil {
		return "", err
	}
	switch ids := idsOf(list); len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		if has, err := b.editor.Has(idIn(found.Selector)); has || err != nil {
			return "", cmp.Or(err, error(fault.OnNode(fault.Mismatch, idIn(found.Selector),
				"the node with this id does not fit the rest of the selector", "name it by its id alone")))
		}
		return "", fault.At(fault.NodeNotFound, fault.NoOffset, text, "the selector finds no node", "ask it with select first")
	default:
		return "", fault.At(fault.AmbiguousKey, fault.NoOffset, text, "several nodes fit, and a change is of one",
			"name it by its id, such as "+ids[0])
	}
}

// idIn returns the id that a selector asks for with {id='x'}, "" if it asks for none.
func idIn(q *selector.Selector) string {
	for _, g := range q.Groups {
		for _, part := range g.Steps[len(g.Steps)-1].Parts {
			if a, ok := part.(selector.Attr); ok && a.Name == "id" && a.Op == selector.Eq {
				return a.Values[0].Text
			}
		}
	}
	return ""
}
