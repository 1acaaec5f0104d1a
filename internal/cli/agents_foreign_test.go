//go:build unix

package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/providertest"
)

// manyToolsIn tells each agent of the MCP server, in a file below its home.
var manyToolsIn = map[string]struct{ file, text string }{
	"claude":   {"work/many.json", `{"mcpServers":{"many":{"command":"MANY","args":[]}}}`},
	"codex":    {"config.toml", "[mcp_servers.many]\ncommand = \"MANY\"\n"},
	"opencode": {"work/opencode.json", `{"mcp":{"many":{"type":"local","command":["MANY"],"enabled":true}}}`},
	"gemini":   {".gemini/settings.json", `{"mcpServers":{"many":{"command":"MANY"}}}`},
}

// differsAnyway matches what two runs of one agent do not have in common: ids, times, hashes.
var differsAnyway = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|` +
	`\b(ses|msg|prt|at)_[0-9A-Za-z-]+|\b[0-9a-f]{32,64}\b|20\d\d-\d\d-\d\d[T ][0-9:.]+Z?|\b\d\d:\d\d:\d\d\b|\b1\d{12}\b|` +
	`cch=[0-9a-f]+|home\d+`)

// leaves lists the values in a request as paths, without what differs anyway.
func leaves(path string, v any, list map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			leaves(path+"."+name, member, list)
		}
	case []any:
		list[path+".length"] = fmt.Sprint(len(v))
		for i, e := range v {
			leaves(fmt.Sprintf("%s[%d]", path, i), e, list)
		}
	case float64:
		if list[path] = fmt.Sprint(v); v > 1.6e9 && v < 2.2e9 {
			list[path] = "a time"
		}
	default:
		list[path] = differsAnyway.ReplaceAllString(fmt.Sprint(v), "…")
	}
}

// headersOfTheWay are made by connections, not by agents.
var headersOfTheWay = []string{"Accept-Encoding", "Content-Length", "Connection", "Transfer-Encoding"}

// asSent returns the values of all calls that the provider received, headers included, each call
// named after its place among those of its path, and the paths of the other requests.
func asSent(t *testing.T, p *providertest.Provider) (list map[string]string, others []string) {
	t.Helper()
	list, count := map[string]string{}, map[string]int{}
	for _, r := range p.Received() {
		if !isCall(r) {
			others = append(others, r.Path)
			continue
		}
		var body map[string]any
		must(t, json.Unmarshal(r.Body, &body))
		of := fmt.Sprintf("%s %v", r.Path, body["model"])
		if body["tools"] == nil {
			of += " without tools"
		}
		count[of]++
		of = fmt.Sprintf("%s %d", of, count[of])
		leaves(of, body, list)
		for name, values := range r.Header {
			if !slices.Contains(headersOfTheWay, name) {
				list[of+" "+name] = differsAnyway.ReplaceAllString(strings.Join(values, ", "), "…")
			}
		}
	}
	slices.Sort(others)
	return list, slices.Compact(others)
}

// cannotBeEqual lists what an agent leaves out because the address is foreign, whatever it is told.
var cannotBeEqual = map[string]string{"openai-agents": "prompt_cache_key"}

// Agents with an MCP server of 40 tools send a provider that they take for the real one the same
// with pact and without.
func TestAgentsSendTheSameWithPact(t *testing.T) {
	eachAgent(t, func(t *testing.T, name string) {
		var sent [2]map[string]string
		for i := range sent {
			a := startAgent(t, name, providertest.Turn{Text: "4711"}, providertest.Turn{Text: "4712"})
			real, err := providertest.NewInternet(a.provider)
			a.must(err)
			defer real.Close()
			home := filepath.Dir(a.dir)
			authority := filepath.Join(home, "authority.pem")
			a.must(os.WriteFile(authority, real.Authority, 0o600))
			a.env = append(agentEnv(home), "HTTPS_PROXY="+real.URL, "https_proxy="+real.URL, "NO_PROXY=127.0.0.1,localhost",
				"SSL_CERT_FILE="+authority, "NODE_EXTRA_CA_CERTS="+authority, "CODEX_CA_CERTIFICATE="+authority,
				"MCP_CONNECTION_NONBLOCKING=0") // else it is chance whether Claude Code has the tools before its first call
			server, err := exec.LookPath("manytools")
			a.must(err)
			if in, ok := manyToolsIn[name]; ok {
				file := filepath.Join(home, in.file)
				a.must(os.MkdirAll(filepath.Dir(file), 0o700))
				a.must(os.WriteFile(file, []byte(strings.ReplaceAll(in.text, "MANY", server)), 0o600))
			}
			a.must(os.WriteFile(filepath.Join(home, "auth.json"), []byte(`{"OPENAI_API_KEY":"sk-0123456789"}`), 0o600)) // Codex
			if name == "claude" {
				a.line = append(a.line, "--mcp-config", "many.json")
			}
			a.bare = i == 0
			a.run(a.first, "Say 4711.")
			a.run(a.next, "Say 4712.")
			var others []string
			sent[i], others = asSent(t, a.provider)
			t.Logf("%s, without pact %v, also asked for %v", name, a.bare, others)
			if a.provider.Left() > 0 {
				t.Errorf("%s sent nothing", name)
			}
		}
		different := 0
		for _, which := range [2]int{0, 1} {
			for path, value := range sent[which] {
				other, ok := sent[1-which][path]
				if ok && (other == value || which == 1) ||
					cannotBeEqual[name] != "" && strings.HasSuffix(path, cannotBeEqual[name]) {
					continue
				}
				different++
				t.Errorf("%s: with pact %v, without %v: %s is\n%.300s\nand\n%.300s", name, which == 1 || ok, which == 0 || ok, path,
					value, other)
			}
		}
		t.Logf("%s: of %d values in requests %d differ", name, len(sent[0]), different)
	})
}
