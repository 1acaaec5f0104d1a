package agents

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

// An agent whose calls do not name it is looked for behind sh -c.
func TestAnAgentBehindAShellIsLookedFor(t *testing.T) {
	home := t.TempDir()
	must(t, os.WriteFile(filepath.Join(home, ".aider.conf.yml"), []byte("openai-api-base: https://gate/v1"), 0o600))
	t.Chdir(t.TempDir())
	for refused, lines := range map[bool][]string{true: {"cd /tmp && aider", "aider -m hi", "cd a; (FOO=$(date) aider)", `x="$(aider -m hi)"`,
		"if true; then exec aider; fi", "true || env -i A=b aider", "{ nohup /opt/aider & }", "npx aider", "python3 -m aider", "a |\\\n  time -p aider",
		"case $1 in\n a|b) aider ;; esac", "x=(a\n b); `aider`", "cat <<E\nhi\nE\naider", "f() { timeout 5m aider; }", "while ! aider; do :; done",
		"echo hi # x\n'aider' x", "sudo aider >log 2>&1", "(echo)\n# (x)\naider", "find | xargs -n 1 aider"},
		false: {"echo hi", "cd /tmp && claude", "cd /tmp && echo 3.14 pi", "cd /tmp && make -n mini", "cd /tmp && which aider",
			"cd /tmp\ngrep -c aider README", "echo crush the file", "command -v aider || exit 1", "# aider\n:", "echo '\naider' \"\naider; aider\"",
			"case $1 in pi|aider) echo hi;; (mini) :; esac", "tools=(\naider\npi\n)", "cat <<-'E' >aider\naider\n\tE\n", "echo $(date) aider `date` aider",
			`echo "$(date) aider"`, "((aider + 1)) && echo $((aider * 2))", "for x in aider pi; do echo $x; done", "aider() { :; }", "[ -x aider ]",
			"> aider echo", "pip install aider", "node aider.js", "echo \\\n aider", "", "\"'", ")", "`", "crush run"},
	} {
		for _, line := range lines {
			for _, option := range []string{"-c", "-lc"} {
				if _, err := NewProgram([]string{"bash", option, line}, map[string]string{"HOME": home}); (err != nil) != refused {
					t.Errorf("%q: %v", line, err)
				}
			}
		}
	}
}

// A script whose agent may go unrecorded is started, and its user is told.
func TestAnAgentThatMayGoUnrecordedIsToldOf(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, says := range map[string]string{"cd /tmp && aider": "sh -c changes the folder and starts aider", "crush run": "sh -c starts crush", "aider": ""} {
		p, err := NewProgram([]string{"sh", "-c", line}, map[string]string{"HOME": t.TempDir()})
		if must(t, err); !strings.HasPrefix(p.Note, says) || says == "" && p.Note != "" {
			t.Errorf("%s: %q", line, p.Note)
		}
	}
}

// An agent that a script starts calls where its own settings say, or not at all: its key goes to no address that pact
// took from elsewhere. The values of User-Agent are those that Claude Code, Codex and opencode sent, and have the form that
// the sources of the two others give.
func TestACallOfAnAgentThatAScriptStarts(t *testing.T) {
	const claudeCode, codex, opencode = "claude-cli/2.1.197 (external, sdk-cli)",
		"codex_exec/0.169.0 (Debian 12.0.0; x86_64) unknown (codex_exec; 0.169.0)",
		"opencode/1.18.33 ai-sdk/provider-utils/4.0.23 runtime/bun/1.3.14"
	gate := map[string]string{".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"https://gate"}}`,
		".codex/config.toml":              `openai_base_url = "https://gate/v1"`,
		".config/opencode/opencode.json":  `{"provider":{"g":{"options":{"baseURL":"https://gate/v1"}}}}`,
		".gemini/.env":                    "GOOGLE_GEMINI_BASE_URL=https://gate",
		".gemini/settings.json":           `{"security":{"folderTrust":{"enabled":false}}}`,
		".qwen/.env":                      "OPENAI_BASE_URL=https://gate/v1",
		".local/share/opencode/auth.json": `{}`,
	}
	for _, c := range []struct {
		line, userAgent string
		gate            bool
		refused         string // a part of why
	}{
		{"sh -c agent", claudeCode, true, "https://gate; start it as pact run -- claude"},
		{"sh -c agent", claudeCode, false, ""},
		{"sh wrapper.sh", codex, true, "https://gate/v1; start it as pact run -- codex"},
		{"sh wrapper.sh", opencode, false, ""},
		{"make agent", "QwenCode/0.24.4 (linux; x64)", false, ""},
		{"make agent", "GeminiCLI/0.61.0/gemini-3 (linux; x64)", false, ""},
		{"sh wrapper.sh", opencode, true, "https://gate/v1; start it as pact run -- opencode"},
		{"make agent", "GeminiCLI/0.61.0/gemini-3 (linux; x64)", true, "https://gate; start it as pact run -- gemini"},
		{"make agent", "QwenCode/0.24.4 (linux; x64)", true, "https://gate/v1; start it as pact run -- qwen"},
		{"claude -p hi", claudeCode, true, ""},
		{"claude -p hi", codex, true, "start it as pact run -- codex"},
		{"python agent.py", "OpenAI/Python 2.1.0", true, ""},
		{"python agent.py", "", true, ""},
	} {
		t.Run(c.line+" "+c.userAgent, func(t *testing.T) {
			home := t.TempDir()
			for file, text := range gate {
				if file = filepath.Join(home, file); !c.gate {
					continue
				}
				must(t, os.MkdirAll(filepath.Dir(file), 0o700))
				must(t, os.WriteFile(file, []byte(text), 0o600))
			}
			t.Chdir(t.TempDir())
			p, err := NewProgram(strings.Fields(c.line), map[string]string{"HOME": home, "OPENAI_API_KEY": "k", "GEMINI_API_KEY": "k"})
			must(t, err)
			for range 2 { // also the second time
				why := p.Misled(http.Header{"User-Agent": {c.userAgent}})
				if (why == "") != (c.refused == "") || !strings.Contains(why, c.refused) {
					t.Errorf("%q", why)
				}
			}
		})
	}
}

