package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
)

// wordsShown is how many characters of a content a row shows.
const wordsShown = 200

// Block is a row of a thread.
type Block struct {
	Place     int    `json:"place" doc:"How many blocks stand before it"`
	ID        string `json:"id"`
	ShownKind string `json:"shown_kind" doc:"Its kind in lists and pictures"`
	ShownRole string `json:"shown_role,omitempty" doc:"The role with which the thread shows it"`
	Type      string `json:"nodeType,omitempty" doc:"If it is not that of every block"`
	Tool      string `json:"tool,omitempty" doc:"The tool that the block defines, calls or answers for"`
	Call      string `json:"call,omitempty" doc:"Of a result: the node of its call"`
	Result    string `json:"result,omitempty" doc:"Of a call: the node of its first result"`
	Failed    bool   `json:"failed,omitempty" doc:"The log marks the call as failed"`
	Stub      bool   `json:"stub,omitempty" doc:"It stands for pruned nodes"`
	Erased    bool   `json:"erased,omitempty"`
	Bytes     int64  `json:"bytes" doc:"Of its object in the canonical thread"`
	Tokens    *int64 `json:"tokens,omitempty" doc:"Of its content, if they were asked for"`
	Start     int64  `json:"start" doc:"Offset of its object in the canonical thread"`
	Cycle     int64  `json:"cycle" doc:"The cycle that brought it"`
	By        string `json:"by,omitempty" doc:"Who did"`
	First     string `json:"first" doc:"The first words of its content"`
	New       bool   `json:"new" doc:"It is not in the same place in the other state"`
	Calls     int64  `json:"calls" doc:"How many calls up to this state carried it"`
}

// KindSum adds up the blocks of one kind.
type KindSum struct {
	Kind   string `json:"kind"`
	Blocks int    `json:"blocks"`
	Bytes  int64  `json:"bytes"`
	Tokens *int64 `json:"tokens,omitempty"`
}

// BlockPage is a page of the blocks of a thread.
type BlockPage struct {
	Items []Block    `json:"items" nullable:"false"`
	Next  int        `json:"next,omitempty" doc:"Value of after for the next page; absent on the last page"`
	Total int        `json:"total" doc:"How many blocks there are in all pages"`
	Sums  []KindSum  `json:"sums" nullable:"false" doc:"Of the whole thread, in the order of the legend"`
	Cut   *ThreadCut `json:"cut,omitempty" doc:"Where the thread stops repeating that of the other state"`
}

// ThreadCut is the place where one thread stops repeating another.
type ThreadCut struct {
	Start  int64  `json:"start" doc:"Offset in the canonical thread"`
	Height int64  `json:"height" doc:"Of the blocks before it, in the unit"`
	Node   string `json:"node,omitempty" doc:"The first block that differs"`
	Cause  string `json:"cause,omitempty" doc:"What happened to it, if the other state is the call before"`
}

// State is a state of a context, and the log that says who wrote it.
type State struct {
	Snapshot *pact.Snapshot
	Before   *pact.Snapshot // to compare with, nil for none
	Log      *provenance.Log
	Counter  tree.Counter // nil to count no tokens
	First    int64        // cycle of the oldest snapshot, to count calls from
	Draft    bool         // State is the working state, which is no call
}

// The orders in which blocks are listed.
const (
	ByBytes   = "bytes"   // the largest first
	ByCarried = "carried" // first what took most bytes in all calls up to this state
)

// Filter says which blocks of a thread are listed, and in which order.
type Filter struct {
	Kinds  []Kind          // nil for all
	Failed bool            // only calls that failed, and their results
	IDs    map[string]bool // only these, nil for all
	New    bool            // only those that are not in the same place in the other state
	Order  string          // that of the thread if it is neither
	After  int             // how many rows were listed before
	Limit  int
}

// row is a block before its row is written.
type row struct {
	entry  *tree.Entry
	region tree.Class
	place  int
	kind   Kind
	bytes  int64
}

// Blocks lists blocks of a thread. Cost: a look at each block, and reading the contents of the
// page. A page of all blocks in the order of the thread costs the same, because the sums look
// at each block.
func (v *State) Blocks(ctx context.Context, f Filter) (p *BlockPage, err error) {
	t := tree.Of(v.Snapshot)
	p = &BlockPage{Items: []Block{}, Sums: []KindSum{}}
	same, err := v.compare(ctx, p)
	if err != nil {
		return nil, err
	}
	var rows []row
	var sums [Kinds]KindSum
	place := 0
	for b, err := range t.Blocks(0) {
		if err != nil {
			return nil, err
		}
		r := rowOf(b, place)
		place++
		sum := &sums[r.kind]
		sum.Blocks, sum.Bytes = sum.Blocks+1, sum.Bytes+r.bytes
		height := r.bytes + 1
		if v.Counter != nil {
			if height, err = tree.Tokens(v.Counter).Own(ctx, b.Entry); err != nil {
				return nil, err
			}
			if sum.Tokens == nil {
				sum.Tokens = new(int64)
			}
			*sum.Tokens += height
		}
		if r.place < same && p.Cut != nil {
			p.Cut.Height += height
		}
		if takes, err := f.takes(t, &r); err != nil {
			return nil, err
		} else if takes && (!f.New || r.place >= same) {
			rows = append(rows, r)
		}
	}
	for k := range sums {
		if sums[k].Blocks > 0 {
			sums[k].Kind = Kind(k).String()
			p.Sums = append(p.Sums, sums[k])
		}
	}
	switch f.Order {
	case ByBytes:
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.bytes, a.bytes) })
	case ByCarried:
		carried := func(r *row) int64 { return r.bytes * max(1, v.callsOf(r.entry.Node())) }
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(carried(&b), carried(&a)) })
	}
	p.Total = len(rows)
	rows = rows[min(f.After, len(rows)):]
	if len(rows) > f.Limit {
		rows, p.Next = rows[:f.Limit], f.After+f.Limit
	}
	for i := range rows {
		b, err := v.block(ctx, &rows[i])
		if err != nil {
			return nil, err
		}
		b.New = v.Before != nil && b.Place >= same
		p.Items = append(p.Items, b)
	}
	return p, ctx.Err()
}

