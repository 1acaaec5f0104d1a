package transcript

import (
	"maps"

	"github.com/contexttree/pact"
)

// placed is a message in ^sys.
type placed struct {
	*message
	nodes []string // ids of its blocks
}

// setHeader makes ^sys hold the list. Only ^sys allows a changed message to be
// updated in place (docs/decisions.md): the next snapshot holds new versions under
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
		p := placed{message: m}
		for i, c := 0, m.cut(); i < len(c.list); i++ {
			p.nodes = append(p.nodes, e.Add("^sys", c.spec(i, p.nodes, b.provenance)))
		}
		b.header = append(b.header, p)
	}
}

// update turns the blocks of a message into those of another, and reports
// whether it could.
func (b *builder) update(e *pact.Batch, p *placed, m *message) bool {
	was, will := p.cut(), m.cut()
	if len(was.list) != len(will.list) {
		return false
	}
	for i := range was.list {
		if was.list[i].Kind != will.list[i].Kind || !e.Has(p.nodes[i]) {
			return false
		}
	}
	for i, id := range p.nodes {
		before, now := was.spec(i, p.nodes, b.provenance), will.spec(i, p.nodes, b.provenance)
		e.Update(id, func(s *pact.Spec) {
			s.Content = now.Content
			maps.DeleteFunc(s.Attrs, func(name string, _ any) bool { return before.Attrs[name] != nil })
			maps.Copy(s.Attrs, now.Attrs)
		})
	}
	p.message = m
	return true
}
