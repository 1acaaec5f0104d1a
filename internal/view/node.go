package view

import (
	"context"
	"encoding/json"
	"sort"
	"unicode/utf8"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
)

// Node is one node of a state with its surroundings. Its headers have the names with which they are written.
type Node struct {
	ID          string                     `json:"id"`
	Type        string                     `json:"nodeType"`
	Class       string                     `json:"class" doc:"^root, ^sys, ^seq, ^ah, turn, container or block"`
	Offset      int64                      `json:"offset"`
	Priority    int64                      `json:"priority"`
	TTL         *int64                     `json:"ttl" nullable:"true" doc:"Cycles left; null if it never expires"`
	Cad         *int64                     `json:"cad,omitempty" doc:"In edition 1.0: cycles after which a new node of its key comes"`
	Role        string                     `json:"role,omitempty"`
	Kind        string                     `json:"kind,omitempty"`
	Key         string                     `json:"key,omitempty"`
	Provenance  string                     `json:"provenance,omitempty"`
	MIME        string                     `json:"mime,omitempty"`
	Encoding    string                     `json:"encoding,omitempty"`
	Tags        []string                   `json:"tags,omitempty"`
	Refs        []string                   `json:"refs" nullable:"false" doc:"Ids of nodes that it refers to"`
	Removable   bool                       `json:"removable,omitempty"`
	Pinned      bool                       `json:"pinned,omitempty"`
	Attrs       map[string]json.RawMessage `json:"attrs,omitempty" doc:"Custom attributes"`
	Cycle       int64                      `json:"cycle" doc:"The cycle that brought it"`
	Created     string                     `json:"created_at_iso,omitempty" doc:"Absent if the time is unknown: the clock counted from 0"`
	Index       int64                      `json:"creation_index"`
	ContentHash string                     `json:"content_hash,omitempty"`
	Parent      string                     `json:"parent_id,omitempty"`

	ShownRole string `json:"shown_role,omitempty" doc:"Of a block: the role with which the thread shows it"`
	ShownKind string `json:"shown_kind,omitempty" doc:"Of a block: its kind in lists and pictures"`
	Region    string `json:"region,omitempty"`
	Turn      string `json:"turn,omitempty" doc:"The turn that it is or is in"`
	Tool      string `json:"tool,omitempty"`
	Failed    bool   `json:"failed,omitempty"`
	Erased    bool   `json:"erased,omitempty" doc:"An erasure removed its content"`

	// A browser would round the numbers of a content, and a part of one is no JSON.
	Text     *Text  `json:"text,omitempty" doc:"The content: a text as it is, any other as canonical JSON; absent if there is none"`
	Form     string `json:"content_form,omitempty" enum:"text,json" doc:"Which of the two it is"`
	Complete bool   `json:"complete" doc:"False if text has only the beginning; …/content has all"`
	Size     int    `json:"content_bytes" doc:"Of the content in canonical JSON"`

	Bytes  int64  `json:"bytes" doc:"Of what is at and below it in the canonical thread"`
	Tokens *int64 `json:"tokens,omitempty"`
	Start  int64  `json:"start" doc:"Offset in the canonical thread"`
	End    int64  `json:"end" doc:"Offset of the first byte behind it"`
	Place  int    `json:"place" doc:"How many blocks of the thread stand before it"`

	By         string   `json:"by,omitempty" doc:"Who brought it"`
	Message    string   `json:"message,omitempty" doc:"With which message"`
	ReferredBy []string `json:"referred_by" nullable:"false"`
	StandsFor  []string `json:"stands_for,omitempty" nullable:"false" doc:"Of a stub: the nodes that it replaces"`
	Carried    []Span   `json:"carried" nullable:"false" doc:"The cycles whose snapshots have it"`
}

// Span is a run of cycles.
type Span struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// shownContent is how many bytes of a content an answer has at most.
const shownContent = 256 << 10

