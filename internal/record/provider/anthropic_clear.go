package provider

import (
	"crypto/sha256"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/splice"
)

// Clearing says how a request asks a provider to clear the oldest results of tools before the model reads it. The
// provider puts a placeholder in the place of each, and keeps the calls.
type Clearing struct {
	Models       []string // beginnings of the names of the models that can be asked
	Header, Beta string   // the header of a request that asks, and the word in it
}

// anthropicClears is the edit clear_tool_uses_20250919, as
// https://platform.claude.com/docs/en/build-with-claude/context-editing describes it (read on 2026-11-26, with the list
// of models). The edit takes a number: it clears all results but those of the last uses of tools. The page does not say
// whether uses of excluded tools, and of tools that the provider runs, count among the last ones. So a request that asks
// excludes no tool, and a request with tools of the provider does not ask. The edit clear_thinking_20251015 counts turns
// of the model; rules count calls.
//
// The provider binds thinking to what was sent, so thinking behind a cleared result stays valid (anthropicPreserved).
var anthropicClears = &Clearing{
	Models: []string{"claude-fable-5", "claude-mythos", "claude-opus-5", "claude-sonnet-5", "claude-haiku-5",
		"claude-opus-4-5", "claude-opus-4-6", "claude-opus-4-7", "claude-opus-4-8", "claude-sonnet-4-5", "claude-sonnet-4-6",
		"claude-haiku-4-5"},
	Header: "Anthropic-Beta", Beta: "context-management-2025-06-27",
}

const (
	clearsUses   = "clear_tool_uses_20250919"
	clearingName = "context_management"
)

// Cleared stands for the provider's placeholder in forecasts. No page quotes its text.
const Cleared = `"[cleared by the provider]"`

// The beginnings of the types of tools that the client runs.
var anthropicOwnTools = []string{"custom", "bash_", "text_editor_", "computer_", "memory_"}

// ClearingFor returns how a request can ask the provider to clear results. It returns nil if the request has the
// member already, its model cannot be asked, or the provider runs one of its tools; of the first parts it is known that they
// are none. Cost: linear in the others.
func ClearingFor(r *Request, known int) *Clearing {
	c := entryOf(r.API).clears
	if _, asks := r.Parameters.Get(clearingName); c == nil || asks || !matchesModel(r.Model, c.Models) {
		return nil
	}
	for i := known; i < len(r.Parts); i++ {
		p := &r.Parts[i]
		if p.Content.Kind != canon.KindObject {
			continue
		}
		kind := text(p.Content, "type")
		if p.Section == Tools && kind != "" && !matchesModel(kind, anthropicOwnTools) ||
			p.Section == Conversation && strings.HasSuffix(kind, "_tool_use") { // the provider runs it, or ran it
			return nil
		}
	}
	return c
}

// ClearsItself reports whether the agent has its provider clear results or write a summary.
func (r *Request) ClearsItself() bool {
	field := get(r.Parameters, clearingName)
	return slices.ContainsFunc(slices.Concat(get(field, "edits").Elems, field.Elems), func(e canon.Any) bool {
		word := text(e, "type")
		return strings.HasPrefix(word, "clear_tool_uses") || strings.HasPrefix(word, "compact")
	})
}

// Ask collects the edit that has a body ask the provider to clear all results but those of the last uses of tools. It
// writes the member with spaces if the client does, else the store would have to keep the whole body.
func (c *Clearing) Ask(e *splice.Edits, root splice.Value, keep int) {
	first := root.Members[0]
	text := `"` + clearingName + `":{"edits":[{"type":"` + clearsUses + `","trigger":{"type":"tool_uses","value":1},` +
		`"keep":{"type":"tool_uses","value":` + strconv.Itoa(keep) + `}}]},`
	if root.Raw[first.Value.Start-root.Start-1] == ' ' {
		text = strings.NewReplacer(":", ": ", ",", ", ").Replace(text)
	}
	e.Replace(splice.Value{Start: first.Start}, []byte(text))
}

// UndoAsk collects the edit that undoes Ask.
func UndoAsk(e *splice.Edits, root splice.Value) {
	if first := root.Members[0]; first.Name == clearingName && len(root.Members) > 1 {
		e.Replace(splice.Value{Start: first.Start, Raw: root.Raw[first.Start-root.Start : root.Members[1].Start-root.Start]}, nil)
	}
}

// clear has a placeholder count in the place of each result that the provider clears, if the request names a number
// of uses. By tokens it cannot tell which results go.
func (p *Prompt) clear(r *Request) {
	for _, e := range get(r.Parameters, clearingName, "edits").Elems {
		limit, sure := usesIn(e, "trigger")
		keep, also := usesIn(e, "keep")
		if !sure || !also || slices.ContainsFunc(e.Members, func(m canon.Member) bool {
			return m.Name != "type" && m.Name != "trigger" && m.Name != "keep"
		}) {
			continue
		}
		var uses []string
		for i := range r.Parts {
			if r.Parts[i].Kind == "call" {
				uses = append(uses, r.Parts[i].Call)
			}
		}
		if len(uses) <= limit {
			continue
		}
		old := map[string]bool{}
		for _, use := range uses[:max(0, len(uses)-keep)] {
			old[use] = true
		}
		for i := range r.Parts {
			if b := &p.Blocks[i]; b.Kind == "result" && old[r.Parts[i].Call] {
				b.Cleared, b.hash = true, sha256.Sum256([]byte(Cleared))
			}
		}
	}
}

// usesIn returns a number of uses of tools in an edit.
func usesIn(e canon.Any, name string) (int, bool) {
	n, err := strconv.Atoi(get(e, name, "value").Text)
	return n, err == nil && get(e, name, "type").Text == "tool_uses" && get(e, "type").Text == clearsUses
}

// In returns the headers of a request that asks.
func (c *Clearing) In(h http.Header) http.Header {
	h = h.Clone()
	if betas := strings.Join(h.Values(c.Header), ","); betas == "" {
		h.Set(c.Header, c.Beta)
	} else if !strings.Contains(betas, c.Beta) {
		h.Set(c.Header, betas+","+c.Beta)
	}
	return h
}
