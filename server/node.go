package server

import (
	"context"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
)

// nodes adds the operations about one node.
func (s *Server) nodes() {
	type node struct {
		Name string    `path:"name" doc:"Name of the context; a / in it is written %2F"`
		ID   string    `path:"id" doc:"Id of the node; a / in it is written %2F"`
		At   string    `query:"at" default:"latest" doc:"Address of the state: @t0, @t-1, @c12, latest or working"`
		Unit view.Unit `query:"unit" enum:"bytes,tokens" default:"bytes" doc:"tokens also counts tokens"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/nodes/{id}", id: "get-node",
		summary: "Describe a node: headers, content, place in the thread, references, who brought it, who carried it"},
		func(ctx context.Context, in *node) (*answered[*view.Node], error) {
			c, v, err := s.view(ctx, &stateQuery{in.Name, in.At, in.Unit})
			if err != nil {
				return nil, err
			}
			return answer(v.Node(ctx, c.context, in.ID))
		})
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/nodes/{id}/content", id: "get-content",
		writes: "application/octet-stream", ranges: true,
		summary: "Return the content of a node, a text as it is; the ETag is its SHA-256, and Range takes a part"},
		func(ctx context.Context, in *node) (*empty, error) {
			_, snapshot, err := s.snapshotAt(ctx, in.Name, in.At)
			if err != nil {
				return nil, err
			}
			n, err := snapshot.Node(in.ID)
			if err != nil {
				return nil, err
			}
			if _, err := budget.Reserve(ctx, 2*int64(tree.NodeOf(n).Content.Size())); err != nil {
				return nil, err
			}
			text, err := n.Text(ctx)
			if err != nil {
				return nil, err
			}
			serveBytes(ctx, "application/octet-stream", []byte(text))
			return nil, nil
		})
	type ever struct {
		Name string `path:"name" doc:"Name of the context; a / in it is written %2F"`
		ID   string `path:"id" doc:"Id of the node; a / in it is written %2F"`
	}
	add(s, operation{method: "GET", path: "/v1/contexts/{name}/nodes/{id}/life", id: "life",
		summary: "Tell everything that happened to a node, even if it is gone"},
		func(ctx context.Context, in *ever) (*answered[*inspect.Timeline], error) {
			c, err := s.readContext(ctx, in.Name)
			if err != nil {
				return nil, err
			}
			return answer(c.Timeline(ctx, in.ID))
		})
}
