package view

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/contexttree/pact/internal/tree"
)

// TreeRow is a node in its place in the tree.
type TreeRow struct {
	ID       string `json:"id"`
	Depth    int    `json:"depth" doc:"0 for the node that the list begins with"`
	Class    string `json:"class" doc:"^root, ^sys, ^seq, ^ah, turn, container or block"`
	Region   string `json:"region,omitempty" doc:"^sys, ^seq or ^ah"`
	Type     string `json:"nodeType"`
	Offset   int64  `json:"offset"`
	TTL      *int64 `json:"ttl,omitempty" doc:"Cycles left; absent for a node that never expires"`
	Role     string `json:"role,omitempty"`
	Kind     string `json:"kind,omitempty"`
	Key      string `json:"key,omitempty"`
	Cycle    int64  `json:"cycle" doc:"The cycle that brought it"`
	Blocks   int    `json:"blocks" doc:"At and below the node"`
	Bytes    int64  `json:"bytes" doc:"Of these blocks in the canonical thread"`
	Tokens   *int64 `json:"tokens,omitempty" doc:"Of these blocks, if they were asked for"`
	Children int    `json:"children"`
	First    string `json:"first,omitempty" doc:"The first words of its content"`
}

// TreePage is a page of a tree in document order.
type TreePage struct {
	Items []TreeRow `json:"items" nullable:"false"`
	Next  int       `json:"next,omitempty" doc:"Value of after for the next page; absent on the last page"`
	Total int       `json:"total" doc:"How many nodes there are in all pages"`
}

// Tree lists the nodes at and below a node in document order, the root if under is "".
// E_NODE_NOT_FOUND if there is no such node. Cost: O(depth · log n), and reading the contents
// of the page.
func (v *State) Tree(ctx context.Context, under string, after, limit int) (p *TreePage, err error) {
	t := tree.Of(v.Snapshot)
	top := t.Root()
	region := tree.Root
	if under != "" {
		path, err := t.Path(under)
		if err != nil {
			return nil, err
		}
		if path == nil {
			return nil, tree.NoNode(under, "in this state")
		}
		top = path[len(path)-1]
		if len(path) > 1 {
			region = path[1].Class()
		}
	}
	p = &TreePage{Items: []TreeRow{}, Total: top.Summary().Nodes}
	w := treeWalk{ctx: ctx, view: v, page: p, skip: after, limit: limit}
	w.entry(top, region, 0)
	if after+len(p.Items) < p.Total {
		p.Next = after + len(p.Items)
	}
	return p, w.err
}

// treeWalk writes the rows of a page.
type treeWalk struct {
	ctx         context.Context
	view        *State
	page        *TreePage
	skip, limit int
	err         error
}

// entry writes the rows of a node and of the nodes below it. It reports whether to go on.
func (w *treeWalk) entry(e *tree.Entry, region tree.Class, depth int) bool {
	if nodes := e.Summary().Nodes; nodes <= w.skip {
		w.skip -= nodes
		return true
	}
	if w.skip > 0 {
		w.skip--
	} else {
		if len(w.page.Items) == w.limit {
			return false
		}
		r, err := w.view.treeRow(w.ctx, e, region, depth)
		if w.err = err; err != nil {
			return false
		}
		w.page.Items = append(w.page.Items, r)
	}
	kids := e.Children()
	below := kids.Visit(0, kids.Len(), func(s *tree.Summary) bool {
		if s.Nodes <= w.skip {
			w.skip -= s.Nodes
			return false
		}
		return true
	})
	for k, err := range below {
		if w.err = err; err != nil {
			return false
		}
		in := region
		if k.Class().Region() {
			in = k.Class()
		}
		if !w.entry(k, in, depth+1) {
			return false
		}
	}
	return true
}

// TreeText writes the trees of one state after another. It remembers the rows of turns in which nothing will expire.
type TreeText struct {
	before, sealed, behind []byte
	written                []writtenTurn // those with which sealed begins, up to the first in which something will expire
	turns                  map[tree.Digest][]byte
}

// writtenTurn is a turn, and where its rows end in the text of all turns.
type writtenTurn struct {
	digest tree.Digest
	end    int
}

