package provider

import (
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/splice"
)

// mostAnthropicMarkers is how many cache markers a request may have.
const mostAnthropicMarkers = 4

// anthropicMarkers requires at most four markers, none on thinking or on an empty text, and
// those of longer lifetime first.
func anthropicMarkers(c *checker) {
	type marker struct {
		place string
		of    splice.Value
		hour  bool
	}
	var markers []marker
	last := splice.Value{}
	var look func(place string, block splice.Value)
	look = func(place string, block splice.Value) {
		last = block
		word := block.Get("type").Text()
		if mark := block.Get("cache_control"); mark.Kind == canon.KindObject {
			remove := func(e *splice.Edits) { e.RemoveMember(block, "cache_control") }
			switch {
			case word == "thinking" || word == "redacted_thinking":
				c.report(place, "thinking has a cache marker", "move the marker to another block", remove)
			case word == "text" && strings.TrimSpace(block.Get("text").Text()) == "":
				c.report(place, "an empty text has a cache marker", "move the marker to another block", remove)
			default:
				markers = append(markers, marker{place, block, mark.Get("ttl").Text() == "1h"})
			}
		}
		if word == "tool_result" {
			for k, part := range block.Get("content").Elems {
				look(at(place+".content", k), part)
			}
		}
	}
	each := func(place string, list splice.Value) {
		for k, block := range list.Elems {
			look(at(place, k), block)
		}
	}
	each("tools", c.root.Get("tools"))
	each("system", c.root.Get("system"))
	for i, m := range c.root.Get("messages").Elems {
		each(at("messages", i)+".content", m.Get("content"))
	}
	most := mostAnthropicMarkers
	if c.root.Get("cache_control").Kind == canon.KindObject && last.Get("cache_control").Kind != canon.KindObject {
		most-- // the one of the whole request is on the last block
	}
	gone := map[int]bool{}
	for n, k := len(markers)-most, 0; n > 0 && k < len(markers); k++ {
		// The last marker of the tools and of the system prompt serve every call, those before the last ones none.
		if m := markers[k]; strings.HasPrefix(m.place, "messages") || k+1 < len(markers) &&
			m.place[0] == markers[k+1].place[0] || len(markers)-k <= n {
			gone[k] = true
			n--
			c.report(m.place, "the request has "+strconv.Itoa(len(markers))+" cache markers, and may have "+
				strconv.Itoa(most), "remove the markers that stand before others",
				func(e *splice.Edits) { e.RemoveMember(m.of, "cache_control") })
		}
	}
	short := false
	for k, m := range markers {
		if !gone[k] && m.hour && short {
			ttl := m.of.Get("cache_control")
			c.report(m.place, "a marker of an hour stands behind one of five minutes", "put the longer lifetime first",
				func(e *splice.Edits) { e.RemoveMember(ttl, "ttl") })
		}
		short = short || !gone[k] && !m.hour
	}
}