// Node describes a node of a state. E_NODE_NOT_FOUND if the state has none with this id. Cost:
// O(depth · log n), reading the content, and O(log n) snapshots to find the last that has it.
func (v *State) Node(ctx context.Context, c *pact.Context, id string) (d *Node, err error) {
	t := tree.Of(v.Snapshot)
	path, err := t.Path(id)
	if err != nil {
		return nil, err
	}
	if path == nil {
		return nil, tree.NoNode(id, "in this state")
	}
	e := path[len(path)-1]
	n := e.Node()
	plain, err := v.Snapshot.Node(id)
	if err != nil {
		return nil, err
	}
	failed, err := toolcall.Failed(t, n)
	if err != nil {
		return nil, err
	}
	d = describe(&plain)
	d.Failed, d.StandsFor, d.Size = failed, commit.StandsFor(n), n.Content.Size()
	if err := v.locate(d, path); err != nil {
		return nil, err
	}
	if d.Tool, err = toolcall.Name(ctx, t, n); err != nil {
		return nil, err
	}
	for id, err := range t.Referrers(n.ID) {
		if err != nil {
			return nil, err
		}
		d.ReferredBy = append(d.ReferredBy, id)
	}
	if err := t.Sort(d.ReferredBy); err != nil {
		return nil, err
	}
	for _, h := range n.Headers {
		if tree.CustomName(h.Name) && json.Valid([]byte(h.Value)) {
			if d.Attrs == nil {
				d.Attrs = map[string]json.RawMessage{}
			}
			d.Attrs[h.Name] = json.RawMessage(h.Value)
		}
	}
	by := v.Log.Creator(n)
	d.By, d.Message = by.Actor, by.Message
	if v.Counter != nil {
		tokens, err := tree.Tokens(v.Counter).Sum(ctx, e)
		if err != nil {
			return nil, err
		}
		d.Tokens = &tokens
	}
	if err := d.content(ctx, n); err != nil {
		return nil, err
	}
	d.Carried, err = carried(ctx, c, v.Snapshot, n)
	return d, err
}

// locate says where a node is; path leads to it from the root.
func (v *State) locate(d *Node, path []*tree.Entry) error {
	e := path[len(path)-1]
	n := e.Node()
	if len(path) > 1 {
		region := path[1].Class()
		d.Region, d.Parent = region.String(), path[len(path)-2].Node().ID
		if e.Class() == tree.Block {
			d.ShownRole = n.RoleIn(region)
			d.ShownKind = KindOfNode(n, d.ShownRole).String()
		}
		if region == tree.Seq && len(path) > 2 {
			d.Turn = path[2].Node().ID
		}
	}
	var err error
	if d.Start, d.End, _, err = tree.Of(v.Snapshot).ThreadRange(n.ID); err != nil {
		return err
	}
	if d.Place, _, _, err = tree.Of(v.Snapshot).ThreadPlace(n.ID); err != nil {
		return err
	}
	d.Bytes = d.End - d.Start
	return nil
}

// describe says what a node has by itself.
func describe(n *pact.Node) *Node {
	return &Node{ID: n.ID, Type: n.NodeType, Class: n.Class, Offset: n.Offset, Priority: n.Priority, TTL: n.TTL, Cad: n.Cad,
		Role: n.Role, Kind: n.Kind, Key: n.Key, Provenance: n.Provenance, MIME: n.MIME, Encoding: n.Encoding, Tags: n.Tags,
		Refs: append([]string{}, n.Refs...), Removable: n.Removable, Pinned: n.Pinned, Cycle: n.Cycle, Created: ISO(n.CreatedNS),
		Index: n.Index, ContentHash: n.ContentHash, Erased: n.Erased, ReferredBy: []string{}}
}

// content fills in the content of a node, or its beginning.
func (d *Node) content(ctx context.Context, n *tree.Node) error {
	value, err := n.Content.Value(ctx)
	if err != nil || value == "" {
		d.Complete = err == nil
		return err
	}
	text, isText := value.Text()
	if d.Form = "text"; !isText {
		text, d.Form = string(value), "json"
	}
	if d.Complete = len(text) <= shownContent; !d.Complete {
		end := shownContent
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	whole := Text(text)
	d.Text = &whole
	return nil
}

// carried returns the cycles whose snapshots have a node: an id that is gone never comes back,
// so they are one run.
func carried(ctx context.Context, c *pact.Context, state *pact.Snapshot, n *tree.Node) ([]Span, error) {
	first, last := c.Info().First, c.Info().Cycle
	if last < first || state.Cycle() > last && n.Cycle > last {
		return []Span{}, nil // only a draft has it
	}
	var failed error
	lacks := func(cycle int64) bool {
		if failed != nil {
			return true
		}
		s, err := c.At(ctx, pact.Cycle(cycle))
		if err != nil {
			failed = err
			return true
		}
		var has bool
		has, failed = tree.Of(s).Has(n.ID)
		return !has
	}
	from := max(first, n.Cycle)
	until := max(from, min(state.Cycle(), last))
	if lacks(until) {
		return []Span{}, failed
	}
	if lacks(last) {
		until += int64(sort.Search(int(last-until), func(i int) bool { return lacks(until + int64(i) + 1) }))
	} else {
		until = last
	}
	return []Span{{from, until}}, failed
}
