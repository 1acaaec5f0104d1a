package transcript

import (
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
)

// origin says which part of which message a block is.
type origin struct {
	first string    // the node of the first block of the message
	at    int       // its number in the message, from 0
	frame canon.Any // of the message, absent but on its first block
	part  canon.Any // of the part, absent if it is all content
}

// originOf reads what an import noted on a block, or record.AddRequest about a chat completion.
func originOf(n *tree.Node) *origin {
	by, _ := n.Header("provenance").Text()
	if form := provider.FormOf(provider.API(by)); form != "" && form != provider.FormOf(provider.Chat) {
		return nil
	}
	if about := canon.Value(n.Header(attrFrame)); about != "" {
		o := &origin{first: n.ID}
		o.frame, _ = about.Any().Get("frame")
		o.part, _ = about.Any().Get("part")
		if o.frame.Kind != canon.KindObject {
			return nil
		}
		return o
	}
	list := canon.Value(n.Header(attrPart)).Any().Elems
	if len(list) < 2 || list[1].Kind != canon.KindString {
		return nil
	}
	at, ok := list[0].Value().Int64()
	if !ok || at < 1 {
		return nil
	}
	o := &origin{first: list[1].Text, at: int(at)}
	if len(list) > 2 {
		o.part = list[2]
	}
	return o
}

// legacy reports whether a call came in the field function_call, whose value it is.
func (o *origin) legacy() bool {
	_, legacy := o.part.Get("function_call")
	return legacy
}

// imported rebuilds a message from those of its blocks that are there.
func imported(list []piece) canon.Any {
	var frame, said canon.Any // said is the first part, if there is something in it
	var erased []canon.Any    // calls
	some := map[int]canon.Any{}
	for i := range list {
		p := &list[i]
		if p.node.Erased() {
			erased = append(erased, addedCall(p))
			continue
		}
		some[p.origin.at] = p.value()
		if p.origin.frame.Kind != canon.KindAbsent {
			if frame = p.origin.frame; p.content != "" {
				said = some[0]
			}
		}
	}
	if frame.Kind == canon.KindAbsent {
		return remaining(list)
	}
	m := provider.FillSome(frame, some)
	if _, left := some[0]; left && said.Kind != canon.KindAbsent { // the message came without a content
		m = m.With("content", said)
	}
	if len(erased) > 0 {
		calls, _ := m.Get("tool_calls")
		m = m.With("tool_calls", canon.ArrayOf(append(calls.Elems, erased...)...))
	}
	return m
}

// remaining returns the message of blocks whose first one is gone, with what the message had beside them.
func remaining(list []piece) canon.Any {
	m := canon.Fields("role", providerRole(list[0].role))
	var bodies, calls []canon.Any
	for i := range list {
		p := &list[i]
		switch {
		case p.origin.legacy():
			m = m.With("function_call", p.value())
		case p.node.Kind == "call" && p.origin.part.Kind == canon.KindAbsent:
			calls = append(calls, addedCall(p))
		case p.node.Kind == "call":
			calls = append(calls, p.value())
		case p.origin.part.Kind == canon.KindAbsent:
			bodies = append(bodies, textPart(p.content))
		default:
			bodies = append(bodies, p.value())
		}
	}
	content := null
	if len(bodies) > 0 {
		content = canon.ArrayOf(bodies...)
	}
	return m.With("content", content).With("tool_calls", listOrNone(calls))
}

// value returns a block as the part that it was.
func (p *piece) value() canon.Any {
	content := p.content
	switch empty := content == ""; {
	case empty && (p.node.Kind == "text" || p.node.Kind == "result"):
		content = `""`
	case empty:
		content = canon.Null
	}
	if p.origin.legacy() || p.origin.part.Kind == canon.KindAbsent {
		return content.Held()
	}
	return provider.FillSome(p.origin.part, map[int]canon.Any{0: content.Held()})
}
