package benchmarks

import (
	"strings"

	"github.com/itchyny/gojq"
	"github.com/ohler55/ojg/jp"
	"github.com/theory/jsonpath"
)

// buildJSON makes what a JSON decoder makes of the canonical document, with
// integers as the library likes them best.
func buildJSON(n int, integer func(int64) any) map[string]any {
	var nodes []map[string]any
	var kids [][]any
	conversation(n, func(_ int, it item) {
		o := map[string]any{"id": it.id, "nodeType": it.nodeType, "offset": integer(it.offset),
			"priority": integer(it.priority),
			"ttl":      nil, "cycle": integer(it.cycle), "creation_index": integer(it.index)}
		if it.ttl >= 0 {
			o["ttl"] = integer(it.ttl)
		}
		for name, value := range map[string]string{"role": it.role, "kind": it.kind, "key": it.key, "content": it.content} {
			if value != "" {
				o[name] = value
			}
		}
		if it.tags != nil {
			o["tags"] = []any{it.tags[0]}
		}
		if it.parent >= 0 {
			kids[it.parent] = append(kids[it.parent], o)
		}
		nodes, kids = append(nodes, o), append(kids, nil)
	})
	for i, o := range nodes {
		if o["nodeType"] != "cb" {
			o["children"] = append([]any{}, kids[i]...)
		}
	}
	return nodes[0]
}

func idsOf(objects []any) []string {
	var ids []string
	for _, o := range objects {
		ids = append(ids, o.(map[string]any)["id"].(string))
	}
	return ids
}

func openJQ(n int) prepare {
	document := buildJSON(n, func(i int64) any { return int(i) })
	return func(text string, one bool) asked {
		q, err := gojq.Parse("def nodes: recurse(.children // empty | .[]); " + text)
		if err != nil {
			panic(err)
		}
		code, err := gojq.Compile(q)
		if err != nil {
			panic(err)
		}
		run := func() []any {
			var found []any
			for iter := code.Run(document); ; {
				v, ok := iter.Next()
				if !ok {
					return found
				}
				if err, is := v.(error); is {
					panic(err)
				}
				if found = append(found, v); one {
					return found
				}
			}
		}
		return asked{run: func() int { return len(run()) }, ids: func() []string { return idsOf(run()) }}
	}
}

// A JSONPath has no union of two paths: a query of several lines is several
// queries, whose results are put one behind the other.
func paths[Q any](text string, parse func(string) Q) []Q {
	var qs []Q
	for line := range strings.Lines(text) {
		qs = append(qs, parse(strings.TrimSpace(line)))
	}
	return qs
}

func openOjG(n int) prepare {
	document := buildJSON(n, func(i int64) any { return i })
	return func(text string, one bool) asked {
		qs := paths(text, jp.MustParseString)
		run := func() []any {
			if one {
				return []any{qs[0].First(document)}
			}
			found := qs[0].Get(document)
			for _, q := range qs[1:] {
				found = append(found, q.Get(document)...)
			}
			return found
		}
		return asked{run: func() int { return len(run()) }, ids: func() []string { return idsOf(run()) }}
	}
}

func openTheory(n int) prepare {
	document := buildJSON(n, func(i int64) any { return float64(i) })
	return func(text string, _ bool) asked {
		qs := paths(text, jsonpath.MustParse)
		run := func() []any {
			found := []any(qs[0].Select(document))
			for _, q := range qs[1:] {
				found = append(found, q.Select(document)...)
			}
			return found
		}
		return asked{run: func() int { return len(run()) }, ids: func() []string { return idsOf(run()) }}
	}
}
