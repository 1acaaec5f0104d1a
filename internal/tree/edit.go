package tree

import (
	"context"
	"strconv"

	"github.com/contexttree/pact/fault"
)

// Env holds what edits and commits take from outside: the types of new nodes, the clock, and
// the ids that the history has. Equal calls with equal Envs give equal bytes.
type Env struct {
	Vocabulary Vocabulary                    // the types of new nodes
	Bare       bool                          // new nodes are those of edition 1.0
	Clock      func() int64                  // nanoseconds; read once for every stamp
	Taken      func(id string) (bool, error) // whether the history of the context has the id
	Suffix     string                        // ends generated ids, for forks
	Families   *KeyFamilies                  // what the batches before knew of the keys in ^ah; may be nil
}

// Stamps holds the counters of a context for the current cycle.
type Stamps struct {
	Cycle  int64 // the cycle of the commit to come
	LastNS int64 // the last created_at_ns given
	Next   int64 // the next creation_index
	Given  int64 // the highest cycle in an id that a caller gave and that looks generated
}

// Editor applies one batch of edits to a working state. Each call checks what the current
// cycle permits (02 §2.3, §4.5, §6.4; 03 §5.5) and makes either the whole change or none.
// To drop the batch, drop the Editor. Drop it also after an error of a store that could
// not load a part of the tree.
//
// Specification: 02 §6.4, 03 §5.5.
type Editor struct {
	change
	Stamps
	ctx  context.Context // of the one call that the batch lives in
	base *Tree
	env  Env
	room [8]*Entry // for the path of a node that is added

	families *KeyFamilies
}

// Edit begins a batch on a working state. base is the last published snapshot; the nodes in
// it belong to earlier cycles, except those that its ^ah holds ([Tree.Settled]).
func Edit(ctx context.Context, working, base *Tree, s Stamps, env Env) *Editor {
	x := &Editor{change: working.change(), Stamps: s, ctx: ctx, base: base, env: env, families: env.Families}
	if x.families == nil {
		x.families = new(KeyFamilies)
	}
	x.families.of(working.Region(Head))
	return x
}

// Tree returns the working state with the edits made so far.
func (x *Editor) Tree() *Tree { return x.result() }

// Draft is [Editor.Tree] for a tree that nobody reads after it was sealed: [Seal] takes
// over the index of the batch instead of copying it. Draft ends the batch.
func (x *Editor) Draft() *Tree {
	owner := x.owner
	t := x.result()
	t.draft = owner
	return t
}

// Earlier reports whether a node belongs to an earlier cycle.
func (x *Editor) Earlier(id string) (bool, error) { return x.base.Settled(id) }

// Settled reports whether a snapshot has a node, and not below its ^ah. What ^ah holds, which only an
// import brings, was never sealed: the next commit seals it, and until then it can be edited (03 §5.5).
func (t *Tree) Settled(id string) (bool, error) {
	if head := t.Region(Head); head == nil || head.kids.Len() == 0 {
		return t.Has(id)
	}
	path, err := t.Path(id)
	return len(path) > 0 && (len(path) < 3 || !within(path, Head)), err
}

// Add adds a new node under a parent and returns its id. Its offset and its stamps
// determine its place in canonical order. parent is an id or the name of a region. A block
// at offset 0 of ^ah goes into the core if there is one. Errors: E_NODE_NOT_FOUND if there
// is no such parent, E_SEALED if it is sealed, E_PLACEMENT_INVALID if it cannot hold the
// type, E_NODE_DUPLICATE for an id that the history has, E_DOCUMENT_INVALID for an invalid
// header or content, and E_LIMIT.
func (x *Editor) Add(parent string, s Spec) (id string, err error) {
	if parent == "" && x.env.Bare {
		return "", fault.OnNode(fault.ParentMissing, s.ID, "a new node needs a parent", "name its id, or a region: ^sys, ^ah")
	}
	path, err := x.target(x.room[:0], parent)
	if err != nil {
		return "", err
	}
	n, err := x.prepare(&path, s)
	if err != nil {
		return "", err
	}
	head := x.Region(Head)
	if err := x.attach(path[len(path)-1].node.ID, newEntry(n, ClassOf(n.Type, Root, false), nil)); err != nil {
		return "", err
	}
	x.families.added(head, x.Region(Head), n)
	return n.ID, nil
}

// prepare checks a new node against its place and makes it. The path may grow
// by the core.
func (x *Editor) prepare(path *[]*Entry, s Spec) (*Node, error) {
	if s.NodeType == "" {
		s.NodeType = x.env.Vocabulary.Block
	}
	if err := checkType(s.NodeType, x.env.Bare); err != nil {
		return nil, err
	}
	class := ClassOf(s.NodeType, Root, false)
	if err := x.admit(path, class, s.Offset, s.Removable); err != nil {
		return nil, err
	}
	if s.TTL != nil && (*path)[len(*path)-1].class == Head && class == Container && s.Offset == 0 {
		return nil, coreStays((*path)[len(*path)-1].node.ID)
	}
	if err := x.recurring(*path, s.Key, s.Cad, s.TTL); err != nil {
		return nil, err
	}
	if err := checkInteger("offset", s.Offset); err != nil {
		return nil, err
	}
	if err := checkInteger("priority", s.Priority); err != nil {
		return nil, err
	}
	n := Node{Type: s.NodeType, Offset: s.Offset, Priority: s.Priority, Cycle: x.Cycle, Expiry: Never}
	if s.TTL != nil {
		var err error
		if n.Expiry, err = x.expiryOf(*s.TTL); err != nil {
			return nil, err
		}
	}
	var err error
	if n.Headers, err = s.headers(); err != nil {
		return nil, err
	}
	if n.Content, err = encodeContent(s.Content); err != nil {
		return nil, err
	}
	if s.ID != "" {
		if err := x.claim(s.ID); err != nil {
			return nil, err
		}
		n.ID = s.ID
		if err := x.stamp(&n); err != nil {
			return nil, err
		}
	} else if err := x.stampNew(&n, s.NodeType); err != nil {
		return nil, err
	}
	return NewNode(n, nil), nil
}

