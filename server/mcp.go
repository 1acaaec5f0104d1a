package server

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/recall"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpPath is where programs speak the Model Context Protocol, in its streamable HTTP. It lies below
// /v1/, so a request needs a token.
const mcpPath = "/v1/mcp"

// toolsForAgents adds the tools that agents use over the Model Context Protocol. A token that may only read gets
// those that change nothing; none reaches a context that the token does not open.
func (s *Server) toolsForAgents() {
	noted := recall.NewUsedNotes()
	handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		right := rightOf(r.Context())
		changes := right.change() == nil
		return recall.NewServer(s.all, recall.Options{Covers: right.covers, Pin: changes, Note: changes, Actor: right.token.Name,
			Noted: noted, Request: r.Context()})
	}, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, DisableLocalhostProtection: true}) // admit knows the hosts
	s.mux.HandleFunc(mcpPath, func(w http.ResponseWriter, r *http.Request) {
		e, o := exchangeOf(r.Context()), operation{places: s.requests}
		if r.Method == http.MethodPost {
			o.body = r // JSON
		}
		err := s.withinLimits(r.Context(), &o, func(ctx context.Context) error {
			if bytes.HasPrefix(bytes.TrimSpace(e.data), []byte("[")) {
				return fault.New(fault.DocumentInvalid, "the body has several messages", "send each in a request of its own")
			}
			asked := r.WithContext(ctx)
			asked.Body = io.NopCloser(bytes.NewReader(e.data))
			handler.ServeHTTP(w, asked)
			return nil
		})
		if err != nil {
			e.fail(failureOf(err))
		}
	})
}
