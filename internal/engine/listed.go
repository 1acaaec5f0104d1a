package engine

import (
	"encoding/json"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
)

// firstListed returns what lists show of a context that begins with a snapshot, or with an empty tree.
func firstListed(t *tree.Tree, timeNS int64, imported bool) history.Listed {
	l := history.Listed{ChangedNS: timeNS, Attrs: attrsOf(t)}
	if imported {
		_, l.Bytes = t.ThreadSize()
	}
	return l
}

// ListedAfter returns what lists show after a change of a context whose oldest snapshot has the cycle
// first. Cost: O(1), and reading the root where the change has another one.
func ListedAfter(l history.Listed, c *Change, first int64) history.Listed {
	l.ChangedNS = c.Entry.TimeNS
	if c.Before.Root().Node() != c.After.Root().Node() {
		l.Attrs = attrsOf(c.After)
	}
	if c.Sealed != nil {
		_, l.Bytes = c.Sealed.ThreadSize()
		l.Cuts = l.Cuts.WithCall(c.Sealed.Cycle()-first+1, c.Entry.Anew, l.Bytes)
	}
	return l
}

func attrsOf(t *tree.Tree) string {
	attrs, left := map[string]json.RawMessage{}, history.MaxListedAttrs
	for _, h := range t.Root().Node().Headers {
		if size := len(h.Name) + len(h.Value); len(h.Value) <= history.MaxListedAttr && size <= left {
			attrs[h.Name] = json.RawMessage(h.Value)
			left -= size
		}
	}
	if len(attrs) == 0 {
		return ""
	}
	text, _ := json.Marshal(attrs) // headers are JSON
	return string(text)
}
