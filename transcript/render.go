package transcript

import (
	"bytes"
	"context"
	"io"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/tree"
)

// OpenAI returns the thread of a snapshot (02 §12) as OpenAI chat messages: a
// compact JSON array, names sorted, everything else as the canonical thread
// writes it. It works for every snapshot, and fails if a content cannot be read
// from the store. WriteOpenAI writes the same, and needs no memory for all of it.
//
// Blocks of an imported message are put together again and give the JSON value
// that it was. Where some of them were removed, the rest is still a message: a
// removed call leaves tool_calls, content becomes null where only calls are
// left, and a message without a block is gone. Fields besides role, content and
// calls go with the first block of their message.
//
// Of the other blocks each is a message, except that those of the assistant
// that follow each other in a turn are one message when there is a call among
// them. An image is a list with one part; a result names the call it refers
// to; the role other, which OpenAI does not have, is user.
func OpenAI(ctx context.Context, s *pact.Snapshot) ([]byte, error) {
	_, size := s.ThreadSize() // that of the messages is near it
	buf := bytes.NewBuffer(make([]byte, 0, size))
	if err := WriteOpenAI(ctx, buf, s); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// WriteOpenAI writes what OpenAI returns. It fails if w does or where content
// has to be read from a store and cannot; a part of the messages may be written
// then. Cost: about that of copying the bytes, once the turns were rendered
// before: what is sealed is kept, as it is for the canonical thread.
func WriteOpenAI(ctx context.Context, w io.Writer, s *pact.Snapshot) error {
	return s.Tree().WriteAs(ctx, w, openAIForm)
}

// openAIForm is the form of OpenAI chat messages. No message has blocks of two turns
// or regions, and what it takes of another turn is the call that a result refers
// to.
var openAIForm = &tree.Form{Write: func(r *tree.Rendering, part *tree.Entry, region tree.Class) {
	m := renderer{ctx: r.Context(), node: r.Node}
	pieces, err := m.pieces(part, region)
	for err == nil && len(pieces) > 0 {
		n := together(pieces)
		if !r.End(m.appendMessage(r.Begin(), pieces[:n])) {
			return
		}
		pieces = pieces[n:]
	}
	if err != nil {
		r.End(nil, err)
	}
}}

// renderer makes messages of blocks.
type renderer struct {
	ctx  context.Context
	node func(id string) *tree.Node // nodes that blocks refer to; nil for one that is not there
}

// appendMessage appends the message that some blocks are.
func (r *renderer) appendMessage(dst []byte, list []piece) ([]byte, error) {
	if list[0].origin != nil {
		return imported(list).appendTo(dst), nil
	}
	return r.appendAdded(dst, list)
}

// piece is a block of the thread with what its message needs of it.
type piece struct {
	node    *tree.Node
	role    string // canonical or namespaced
	turn    string // id of the turn or region it is in
	content canon.Value
	origin  *origin // nil if the block is of no imported message
}

// origin is what an imported block says of its message.
type origin struct {
	n       canon.Value
	content string
	rest    canon.Any
	form    string
}

// pieces lists the blocks of a turn or a region.
func (r *renderer) pieces(part *tree.Entry, region tree.Class) (list []piece, err error) {
	var walk func(e *tree.Entry, turn string) error
	walk = func(e *tree.Entry, turn string) error {
		if e.Class() == tree.Turn {
			turn = e.Node().ID
		}
		if e.Class() == tree.Block {
			p, err := r.piece(e.Node(), region, turn)
			list = append(list, p)
			return err
		}
		for k := range e.Children().All() {
			if err := walk(k, turn); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(part, part.Node().ID); err != nil {
		return nil, err
	}
	rejoin(list)
	return list, nil
}

func (r *renderer) piece(n *tree.Node, region tree.Class, turn string) (piece, error) {
	p := piece{node: n, turn: turn, origin: originOf(n), role: n.RoleIn(region)}
	if r.answersErased(n) {
		p.origin = nil
	}
	if p.origin == nil && n.Kind == "call" {
		p.role = "assistant" // whatever its role: nobody else can call
	}
	content, err := n.Content.Value(r.ctx)
	p.content = canon.Value(content)
	return p, err
}

func originOf(n *tree.Node) *origin {
	about := canon.Value(n.Header(attrMessage)).Any()
	number, _ := about.Get("n")
	if number.Kind != canon.KindNumber {
		return nil
	}
	o := &origin{n: number.Value()}
	content, _ := about.Get("content")
	o.content = content.Text
	o.rest, _ = about.Get("rest")
	o.form, _ = n.Header(attrForm).Text()
	return o
}

// together returns how many pieces at the beginning of a list are one message.
// Added ones are several only where there is a call among them.
func together(list []piece) int {
	first := &list[0]
	n, calls := 1, first.node.Kind == "call"
	for n < len(list) && first.joins(&list[n]) {
		calls = calls || list[n].node.Kind == "call"
		n++
	}
	if first.origin == nil && !calls {
		return 1
	}
	return n
}

// joins reports whether a piece that follows p can be of the same message.
func (p *piece) joins(next *piece) bool {
	switch {
	case p.turn != next.turn || p.role != next.role || (p.origin == nil) != (next.origin == nil):
		return false
	case p.node.Kind == "result" || next.node.Kind == "result":
		return false
	case p.origin != nil:
		return p.origin.n == next.origin.n
	}
	return p.speaks() && next.speaks()
}

// speaks reports whether the piece is text or a call of the assistant.
func (p *piece) speaks() bool {
	return p.role == "assistant" && (p.node.Kind == "" || p.node.Kind == "text" || p.node.Kind == "call")
}
