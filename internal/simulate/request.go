package simulate

import (
	"crypto/sha256"
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
	of     *provider.Request
	read   *manage.Request // of the body that was recorded, nil for none
	whole  manage.Request  // of the snapshot, once a policy asked for it
	asked  bool            // whole is that of this call
	same   int             // how many parts of whole are those of this call
	thread *tree.Tree      // nil before the first call
	blocks provider.Request
	ids    []string // of the blocks that its parts are
	there  map[string]bool
	parts  []*part
	marked []int              // the places of the markers that are assumed
	hashes []hash             // of the blocks
	sizes  []manage.Sized     // of each part
	tokens []float64          // likewise, as the provider counts
	heads  [2]provider.Prompt // of this call and the one before
	head   int                // of these, that of this call
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
func (r *run) request(p *passed) (*request, error) {
	q := &r.sent
	recorded, err := r.recorded(p)
	if err != nil {
		return nil, err
	}
	if err := q.goOn(p.now); err != nil {
		return nil, err
	}
	if recorded != nil && len(recorded.Parts) == len(q.blocks.Parts) {
		q.of, q.read = recorded.Of, recorded
	}
	return q, nil
}

// goOn makes the request one of another snapshot.
func (q *request) goOn(t *tree.Tree) (err error) {
	same := 0
	if q.thread != nil {
		if same, err = tree.SameBlocks(q.thread, t); err != nil {
			return err
		}
	}
	for _, i := range q.marked {
		q.blocks.Parts[i].Marker = canon.Any{}
	}
	for _, id := range q.ids[same:] {
		delete(q.there, id)
	}
	q.thread, q.of, q.read, q.asked, q.marked = t, &q.blocks, nil, false, q.marked[:0]
	q.ids, q.parts, q.hashes, q.blocks.Parts = q.ids[:same], q.parts[:same], q.hashes[:same], q.blocks.Parts[:same]
	message, role := -1, ""
	if q.same = min(q.same, same); same > 0 {
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
		if i >= 0 {
			parts[i].Marker, q.marked = q.marker(), append(q.marked, i)
		}
	}
	return nil
}

// prompt returns the request as the provider reads it, and notes the tokens of its blocks. told is how many tokens the
// provider counted of it, nil if it did not say. The prompt is there until the next but one.
func (q *request) prompt(told *int64) *provider.Prompt {
	hashes := q.hashes
	if q.read != nil {
		hashes = make([]hash, len(q.of.Parts))
		for i := range q.of.Parts {
			hashes[i] = q.memory.HashOf(&q.of.Parts[i])
		}
	}
	q.head = 1 - q.head
	p := &q.heads[q.head]
	q.rules.ReadHashed(p, q.of, q.model, func(i int) hash { return hashes[i] })
	q.sizes = q.sizes[:0]
	for i := range hashes {
		one := manage.Sized{Hash: hashes[i], Size: perToken * q.parts[i].tokens, Result: q.parts[i].Kind == toolcall.Result}
		if p.Blocks[i].Cleared { // the provider counts a placeholder
			one = manage.Sized{Hash: sha256.Sum256(hashes[i][:]), Size: perToken * int64(q.o.Counter.Count(provider.Cleared))}
		}
		q.sizes = append(q.sizes, one)
	}
	q.tokens = q.meter.of(q.tokens[:0], q.sizes, told)
	return p
}

// managed returns the request as what manages reads it. It takes the memory of a request that nobody needs any more, nil
// for none.
func (q *request) managed(from *manage.Request) *manage.Request {
	if q.read != nil {
		return q.read.Clone(from)
	}
	if !q.asked {
		q.wholly()
	}
	return q.whole.Clone(from)
}

// wholly reads the request as what manages reads it. Cost: linear in the parts behind those of the last time, unless some of
// these are gone.
func (q *request) wholly() {
	m := &q.whole
	same, of := min(q.same, len(m.Parts)), q.of.Parts // the first parts are those of the call that was asked for before
	goesOn := m.Of != nil && same == len(m.Parts)
	from := same
	switch {
	case !goesOn:
		from, m.Bytes, m.Clears = 0, 0, provider.ClearingFor(q.of, 0)
	case m.Clears != nil:
		m.Clears = provider.ClearingFor(q.of, same)
	}
	if same > 0 && m.Parts[0].Part != &of[0] { // the list is elsewhere now
		from = 0
	}
	m.API, m.Of, m.Parts, q.asked = q.api, q.of, m.Parts[:same], true
	for i := from; i < len(of); i++ {
		if i == len(m.Parts) {
			m.Parts = append(m.Parts, q.managedPart(i))
		}
		if m.Parts[i].Part = &of[i]; i >= same || !goesOn {
			m.Bytes += q.parts[i].size
		}
	}
	q.same = len(of)
	m.Begin(same, func(string, string) bool { return false }, q.memory.HashOf)
}

// managedPart returns a part as what manages reads it.
func (q *request) managedPart(i int) (p manage.Part) {
	of := &q.of.Parts[i]
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
	if _, err := budget.Hold(r.ctx, perByte*int64(len(content))); err != nil {
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
