//go:build unix

package cli_test

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/providertest"
)

// gated is an agent whose user has a gateway in its settings, and no variable of the environment names it.
type gated struct {
	realAgent
	files map[string]string // below the home; GATE is the gateway with its prefix, PUBLIC another server
	env   []string          // NAME= takes it out
	path  string            // of the calls at the gateway

	submits bool // it ends with a call of its shell
}

const gatewayKey = "sk-of-the-gateway-4711"

var gatedAgents = map[string]gated{
	"claude settings of the user": {realAgent: realAgents["claude"], path: "/team/llm/v1/messages",
		env:   []string{"ANTHROPIC_BASE_URL=PUBLIC"},
		files: map[string]string{".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"GATE","ANTHROPIC_API_KEY":"KEY"}}`}},
	"claude settings of the project": {realAgent: realAgents["claude"], path: "/team/llm/v1/messages",
		env: []string{"ANTHROPIC_API_KEY=KEY"},
		files: map[string]string{"work/.claude/settings.local.json": `{"env":{"ANTHROPIC_BASE_URL":"GATE"}}`,
			"work/.claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"PUBLIC"}}`,
			".claude.json":               `{"env":{"ANTHROPIC_BASE_URL":"PUBLIC"}}`}},
	"claude sources of settings": {realAgent: with(realAgents["claude"], "--setting-sources", "user"), path: "/team/llm/v1/messages",
		env: []string{"ANTHROPIC_API_KEY=KEY"},
		files: map[string]string{"work/.claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"PUBLIC"}}`,
			".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"GATE"}}`}},
	"codex provider": {realAgent: realAgents["codex"], path: "/team/llm/v1/responses", env: []string{"GATE_KEY=KEY", "OPENAI_BASE_URL=PUBLIC"},
		files: map[string]string{"config.toml": "model_provider = \"gate\"\n[model_providers.gate]\nname = \"Gate\"\n" +
			"base_url = \"GATE/v1\"\nenv_key = \"GATE_KEY\"\nwire_api = \"responses\"\n",
			"work/.codex/config.toml": "model_provider = \"x\"\n[model_providers.x]\nname=\"x\"\nbase_url = \"PUBLIC/v1\"\n"}},
	"codex address": {realAgent: realAgents["codex"], path: "/team/llm/v1/responses", env: []string{"OPENAI_BASE_URL=PUBLIC"},
		files: map[string]string{"config.toml": "openai_base_url = \"GATE/v1\"\n", "auth.json": `{"OPENAI_API_KEY":"KEY"}`}},
	"codex profile": {realAgent: with(realAgents["codex"], "-p", "work"), path: "/team/llm/v1/responses", env: []string{"GATE_KEY=KEY"},
		files: map[string]string{"work.config.toml": "model_provider = \"gate\"\n", "config.toml": "[model_providers.gate]\nname = \"Gate\"\n" +
			"base_url = \"GATE/v1\"\nenv_key = \"GATE_KEY\"\nwire_api = \"responses\"\n"}},
	"codex option": {realAgent: with(realAgents["codex"], "-c", `openai_base_url="GATE/v1"`), path: "/team/llm/v1/responses",
		files: map[string]string{"config.toml": "openai_base_url = \"PUBLIC/v1\"\n", "auth.json": `{"OPENAI_API_KEY":"KEY"}`}},
	"opencode": {realAgent: realAgents["opencode"], path: "/team/llm/v1/messages", env: []string{"ANTHROPIC_BASE_URL=PUBLIC/v1"},
		files: map[string]string{"work/opencode.json": `{"provider":{"anthropic":{"options":{"baseURL":"GATE/v1","apiKey":"KEY"}}}}`,
			".config/opencode/opencode.json": `{"provider":{"anthropic":{"options":{"baseURL":"PUBLIC/v1"}}}}`}},
	"opencode in another folder": {realAgent: with(realAgents["opencode"], "--dir", "../other"), path: "/team/llm/v1/messages",
		files: map[string]string{"work/opencode.json": `{"provider":{"anthropic":{"options":{"baseURL":"PUBLIC/v1","apiKey":"KEY"}}}}`,
			"other/opencode.json": `{"provider":{"anthropic":{"options":{"baseURL":"GATE/v1","apiKey":"KEY"}}}}`}},
	"opencode own provider": {path: "/team/llm/v1/chat/completions",
		realAgent: realAgent{program: []string{"node_modules/.bin/opencode"}, first: []string{"run", "--model", "gate/m"}},
		files: map[string]string{".config/opencode/opencode.jsonc": `{ // mine
			"provider":{"gate":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"{env:GATE_URL}/v1","apiKey":"KEY"},"models":{"m":{}}},}}`},
		env: []string{"GATE_URL=GATE"}},
	"gemini": {realAgent: realAgents["gemini"], path: "/team/llm/v1beta/models/gemini-2.5-pro:streamGenerateContent",
		env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_API_KEY="},
		files: map[string]string{".gemini/.env": "GOOGLE_GEMINI_BASE_URL=GATE\nGEMINI_API_KEY=KEY\n",
			".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`}},
	"pi": {realAgent: realAgent{program: []string{"node_modules/.bin/pi"}, first: []string{"--provider", "gate", "--model", "m", "-p"}},
		path: "/team/llm/v1/chat/completions",
		files: map[string]string{".pi/agent/models.json": `{"providers":{"gate":{"baseUrl":"GATE/v1","api":"openai-completions","apiKey":"KEY",
			"models":[{"id":"m"}]}}}`}},
	"pi built-in": {realAgent: realAgent{program: []string{"node_modules/.bin/pi"}, first: []string{"--provider", "anthropic", "--model",
		"claude-sonnet-4-5", "-p"}}, path: "/team/llm/v1/messages", env: []string{"ANTHROPIC_API_KEY=KEY", "ANTHROPIC_BASE_URL=PUBLIC"},
		files: map[string]string{".pi/agent/models.json": `{"providers":{"anthropic":{"baseUrl":"GATE"}}}`}},
	"qwen models": {realAgent: realAgent{program: []string{"node_modules/.bin/qwen"}, first: []string{"--auth-type", "openai", "-m", "m", "-p"}},
		path: "/team/llm/v1/chat/completions", env: []string{"GATE_KEY=KEY", "OPENAI_BASE_URL=PUBLIC/v1"},
		files: map[string]string{".qwen/settings.json": `{"modelProviders":{"openai":[{"id":"m","baseUrl":"GATE/v1","envKey":"GATE_KEY"}]}}`}},
	"qwen settings": {realAgent: realAgent{program: []string{"node_modules/.bin/qwen"}, first: []string{"-m", "m", "-p"}},
		path: "/team/llm/v1/chat/completions", env: []string{"OPENAI_API_KEY="},
		files: map[string]string{".qwen/settings.json": `{"security":{"auth":{"selectedType":"openai","baseUrl":"GATE/v1","apiKey":"KEY"}}}`}},
	"qwen file of variables": {realAgent: realAgent{program: []string{"node_modules/.bin/qwen"}, first: []string{"--auth-type", "openai", "-m", "m", "-p"}},
		path: "/team/llm/v1/chat/completions", env: []string{"OPENAI_API_KEY="},
		files: map[string]string{".qwen/.env": "OPENAI_BASE_URL=GATE/v1\nOPENAI_API_KEY=KEY\n",
			".qwen/settings.json": `{"env":{"OPENAI_BASE_URL":"PUBLIC/v1"}}`}},
	"aider": {realAgent: realAgent{program: []string{"aider/bin/aider"}, first: []string{"--model", "openai/m", "--no-git", "--yes-always",
		"--no-show-model-warnings", "--no-check-update", "--analytics-disable", "-m"}}, path: "/team/llm/v1/chat/completions",
		env:   []string{"OPENAI_API_BASE=PUBLIC/v1"},
		files: map[string]string{"work/.env": "OPENAI_API_BASE=GATE/v1\nOPENAI_API_KEY=KEY\n"}},
	"aider settings": {realAgent: realAgent{program: []string{"aider/bin/aider"}, first: []string{"--model", "openai/m", "--no-git",
		"--yes-always", "--no-show-model-warnings", "--no-check-update", "--analytics-disable", "-m"}}, path: "/team/llm/v1/chat/completions",
		env:   []string{"OPENAI_API_BASE=PUBLIC/v1"},
		files: map[string]string{".aider.conf.yml": "openai-api-base: GATE/v1\nopenai-api-key: KEY\n"}},
	"aider file of variables": {realAgent: realAgent{program: []string{"aider/bin/aider"}, first: []string{"--model", "openai/m", "--no-git",
		"--yes-always", "--no-show-model-warnings", "--no-check-update", "--analytics-disable", "-m"}}, path: "/team/llm/v1/chat/completions",
		files: map[string]string{".aider.conf.yml": "env-file: ../gate.env\n", "work/.env": "OPENAI_API_BASE=PUBLIC/v1\n",
			"gate.env": "OPENAI_API_BASE=GATE/v1\nOPENAI_API_KEY=KEY\n"}},
	"mini settings": {submits: true, path: "/team/llm/v1/chat/completions", realAgent: realAgent{program: []string{"mini/bin/mini"},
		first: []string{"-c", "mini", "-c", "gate", "-m", "openai/m", "--yolo", "--exit-immediately", "-t"}},
		env:   []string{"MSWEA_CONFIGURED=true", "OPENAI_API_KEY=KEY", "MSWEA_COST_TRACKING=ignore_errors", "MSWEA_CONFIG_DIR=../conf"},
		files: map[string]string{"conf/gate.yaml": "model:\n  model_kwargs:\n    api_base: GATE/v1\n"}},
	"mini": {submits: true, realAgent: realAgent{program: []string{"mini/bin/mini"}, first: []string{"-m", "openai/m", "--yolo", "--exit-immediately", "-t"}},
		path: "/team/llm/v1/chat/completions", env: []string{"MSWEA_CONFIGURED=true", "OPENAI_API_KEY=", "MSWEA_COST_TRACKING=ignore_errors"},
		files: map[string]string{".config/mini-swe-agent/.env": "OPENAI_API_BASE=GATE/v1\nOPENAI_API_KEY=KEY\n"}},
}

func with(a realAgent, first ...string) realAgent {
	a.first = append(append([]string{}, a.first...), first...)
	return a
}

// Each real agent calls the gateway of its settings with pact as without, with path and key as they were, and nothing
// goes to another server: neither to that of a variable nor to the provider's own.
func TestAgentsCallTheGatewayOfTheirSettings(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(gatedAgents)) {
		g := gatedAgents[name]
		t.Run(name, func(t *testing.T) {
			for _, bare := range []bool{true, false} {
				g.calls(t, bare)
			}
		})
	}
}

func (g gated) calls(t *testing.T, bare bool) {
	installed := os.Getenv("PACT_AGENTS")
	if installed == "" {
		t.Skip("real agents were left out: CONTRIBUTING.md says how to install and run them")
	}
	turns := []providertest.Turn{{Text: "4711"}, {Text: "4711"}, {Text: "4711"}}
	if g.submits { // mini-swe-agent asks on until its shell is called so
		turns = []providertest.Turn{{Calls: []providertest.Call{{ID: "call_1", Name: "bash",
			Arguments: `{"command":"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}`}}}}
	}
	a := &agentRun{T: t, realAgent: g.realAgent, name: "agent", provider: providertest.New(turns...), bare: bare}
	public := providertest.New(turns...)
	gateway, elsewhere := httptest.NewServer(http.HandlerFunc(a.provider.ServeHTTP)), httptest.NewServer(public)
	defer gateway.Close()
	defer elsewhere.Close()
	internet, err := providertest.NewInternet(public)
	a.must(err)
	defer internet.Close()
	home, err := os.MkdirTemp("", "gate")
	a.must(err)
	defer os.RemoveAll(home)
	a.dir, a.db = filepath.Join(home, "work"), filepath.Join(home, "pact.db")
	a.must(os.Mkdir(a.dir, 0o700))
	a.line = []string{filepath.Join(installed, a.program[0])}
	fill := strings.NewReplacer("GATE_URL", "GATE_URL", "GATE_KEY", "GATE_KEY", "GATE", gateway.URL+"/team/llm", "PUBLIC", elsewhere.URL,
		"_KEY", "_KEY", "KEY", gatewayKey)
	for file, text := range g.files {
		file = filepath.Join(home, file)
		a.must(os.MkdirAll(filepath.Dir(file), 0o700))
		a.must(os.WriteFile(file, []byte(fill.Replace(text)), 0o600))
	}
	authority := filepath.Join(home, "authority.pem")
	a.must(os.WriteFile(authority, internet.Authority, 0o600))
	a.env = append(agentEnv(home), "HTTPS_PROXY="+internet.URL, "https_proxy="+internet.URL, "NO_PROXY=127.0.0.1,localhost",
		"SSL_CERT_FILE="+authority, "NODE_EXTRA_CA_CERTS="+authority, "CODEX_CA_CERTIFICATE="+authority)
	for _, pair := range g.env {
		name, value, _ := strings.Cut(fill.Replace(pair), "=")
		a.env = slices.DeleteFunc(a.env, func(other string) bool { return strings.HasPrefix(other, name+"=") })
		if value != "" {
			a.env = append(a.env, name+"="+value)
		}
	}
	var first []string
	for _, arg := range a.first {
		first = append(first, fill.Replace(arg))
	}
	cmd, out := a.start(first, "Say 4711.")
	stop := time.AfterFunc(3*time.Minute, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err = cmd.Wait()
	stop.Stop()
	said := out.String()
	t.Logf("bare %v: %v\n%.2000s", bare, err, said)
	for _, r := range public.Received() {
		if isCall(r) {
			t.Errorf("bare %v: a call went to another server: %s with %v", bare, r.Path, keyOf(r.Header))
		}
	}
	n := 0
	for _, r := range a.provider.Received() {
		if !isCall(r) {
			continue
		}
		if r.Path == g.path {
			n++
		}
		if keyOf(r.Header) != gatewayKey {
			t.Errorf("bare %v: the gateway got %s with the key %q", bare, r.Path, keyOf(r.Header))
		}
		if !bytes.Contains(r.Body, []byte(`"`)) {
			t.Errorf("the gateway got %s", r.Body)
		}
	}
	if n == 0 {
		t.Errorf("bare %v: no call came to %s of the gateway: %+v\n%s", bare, g.path, paths(a.provider), said)
	} else if !bare {
		a.check() // byte for byte
	}
}

func keyOf(h http.Header) string {
	for _, name := range []string{"X-Api-Key", "X-Goog-Api-Key"} {
		if key := h.Get(name); key != "" {
			return key
		}
	}
	return strings.TrimPrefix(h.Get("Authorization"), "Bearer ")
}

func paths(p *providertest.Provider) (list []string) {
	for _, r := range p.Received() {
		list = append(list, r.Path)
	}
	return list
}