// coreStays is the error for a core with a ttl, which could never expire (02 §4.2).
func coreStays(id string) error {
	return misplaced(id, "a core has no ttl, because it never expires", "give one to the blocks in it")
}

func (x *Editor) expiryOf(ttl int64) (int64, error) {
	if ttl < 0 {
		return 0, x.finer(fault.PlacementInvalid,
			invalid(strconv.FormatInt(ttl, 10), "the ttl is negative", "leave it out for a node that stays"))
	}
	if ttl > MaxInteger-x.Cycle {
		return 0, fault.New(fault.Limit, "the ttl is too large", "leave it out for a node that stays")
	}
	return x.Cycle + ttl, nil
}

// checkInteger holds offset and priority to the range of integers.
func checkInteger(name string, n int64) error {
	if n > MaxInteger || n < -MaxInteger {
		return fault.At(fault.Limit, fault.NoOffset, strconv.FormatInt(n, 10), name+" is not between "+
			strconv.FormatInt(-MaxInteger, 10)+" and "+strconv.FormatInt(MaxInteger, 10), "give a number between them")
	}
	return nil
}

// Remove removes a node with everything below it; what is taken out of the history in edition 1.0 leaves a
// marker in its place. Errors: E_NODE_NOT_FOUND if there is no
// such node, E_PLACEMENT_INVALID for the root and its regions, E_SEALED for a turn, for
// sealed nodes and for markers.
func (x *Editor) Remove(id string) (err error) {
	path, err := x.find(id)
	if err != nil {
		return err
	}
	if err := x.removable(path); err != nil {
		return err
	}
	if within(path, Seq) && x.env.Bare {
		earlier, err := x.Earlier(id)
		if err == nil {
			err = markersStay(path, earlier)
		}
		if err != nil {
			return err
		}
		if earlier {
			return x.redact(path)
		}
	}
	_, err = x.detach(id)
	return err
}

// removable checks that the node at the end of path may be removed by an edit.
func (x *Editor) removable(path []*Entry) error {
	e := path[len(path)-1]
	id := e.node.ID
	if e.class.Region() {
		return fault.OnNode(fault.PlacementInvalid, id, "the root and its regions cannot be removed",
			"name nodes below them")
	}
	earlier, err := x.Earlier(id)
	if err != nil {
		return err
	}
	if !earlier || within(path, Sys) {
		return nil
	}
	if e.class == Turn && x.env.Bare {
		return nil
	}
	if e.class == Turn {
		return fault.OnNode(fault.Sealed, id, "an edit cannot remove a turn", "prune it at a commit")
	}
	if TurnOn(path) == nil {
		return sealed(id, "the node was published in an earlier cycle")
	}
	if InCore(path) {
		return sealed(id, "the node is in a sealed core, which is immutable")
	}
	return nil
}

// NoNode returns the error for an id that no node has: E_NODE_NOT_FOUND. where completes
// the sentence "there is no such node", such as "in this snapshot".
func NoNode(id, where string) error {
	if id == "" {
		return fault.New(fault.NodeNotFound, "the id of a node is missing", "give one, or a region: ^sys, ^seq or ^ah")
	}
	return fault.OnNode(fault.NodeNotFound, id, "there is no such node "+where,
		"the selector * finds all that are there; the regions are ^sys, ^seq and ^ah")
}

// find returns the path to a node by its id or, for a region, its name.
func (x *Editor) find(id string) ([]*Entry, error) { return x.findIn(nil, id) }

// findIn is find with room for the path.
func (x *Editor) findIn(room []*Entry, id string) ([]*Entry, error) {
	path, err := x.AppendPath(room, id)
	if err != nil {
		return nil, err
	}
	if len(path) == 0 {
		return nil, NoNode(id, "in the working state")
	}
	return path, nil
}

// target is findIn for a parent, which may be named by its region.
func (x *Editor) target(room []*Entry, parent string) ([]*Entry, error) {
	if class, named := ClassOfType(parent); named && class.Region() && class.String() == parent {
		if e := x.Region(class); e != nil {
			parent = e.node.ID
		}
	}
	return x.findIn(room, parent)
}

func within(path []*Entry, region Class) bool { return len(path) > 1 && path[1].class == region }

func sealed(id, message string) error {
	return fault.OnNode(fault.Sealed, id, message, "add a node that says what changes, in ^ah or behind the core of a turn")
}
