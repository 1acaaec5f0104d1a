package benchmarks

import (
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// tag is the element that stands for a type: mt, mc, cb, or a region without
// its caret.
func tag(nodeType string) string { return strings.TrimPrefix(nodeType, "^") }

// attributes calls set for the headers of an item, those first that the
// queries ask for, because elements are searched for attributes in order.
func attributes(it item, set func(name, value string)) {
	set("id", it.id)
	if it.role != "" {
		set("role", it.role)
		set("kind", it.kind)
	}
	if it.ttl >= 0 {
		set("ttl", strconv.FormatInt(it.ttl, 10))
	}
	set("priority", strconv.FormatInt(it.priority, 10))
	set("offset", strconv.FormatInt(it.offset, 10))
	set("cycle", strconv.FormatInt(it.cycle, 10))
	set("creation_index", strconv.FormatInt(it.index, 10))
	if it.key != "" {
		set("key", it.key)
	}
	if it.tags != nil {
		set("tags", strings.Join(it.tags, " "))
	}
	if it.content != "" {
		set("content", it.content)
	}
}

func buildHTML(n int) *html.Node {
	var nodes []*html.Node
	conversation(n, func(_ int, it item) {
		e := &html.Node{Type: html.ElementNode, Data: tag(it.nodeType)}
		attributes(it, func(name, value string) { e.Attr = append(e.Attr, html.Attribute{Key: name, Val: value}) })
		if it.parent >= 0 {
			nodes[it.parent].AppendChild(e)
		}
		nodes = append(nodes, e)
	})
	document := &html.Node{Type: html.DocumentNode}
	document.AppendChild(nodes[0])
	return document
}

func openCascadia(n int) prepare {
	document := buildHTML(n)
	return func(text string, one bool) asked {
		q := cascadia.MustCompile(text)
		run := q.MatchAll
		if one {
			run = func(n *html.Node) []*html.Node { return []*html.Node{q.MatchFirst(n)} }
		}
		return asked{
			run: func() int { return len(run(document)) },
			ids: func() []string {
				var ids []string
				for _, e := range run(document) {
					ids = append(ids, e.Attr[0].Val)
				}
				return ids
			},
		}
	}
}
