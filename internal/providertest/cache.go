package providertest

import (
	"crypto/sha256"
	"encoding/json"
)

// lookBack is how many blocks before a marker a cached prefix is looked for.
const lookBack = 20

// cache keeps prefixes as Anthropic does: tools, then the system prompt, then the
// messages, up to each block that has a marker. Requests without markers have
// their whole prompt cached, as the other providers do by themselves.
type cache struct {
	prefixes map[[sha256.Size]byte]bool
}

// cachedBlock is a block in the order in which it is cached.
type cachedBlock struct {
	text   string
	marked bool
}

// cachedBlocks lists the blocks of a request in the order of the cache. Markers
// are no part of what is cached.
func cachedBlocks(body object) (blocks []cachedBlock) {
	add := func(place string, v any) {
		o, ok := v.(object)
		if !ok {
			v = object{"type": "text", "text": v}
		}
		marked := o["cache_control"] != nil
		if marked {
			bare := object{}
			for name, m := range o {
				if name != "cache_control" {
					bare[name] = m
				}
			}
			v = bare
		}
		text, err := json.Marshal([]any{place, v})
		if err != nil {
			panic(err)
		}
		blocks = append(blocks, cachedBlock{string(text), marked})
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
	for _, m := range list(body["messages"]) {
		role, parts := text(m, "role"), member(m, "content")
		each(role, parts)
		for _, call := range list(member(m, "tool_calls")) {
			add(role, call)
		}
	}
	return blocks
}

// count says what a request takes, and caches it.
func (c *cache) count(body object) (u usage) {
	blocks := cachedBlocks(body)
	marked := false
	for _, b := range blocks {
		marked = marked || b.marked
	}
	hashes, sizes := make([][sha256.Size]byte, len(blocks)), make([]int, len(blocks))
	h := sha256.New()
	for i, b := range blocks {
		h.Write([]byte(b.text))
		h.Write([]byte{'\n'})
		u.sent += tokens(b.text)
		h.Sum(hashes[i][:0])
		sizes[i] = u.sent
	}
	written := 0
	for i := range blocks {
		if blocks[i].marked || !marked {
			for at := i; at >= max(0, i-lookBack); at-- {
				if c.prefixes[hashes[at]] {
					u.read = max(u.read, sizes[at])
					break
				}
			}
			written = sizes[i]
		}
	}
	if c.prefixes == nil {
		c.prefixes = map[[sha256.Size]byte]bool{}
	}
	for i := range blocks {
		if blocks[i].marked || !marked {
			c.prefixes[hashes[i]] = true
		}
	}
	u.written = max(0, written-u.read)
	return u
}