// Of returns the rows of [State.Tree], all of them, as JSON, in three parts: what is below ^seq, and what stands before and
// behind it. They are there until the next call. The first same bytes of what is below ^seq are those of the last call. Cost:
// a look at each turn, the turns that no state before had, and the size of what is not the same.
func (x *TreeText) Of(ctx context.Context, v *State) (parts [3][]byte, same int, err error) {
	if x.turns == nil {
		x.turns = map[tree.Digest][]byte{}
	}
	root := tree.Of(v.Snapshot).Root()
	if x.before, err = v.appendRow(ctx, x.before[:0], root, tree.Root, 0); err != nil {
		return parts, 0, err
	}
	x.before[0], x.behind = '[', x.behind[:0]
	to := &x.before
	for e, err := range root.Children().All() {
		switch {
		case err != nil:
		case e.Class() == tree.Seq:
			if *to, err = v.appendRow(ctx, *to, e, tree.Seq, 1); err == nil {
				same, err = x.seal(ctx, v, e.Children())
			}
			to = &x.behind
		default:
			*to, err = x.append(ctx, v, *to, e, tree.Root, 1)
		}
		if err != nil {
			return parts, 0, err
		}
	}
	x.behind = append(x.behind, ']')
	return [...][]byte{x.before, x.sealed, x.behind}, same, nil
}

// seal writes the rows of the turns, and returns how many bytes of them are those of the last call.
func (x *TreeText) seal(ctx context.Context, v *State, turns *tree.List) (same int, err error) {
	n := 0
	for e, err := range turns.All() {
		if err != nil {
			return 0, err
		}
		if n == len(x.written) || e.Digest() != x.written[n].digest {
			break
		}
		same = x.written[n].end
		n++
	}
	x.written, x.sealed = x.written[:n], x.sealed[:same]
	for e, err := range turns.Visit(n, turns.Len(), func(*tree.Summary) bool { return true }) {
		if err == nil {
			x.sealed, err = x.append(ctx, v, x.sealed, e, tree.Seq, 2)
		}
		if err != nil {
			return 0, err
		}
		if len(x.written) == n && isSteady(e, tree.Seq) {
			x.written = append(x.written, writtenTurn{e.Digest(), len(x.sealed)})
			n++
		}
	}
	return same, nil
}

// isSteady reports whether the rows of an entry are the same in every state that has it.
func isSteady(e *tree.Entry, region tree.Class) bool {
	return e.Class() == tree.Turn && region == tree.Seq && e.Summary().Finite == 0
}

// append appends the rows of an entry and of what is below it, each behind a comma.
func (x *TreeText) append(ctx context.Context, v *State, text []byte, e *tree.Entry, region tree.Class, depth int) ([]byte, error) {
	steady := isSteady(e, region)
	if rows, known := x.turns[e.Digest()]; steady && known {
		return append(text, rows...), nil
	}
	if e.Class().Region() {
		region = e.Class()
	}
	begin := len(text)
	text, err := v.appendRow(ctx, text, e, region, depth)
	if err != nil {
		return text, err
	}
	for k, err := range e.Children().All() {
		if err == nil {
			text, err = x.append(ctx, v, text, k, region, depth+1)
		}
		if err != nil {
			return text, err
		}
	}
	if steady {
		x.turns[e.Digest()] = bytes.Clone(text[begin:])
	}
	return text, nil
}

// appendRow appends the row of an entry behind a comma.
func (v *State) appendRow(ctx context.Context, text []byte, e *tree.Entry, region tree.Class, depth int) ([]byte, error) {
	row, err := v.treeRow(ctx, e, region, depth)
	if err != nil {
		return text, err
	}
	written, err := json.Marshal(row)
	return append(append(text, ','), written...), err
}

func (v *State) treeRow(ctx context.Context, e *tree.Entry, region tree.Class, depth int) (r TreeRow, err error) {
	n, s := e.Node(), e.Summary()
	r = TreeRow{ID: n.ID, Depth: depth, Class: e.Class().String(), Type: n.Type, Offset: n.Offset, Role: n.Role,
		Kind: n.Kind, Key: n.Key, Cycle: n.Cycle, Blocks: s.Blocks, Children: e.Children().Len(),
		Bytes: s.Bytes + int64(s.Roleless*tree.RoleBytes(region))}
	if region != tree.Root {
		r.Region = region.String()
	}
	if ttl, finite := n.TTL(tree.Of(v.Snapshot).Base()); finite {
		r.TTL = &ttl
	}
	if v.Counter != nil {
		tokens, err := tree.Tokens(v.Counter).Sum(ctx, e)
		if err != nil {
			return r, err
		}
		r.Tokens = &tokens
	}
	r.First, err = first(ctx, n)
	return r, err
}
