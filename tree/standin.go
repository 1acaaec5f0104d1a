package tree

// StandIn puts a new block in the place of a block, or into a turn in place of
// all it held, as its core: at the same offset and with the same stamps, so that
// nothing around it changes its place. Cycle and id say when it came; no clock
// is read. It checks nothing: the rules of removal are the caller's. It returns
// the tree, the counters afterwards, and the id of the block.
func StandIn(t *Tree, s Stamps, env Env, id string, spec Spec) (*Tree, Stamps, string, error) {
	x := &Editor{change: t.change(), Stamps: s, env: env}
	block, err := x.like(t.Node(id), env.Vocabulary.Block)
	if err != nil {
		return nil, s, "", err
	}
	if block.Headers, err = spec.headers(); err != nil {
		return nil, s, "", err
	}
	if block.Content, err = encodeContent(spec.Content); err != nil {
		return nil, s, "", err
	}
	e, parent := t.Entry(id), t.Parent(id)
	if e.class == Turn {
		parent, err = x.emptied(e)
		block.Offset = 0
	} else {
		x.detach(id)
	}
	if err != nil {
		return nil, s, "", err
	}
	n := NewNode(*block, nil)
	x.attach(parent, newEntry(n, Block, nil))
	return x.result(), x.Stamps, n.ID, nil
}

// like is a new node with the place and the stamps of another.
func (x *Editor) like(old *Node, kind string) (*Node, error) {
	n := &Node{
		Type: kind, Offset: old.Offset, Priority: old.Priority, Cycle: x.Cycle,
		CreatedNS: old.CreatedNS, ForeignISO: old.ForeignISO, Index: old.Index, Expiry: Never,
	}
	err := x.name(n, kind)
	x.Next++
	return n, err
}

// emptied takes everything out of a turn and gives it a new core, with the place
// and the stamps of the old one, or of the turn where that was elided.
func (x *Editor) emptied(turn *Entry) (core string, err error) {
	place := turn.node
	if old := turn.Core(); old != nil {
		place = old.node
	}
	n, err := x.like(place, x.env.Vocabulary.Container)
	if err != nil {
		return "", err
	}
	n.Offset, n.Priority = 0, 0
	for k := range turn.kids.All() {
		x.detach(k.node.ID)
	}
	x.attach(turn.node.ID, newEntry(NewNode(*n, nil), Container, nil))
	return n.ID, nil
}
