package outside

import (
	"context"
	"encoding/json"

	"github.com/contexttree/pact/tree"
)

// row is a node in the text of a tree. JSON is a text of its own, because it may be NaN.
type row struct {
	Parent  int               `json:"parent"` // the index of the row of its parent, -1 for the root
	ID      string            `json:"id"`
	Type    string            `json:"type"`
	Numbers [6]int64          `json:"numbers"`
	ISO     string            `json:"iso,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Content string            `json:"content,omitempty"`
}

// written returns a tree as text, each node after its parent.
func written(ctx context.Context, t *tree.Tree) ([]byte, error) {
	var rows []row
	at := map[string]int{"": -1}
	for e, parent := range t.All() {
		n := e.Node()
		content, err := n.Content.Value(ctx)
		if err != nil {
			return nil, err
		}
		r := row{Parent: at[parent], ID: n.ID, Type: n.Type, ISO: n.ForeignISO, Headers: map[string]string{},
			Content: string(content),
			Numbers: [...]int64{n.Offset, n.Priority, n.Cycle, n.CreatedNS, n.Index, n.Expiry}}
		for _, h := range n.Headers {
			r.Headers[h.Name] = string(h.Value)
		}
		at[n.ID] = len(rows)
		rows = append(rows, r)
	}
	return json.Marshal(rows)
}

// read makes a tree from the text that written returned.
func read(cycle int64, text []byte) (*tree.Tree, error) {
	var rows []row
	if err := json.Unmarshal(text, &rows); err != nil {
		return nil, err
	}
	nodes := make([]tree.Placed, len(rows))
	for i, r := range rows {
		n := tree.Node{ID: r.ID, Type: r.Type, ForeignISO: r.ISO, Content: tree.Hold(tree.JSON(r.Content)),
			Offset: r.Numbers[0], Priority: r.Numbers[1], Cycle: r.Numbers[2], CreatedNS: r.Numbers[3], Index: r.Numbers[4],
			Expiry: r.Numbers[5]}
		for name, value := range r.Headers {
			n.Headers = append(n.Headers, tree.Header{Name: name, Value: tree.JSON(value)})
		}
		nodes[i] = tree.Placed{Node: tree.NewNode(n, nil), Parent: r.Parent}
	}
	return tree.Build(cycle, nodes)
}
