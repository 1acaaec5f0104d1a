package server

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/contexttree/pact/fault"
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
	noted := recall.NewNoted()
	handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		right := rightOf(r.Context())
		changes := right.change() == nil
		return recall.NewServer(s.all, recall.Options{Covers: right.covers, Pin: changes, Note: changes, Actor: right.token.Name,
			Noted: noted, Request: r.Context()})
	}, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, DisableLocalhostProtection: true}) // admit knows the hosts
	s.mux.HandleFunc(mcpPath, func(w http.ResponseWriter, r *http.Request) {
		e := exchangeOf(r.Context())
		if err := s.callTool(e, r, func(r *http.Request) { handler.ServeHTTP(w, r) }); err != nil {
			e.fail(failureOf(err))
		}
	})
}

// callTool has a request answered under the limits of all requests. It reads the body first, so that a slow client
// takes no place, and refuses several calls in one.
func (s *Server) callTool(e *exchange, r *http.Request, answer func(*http.Request)) error {
	ctx, held := budget.WithMemory(s.memory.Context(r.Context()), s.options.Memory, "ask for less at once")
	defer held.Close()
	body, _, err := budget.ReadAll(ctx, e.body(MaxBody, s.limits.body))
	if err != nil {
		return unread(err)
	}
	_ = http.NewResponseController(e.ResponseWriter).SetReadDeadline(time.Time{}) // as in receive
	if strings.HasPrefix(strings.TrimSpace(string(body[:min(len(body), 64)])), "[") {
		return fault.New(fault.DocumentInvalid, "the body has several messages", "send each in a request of its own")
	}
	o := operation{places: s.requests}
	if err := o.enter(ctx); err != nil {
		return err
	}
	defer func() { <-s.requests }()
	ctx, cancel := context.WithTimeout(budget.With(ctx, s.limits.visits, s.limits.reads), answerTime)
	defer cancel()
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer(r)
	return nil
}
