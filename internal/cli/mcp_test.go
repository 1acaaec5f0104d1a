package cli_test

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An agent starts pact mcp, finds the tools, and calls one until it closes the input.
func TestMCPAnswersAnAgent(t *testing.T) {
	db := filepath.Join(t.TempDir(), "pact.db")
	var imported strings.Builder
	if code := cli.Run(t.Context(), []string{"import", "--db", db, "--name", "chat", "../../examples/conversations/weather.json"},
		cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &imported}); code != 0 {
		t.Fatal(imported.String())
	}
	for _, one := range []struct {
		args, tools, show string
	}{
		{"", "changes pin recall show", "context chat, 6 calls up to now"},
		{"chat --write", "changes note pin recall show", "context chat, 6 calls up to now"},
		{"other", "changes pin recall show", "there is no context other"},
	} {
		asks, in := io.Pipe()
		out, answers := io.Pipe()
		exit := make(chan int, 1)
		var complaints strings.Builder
		go func() {
			exit <- cli.Run(context.WithoutCancel(t.Context()), append([]string{"mcp", "--db", db}, strings.Fields(one.args)...),
				cli.Streams{In: asks, Out: answers, Err: &complaints})
		}()
		s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&mcp.IOTransport{Reader: out, Writer: in}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for tool, err := range s.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
		}
		answer, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "show"})
		if err != nil {
			t.Fatal(err)
		}
		text := answer.Content[0].(*mcp.TextContent).Text
		if got := strings.Join(names, " "); got != one.tools || !strings.Contains(text, one.show) {
			t.Errorf("pact mcp %s: the tools are %s, show says %s", one.args, got, text)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if code := <-exit; code != 0 || complaints.Len() > 0 {
			t.Errorf("pact mcp %s ended with %d and said %s", one.args, code, &complaints)
		}
	}
}
