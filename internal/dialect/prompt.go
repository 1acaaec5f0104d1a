package dialect

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
)

// Prompt is what a provider caches of one request, in the provider's order.
type Prompt struct {
	Model    string
	Settings []string // values of the dialect's settings, "" for a missing one
	Blocks   []Block
	word     string // the word with which the request asks for a lifetime
	body     []byte // the body as sent, if the dialect compares bodies
}

// Block is one part of a request at its place in the prompt.
type Block struct {
	api.Section
	Kind, Name string
	Apart      bool // the provider removes it before it caches
	Marked     bool
	Lifetime   string // the marker's word
	message    int    // index of its message, -1 outside of messages
	hash       [sha256.Size]byte
}

// Read reads the prompt of a request. model is the model that the path names,
// for bodies without one. Only a dialect that compares bodies needs body.
func (d *Dialect) Read(r *api.Request, model string, body []byte) *Prompt {
	return d.ReadNext(r, model, body, Hashes{})
}

// ReadNext is Read for the calls of one conversation: it takes the hashes of the
// parts that an earlier call had from known, and adds those of new parts. Cost:
// linear in the number of parts, and in the bytes of the new ones.
func (d *Dialect) ReadNext(r *api.Request, model string, body []byte, known Hashes) *Prompt {
	p := &Prompt{Model: r.Model}
	if p.Model == "" {
		p.Model = model
	}
	for i := range d.Settings {
		p.Settings = append(p.Settings, d.Settings[i].value(r))
	}
	p.Blocks = make([]Block, 0, len(r.Parts))
	for i := range r.Parts {
		part := &r.Parts[i]
		b := Block{Section: part.Section, Kind: part.Kind, Name: part.Name, message: part.Message,
			hash: known.of(part)}
		b.Marked = part.Marker.Kind != canon.KindAbsent
		b.Lifetime = follow(part.Marker, "ttl").Text
		b.Apart = d.Apart != "" && part.Section == api.System && strings.HasPrefix(part.Content.Text, d.Apart)
		p.Blocks = append(p.Blocks, b)
	}
	if len(d.Forgets) > 0 && begins(p.Model, d.Forgets) && !clearsThinking(r) {
		p.forget(lastQuestion(r))
	}
	if marker := follow(r.Parameters, "cache_control"); d.Marked && marker.Kind == canon.KindObject {
		if last := p.lastMarkable(); last != nil {
			last.Marked, last.Lifetime = true, follow(marker, "ttl").Text
		}
	}
	p.word = follow(r.Parameters, "prompt_cache_retention").Text
	if ttl := follow(r.Parameters, "prompt_cache_options", "ttl").Text; ttl != "" {
		p.word = ttl
	}
	if d.AsSent {
		p.body = body
	}
	return p
}

// forget takes thinking out of the messages before one.
func (p *Prompt) forget(message int) {
	for i := range p.Blocks {
		if b := &p.Blocks[i]; b.Kind == "thinking" && b.message < message {
			b.Apart = true
		}
	}
}

// lastQuestion returns the index of the last message of the user that has no
// result of a tool, -1 if there is none.
func lastQuestion(r *api.Request) int {
	last, results := -1, map[int]bool{}
	for i := range r.Parts {
		results[r.Parts[i].Message] = results[r.Parts[i].Message] || r.Parts[i].Kind == "result"
	}
	for i := range r.Parts {
		if p := &r.Parts[i]; p.Section == api.Conversation && p.Role == "user" && !results[p.Message] {
			last = max(last, p.Message)
		}
	}
	return last
}

// clearsThinking reports whether a request says itself how much thinking the
// provider keeps.
func clearsThinking(r *api.Request) bool {
	edits := follow(r.Parameters, "context_management", "edits")
	return slices.ContainsFunc(edits.Elems, func(e canon.Any) bool {
		return strings.HasPrefix(follow(e, "type").Text, "clear_thinking")
	})
}

// lastMarkable returns the block that a marker of the whole request applies to:
// the last block that may have a marker, which thinking may not.
func (p *Prompt) lastMarkable() *Block {
	for i := len(p.Blocks) - 1; i >= 0; i-- {
		if b := &p.Blocks[i]; b.Kind != "thinking" && !b.Apart {
			return b
		}
	}
	return nil
}

// follow follows a path of members; absent if one is missing.
func follow(v canon.Any, path ...string) canon.Any {
	for _, name := range path {
		v, _ = v.Get(name)
	}
	return v
}

// reasoning counts the blocks of reasoning from the n-th block on that the model
// may see.
func (p *Prompt) reasoning(n int) (count int) {
	for i := n; i < len(p.Blocks); i++ {
		if p.Blocks[i].Kind == "thinking" && !p.Blocks[i].Apart {
			count++
		}
	}
	return count
}

// begin counts the blocks before a section.
func (p *Prompt) begin(s api.Section) int {
	n := 0
	for n < len(p.Blocks) && p.Blocks[n].Section < s {
		n++
	}
	return n
}
