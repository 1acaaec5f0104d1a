package benchmarks

import (
	"github.com/itchyny/gojq"
)

// buildJSON makes what a JSON decoder makes of the canonical document, with integers as gojq likes them best.
func buildJSON(n int) map[string]any {
	var nodes []map[string]any
	var kids [][]any
	conversation(n, func(_ int, it item) {
		o := map[string]any{"id": it.id, "nodeType": it.nodeType, "offset": int(it.offset),
			"priority": int(it.priority),
			"ttl":      nil, "cycle": int(it.cycle), "creation_index": int(it.index)}
		if it.ttl >= 0 {
			o["ttl"] = int(it.ttl)
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
	document := buildJSON(n)
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
