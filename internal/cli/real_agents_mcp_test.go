//go:build unix

package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/providertest"
)

// Real agents that pact manages get a shortened result of their shell, follow the id in it with one call of
// recall over MCP, and are sent the command that stood in the middle. A note is their call of it.
func TestRealAgentsRecallWhatWasLeftOut(t *testing.T) {
	const shell = `seq 1500 | sed 's/^700$/make de''ploy-4711/'`
	const lost = "make deploy-4711"
	for name, tool := range map[string]string{"claude": "mcp__pact__recall", "codex": "recall", "opencode": "pact_recall"} {
		t.Run(name, func(t *testing.T) {
			known := realAgents[name]
			line, err := json.Marshal(map[string]string{known.command: shell, "description": "count"})
			must(t, err)
			recall := providertest.Call{ID: "call_2", Name: tool, Arguments: `{"id":"call_1"}`}
			note := providertest.Call{ID: "call_3", Name: strings.Replace(tool, "recall", "note", 1), Arguments: `{"text":"It is make."}`}
			if name == "codex" {
				recall.Namespace, note.Namespace = "mcp__pact", "mcp__pact"
			}
			var bodies []string
			for try := 0; try < 5 && (try == 0 || len(bodies) > 0 && strings.Contains(bodies[0], lost)); try++ {
				bodies = recalls(t, name, string(line), recall, note) // a slow machine does not decide in time
			}
			if len(bodies) < 2 {
				t.Fatalf("%d requests have the call of the shell", len(bodies))
			}
			if strings.Contains(bodies[0], lost) || !strings.Contains(bodies[0], "call_1 has them") {
				t.Errorf("the first result was sent as %s", near(bodies[0]))
			}
			if last := bodies[len(bodies)-1]; !strings.Contains(last, lost) || !strings.Contains(last, "A tool printed it") ||
				!strings.Contains(last, "this call with its text, is the note") {
				t.Errorf("after recall and note the agent sent %s", near(last))
			}
		})
	}
}

// recalls has an agent call its shell, then recall and note, and returns the requests that have the call of the shell.
func recalls(t *testing.T, name, shell string, recall, note providertest.Call) (bodies []string) {
	a := startAgent(t, name, providertest.Turn{Calls: []providertest.Call{{ID: "call_1", Name: realAgents[name].shell,
		Arguments: shell}}}, providertest.Turn{Calls: []providertest.Call{recall}},
		providertest.Turn{Calls: []providertest.Call{note}}, providertest.Turn{Text: "So it was."})
	policy := filepath.Join(a.dir, "policy.json")
	a.must(os.WriteFile(policy, []byte(`{"rules":[{"select":".cb[kind='result'][bytes>4000]","head":300,"tail":200}]}`), 0o600))
	a.flags = []string{"--policy", policy, "--manage"}
	pact, err := exec.LookPath("pact")
	a.must(err)
	server, err := json.Marshal(pact)
	a.must(err)
	var more []string
	switch name {
	case "claude":
		file := filepath.Join(a.dir, "mcp.json")
		a.must(os.WriteFile(file, []byte(`{"mcpServers":{"pact":{"command":`+string(server)+`,"args":["mcp","--write","--db","`+a.db+`"]}}}`), 0o600))
		more = []string{"--mcp-config=" + file, "--"}
	case "codex":
		more = []string{"-c", "mcp_servers.pact.command=" + string(server), "-c", `mcp_servers.pact.args=["mcp","--write","--db","` + a.db + `"]`}
	case "opencode":
		a.env = append(a.env, `OPENCODE_CONFIG_CONTENT={"mcp":{"pact":{"type":"local","command":[`+string(server)+
			`,"mcp","--write","--db","`+a.db+`"]}}}`)
	}
	a.run(a.first, "Count, please.", more...)
	for _, r := range a.provider.Received() {
		if isCall(r) && strings.Contains(string(r.Body), "Count, please.") && strings.Contains(string(r.Body), "ploy-4711") {
			bodies = append(bodies, string(r.Body))
		}
	}
	return bodies
}

// near returns the end of a body, which has the results.
func near(body string) string {
	at := max(0, strings.LastIndex(body, "call_1")-200)
	return body[at:min(len(body), at+2000)]
}
