package cli_test

import (
	"io"
	"net/http"
	"os"
	"strings"
)

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
