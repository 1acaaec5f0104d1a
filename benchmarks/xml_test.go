package benchmarks

import (
	"github.com/antchfx/xmlquery"
	"github.com/antchfx/xpath"
)

func buildXML(n int) *xmlquery.Node {
	var nodes []*xmlquery.Node
	conversation(n, func(_ int, it item) {
		e := &xmlquery.Node{Type: xmlquery.ElementNode, Data: tag(it.nodeType)}
		attributes(it, func(name, value string) { xmlquery.AddAttr(e, name, value) })
		if it.parent >= 0 {
			xmlquery.AddChild(nodes[it.parent], e)
		}
		nodes = append(nodes, e)
	})
	document := &xmlquery.Node{Type: xmlquery.DocumentNode}
	xmlquery.AddChild(document, nodes[0])
	return document
}

func openXPath(n int) prepare {
	document := buildXML(n)
	return func(text string, one bool) asked {
		q := xpath.MustCompile(text)
		run := func() []*xmlquery.Node { return xmlquery.QuerySelectorAll(document, q) }
		if one {
			run = func() []*xmlquery.Node { return []*xmlquery.Node{xmlquery.QuerySelector(document, q)} }
		}
		return asked{
			run: func() int { return len(run()) },
			ids: func() []string {
				var ids []string
				for _, e := range run() {
					ids = append(ids, e.SelectAttr("id"))
				}
				return ids
			},
		}
	}
}
