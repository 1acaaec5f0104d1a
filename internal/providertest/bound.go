package providertest

import (
	"crypto/sha256"
	"encoding/json"
	"regexp"
	"strings"
)

// The models that bind thinking to what was sent before it: Anthropic's refuse a request whose thinking came after
// something else (platform.claude.com/docs/en/build-with-claude/preserved-thinking), OpenAI's leave such reasoning out
// (developers.openai.com/api/docs/guides/keep-prefix-unchanged; both read in November 2026).
var boundModels = regexp.MustCompile(`^(claude-fable-5-1|claude-opus-5-5|gpt-6\.2)`)

// thoughts holds, for each signature or encrypted content, hashes of what was sent before it.
type thoughts map[string]map[[sha256.Size]byte]bool

// prefixOf hashes what a list of entries begins with. Cache markers do not count.
func prefixOf(entries []any) [sha256.Size]byte {
	text, err := json.Marshal(unmarked(entries))
	if err != nil {
		panic(err)
	}
	return sha256.Sum256(text)
}

// unmarked returns a value without cache markers.
func unmarked(v any) any {
	switch v := v.(type) {
	case []any:
		all := make([]any, len(v))
		for i := range v {
			all[i] = unmarked(v[i])
		}
		return all
	case object:
		bare := object{}
		for name, m := range v {
			if name != "cache_control" {
				bare[name] = unmarked(m)
			}
		}
		return bare
	}
	return v
}

// entriesOf lists a request as it comes to the model, with the place of each thought.
func entriesOf(body object) (entries []any, thought map[int]string) {
	thought = map[int]string{}
	entries = append(entries, body["tools"], body["system"], body["instructions"])
	for _, m := range list(body["messages"]) {
		content := member(m, "content")
		if said, ok := content.(string); ok {
			content = []any{object{"type": "text", "text": said}}
		}
		for _, block := range list(content) {
			if strings.HasSuffix(text(block, "type"), "thinking") {
				thought[len(entries)] = text(block, "signature") + text(block, "data")
			}
			entries = append(entries, []any{text(m, "role"), block})
		}
	}
	for _, item := range list(body["input"]) {
		if text(item, "type") == "reasoning" {
			thought[len(entries)] = text(item, "encrypted_content")
		}
		entries = append(entries, item)
	}
	return entries, thought
}

// bind checks the thoughts of a request, and counts those that the provider leaves out.
func (p *Provider) bind(path string, body object) *refusal {
	if !boundModels.MatchString(text(body, "model")) {
		return nil
	}
	entries, thought := entriesOf(body)
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range entries {
		known := p.thoughts[thought[i]]
		if known == nil || known[prefixOf(entries[:i])] {
			continue
		}
		if strings.HasSuffix(path, "/messages") {
			return invalid("messages: a `thinking` block is bound to a conversation with another beginning")
		}
		p.dropped++
	}
	return nil
}

// thinks notes what was sent before the thinking of an answer.
func (p *Provider) thinks(a *reply) {
	if a.Thinking == "" {
		return
	}
	if p.thoughts == nil {
		p.thoughts = thoughts{}
	}
	entries, _ := entriesOf(a.body)
	for _, signature := range []string{"sig" + a.Thinking, "gAAA" + a.Thinking} {
		if p.thoughts[signature] == nil {
			p.thoughts[signature] = map[[sha256.Size]byte]bool{}
		}
		p.thoughts[signature][prefixOf(entries)] = true
	}
}

// Dropped returns how many items of reasoning were left out because something before them had changed.
func (p *Provider) Dropped() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dropped
}
