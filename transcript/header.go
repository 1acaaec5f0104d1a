package transcript

import (
	"maps"

	"github.com/contexttree/pact"
)

// placed is a message in ^sys.
type placed struct {
	*message
	n     int64
	nodes []string // ids of its blocks
}

// setHeader makes ^sys hold the list. Only ^sys allows a changed message to be
// updated in place (docs/decisions): the next snapshot holds new versions under
// the same ids. If the number or kinds of a message's blocks change, setHeader
// removes and re-adds that message and all that follow.
func (b *builder) setHeader(e *pact.Batch, list []*message) {
	at := 0
	for ; at < len(b.header) && at < len(list); at++ {
		if b.header[at].message == list[at] {
			continue
		}
		if !b.update(e, &b.header[at], list[at]) {
			break
		}
	}
	for _, p := range b.header[at:] {
		remove(e, p.nodes)
	}
	b.header = b.header[:at]
	for _, m := range list[at:] {
		p := placed{message: m, n: b.number()}
		for _, block := range m.blocks(p.n, b.provenance) {
			p.nodes = append(p.nodes, e.Add("^sys", block.Spec))
		}
		b.header = append(b.header, p)
	}
}

// update turns the blocks of a message into those of another, and reports
// whether it could.
func (b *builder) update(e *pact.Batch, p *placed, m *message) bool {
	was, will := p.blocks(p.n, b.provenance), m.blocks(p.n, b.provenance)
	if len(was) != len(will) {
		return false
	}
	for i := range was {
		if was[i].Kind != will[i].Kind || !e.Has(p.nodes[i]) {
			return false
		}
	}
	for i := range was {
		e.Update(p.nodes[i], func(s *pact.Spec) {
			s.Content = will[i].Content
			maps.DeleteFunc(s.Attrs, func(name string, _ any) bool { return was[i].Attrs[name] != nil })
			maps.Copy(s.Attrs, will[i].Attrs)
		})
	}
	p.message = m
	return true
}