func rowOf(b tree.ThreadBlock, place int) row {
	n := b.Node()
	return row{b.Entry, b.Region, place, KindOfNode(n, n.RoleIn(b.Region)), int64(n.ThreadBytes(b.Region))}
}

// From lists the blocks of a thread from a place on, most at most, and the object of each in the canonical thread. Cost:
// that of these blocks.
func (v *State) From(ctx context.Context, place, most int) (rows []Block, objects [][]byte, err error) {
	for b, err := range tree.Of(v.Snapshot).Blocks(place) {
		if err != nil {
			return nil, nil, err
		}
		if len(rows) == most {
			break
		}
		r := rowOf(b, place+len(rows))
		block, err := v.block(ctx, &r)
		if err != nil {
			return nil, nil, err
		}
		object, err := b.Node().AppendRendered(ctx, nil, b.Region)
		if err != nil {
			return nil, nil, err
		}
		rows, objects = append(rows, block), append(objects, object)
	}
	return rows, objects, ctx.Err()
}

func (f *Filter) takes(t *tree.Tree, r *row) (bool, error) {
	n := r.entry.Node()
	if f.Kinds != nil && !slices.Contains(f.Kinds, r.kind) || f.IDs != nil && !f.IDs[n.ID] {
		return false, nil
	}
	if !f.Failed {
		return true, nil
	}
	return toolcall.Failed(t, n)
}

// callsOf returns how many calls up to the state of the view carried a node of it: an id that is gone
// never comes back, so they are one run.
func (v *State) callsOf(n *tree.Node) int64 {
	last := v.Snapshot.Cycle()
	if v.Draft {
		last--
	}
	return max(0, last-max(v.First, n.Cycle)+1)
}

// compare says where the thread stops repeating that of the other state, and returns how many
// blocks are the same.
func (v *State) compare(ctx context.Context, p *BlockPage) (same int, err error) {
	if v.Before == nil {
		return 0, nil
	}
	shared, err := pact.SharePrefix(ctx, v.Before, v.Snapshot)
	if err != nil {
		return 0, err
	}
	if shared.Complete {
		return shared.Blocks, nil
	}
	p.Cut = &ThreadCut{Start: shared.Bytes, Node: shared.Newer}
	if p.Cut.Node == "" {
		p.Cut.Node = shared.Older
	}
	return shared.Blocks, nil
}

// block writes the row of a block.
func (v *State) block(ctx context.Context, r *row) (b Block, err error) {
	t, n := tree.Of(v.Snapshot), r.entry.Node()
	failed, err := toolcall.Failed(t, n)
	if err != nil {
		return Block{}, err
	}
	b = Block{Place: r.place, ID: n.ID, ShownKind: r.kind.String(), ShownRole: n.RoleIn(r.region), Bytes: r.bytes, Cycle: n.Cycle,
		Calls: v.callsOf(n), Failed: failed, Stub: commit.StandsFor(n) != nil, Erased: n.Erased(), By: v.Log.Creator(n).Actor}
	if n.Type != v.Snapshot.Edition().Traits().BlockType {
		b.Type = n.Type
	}
	b.Start, _, _, err = t.ThreadRange(n.ID)
	if err != nil {
		return Block{}, err
	}
	if b.Tool, err = toolcall.Name(ctx, t, n); err != nil {
		return b, err
	}
	if partners, err := toolcall.Partners(t, n); err != nil {
		return Block{}, err
	} else if len(partners) > 0 {
		if n.Kind == toolcall.Call {
			b.Result = partners[0].ID
		} else {
			b.Call = partners[0].ID
		}
	}
	if v.Counter != nil {
		tokens, err := tree.Tokens(v.Counter).Own(ctx, r.entry)
		if err != nil {
			return b, err
		}
		b.Tokens = &tokens
	}
	b.First, err = first(ctx, n)
	return b, err
}

// first returns the first words of the content of a node.
func first(ctx context.Context, n *tree.Node) (string, error) {
	content, err := n.Content.Value(ctx)
	if err != nil || content == "" {
		return "", err
	}
	return rawFirstWords(n.Kind, content, wordsShown), nil
}
