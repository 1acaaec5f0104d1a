package simulate

import (
	"crypto/sha256"
	"slices"
	"sort"
	"strings"

	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
)

// part is a block as a provider reads it, and its tokens as the counter counts them.
type part struct {
	provider.Part
	tokens int64
	size   int    // bytes of its content, as JSON
	key    string // of what it says and its call
}

// request is a call of the run. The next call goes on with it: it takes over what both have, and its lists.
type request struct {
	*run
	of         *provider.Request
	read       *manage.Request // of the body that was recorded, nil for none
	whole      manage.Request  // of the snapshots, as far as a policy asked for it
	wholeParts int             // how many parts of whole are those of this call
	same       int             // how many of the first parts are those of the call before
	thread     *tree.Tree      // nil before the first call
	blocks     provider.Request
	ids        []string // of the blocks that its parts are
	there      map[string]bool
	parts      []*part
	hashes     []hash          // of the blocks
	sizes      []manage.Sized  // of each part
	tokens     []float64       // likewise, as the provider counts
	said       provider.Prompt // of this call
}

// marker is the marker that agents put where a prefix to cache ends. A run whose provider reported writes for an
// hour gets markers for an hour.
func (r *run) marker() canon.Any {
	ttl := "" // the short one
	if r.hour {
		ttl = "1h"
	}
	return canon.Fields("type", "ephemeral", "ttl", ttl)
}

// request reads the request of a call. Where none was recorded, it marks the end of the system prompt and the last
// block for the cache, as agents do. Cost: that of the blocks that the call before had not.
func (r *run) request(p *passedCall) (*request, error) {
	q := &r.sent
	recorded, err := r.recorded(p)
	if err != nil {
		return nil, err
	}
	if err := q.advance(p.now); err != nil {
		return nil, err
	}
	switch before := q.read; {
	case recorded == nil || len(recorded.Parts) != len(q.blocks.Parts):
		if q.read = nil; before != nil {
			q.same = 0
		}
	case before == nil:
		q.read, q.of, q.same = recorded, recorded.Of, 0
	default:
		q.read, q.of, q.same = recorded, recorded.Of, recorded.CommonParts(before)
	}
	return q, nil
}

// advance makes the request one of another snapshot.
func (q *request) advance(t *tree.Tree) (err error) {
	same := 0
	if q.thread != nil {
		if same, err = tree.SameBlocks(q.thread, t); err != nil {
			return err
		}
	}
	for _, i := range q.blocks.Marked {
		q.blocks.Parts[i].Marker = canon.Any{}
	}
	for _, id := range q.ids[same:] {
		delete(q.there, id)
	}
	q.thread, q.of, q.same, q.wholeParts, q.blocks.Marked = t, &q.blocks, same, min(q.wholeParts, same), q.blocks.Marked[:0]
	q.ids, q.parts, q.hashes, q.blocks.Parts = q.ids[:same], q.parts[:same], q.hashes[:same], q.blocks.Parts[:same]
	message, role := -1, ""
	if same > 0 {
		last := &q.blocks.Parts[same-1]
		message, role = last.Message, last.Role
	}
	for b, err := range t.Blocks(same) {
		if err != nil {
			return err
		}
		n := b.Node()
		p, err := q.part(t, n, b.Region)
		if err != nil {
			return err
		}
		one := p.Part
		if one.Message = -1; one.Section == provider.Conversation {
			if speaks := one.Role == "assistant"; message < 0 || speaks != (role == "assistant") {
				message++
			}
			role, one.Message = one.Role, message
		}
		q.blocks.Parts = append(q.blocks.Parts, one)
		q.ids, q.parts, q.there[n.ID] = append(q.ids, n.ID), append(q.parts, p), true
		q.hashes = append(q.hashes, q.memory.HashOf(&one))
	}
	parts := q.blocks.Parts
	system := sort.Search(len(parts), func(i int) bool { return parts[i].Section == provider.Conversation }) - 1
	last := len(parts) - 1
	for last >= 0 && parts[last].Kind == "thinking" {
		last--
	}
	for _, i := range []int{system, last} {
		if i >= 0 && !slices.Contains(q.blocks.Marked, i) {
			parts[i].Marker, q.blocks.Marked = q.marker(), append(q.blocks.Marked, i)
		}
	}
	return nil
}

// prompt returns the request as the provider reads it, and notes the tokens of its blocks. told is how many tokens the
// provider counted of it, nil if it did not say. Cost: linear in the parts that the call before had not, but for sums.
func (q *request) prompt(told *int64) provider.Prompt {
	hashOf := func(i int) hash { return q.hashes[i] }
	if q.read != nil {
		hashOf = func(i int) hash { return q.memory.HashOf(&q.of.Parts[i]) }
	}
	edited, same := q.said.Edited, q.same
	if q.rules.ReadHashed(&q.said, q.of, q.model, same, hashOf); edited || q.said.Edited {
		same = 0
	}
	if same < len(q.sizes) {
		q.sizes = slices.Clip(q.sizes[:same])
	}
	for i := len(q.sizes); i < len(q.of.Parts); i++ {
		hash := hashOf(i)
		one := manage.Sized{Hash: hash, Size: perToken * q.parts[i].tokens, Result: q.parts[i].Kind == toolcall.Result}
		if q.said.Blocks[i].Cleared { // the provider counts a placeholder
			one = manage.Sized{Hash: sha256.Sum256(hash[:]), Size: perToken * int64(q.o.Counter.Count(provider.Cleared))}
		}
		q.sizes = append(q.sizes, one)
	}
	q.tokens = q.meter.of(q.tokens[:0], q.sizes, told)
	return q.said
}

