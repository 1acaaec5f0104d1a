package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/store/sqlite"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is a program that the scripts run: it makes two calls, with an argument one, leaves what it
// sent in files, and ends with an exit code of its own.
func agent() {
	said, key := `{"role": "user", "content": "hi"}`, "sk-0123456789"
	if told := os.Getenv("TOLD_KEY"); told != "" { // its user tells the model the key
		said, key = `{"role": "user", "content": "my key is `+told+`"}`, told
	}
	for _, name := range []string{"first.json", "second.json"} {
		body := `{"model": "m", "temperature": 0.50, "messages": [` + said + `]}`
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			panic(err)
		}
		req, err := http.NewRequest(http.MethodPost, os.Getenv("OPENAI_BASE_URL")+"/chat/completions",
			strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			panic(err)
		}
		_, _ = io.Copy(os.Stdout, resp.Body)
		resp.Body.Close()
		if len(os.Args) > 1 {
			break
		}
		said += `, {"role": "assistant", "content": "ok"}, {"role": "user", "content": "and then?"}`
	}
	os.Exit(3)
}

// caching is a program that the scripts run: it makes four calls of Anthropic's
// API whose last message is to be cached, and changes a tool before the third.
// With an argument, the name of the context, it makes a call only after the
// answer to the last one is recorded there.
func caching() {
	said := `{"role":"user","content":"` + strings.Repeat("A long beginning. ", 400) + `"}`
	tool := `{"name":"ls"},{"name":"cat"}`
	for i, question := range []string{"a", "b", "c", "d"} {
		if i == 2 {
			tool = `{"name":"ls"},{"name":"cat","description":"prints a file"}`
		}
		ask := `,{"role":"user","content":[{"type":"text","text":"` + question + `"`
		body := `{"model":"claude-sonnet-4-5","max_tokens":9,"system":"Be kind.","tools":[` + tool + `],"messages":[` + said + ask +
			`,"cache_control":{"type":"ephemeral"}}]}]}`
		req, err := http.NewRequest(http.MethodPost, os.Getenv("ANTHROPIC_BASE_URL")+"/v1/messages", strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		req.Header.Set("X-Api-Key", "sk-0123456789")
		req.Header.Set("Anthropic-Version", "2023-06-01")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			panic(err)
		}
		_, _ = io.Copy(os.Stdout, resp.Body)
		resp.Body.Close()
		said += ask + `}]},{"role":"assistant","content":"ok"}`
		for len(os.Args) > 1 && recordedAnswers(os.Args[1]) < i+1 {
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// recordedAnswers counts the completed calls of a context; 0 if it does not exist yet.
func recordedAnswers(name string) int {
	out, _ := exec.Command("pact", "log", "--attempts", name, "--json").Output()
	return bytes.Count(out, []byte(`"status":"completed"`))
}

// A proxy prints its address, records what passes and, when it is ended, says
// what that was.
func TestProxyRecordsUntilItIsEnded(t *testing.T) {
	provider := httptest.NewServer(providertest.New())
	defer provider.Close()
	db := filepath.Join(t.TempDir(), "pact.db")
	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	var said bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, []string{"proxy", "--upstream", provider.URL, "--db", db, "--name", "chat"},
			cli.Streams{In: strings.NewReader(""), Out: write, Err: &said})
		write.Close()
	}()
	address, err := bufio.NewReader(read).ReadString('\n')
	must(t, err)
	const key = "sk-proj-9fQ2mX7vLkR4tB8s"
	const body = `{"model":"m","messages":[{"role":"user","content":"` + key + ` or ` + key + `"}]}`
	req, err := http.NewRequest(http.MethodPost, strings.TrimSpace(address)+"/v1/chat/completions",
		strings.NewReader(body))
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	must(t, err)
	resp.Body.Close()
	stop()
	select {
	case code := <-ended:
		if code != 0 || !strings.Contains(said.String(), "recorded 1 call in ") ||
			!strings.Contains(said.String(), "[redacted] stands for a credential in 2 places, counting") {
			t.Errorf("exit %d: %s", code, said.String())
		}
	case <-time.After(time.Minute):
		t.Fatal("the proxy does not end")
	}
	if code, out, problems := run(t, "", "request", "chat", "--db", db); code != 0 ||
		!strings.Contains(out, `"[redacted] or [redacted]"`) || strings.Contains(out, key) {
		t.Errorf("exit %d: %s%s", code, out, problems)
	}
}

// A store of another schema is refused before the program runs.
func TestRunRefusesAStoreOfAnotherSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pact.db")
	s, err := dbtest.Open(sqlite.Open(t.Context(), path))
	if err == nil {
		err = s.Close()
	}
	must(t, err)
	db, err := sql.Open("sqlite", "file:"+path)
	if err == nil {
		_, err = db.ExecContext(t.Context(), "PRAGMA user_version = 99")
	}
	must(t, err)
	db.Close()
	left := filepath.Join(t.TempDir(), "left")
	code, _, problems := run(t, "", "run", "--db", path, "--", "touch", left)
	if _, err := os.Stat(left); code != 1 || !strings.Contains(problems, "E_STORE") || err == nil {
		t.Errorf("exit %d: %s", code, problems)
	}
}

// reading is a program that the scripts run: it makes a call with a long result of a tool, and leaves what it sent in a
// file.
func reading() {
	const tool = `{"type":"function","function":{"name":"ls"}}`
	said := `{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"call_7","type":"function",` +
		`"function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_7","content":"` +
		strings.Repeat("a line\\n", 1000) + `"}`
	body := `{"model":"m","temperature":0.50,"tools":[` + tool + `],"messages":[` + said + `]}`
	if err := os.WriteFile("asked.json", []byte(body), 0o600); err != nil {
		panic(err)
	}
	req, err := http.NewRequest(http.MethodPost, os.Getenv("OPENAI_BASE_URL")+"/chat/completions", strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer sk-0123456789")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		panic(err)
	}
	_, _ = io.Copy(os.Stdout, resp.Body)
	resp.Body.Close()
}

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
		must(t, err)
		var names []string
		for tool, err := range s.Tools(t.Context(), nil) {
			must(t, err)
			names = append(names, tool.Name)
		}
		answer, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "show"})
		must(t, err)
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
