package agents

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// setting is a place of an address, for which @ stands.
type setting struct {
	place      string // with which the place begins that pact names, in which ~ is the user's folder; "" of a refusal
	args, env  string
	file, text string // HOME is the user's folder, and the agent starts in HOME/work
	beside     bool   // of a model alone: what counts less counts for others
}

// The settings in the words of agents.
const (
	ofClaude   = `{"env":{"ANTHROPIC_BASE_URL":"@"}}`
	ofOpencode = `{"provider":{"openai":{"options":{"baseURL":"@"}}}}`
)

// order has the settings by which an agent finds an address, the one that counts most first.
type order struct {
	agent, env string
	source     string // the public page that says so, the version of the agent, and what it does not say
	settings   []setting
}

var orders = []order{
	{"claude", "", "https://code.claude.com/docs/en/settings, of 2.1.197; ~/.claude.json and the variable behind files: " +
		"unknown", []setting{
		{file: "etc/claude-code/managed-settings.json", text: ofClaude},
		{place: "--settings", args: "--settings " + ofClaude},
		{place: ".claude/settings.local.json", file: "work/.claude/settings.local.json", text: ofClaude},
		{place: ".claude/settings.json", file: "work/.claude/settings.json", text: ofClaude},
		{place: "~/.claude/settings.json", file: ".claude/settings.json", text: ofClaude},
		{place: "~/.claude.json", file: ".claude.json", text: ofClaude},
		{place: "ANTHROPIC_BASE_URL", env: "ANTHROPIC_BASE_URL=@"},
	}},
	{"codex", "OPENAI_API_KEY=k", "https://developers.openai.com/codex/config-advanced (-c, and profiles, tables " +
		"before 0.134.0), of 0.169.0; files in /etc and OPENAI_BASE_URL: unknown", []setting{
		{file: "etc/codex/managed_config.toml", text: `openai_base_url = "@"`},
		{place: "-c", args: `-c openai_base_url=@`},
		{place: "~/.codex/p.config.toml", args: "-p p", file: ".codex/p.config.toml", text: `openai_base_url = "@"`},
		{place: "~/.codex/config.toml: profiles.p", args: "-p p", file: ".codex/config.toml",
			text: "[profiles.p]\nopenai_base_url = \"@\"\n"},
		{place: "~/.codex/config.toml: openai", file: ".codex/config.toml", text: "openai_base_url = \"@\"\n"},
		{place: "~/etc/codex/config.toml", file: "etc/codex/config.toml", text: `openai_base_url = "@"`},
		{place: "OPENAI_BASE_URL", env: "OPENAI_BASE_URL=@"},
	}},
	{"opencode", "", "https://opencode.ai/docs/config/, of 1.18.33; ~/.opencode: " +
		"https://github.com/anomalyco/opencode/issues/21307; the variable behind files: unknown", []setting{
		{file: "etc/opencode/opencode.json", text: ofOpencode},
		{place: "OPENCODE_CONFIG_CONTENT", env: "OPENCODE_CONFIG_CONTENT=" + ofOpencode},
		{place: "../dir/opencode.json", env: "OPENCODE_CONFIG_DIR=../dir", file: "dir/opencode.json",
			text: ofOpencode},
		{place: "~/.opencode/", file: ".opencode/opencode.json", text: ofOpencode},
		{place: "~/work/.opencode/", file: "work/.opencode/opencode.json", text: ofOpencode},
		{place: "~/work/opencode.json", file: "work/opencode.json", text: ofOpencode},
		{place: "../more.json", env: "OPENCODE_CONFIG=../more.json", file: "more.json",
			text: ofOpencode},
		{place: "~/.config/opencode/", file: ".config/opencode/opencode.json", text: ofOpencode},
		{place: "OPENAI_BASE_URL", env: "OPENAI_BASE_URL=@"},
	}},
	{"gemini", "GEMINI_CLI_TRUST_WORKSPACE=true", "https://github.com/google-gemini/gemini-cli " +
		"docs/reference/configuration.md and docs/cli/trusted-folders.md, of 0.61.0", []setting{
		{place: "GOOGLE_GEMINI_BASE_URL", env: "GOOGLE_GEMINI_BASE_URL=@"},
		{place: "~/work/.gemini/.env", file: "work/.gemini/.env", text: "GOOGLE_GEMINI_BASE_URL=@"},
		{place: "~/work/.env", file: "work/.env", text: "GOOGLE_GEMINI_BASE_URL=@"},
		{place: "~/.gemini/.env", file: ".gemini/.env", text: "GOOGLE_GEMINI_BASE_URL=@"},
		{place: "~/.env", file: ".env", text: "GOOGLE_GEMINI_BASE_URL=@"},
	}},
	{"pi", "", "https://github.com/badlogic/pi-mono packages/coding-agent/docs/models.md, of 0.73.1", []setting{
		{place: "~/.pi/agent/models.json", file: ".pi/agent/models.json", text: `{"providers":{"openai":{"baseUrl":"@"}}}`},
	}},
	{"qwen", "", "https://qwenlm.github.io/qwen-code-docs/en/users/configuration/model-providers/ and settings/ " +
		"(files), of 0.24.4; security.auth.baseUrl behind env: unknown", []setting{
		{place: "~/etc/qwen-code/settings.json", file: "etc/qwen-code/settings.json", beside: true,
			text: `{"modelProviders":{"openai":[{"id":"m","baseUrl":"@"}]}}`},
		{place: "the command line", args: "--openai-base-url @"},
		{place: "OPENAI_BASE_URL", env: "OPENAI_BASE_URL=@"},
		{place: "~/work/.qwen/.env", file: "work/.qwen/.env", text: "OPENAI_BASE_URL=@"},
		{place: "~/.qwen/.env", file: ".qwen/.env", text: "OPENAI_BASE_URL=@"},
		{place: "~/.env", file: ".env", text: "OPENAI_BASE_URL=@"},
		{place: "env of the settings", file: "work/.qwen/settings.json", text: `{"env":{"OPENAI_BASE_URL":"@"}}`},
		{place: "~/.qwen/settings.json", file: ".qwen/settings.json", text: `{"security":{"auth":{"baseUrl":"@"}}}`},
	}},
	{"goose", "", "https://github.com/block/goose documentation/docs/guides/config-files.md, of 0.20.1", []setting{
		{place: "OPENAI_HOST", env: "OPENAI_HOST=@"},
		{place: "~/.config/goose/config.yaml", file: ".config/goose/config.yaml", text: "OPENAI_HOST: @"},
	}},
	{"goose", "GOOSE_PROVIDER=google", "the same", []setting{
		{place: "GOOGLE_HOST", env: "GOOGLE_HOST=@"},
		{place: "~/.config/goose/config.yaml", file: ".config/goose/config.yaml", text: "GOOGLE_HOST: @"},
	}},
	{"aider", "", "https://aider.chat/docs/config/aider_conf.html and dotenv.html, of 0.86.2; options before --set-env, " +
		"and files before the environment: unknown", []setting{
		{place: "the command line", args: "--openai-api-base @"},
		{place: "~/work/.aider.conf.yml", file: "work/.aider.conf.yml", text: "openai-api-base: @"},
		{place: "~/.aider.conf.yml", file: ".aider.conf.yml", text: "openai-api-base: @"},
		{place: "the command line", args: "--set-env OPENAI_API_BASE=@"},
		{place: "../my.env", args: "--env-file ../my.env", file: "my.env", text: "OPENAI_API_BASE=@"},
		{place: "~/work/.env", file: "work/.env", text: "OPENAI_API_BASE=@"},
		{place: "~/.env", file: ".env", text: "OPENAI_API_BASE=@"},
		{place: "OPENAI_API_BASE", env: "OPENAI_API_BASE=@"},
	}},
	{"mini", "", "https://github.com/SWE-agent/mini-swe-agent docs/advanced/global_configuration.md and " +
		"yaml_configuration.md, of 2.4.6",
		[]setting{
			{place: "-c model", args: "-c model.model_kwargs.api_base=@"},
			{place: "my.yaml", args: "-c my.yaml", file: "work/my.yaml", text: "model:\n  model_kwargs:\n    api_base: @"},
			{place: "OPENAI_API_BASE", env: "OPENAI_API_BASE=@"},
			{place: "~/.config/mini-swe-agent/.env", file: ".config/mini-swe-agent/.env", text: "OPENAI_API_BASE=@"},
		}},
}