// managed returns the request as what manages reads it.
func (q *request) managed() *manage.Request {
	if q.read != nil {
		return q.read
	}
	m, of := &q.whole, q.of.Parts
	if q.wholeParts == len(of) && len(m.Parts) == len(of) {
		return m
	}
	if m.Of == nil || q.wholeParts < len(m.Parts) { // some are gone
		m.Bytes, m.Clears = 0, provider.ClearingFor(q.of, 0)
		for _, p := range q.parts[:q.wholeParts] {
			m.Bytes += p.size
		}
	} else if m.Clears != nil {
		m.Clears = provider.ClearingFor(q.of, q.wholeParts)
	}
	m.API, m.Of, m.Parts = q.api, q.of, m.Parts[:q.wholeParts]
	for i := q.wholeParts; i < len(of); i++ {
		m.Parts, m.Bytes = append(m.Parts, q.managedPart(i)), m.Bytes+q.parts[i].size
	}
	m.Begin(q.wholeParts, func(string, string) bool { return false }, q.memory.HashOf)
	q.wholeParts = len(of)
	return m
}

// managedPart returns a part as what manages reads it.
func (q *request) managedPart(i int) (p manage.Part) {
	of := &q.of.Parts[i]
	p.Part = of
	switch content := of.Content; {
	case of.Section != provider.Conversation:
	case of.Kind == "result" && of.Call != "" && (content.Kind == canon.KindString || content.Kind == canon.KindArray):
		p.Key, p.Bytes = q.parts[i].key, q.parts[i].size
		p.Said = func() (canon.Any, error) { return content, nil }
	case of.Kind == "thinking" && q.api == provider.Messages:
		p.Key = q.parts[i].key
	}
	return p
}

// perByte is how much memory a run takes for a byte of a content: the content, its value and an entry for each
// of its lines.
const perByte = 8

// part reads a block once.
func (r *run) part(t *tree.Tree, n *tree.Node, region tree.Class) (*part, error) {
	if p := r.parts[n]; p != nil {
		return p, nil
	}
	content, err := n.Content.Value(r.ctx)
	if err != nil {
		return nil, err
	}
	if _, err := budget.Reserve(r.ctx, perByte*int64(len(content))); err != nil {
		return nil, err
	}
	p := &part{size: len(content), Part: provider.Part{Section: provider.Conversation, Kind: n.Kind, Role: n.RoleIn(region),
		Content: content.Any()}}
	if p.Failed, err = toolcall.Failed(t, n); err != nil {
		return nil, err
	}
	if p.Call, err = callOf(t, n); err != nil {
		return nil, err
	}
	if p.Name, err = toolcall.Name(r.ctx, t, n); err != nil {
		return nil, err
	}
	if n.Kind == toolcall.Result { // as in requests
		p.Name = ""
	}
	if region == tree.Sys {
		if p.Section = provider.System; n.Kind == toolcall.Definition {
			p.Section = provider.Tools
		}
	}
	text, ok := content.Text()
	switch {
	case ok:
	case n.Kind == toolcall.Result || n.Kind == "thinking":
		text = textOf(p.Content)
	default:
		text = string(content)
	}
	p.tokens = int64(r.o.Counter.Count(text))
	p.key = manage.KeyOf(p.Call, content)
	r.parts[n] = p
	return p, nil
}

// textOf returns what a model reads of a result or of thinking: a text, or the names and texts of a list or an object
// without its JSON, in which line breaks and quotes would count twice. Signatures are for the provider.
func textOf(content canon.Any) string {
	if content.Kind == canon.KindString {
		return content.Text
	}
	var b strings.Builder
	var add func(v canon.Any)
	add = func(v canon.Any) {
		switch v.Kind {
		case canon.KindArray:
			for _, e := range v.Elems {
				add(e)
				b.WriteByte('\n')
			}
		case canon.KindObject:
			for _, m := range v.Members {
				if m.Name != "type" && m.Name != "signature" {
					b.WriteString(m.Name + ": ")
					add(m.Value)
					b.WriteByte('\n')
				}
			}
		case canon.KindString:
			b.WriteString(v.Text)
		default:
			b.WriteString(string(v.Value()))
		}
	}
	add(content)
	return b.String()
}

// callOf returns the id of the call that a block makes or answers; where a log has none, that of the call's block.
func callOf(t *tree.Tree, n *tree.Node) (string, error) {
	call, ok := n.Header("wire:call").Text()
	if ok || n.Kind != toolcall.Call && n.Kind != toolcall.Result {
		return call, nil
	}
	if n.Kind == toolcall.Call {
		return n.ID, nil
	}
	of, err := toolcall.Partners(t, n)
	if err != nil || len(of) == 0 {
		return "", err
	}
	return of[0].ID, nil
}
