package simulate

import (
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/worth"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
)

// part is a block as a provider reads it, and its tokens.
type part struct {
	provider.Part
	tokens int64
}

// request is the request for a tree.
type request struct {
	prompt  *provider.Prompt
	first   []int64 // the tokens of the first n blocks, by n
	counted int64   // of all
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

// request makes the request of a tree. Where the provider caches only marked prefixes, it marks the end of the
// system prompt and the last block, as agents do.
func (r *run) request(t *tree.Tree) (*request, error) {
	blocks, _ := t.ThreadSize()
	q := &provider.Request{Model: r.model, Parts: make([]provider.Part, 0, blocks)}
	made := &request{first: make([]int64, 1, blocks+1)}
	if r.asks.Kind != canon.KindAbsent {
		q.Parameters = canon.Object(canon.Member{Name: "context_management", Value: r.asks})
	}
	tokens := make([]int64, 0, blocks)
	message, role, system := -1, "", -1
	for b, err := range t.Blocks(0) {
		if err != nil {
			return nil, err
		}
		p, err := r.part(b.Node(), b.Region)
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
		tokens = append(tokens, p.tokens)
	}
	if system >= 0 {
		q.Parts[system].Marker = r.marker()
	}
	for i := len(q.Parts) - 1; i >= 0; i-- {
		if q.Parts[i].Kind != "thinking" {
			q.Parts[i].Marker = r.marker()
			break
		}
	}
	if r.hashes == nil {
		r.hashes = provider.Hashes{}
	}
	made.prompt = r.rules.ReadNext(q, r.model, nil, r.hashes)
	for i, n := range tokens {
		if made.prompt.Blocks[i].Cleared {
			n = int64(r.o.Counter.Count(provider.Cleared))
		}
		made.counted += n
		made.first = append(made.first, made.counted)
	}
	return made, nil
}

// perByte is how much memory a run takes for a byte of a content: the content, its value and an entry for each
// of its lines.
const perByte = 8

// part reads a block once.
func (r *run) part(n *tree.Node, region tree.Class) (*part, error) {
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
	call, _ := n.Header("wire:call").Text()
	p := &part{Part: provider.Part{Call: call, Section: provider.Conversation, Kind: n.Kind, Role: n.RoleIn(region),
		Content: canon.Value(content).Any()}}
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
	r.parts[n] = p
	return p, nil
}

// price returns the cost of a request if the provider has its first blocks in the cache.
func (r *run) price(sent *request, cached int) worth.Call {
	return r.priceOf(sent.counted, sent.first[cached])
}

// priceOf is price for tokens as the counter counts them.
func (r *run) priceOf(sent, read int64) worth.Call {
	return r.tariff.Call(r.scaledTo(sent), r.scaledTo(read))
}

// scaledTo returns tokens of the counter as the provider counts them.
func (r *run) scaledTo(n int64) int64 { return int64(float64(n)*r.scale + 0.5) }
