package providertest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// What the providers document about their caches.
const (
	lookBack = 20  // positions that Anthropic checks for each marker, its own included
	step     = 128 // OpenAI counts the tokens read in multiples of it
)

// leastOf returns the tokens of the shortest cached prefix: Google's by model
// (ai.google.dev/gemini-api/docs/caching, read in November 2026), of all others 1,024 here.
func leastOf(path string) int {
	switch {
	case strings.Contains(path, "models/gemini-2.5"):
		return 2048
	case strings.Contains(path, "models/gemini-"):
		return 4096
	}
	return 1024
}

// attribution begins a system text that Anthropic does not cache.
const attribution = "x-anthropic-billing-header:"

// A change of one of messageFields ends the cached messages; a change of one of
// wholeFields ends everything cached.
var (
	messageFields = []string{"tool_choice", "thinking", "output_config"}
	wholeFields   = []string{"model", "reasoning", "text", "reasoning_effort", "verbosity", "response_format",
		"service_tier", "prompt_cache_key"}
)

// cache keeps prefixes as the providers do. For Anthropic: tools, then the
// system prompt, then the messages, up to each block that has a marker. For the
// others: the whole prompt.
type cache struct {
	prefixes map[[sha256.Size]byte]*cached
}

// cached is one cached prefix.
type cached struct {
	used time.Time
	life time.Duration
}

// cachedBlock is a block at its place in the cached order.
type cachedBlock struct {
	place  string // tool, system, or the role of a message
	text   string
	marked bool
	hour   bool // its marker asks for a lifetime of an hour
}

// cachedBlocks lists the blocks of a request in the order of the cache. It
// leaves out markers and Claude Code's attribution, which are not cached.
func cachedBlocks(body object) (blocks []cachedBlock) {
	add := func(place string, v any) {
		o, ok := v.(object)
		if !ok {
			v = object{"type": "text", "text": v}
		}
		if place == "system" && strings.HasPrefix(fmt.Sprint(member(v, "text")), attribution) {
			return
		}
		marker := o["cache_control"]
		if marker != nil {
			v = without(o, "cache_control")
		}
		// To a model, a list of one text is the same as the text.
		if o, ok := v.(object); ok && text(o, "type") == "tool_result" {
			if parts := list(o["content"]); len(parts) == 1 && text(parts[0], "type") == "text" {
				o = without(o, "content")
				o["content"] = text(parts[0], "text")
				v = o
			}
		}
		text, err := json.Marshal([]any{place, v})
		if err != nil {
			panic(err)
		}
		blocks = append(blocks, cachedBlock{place, string(text), marker != nil, member(marker, "ttl") == "1h"})
	}
	each := func(place string, v any) {
		if _, ok := v.([]any); !ok && v != nil {
			v = []any{v}
		}
		for _, e := range list(v) {
			add(place, e)
		}
	}
	each("tool", body["tools"])
	each("system", body["system"])
	for _, field := range []string{"instructions", "systemInstruction", "input", "contents"} {
		each(field, body[field])
	}
	question := -1
	if forgetful.MatchString(text(body, "model")) {
		question = lastQuestion(list(body["messages"]))
	}
	for i, m := range list(body["messages"]) {
		role, parts := text(m, "role"), member(m, "content")
		if i < question {
			parts = withoutThinking(parts)
		}
		each(role, parts)
		for _, call := range list(member(m, "tool_calls")) {
			add(role, call)
		}
	}
	if marker, ok := body["cache_control"].(object); ok && len(blocks) > 0 {
		last := &blocks[len(blocks)-1]
		last.marked, last.hour = true, marker["ttl"] == "1h"
	}
	return blocks
}

// forgetful matches the models that see the thinking of the last turn only.
var forgetful = regexp.MustCompile(`^claude-(3-|(opus|sonnet)-4-(0|20)|opus-4-1|sonnet-4-5|haiku-4-5)`)

// lastQuestion returns the index of the last message of the user without results of tools, -1 for none.
func lastQuestion(messages []any) int {
	for i, m := range slices.Backward(messages) {
		isResult := func(part any) bool { return text(part, "type") == "tool_result" }
		if text(m, "role") == "user" && !slices.ContainsFunc(list(member(m, "content")), isResult) {
			return i
		}
	}
	return -1
}

func withoutThinking(parts any) any {
	all, ok := parts.([]any)
	if !ok {
		return parts
	}
	return slices.DeleteFunc(slices.Clone(all), func(part any) bool {
		return strings.HasSuffix(text(part, "type"), "thinking")
	})
}

func without(o object, name string) object {
	bare := object{}
	for n, m := range o {
		if n != name {
			bare[n] = m
		}
	}
	return bare
}

// count returns the usage of a request sent at a time, and caches the request.
func (c *cache) count(path string, body object, now time.Time) (u usage) {
	blocks := cachedBlocks(body)
	byMarker, least := strings.HasSuffix(path, "/messages"), leastOf(path)
	hashes, sizes := make([][sha256.Size]byte, len(blocks)), make([]int, len(blocks))
	h := sha256.New()
	write := func(v any) {
		if err := json.NewEncoder(h).Encode(v); err != nil {
			panic(err)
		}
	}
	write(path)
	for _, name := range wholeFields {
		write(body[name])
	}
	inMessages := false
	for i, b := range blocks {
		if byMarker && !inMessages && b.place != "tool" && b.place != "system" {
			inMessages = true
			for _, name := range messageFields {
				write(body[name])
			}
		}
		h.Write([]byte(b.text))
		h.Write([]byte{'\n'})
		u.sent += tokens(b.text)
		h.Sum(hashes[i][:0])
		sizes[i] = u.sent
	}
	at, end, hour := c.find(blocks, hashes, now, byMarker), 0, 0
	if at >= 0 && sizes[at] >= least {
		u.read = sizes[at]
	}
	for i, b := range blocks {
		if b.marked || !byMarker {
			end = sizes[i]
			if b.hour {
				hour = end
			}
		}
		if (b.marked || !byMarker) && sizes[i] >= least {
			c.keep(hashes[i], now, b.hour)
		} else if e := c.prefixes[hashes[i]]; e != nil && i <= at {
			e.used = now
		}
	}
	switch {
	case !byMarker:
		if !strings.Contains(path, ":") { // a colon in the path means Gemini
			u.read -= u.read % step
		}
	case end >= least:
		u.written, u.hour = max(0, end-u.read), max(0, hour-u.read)
	}
	return u
}

// find returns the last block of the longest cached prefix, -1 for none.
func (c *cache) find(blocks []cachedBlock, hashes [][sha256.Size]byte, now time.Time, byMarker bool) int {
	best := -1
	for i, b := range blocks {
		if byMarker && !b.marked {
			continue
		}
		first := 0
		if byMarker {
			first = max(0, i-lookBack+1)
		}
		for at := i; at >= first; at-- {
			if e := c.prefixes[hashes[at]]; e != nil && now.Sub(e.used) <= e.life {
				best = max(best, at)
				break
			}
		}
	}
	return best
}

func (c *cache) keep(hash [sha256.Size]byte, now time.Time, hour bool) {
	if c.prefixes == nil {
		c.prefixes = map[[sha256.Size]byte]*cached{}
	}
	life := 5 * time.Minute
	if hour {
		life = time.Hour
	}
	c.prefixes[hash] = &cached{now, life}
}
