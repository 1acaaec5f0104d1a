package diff

import (
	"encoding/json"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/tree"
)

// Values are the two values of one header: From belongs to the newer snapshot
// of a pair, To to the older (000, 003, 001 §4). A header that a version lacks
// is null.
type Values struct {
	From json.RawMessage `json:"from"`
	To   json.RawMessage `json:"to"`
}

// Delta returns the values of the fields that are scalar on both sides. Lists
// and objects are left out.
func (p *Pair) Delta(d tree.Difference, fields []string) map[string]Values {
	delta := make(map[string]Values, len(fields))
	for _, f := range fields {
		newer := field(d.New, d.NewClass, d.NewParent, f, p.newCycle)
		older := field(d.Old, d.OldClass, d.OldParent, f, p.oldCycle)
		if scalar(newer) && scalar(older) {
			delta[f] = Values{json.RawMessage(newer), json.RawMessage(older)}
		}
	}
	return delta
}

func scalar(v canon.Value) bool {
	return v.Kind() != canon.KindArray && v.Kind() != canon.KindObject
}

// field returns a header as it is exported, null where the version lacks it.
func field(n *tree.Node, c tree.Class, parent, name string, cycle int64) canon.Value {
	switch name {
	case "nodeType":
		return canon.String(n.Type)
	case "offset":
		return canon.Int(n.Offset)
	case "priority":
		return canon.Int(n.Priority)
	case "cycle":
		return canon.Int(n.Cycle)
	case "created_at_ns":
		return canon.Int(n.CreatedNS)
	case "created_at_iso":
		return canon.String(n.CreatedISO())
	case "creation_index":
		return canon.Int(n.Index)
	case "parent":
		return canon.String(parent)
	case "ttl":
		if ttl, finite := n.TTL(cycle); finite {
			return canon.Int(ttl)
		}
		return null
	case "content_hash":
		if !hashed(n, c) {
			return null
		}
		return canon.String(n.ContentHash())
	}
	if v := n.Header(name); v != "" {
		return v
	}
	return null
}

const null = canon.Value("null")