// TestSettingsCountInTheirOrder: with all settings of an agent from one on, that one counts and none behind it; one that
// only an administrator may change is refused.
func TestSettingsCountInTheirOrder(t *testing.T) {
	for _, a := range agents {
		if a.resolve != nil && !slices.ContainsFunc(orders, func(o order) bool {
			return o.agent == a.names[0] && o.source != "" && len(o.settings) > 0
		}) {
			t.Errorf("the order of the settings of %s is not listed, or has no source", a.names[0])
		}
	}
	for _, o := range orders {
		for from, first := range o.settings {
			t.Run(o.agent+" "+o.env+" "+strconv.Itoa(from)+" "+first.place, func(t *testing.T) {
				home := real(t.TempDir())
				defer func(was string) { etc = was }(etc)
				etc = filepath.Join(home, "etc")
				must(t, os.MkdirAll(filepath.Join(home, "work", ".git"), 0o700))
				env, line, texts := map[string]string{"HOME": home}, []string{o.agent}, map[string]string{}
				pairs := strings.Fields(o.env)
				for i := len(o.settings) - 1; i >= from; i-- { // of arguments the last counts
					s, to := o.settings[i], strings.NewReplacer("@", "https://gate"+strconv.Itoa(i)+"/v1")
					line = append(line, strings.Fields(to.Replace(s.args))...)
					pairs = append(pairs, strings.Fields(to.Replace(s.env))...)
					if s.file != "" {
						texts[s.file] += to.Replace(s.text)
					}
				}
				for file, text := range texts {
					file = filepath.Join(home, file)
					must(t, os.MkdirAll(filepath.Dir(file), 0o700))
					must(t, os.WriteFile(file, []byte(text), 0o600))
				}
				for _, pair := range pairs {
					name, value, _ := strings.Cut(pair, "=")
					env[name] = value
				}
				t.Chdir(filepath.Join(home, "work"))
				p, err := NewProgram(line, env)
				if first.place == "" {
					if fault.CodeOf(err) != fault.DocumentInvalid || !strings.Contains(err.Error(), filepath.Join(home, first.file)) {
						t.Errorf("not refused: %v", err)
					}
					return
				}
				must(t, err)
				found := false
				for _, r := range p.Routes {
					at, isGate := strings.CutPrefix(r.To.Host, "gate")
					place := filepath.ToSlash(strings.Replace(r.From, home, "~", 1))
					switch {
					case at == strconv.Itoa(from) && strings.HasPrefix(place, first.place):
						found = true
					case isGate && !first.beside:
						t.Errorf("%s of %s counts", r.To, place)
					}
				}
				if !found {
					t.Errorf("it calls %+v", p.Routes)
				}
			})
		}
	}
}
