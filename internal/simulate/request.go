package simulate

import (
	"crypto/sha256"

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

// request is a call of the run.
type request struct {
	*run
	of      *provider.Request
	read    *manage.Request // of the body that was recorded, nil for none
	ids     []string        // of the blocks that its parts are
	there   map[string]bool
	parts   []*part
	sizes   []manage.Sized
	tokens  []float64 // of each part, as the provider counts
	counted int64     // of all, as the counter counts
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
// block for the cache, as agents do.
func (r *run) request(p *passed) (*request, error) {
	t := p.now
	recorded, err := r.recorded(p)
	if err != nil {
		return nil, err
	}
	made := &request{run: r, there: map[string]bool{}}
	message, role, system := -1, "", -1
	q := &provider.Request{API: r.api, Model: r.model}
	for b, err := range t.Blocks(0) {
		if err != nil {
			return nil, err
		}
		n := b.Node()
		p, err := r.part(t, n, b.Region)
		if err != nil {
			return nil, err
		}
		one := p.Part
		if one.Section == provider.Conversation {
			if speaks := one.Role == "assistant"; message < 0 || speaks != (role == "assistant") {
				message++
			}
			role, one.Message = one.Role, message
		} else {
			one.Message, system = -1, len(q.Parts)
		}
		q.Parts = append(q.Parts, one)
		made.ids, made.parts, made.there[n.ID] = append(made.ids, n.ID), append(made.parts, p), true
		made.counted += p.tokens
	}
	if recorded != nil && len(recorded.Parts) == len(q.Parts) {
		made.of, made.read = recorded.Of, recorded
		return made, nil
	}
	made.of = q
	if system >= 0 {
		q.Parts[system].Marker = r.marker()
	}
	for i := len(q.Parts) - 1; i >= 0; i-- {
		if q.Parts[i].Kind != "thinking" {
			q.Parts[i].Marker = r.marker()
			break
		}
	}
	return made, nil
}

// prompt returns the request as the provider reads it, and notes the tokens of its blocks. told is how many tokens the
// provider counted of it, nil if it did not say.
func (q *request) prompt(told *int64) *provider.Prompt {
	hashes := make([]hash, len(q.of.Parts))
	for i := range q.of.Parts {
		hashes[i] = q.memory.HashOf(&q.of.Parts[i])
	}
	p := q.rules.ReadHashed(q.of, q.model, nil, hashes)
	q.sizes = make([]manage.Sized, len(hashes))
	for i := range hashes {
		q.sizes[i] = manage.Sized{Hash: hashes[i], Size: perToken * q.parts[i].tokens}
		if p.Blocks[i].Cleared { // the provider counts a placeholder
			q.sizes[i] = manage.Sized{Hash: sha256.Sum256(hashes[i][:]), Size: perToken * int64(q.o.Counter.Count(provider.Cleared))}
		}
	}
	q.tokens = q.meter.of(q.sizes, told)
	return p
}

// managed returns the request as what manages reads it.
func (q *request) managed() *manage.Request {
	if q.read != nil {
		return q.read.Clone()
	}
	m := &manage.Request{API: q.api, Of: q.of, Clears: provider.ClearingFor(q.of), Parts: make([]manage.Part, len(q.of.Parts))}
	for i := range q.of.Parts {
		p := &m.Parts[i]
		p.Part = &q.of.Parts[i]
		m.Bytes += q.parts[i].size
		if p.Section != provider.Conversation {
			continue
		}
		switch content := p.Part.Content; {
		case p.Kind == "result" && p.Call != "" && (content.Kind == canon.KindString || content.Kind == canon.KindArray):
			p.Key, p.Bytes = q.parts[i].key, q.parts[i].size
			p.Said = func() (canon.Any, error) { return content, nil }
		case p.Kind == "thinking" && q.api == provider.Messages:
			p.Key = q.parts[i].key
		}
	}
	m.Begin(func(string, string) bool { return false }, q.memory.HashOf)
	return m
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
		Content: canon.Value(content).Any()}}
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
	if text, ok := content.Text(); ok {
		p.tokens = int64(r.o.Counter.Count(text))
	} else {
		p.tokens = int64(r.o.Counter.Count(string(content)))
	}
	p.key = manage.KeyOf(p.Call, canon.Value(content))
	r.parts[n] = p
	return p, nil
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
