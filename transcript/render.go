package transcript

import (
	"bytes"
	"context"
	"io"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// OpenAI returns the thread of a snapshot (02 §12) as OpenAI chat messages: a
// compact JSON array with sorted names, otherwise written as the canonical
// thread writes it. It works for every snapshot, and fails only if the store
// cannot read a content. It leaves out what [LeftOut] returns. WriteOpenAI writes the same without holding all of it
// in memory.
//
// The blocks of an imported message together give back the JSON value that it
// was. If some were removed, the rest is still a message: tool_calls loses a
// removed call, content becomes null if only calls are left, and a message
// without blocks disappears. Fields other than role, content and calls belong
// to the first block of their message.
//
// Every other block is a message of its own, but consecutive blocks of the
// assistant in one turn form one message if a call is among them. An image
// becomes a list with one part; a result names the call that it refers to; the
// role other, which OpenAI lacks, becomes user.
func OpenAI(ctx context.Context, s *pact.Snapshot) ([]byte, error) {
	_, size := s.ThreadSize() // the messages take about as many bytes
	buf := bytes.NewBuffer(make([]byte, 0, size))
	if err := WriteOpenAI(ctx, buf, s); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// WriteOpenAI writes what OpenAI returns. It fails if w fails or if the store
// cannot read a content; part of the messages may be written then. Cost: about
// that of copying the bytes if the turns were rendered before, because sealed
// turns keep their rendering, as for the canonical thread.
func WriteOpenAI(ctx context.Context, w io.Writer, s *pact.Snapshot) error {
	ctx = tree.Asking(ctx, tree.AskerOf(s))
	t, err := sendable(ctx, tree.Of(s))
	if err != nil {
		return err
	}
	return t.WriteAs(ctx, w, openAIForm)
}

// openAIForm is the form of OpenAI chat messages. No message spans two turns or
// regions; it depends on another turn only through the call that a result
// refers to.
var openAIForm = &tree.Form{Write: func(r *tree.Rendering, part *tree.Entry, region tree.Class) {
	m := renderer{ctx: r.Context(), node: r.Node}
	pieces, err := m.pieces(part, region)
	for err == nil && len(pieces) > 0 {
		n := messageLength(pieces)
		if !r.End(m.appendMessage(r.Begin(), pieces[:n])) {
			return
		}
		pieces = pieces[n:]
	}
	if err != nil {
		r.End(nil, err)
	}
}}

// renderer turns blocks into messages.
type renderer struct {
	ctx  context.Context
	node func(id string) *tree.Node // returns a node that a block refers to, nil if it does not exist
}

// appendMessage appends the message that some blocks form.
func (r *renderer) appendMessage(dst []byte, list []piece) ([]byte, error) {
	if list[0].origin != nil {
		return imported(list).AppendTo(dst), nil
	}
	m, err := r.added(list)
	return m.AppendTo(dst), err
}

// piece is a block of the thread, with what its message needs from it.
type piece struct {
	node    *tree.Node
	role    string // canonical or namespaced
	turn    string // id of the turn or region that holds it
	content canon.Value
	origin  *origin // nil if no import made the block
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
		for k, err := range e.Children().All() {
			if err != nil {
				return err
			}
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
		p.role = "assistant" // only the assistant can call
	}
	content, err := n.Content.Value(r.ctx)
	p.content = canon.Value(content)
	return p, err
}

// messageLength counts the pieces at the beginning of a list that form one message.
// Pieces that no import made form one message only if a call is among them.
func messageLength(list []piece) int {
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

// joins reports whether the piece after p can belong to the same message.
func (p *piece) joins(next *piece) bool {
	switch {
	case p.turn != next.turn || p.role != next.role || (p.origin == nil) != (next.origin == nil):
		return false
	case p.node.Kind == "result" || next.node.Kind == "result":
		return false
	case p.origin != nil:
		return p.origin.first == next.origin.first
	}
	return p.speaks() && next.speaks()
}

// speaks reports whether the piece is text or a call of the assistant.
func (p *piece) speaks() bool {
	return p.role == "assistant" && (p.node.Kind == "" || p.node.Kind == "text" || p.node.Kind == "call")
}
