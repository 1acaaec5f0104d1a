package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// withHeaders sends headers with each request.
type withHeaders []string

func (h withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for i := 0; i < len(h); i += 2 {
		r.Header.Set(h[i], h[i+1])
	}
	return http.DefaultTransport.RoundTrip(r)
}

// agent returns a client of the tools for agents that shows a token.
func (r *running) agent(token []string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	return client.Connect(r.t.Context(), &mcp.StreamableClientTransport{Endpoint: r.url + "/v1/mcp",
		HTTPClient: &http.Client{Transport: withHeaders(token)}, DisableStandaloneSSE: true}, nil)
}

// A token opens with the tools what it opens otherwise, and changes nothing if it may only read.
func TestToolsForAgentsHeedTheToken(t *testing.T) {
	r := start(t, server.Options{OnlyNamed: true})
	all, writer, reader := r.token("all", true, ""), r.token("writer", true, "mine*"), r.token("reader", false, "mine*")
	for _, name := range []string{"mine", "theirs"} {
		r.must(nil, "POST", "/v1/contexts", `{"name":"`+name+`"}`, all...)
		r.must(nil, "POST", "/v1/contexts/"+name+"/commits", `{"cycle":0,"edits":[`+hello+`]}`, all...)
	}
	if _, err := r.agent(nil); err == nil {
		t.Error("without a token the tools answer")
	}
	for _, one := range []struct {
		token []string
		tools string
	}{{writer, "changes note pin recall show"}, {reader, "changes recall show"}} {
		s, err := r.agent(one.token)
		must(t, err)
		list, err := s.ListTools(t.Context(), nil)
		must(t, err)
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != one.tools {
			t.Errorf("the tools are %s, want %s", got, one.tools)
		}
		for name, want := range map[string]string{"mine": "Hello 1.00", "theirs": "E_CONTEXT_NOT_FOUND"} {
			answer, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "recall",
				Arguments: map[string]any{"context": name, "search": "hello"}})
			must(t, err)
			text := answer.Content[0].(*mcp.TextContent).Text
			if !strings.Contains(text, want) || answer.IsError != (name == "theirs") {
				t.Errorf("%s: %s", name, text)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if strings.Contains(r.log.String(), "Hello") {
		t.Error("the log has contents")
	}
}

// A body with several messages would hold one place for all of them, and a body that does not come takes none.
func TestToolsForAgentsTakeOneMessage(t *testing.T) {
	r := start(t, server.Options{})
	one := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"show"}}`
	r.call("POST", "/v1/mcp", " ["+one+","+one+"]", "Accept", "application/json, text/event-stream").
		refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
}
