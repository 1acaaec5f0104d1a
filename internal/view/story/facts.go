package story

import (
	"cmp"
	"context"
	"slices"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
)

// Facts is a line of pact select --output jsonl, and a row of its table.
type Facts struct {
	ID       string   `json:"id"`
	Role     string   `json:"role,omitempty"`
	Kind     string   `json:"kind,omitempty"`
	Tool     string   `json:"tool,omitempty"`
	Failed   bool     `json:"failed,omitempty"`
	Bytes    int64    `json:"bytes"`
	Tokens   *int64   `json:"tokens,omitempty"` // nil unless they were asked for
	First    int64    `json:"first"`            // cycle of the first snapshot that holds the node
	Last     int64    `json:"last"`             // cycle of the snapshot that it was found in
	Calls    int64    `json:"calls"`            // the snapshots from First to Last, which is how many calls carried it
	Partners []string `json:"partners,omitempty"`
	State    string   `json:"state,omitempty"` // unsent or unanswered, if no snapshot holds the node
	Begins   string   `json:"begins"`          // the first words of the content
}

// FactsOf collects the facts of a found node. last is the newest cycle that
// was committed.
func FactsOf(ctx context.Context, h pact.Hit, counter tree.Counter, last int64) (f Facts, err error) {
	t := tree.Of(h.Snapshot)
	e, err := t.Entry(h.Node.ID)
	if err != nil {
		return Facts{}, err
	}
	n := e.Node()
	failed, err := toolcall.Failed(t, n)
	if err != nil {
		return Facts{}, err
	}
	f = Facts{ID: n.ID, Role: h.Node.Role, Kind: n.Kind, Failed: failed, Bytes: int64(n.Content.Size()),
		First: n.Cycle, Last: min(h.Snapshot.Cycle(), last)}
	f.Calls = max(0, f.Last-f.First+1)
	if f.Tool, err = toolcall.Name(ctx, t, n); err != nil {
		return f, err
	}
	if counter != nil {
		count, err := tree.Tokens(counter).Own(ctx, e)
		if err != nil {
			return f, err
		}
		f.Tokens = &count
	}
	partners, err := toolcall.Partners(t, n)
	if err != nil {
		return Facts{}, err
	}
	for _, p := range partners {
		f.Partners = append(f.Partners, p.ID)
	}
	content, err := n.Content.Value(ctx)
	if err == nil && content != "" {
		f.Begins = view.FirstWords(n.Kind, content, wordsShown)
	}
	return f, err
}

// wordsShown is how many characters of a content a list shows.
const wordsShown = 60

func ValueOf(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// Orders are the facts that lists of nodes are sorted by.
var Orders = map[string]func(a, b *Facts) int{
	"id":     func(a, b *Facts) int { return cmp.Compare(a.ID, b.ID) },
	"role":   func(a, b *Facts) int { return cmp.Compare(a.Role, b.Role) },
	"kind":   func(a, b *Facts) int { return cmp.Compare(a.Kind, b.Kind) },
	"tool":   func(a, b *Facts) int { return cmp.Compare(a.Tool, b.Tool) },
	"bytes":  func(a, b *Facts) int { return cmp.Compare(a.Bytes, b.Bytes) },
	"tokens": func(a, b *Facts) int { return cmp.Compare(ValueOf(a.Tokens), ValueOf(b.Tokens)) },
	"first":  func(a, b *Facts) int { return cmp.Compare(a.First, b.First) },
	"last":   func(a, b *Facts) int { return cmp.Compare(a.Last, b.Last) },
	"calls":  func(a, b *Facts) int { return cmp.Compare(a.Calls, b.Calls) },
}

// WithPartners adds to each call its results and to each result its calls,
// each node once.
func WithPartners(hits []pact.Hit) (list []pact.Hit, err error) {
	there := map[string]bool{}
	add := func(h pact.Hit) {
		if !there[h.Node.ID] {
			there[h.Node.ID], list = true, append(list, h)
		}
	}
	for _, h := range hits {
		before := len(list)
		add(h)
		partners, err := toolcall.Partners(tree.Of(h.Snapshot), tree.NodeOf(h.Node))
		if err != nil {
			return nil, err
		}
		for _, p := range partners {
			if n, err := h.Snapshot.Node(p.ID); err == nil {
				add(pact.Hit{Snapshot: h.Snapshot, Node: n})
			}
		}
		if h.Node.Kind == toolcall.Result && len(list) > before { // calls come before their results
			slices.Reverse(list[before:])
		}
	}
	return list, nil
}