// Some libraries for Azure take OPENAI_BASE_URL for their own address, and send it Azure's key.
func TestAKeyOfAzureGoesToNobodyElse(t *testing.T) {
	t.Chdir(t.TempDir())
	calls := []http.Header{{"Api-Key": {"k"}}}
	for _, says := range []string{"AzureOpenAI/JS 6.0.0", "AzureOpenAI/Python 2.1.0", "AsyncAzureOpenAI/Python 2.1.0"} {
		calls = append(calls, http.Header{"Authorization": {"Bearer token"}, "User-Agent": {says}})
	}
	for pair, refused := range map[string]bool{"X=1": true, "OPENAI_BASE_URL=https://mine.openai.azure.com/openai/v1": false,
		"OPENAI_BASE_URL=https://gate/v1": false, "OPENAI_API_BASE=https://gate/v1": true} {
		name, address, _ := strings.Cut(pair, "=")
		p, err := NewProgram([]string{"node", "agent.mjs"}, map[string]string{"HOME": t.TempDir(), name: address})
		must(t, err)
		for _, azure := range calls {
			// An older library reads OPENAI_API_BASE, and may well mean Azure by it.
			own := name == "OPENAI_API_BASE" && azure.Get("Api-Key") != ""
			if why := p.Misled(azure); (why != "") != (refused && !own) {
				t.Errorf("%v with %s: %q", azure, pair, why)
			}
		}
	}
}

// A proxy of the user's own, which reaches providers, is asked for no call to pact.
func TestAProxyIsSparedCallsToPact(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ env, want string }{
		{"", ""},
		{"HTTPS_PROXY=http://corp:3128", "NO_PROXY=127.0.0.1 no_proxy=127.0.0.1"},
		{"http_proxy=http://corp:3128 no_proxy=.corp", "NO_PROXY=.corp,127.0.0.1 no_proxy=.corp,127.0.0.1"},
		{"all_proxy=socks5://corp:1080 no_proxy=a NO_PROXY=b", "NO_PROXY=b,127.0.0.1 no_proxy=a,127.0.0.1"},
		{"HTTP_PROXY=http://corp:3128 NO_PROXY=x,127.0.0.1", ""},
		{"HTTP_PROXY=http://corp:3128 no_proxy=*", ""},
		{"HTTP_PROXY=http://corp:3128 NO_PROXY=127.0.0.0/8", "NO_PROXY=127.0.0.0/8,127.0.0.1 no_proxy=127.0.0.0/8,127.0.0.1"},
		{"HTTP_PROXY=http://corp:3128 NO_PROXY=127.0.0.1 no_proxy=.corp", "no_proxy=.corp,127.0.0.1"},
		{"HTTP_PROXY=http://corp:3128 NO_PROXY=.corp no_proxy=127.0.0.1", "NO_PROXY=.corp,127.0.0.1"},
		{"HTTP_PROXY=http://corp:3128 NO_PROXY=127.0.0.1 no_proxy=", "no_proxy=127.0.0.1"},
		{"HTTP_PROXY=http://corp:3128 no_proxy=.corp,*", "NO_PROXY=.corp,*,127.0.0.1 no_proxy=.corp,*,127.0.0.1"},
	} {
		env := map[string]string{"HOME": t.TempDir()}
		for pair := range strings.FieldsSeq(c.env) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		p, err := NewProgram([]string{"agent.py"}, env)
		must(t, err)
		p.Point("http://127.0.0.1:1")
		var got []string
		for _, pair := range p.Env {
			if strings.HasPrefix(strings.ToUpper(pair), "NO_PROXY=") {
				got = append(got, pair)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q", c.env, got)
		}
	}
}

var must = testrun.Must

// Gemini CLI takes no settings from a file that another user may have written: without a choice of how it signs in it is not
// started there, and the remedy is that choice.
func TestGeminiIsNotStartedWhereItReadsNoFile(t *testing.T) {
	home := t.TempDir()
	must(t, os.Chmod(home, 0o777))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	t.Setenv("HOME", home)
	t.Chdir(t.TempDir())
	for _, chosen := range []bool{false, true} {
		if chosen {
			must(t, os.Mkdir(filepath.Join(home, ".gemini"), 0o700))
			must(t, os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte(`{"security":{"auth":{"selectedType":"gemini-api-key"}}}`), 0o600))
		}
		p, err := NewProgram([]string{"gemini", "-p", "hi"}, map[string]string{"HOME": home, "GEMINI_API_KEY": "k"})
		must(t, err)
		p.path = "gemini"
		if _, _, err := p.Command(t.Context()); (err == nil) != chosen || !chosen && !strings.Contains(err.Error(), filepath.Join(home, ".gemini", "settings.json")) {
			t.Errorf("with a choice %t: %v", chosen, err)
		}
	}
}
