package server

import (
	"context"
	"io"
	"net/http"

	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/recall"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpPath is where programs speak the Model Context Protocol, in its streamable HTTP. It lies below
// /v1/, so a request needs a token.
const mcpPath = "/v1/mcp"

// toolsForAgents adds the tools that agents use over the Model Context Protocol. A token that may only read gets
// those that change nothing; none reaches a context that the token does not open.
func (s *Server) toolsForAgents() {
	handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		right := rightOf(r.Context())
		changes := right.change() == nil
		return recall.NewServer(s.all, recall.Options{Covers: right.covers, Pin: changes, Note: changes, Actor: right.token.Name})
	}, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, DisableLocalhostProtection: true}) // admit knows the hosts
	s.mux.HandleFunc(mcpPath, func(w http.ResponseWriter, r *http.Request) {
		e := exchangeOf(r.Context())
		o := operation{places: s.requests}
		if err := o.enter(r.Context()); err != nil {
			e.fail(failureOf(err))
			return
		}
		defer func() { <-s.requests }()
		ctx, held := budget.WithMemory(s.memory.Context(r.Context()), s.options.Memory, "ask for less at once")
		defer held.Close()
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = io.NopCloser(e.body(MaxBody, s.limits.body)) // net/http closes the body itself
		handler.ServeHTTP(w, r)
	})
}
