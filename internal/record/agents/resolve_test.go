package agents

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// Where each agent would call without pact, by what its settings hold; of the files, HOME is the user's folder and the
// agent starts in HOME/work. A real agent of each kind shows the same in internal/cli.
func TestWhereAnAgentCalls(t *testing.T) {
	const codexGate = "model_provider = \"g\"\n[model_providers.g]\nbase_url = \"https://gate/v1\"\n[profiles.other]\n" +
		"model_provider = \"h\"\n[model_providers.h]\nbase_url = \"https://other/v1\"\n"
	files := func(pairs ...string) (list map[string]string) {
		list = map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			list[pairs[i]] = pairs[i+1]
		}
		return list
	}
	claude := func(address string) string { return `{"env":{"ANTHROPIC_BASE_URL":"` + address + `"}}` }
	opencode := func(id, address string) string {
		return `{"provider":{"` + id + `":{"options":{"baseURL":"` + address + `"}}}}`
	}
	for _, c := range []struct {
		line, env string
		files     map[string]string
		want      string // an address and a part of its place, or of the refusal
	}{
		{"agent.py", "", nil, "https://api.openai.com/v1 <"},
		{"agent.py", "OPENAI_BASE_URL=https://gate/a/v1", nil, "https://gate/a/v1 <OPENAI_BASE_URL"},
		{"agent.py", "OPENAI_BASE_URL=https://u:p@gate", nil, "refused: cannot tell which address"},

		{"agent.py", "", files("work/.env", "OPENAI_BASE_URL=https://gate/v1\nOPENAI_API_KEY=k\n"), "refused: whether the program reads that file"},
		{"node --env-file=../my.env agent.mjs", "", files("my.env", "ANTHROPIC_BASE_URL=https://gate"), "refused: ../my.env: ANTHROPIC_BASE_URL"},
		{"python ../apps/agent.py", "", files("apps/agent.py", "", "apps/.env", "OPENAI_API_BASE=https://gate/v1"), "refused: apps/.env: OPENAI_API_BASE"},
		{"node --env-file-if-exists ../my.env agent.mjs", "", files("my.env", "ANTHROPIC_BASE_URL=https://gate"), "refused: ../my.env: ANTHROPIC_BASE_URL"},
		{"node --env-file ../my.env agent.mjs", "", files("my.env", "ANTHROPIC_BASE_URL=https://gate"), "refused: ../my.env: ANTHROPIC_BASE_URL"},
		{"node --env-file-if-exists=../my.env agent.mjs", "", files("my.env", "ANTHROPIC_BASE_URL=https://gate"), "refused: ../my.env: ANTHROPIC_BASE_URL"},
		{"uv run python ../apps/agent.py", "", files("apps/agent.py", "", "apps/.env", "OPENAI_BASE_URL=https://gate/v1"), "refused: apps/.env: OPENAI_BASE_URL"},
		{"../apps/agent --fast", "", files("apps/agent", "", "apps/.env", "OPENAI_BASE_URL=https://gate/v1"), "refused: apps/.env: OPENAI_BASE_URL"},
		{"python ../apps/agent.py", "", files("apps/agent.py", "", "apps/.env.local", "OPENAI_API_BASE=https://gate/v1"), "refused: apps/.env.local: OPENAI_API_BASE"},
		{"agent.py", "", files("work/.env", "OPENAI_BASE_URL=https://api.openai.com\nGEMINI_API_BASE=https://generativelanguage.googleapis.com/v1beta"),
			"https://api.openai.com/v1 <"},
		{"agent.py", "", files("work/.env", "OPENAI_BASE_URL=http://api.openai.com/v1"), "refused: whether the program reads that file"},
		{"agent.py", "", files(".env", "OPENAI_BASE_URL=https://gate/v1"), "refused: whether the program reads that file"},
		{"agent.py", "", files(".env", "OPENAI_BASE_URL=https://far/v1", "work/.env", "X=1"), "https://api.openai.com/v1 <"},
		{"agent.py", "OPENAI_BASE_URL=https://env/v1", files("work/.env", "OPENAI_BASE_URL=https://gate/v1"), "https://env/v1 <OPENAI_BASE_URL"},
		{"agent.py", "", files("work/.env", "OPENAI_BASE_URL=https://api.openai.com/v1/"), "https://api.openai.com/v1 <"},
		{"agent.py", "OPENAI_API_BASE=https://gate/v1", nil, "https://gate/v1 <OPENAI_API_BASE"},
		{"agent.py", "OPENAI_API_BASE=https://gate/v1", files("work/.env", "OPENAI_BASE_URL=https://other/v1"), "refused: .env: OPENAI_BASE_URL"},
		{"agent.py", "OPENAI_API_BASE=https://gate/v1 OPENAI_BASE_URL=https://b/v1", nil, "https://b/v1 <OPENAI_BASE_URL"},
		{"agent.py", "ANTHROPIC_API_URL=https://gate", nil, "https://gate <ANTHROPIC_API_URL"},
		{"agent.py", "", nil, "https://generativelanguage.googleapis.com/v1beta <"},
		{"agent.py", "GEMINI_API_BASE=https://gate/g", nil, "https://generativelanguage.googleapis.com <"},

		{"sh fix.sh", "", files("work/fix.sh", "aider --yes\n", ".aider.conf.yml", "openai-api-base: https://gate/v1"), "refused: fix.sh starts aider, whose own settings send it to https://gate/v1"},
		{"sh -e fix.sh notes", "", files("work/fix.sh", "cat $1\n", "work/notes", "aider\n", ".aider.conf.yml", "openai-api-base: https://gate/v1"), "https://api.openai.com/v1 <"},
		{"./fix", "", files("work/fix", "#!/bin/sh\n# aider\nexec aider --openai-api-base https://gate/v1\n"), "refused: ./fix starts aider"},
		{"./fix", "", files("work/fix", "#!/usr/bin/env bash\nexport OPENAI_API_BASE='https://gate/v1'; pi; aider -m hi\n"), "refused: ./fix starts aider"},
		{"./fix", "OPENAI_API_BASE=https://gate/v1", files("work/fix", "#!/bin/sh\naider -m hi\n"), "https://gate/v1 <OPENAI_API_BASE"},
		{"./fix", "", files("work/fix", "#!/bin/sh\ncd ../other && aider -m hi\n"), "https://api.openai.com/v1 <"},
		{"./fix", "", files("work/fix", "#!/bin/sh\ncd ../other && python agent.py # aider\n"), "https://api.openai.com/v1 <"},
		{"./fix", "", files("work/fix", "#!/usr/bin/python3\nimport aider\n", ".aider.conf.yml", "openai-api-base: https://gate/v1"), "https://api.openai.com/v1 <"},

		{"claude", "", nil, "https://api.anthropic.com <"},
		{"claude --setting-sources user", "", files(".claude/settings.json", claude("https://gate"), "work/.claude/settings.json", claude("https://project"),
			"work/.claude/settings.local.json", claude("https://local")), "https://gate <.claude/settings.json"},
		{"claude --setting-sources=project,local", "", files(".claude/settings.json", claude("https://user"), "work/.claude/settings.json",
			claude("https://gate")), "https://gate <.claude/settings.json"},
		{"claude --setting-sources=", "ANTHROPIC_BASE_URL=https://gate", files(".claude/settings.json", claude("https://user")), "https://gate <ANTHROPIC_BASE_URL"},
		{"claude", "", files(".claude/settings.json", `{"env":{"HTTPS_PROXY":"http://corp:3128"}}`), "refused: sets HTTPS_PROXY"},
		{"claude", "https_proxy=http://corp:3128", files(".claude/settings.json", `{"env":{"HTTPS_PROXY":"http://corp:3128"}}`), "https://api.anthropic.com <"},
		{"claude", "CLAUDE_CODE_USE_BEDROCK=1", nil, "refused: CLAUDE_CODE_USE_BEDROCK"},
		{"claude", "", files("work/.claude/settings.json", `{"env":{"CLAUDE_CODE_USE_VERTEX":"true"}}`), "refused: CLAUDE_CODE_USE_VERTEX"},
		{"claude", "", files(".claude/settings.json", `{"env":`), "refused: pact cannot read"},
		{"npx @anthropic-ai/claude-code", "", files(".claude/settings.json", claude("https://gate")), "https://gate <"},

		{"codex exec hi", "OPENAI_BASE_URL=https://env/v1 OPENAI_API_KEY=k", nil, "https://env/v1 <OPENAI_BASE_URL"},
		{"codex exec hi", "OPENAI_BASE_URL=https://env/v1", files(".codex/auth.json", `{"OPENAI_API_KEY":"k"}`), "https://api.openai.com/v1 <"},
		{"codex exec hi", "", files(".codex/auth.json", `{"tokens":{}}`), "https://chatgpt.com/backend-api/codex <"},
		{"codex exec hi", "", files(".codex/auth.json", `{"auth_mode":"chatgpt","OPENAI_API_KEY":"k","tokens":{}}`), "https://chatgpt.com/backend-api/codex <"},
		{"codex exec hi", "", files(".codex/auth.json", `{"auth_mode":"apikey","OPENAI_API_KEY":"k","tokens":{}}`), "https://api.openai.com/v1 <"},
		{"codex exec hi", "OPENAI_API_KEY=k", files(".codex/config.toml", `cli_auth_credentials_store = "keyring"`), "refused: into which pact cannot look"},
		{"codex exec hi", "", files(".codex/config.toml", `cli_auth_credentials_store = "auto"`, ".codex/auth.json", `{"OPENAI_API_KEY":"old"}`), "refused: into which pact cannot look"},
		{"codex exec hi", "", files(".codex/config.toml", `cli_auth_credentials_store = "file"`, ".codex/auth.json", `{"OPENAI_API_KEY":"k"}`), "https://api.openai.com/v1 <"},
		{"codex exec hi", "OPENAI_API_KEY=k", files(".codex/config.toml", `openai_base_url = "https://gate/v1"`), "https://gate/v1 <config.toml: openai_base_url"},
		{"codex exec hi", "", files(".codex/config.toml", codexGate), "https://gate/v1 <model_providers.g.base_url"},
		{"codex exec -p other hi", "", files(".codex/config.toml", codexGate), "https://other/v1 <model_providers.h.base_url"},
		{"codex --profile=p2", "", files(".codex/config.toml", codexGate, ".codex/p2.config.toml", `model_provider = "h"`), "https://other/v1 <"},
		{"codex -p none", "", nil, "refused: no profile none"},
		{"codex exec -c model_provider=h hi", "", files(".codex/config.toml", codexGate), "https://other/v1 <"},
		{"codex exec -cmodel_provider=h hi", "", files(".codex/config.toml", codexGate), "https://other/v1 <"},
		{"codex exec -cmodel_providers.g.base_url='https://flag/v1'", "", files(".codex/config.toml", codexGate), "https://flag/v1 <-c: model_providers.g.base_url"},
		{"codex exec --config=model_providers.g.base_url='https://flag/v1'", "", files(".codex/config.toml", codexGate), "https://flag/v1 <-c: model_providers.g.base_url"},
		{"codex -c model_providers.g={base_url='x'}", "", files(".codex/config.toml", codexGate), "refused: sets a whole table"},
		{"codex", "", files(".codex/config.toml", `model_provider = "none"`), "refused: which none of its settings has"},
		{"codex", "", files(".codex/config.toml", `model_provider = "amazon-bedrock"`), "refused: built-in provider"},
		{"codex --oss", "", nil, "refused: built-in provider"},
		{"codex", "", files(".codex/config.toml", `model_provider = `), "refused: pact cannot read"},
		{"codex", "", files("work/.codex/config.toml", `openai_base_url = "https://project/v1"`), "https://api.openai.com/v1 <"},

		{"opencode", "", nil, "https://api.anthropic.com/v1 <"},
		{"opencode", "", files(".config/opencode/opencode.json", opencode("g", "https://user/v1"), "opencode.jsonc", "{ // mine\n"+opencode("g", "https://gate/v1")[1:]),
			"https://gate/v1 <opencode.jsonc: provider.g.options.baseURL"},
		{"opencode", "GATE=https://gate", files("work/opencode.json", opencode("g", "{env:GATE}/v1")), "https://gate/v1 <"},
		{"opencode", "", files("work/opencode.json", opencode("g", "{file:x}/v1")), "refused: cannot tell which address"},
		{"opencode run --dir ../other hi", "", files("other/opencode.json", opencode("g", "https://gate/v1"), "work/opencode.json", opencode("g", "https://here/v1")),
			"https://gate/v1 <other/opencode.json"},
		{"opencode -m g/m ../other", "", files("other/opencode.json", opencode("g", "https://gate/v1"), "work/opencode.json", opencode("g", "https://here/v1")),
			"https://gate/v1 <other/opencode.json"},
		{"opencode --variant high ../other", "", files("other/opencode.json", opencode("g", "https://gate/v1"), "work/opencode.json", opencode("g", "https://here/v1")),
			"https://gate/v1 <other/opencode.json"},
		{"opencode --unheard high ../other", "", files("other/opencode.json", opencode("g", "https://gate/v1"), "work/opencode.json", opencode("g", "https://here/v1")),
			"https://gate/v1 <other/opencode.json"},
		{"opencode --title other --unheard=x", "", files("work/other/opencode.json", opencode("g", "https://other/v1"), "work/opencode.json", opencode("g", "https://gate/v1")),
			"https://gate/v1 <work/opencode.json"},
		{"opencode --unheard high attach http://127.0.0.1:4096", "", nil, "refused: the opencode at http://127.0.0.1:4096"},
		{"opencode run other", "", files("work/other/opencode.json", opencode("g", "https://other/v1"), "work/opencode.json", opencode("g", "https://gate/v1")),
			"https://gate/v1 <work/opencode.json"},
		{"opencode run --attach http://127.0.0.1:4096 hi", "", nil, "refused: the opencode at http://127.0.0.1:4096"},
		{"opencode attach http://127.0.0.1:4096", "", nil, "refused: the opencode at http://127.0.0.1:4096"},
		{"opencode run -m groq/x", "", nil, "refused: the provider groq"},
		{"opencode", "", files("work/opencode.json", `{"model":"groq/x"}`), "refused: the provider groq"},
		{"opencode", "", files(".local/share/opencode/auth.json", `{"https://x":{"type":"wellknown"}}`), "refused: settings from a server"},

		{"gemini", "GOOGLE_GENAI_USE_VERTEXAI=true GOOGLE_GENAI_USE_GCA=true", nil, "refused: GOOGLE_GENAI_USE_GCA"},
		{"gemini -p hi", "GEMINI_API_KEY=k", nil, "https://generativelanguage.googleapis.com <"},
		{"gemini", "GEMINI_CLI_TRUST_WORKSPACE=true", files(".gemini/.env", "GOOGLE_GEMINI_BASE_URL='https://gate' # mine"), "https://gate <.gemini/.env: GOOGLE"},
		{"gemini", "", files(".gemini/.env", "GOOGLE_GEMINI_BASE_URL=https://user", "work/.env", "export GOOGLE_GEMINI_BASE_URL=\"https://gate\"",
			".gemini/settings.json", `{"security":{"folderTrust":{"enabled":false}}}`), "https://gate <work/.env"},
		{"gemini", "GEMINI_CLI_TRUSTED_FOLDERS_PATH=../t.json", files("work/.env", "GOOGLE_GEMINI_BASE_URL=https://gate", "t.json", `{"..":"TRUST_FOLDER"}`),
			"https://gate <work/.env"},
		{"gemini", "GEMINI_CLI_TRUSTED_FOLDERS_PATH=../t.json", files("work/.env", "GOOGLE_GEMINI_BASE_URL=https://gate",
			"t.json", `{"..":"TRUST_FOLDER","../work":"DO_NOT_TRUST"}`), "refused: only in a folder that it trusts"},
		{"gemini --skip-trust -p hi", "", files(".gemini/.env", "GOOGLE_GEMINI_BASE_URL=https://gate"), "https://gate <.gemini/.env"},
		{"gemini", "", files("work/.env", "GOOGLE_GEMINI_BASE_URL=https://stranger"), "refused: only in a folder that it trusts"},
		{"gemini", "", files("work/.env", "GOOGLE_GEMINI_BASE_URL=https://stranger", "work/.gemini/settings.json",
			`{"security":{"folderTrust":{"enabled":false}}}`), "refused: only in a folder that it trusts"},
		{"gemini", "GEMINI_CLI_TRUSTED_FOLDERS_PATH=../t.json", files("work/.env", "GOOGLE_GEMINI_BASE_URL=https://stranger",
			"t.json", `{"../moor":"TRUST_PARENT","../work":"DO_NOT_TRUST"}`), "refused: only in a folder that it trusts"},
		{"gemini", "GEMINI_API_KEY=k", files("work/.gemini/settings.json", `{"security":{"auth":{"selectedType":"oauth-personal"}}}`),
			"https://generativelanguage.googleapis.com <"},
		{"gemini", "GEMINI_CLI_TRUST_WORKSPACE=true", files("work/.gemini/settings.json", `{"security":{"auth":{"selectedType":"oauth-personal"}}}`),
			"refused: oauth-personal"},
		{"gemini", "GEMINI_CLI_TRUST_WORKSPACE=true", files("work/.env", "LONG="+strings.Repeat("x", 2<<20)+"\nGOOGLE_GEMINI_BASE_URL=https://gate"), "https://gate <work/.env"},
		{"gemini", "GEMINI_CLI_TRUST_WORKSPACE=true", files("work/.env", "GOOGLE_GEMINI_BASE_URL=https://${HOST}"), "refused: cannot tell which address"},
		{"gemini", "GOOGLE_GENAI_USE_VERTEXAI=true", nil, "refused: vertex-ai"},
		{"gemini", "", files(".gemini/settings.json", `{"security":{"auth":{"selectedType":"oauth-personal"}}}`), "refused: oauth-personal"},

		{"pi -p hi", "ANTHROPIC_BASE_URL=https://env", nil, "https://api.anthropic.com <"},
		{"pi", "", files(".pi/agent/models.json", `{"providers":{"g":{"baseUrl":"https://gate/v1"}}}`), "https://gate/v1 <models.json: providers.g.baseUrl"},
		{"pi --model groq/x", "", nil, "refused: the provider groq"},
		{"pi", "", files(".pi/agent/settings.json", `{"defaultProvider":"groq"}`), "refused: the provider groq"},
		{"pi", "", files(".pi/agent/models.json", `{"providers":{"g":{"baseUrl":"https://a","models":[{"id":"m","baseUrl":"https://b"}]}}}`),
			"refused: different addresses"},

		{"qwen", "", files(".qwen/settings.json", `{"modelProviders":{"openai":[{"id":"m","baseUrl":"https://gate/v1"}]}}`), "https://gate/v1 <modelProviders.openai"},
		{"qwen", "", files(".qwen/settings.json", `{"modelProviders":{"openai":{"baseUrl":"https://all/v1","models":[{"id":"m","baseUrl":"https://gate/v1"}]}}}`),
			"https://all/v1 <modelProviders.openai"},
		{"qwen --openai-base-url https://flag/v1", "OPENAI_BASE_URL=https://env/v1", nil, "https://flag/v1 <the command line"},
		{"qwen", "", files(".qwen/.env", "OPENAI_BASE_URL=https://gate/v1"), "https://gate/v1 <.qwen/.env"},
		{"qwen", "", files(".qwen/settings.json", `{"env":{"OPENAI_BASE_URL":"https://gate/v1"},"security":{"auth":{"baseUrl":"https://auth/v1"}}}`), "https://gate/v1 <env of the settings"},
		{"qwen", "", files("work/.qwen/settings.json", `{"security":{"auth":{"baseUrl":"https://gate/v1"}}}`), "https://gate/v1 <security.auth.baseUrl"},
		{"qwen", "", files(".qwen/.env", "OPENAI_BASE_URL=https://gate/v1", "work/.env", "X=1", ".env", "OPENAI_BASE_URL=https://last/v1"), "https://gate/v1 <.qwen/.env"},
		{"qwen", "", files("mine/.env", "OPENAI_BASE_URL=https://gate/v1", ".env", "QWEN_HOME=../mine", ".qwen/settings.json", `{"env":{"OPENAI_BASE_URL":"https://old/v1"}}`),
			"https://gate/v1 <mine/.env"},
		{"qwen", "", files(".qwen/settings.json", `{"security":{"folderTrust":{"enabled":true}}}`, "work/.env", "OPENAI_BASE_URL=https://stranger/v1"),
			"refused: only in a folder that it trusts"},
		{"qwen", "OPENAI_API_KEY=k", files(".qwen/settings.json", `{"security":{"folderTrust":{"enabled":true}}}`, "work/.env", "OPENAI_BASE_URL=https://stranger/v1",
			"work/.qwen/settings.json", `{"security":{"folderTrust":{"enabled":false}}}`), "refused: only in a folder that it trusts"},
		{"qwen", "QWEN_CODE_TRUSTED_FOLDERS_PATH=../t.json", files(".qwen/settings.json", `{"security":{"folderTrust":{"enabled":true}}}`,
			"work/.env", "OPENAI_BASE_URL=https://stranger/v1", ".qwen/trustedFolders.json", `{"../work":"TRUST_FOLDER"}`, "t.json", `{}`),
			"refused: only in a folder that it trusts"},
		{"qwen", "QWEN_CODE_TRUSTED_FOLDERS_PATH=../t.json", files(".qwen/settings.json", `{"security":{"folderTrust":{"enabled":true}}}`,
			"work/.env", "OPENAI_BASE_URL=https://gate/v1", "t.json", `{"..":"TRUST_FOLDER","../work":"DO_NOT_TRUST"}`), "https://gate/v1 <work/.env"},
		{"qwen --proxy http://corp:3128", "", nil, "refused: through the proxy"},
		{"qwen --auth-type qwen-oauth", "", nil, "refused: qwen-oauth"},

		{"goose run", "", files(".config/goose/config.yaml", "OPENAI_HOST: https://gate\n"), "https://gate <config.yaml: OPENAI_HOST"},
		{"goose", "OPENAI_HOST=https://env", files(".config/goose/config.yaml", "OPENAI_HOST: https://file"), "https://env <OPENAI_HOST"},
		{"goose", "OPENAI_HOST=https://a OPENAI_BASE_URL=https://b/v1", nil, "refused: different addresses"},
		{"goose", "GOOSE_PROVIDER=aws_bedrock", nil, "refused: aws_bedrock"},
		{"goose run --provider mine", "GOOSE_PROVIDER=openai", files(".config/goose/custom_providers/mine.json", `{}`), "refused: mine"},
		{"goose", "GOOSE_PROVIDER=openrouter", nil, "refused: openrouter"},
		{"goose", "GOOSE_PROVIDER=mine", files(".config/goose/custom_providers/mine.json", `{}`), "refused: mine"},

		{"aider", "", files(".aider.conf.yml", "set-env:\n - ANTHROPIC_API_KEY=secret\n"), "refused: others on this machine"},
		{"aider --set-env ANTHROPIC_API_BASE=https://gate", "", files(".aider.conf.yml", "set-env:\n - X=1\n"), "https://gate <the command line"},
		{"aider", "", files(".aider.model.settings.yml", "- extra_params:\n    api_base: https://x\n"), "refused: an address for a model"},
		{"aider", "", files(".aider.conf.yml", "env-file: ../gate.env", "gate.env", "OPENAI_API_BASE=https://gate/v1", "work/.env", "OPENAI_API_BASE=https://here/v1"),
			"https://gate/v1 <gate.env"},
		{"aider", "AIDER_ENV_FILE=../gate.env", files("gate.env", "AIDER_OPENAI_API_BASE=https://gate/v1"), "https://gate/v1 <gate.env"},
		{"aider", "AIDER_OPENAI_API_BASE=https://gate/v1", files(".aider.conf.yml", "openai-api-base: https://file/v1"), "https://gate/v1 <"},
		{"aider", "", files(".aider.conf.yml", "model-settings-file: ../ms.yml", "ms.yml", "- extra_params:\n    api_base: https://x\n"), "refused: an address for a model"},
		{"aider --model-settings-file ../ms.yml", "", files("ms.yml", "- extra_params:\n    api_base: https://x\n"), "refused: an address for a model"},
		{"mini -c gate", "MSWEA_CONFIG_DIR=../conf", files("conf/gate.yaml", "model:\n  model_kwargs:\n    api_base: https://gate/v1\n"), "https://gate/v1 <gate"},
		{"mini -c mini -c model.model_kwargs={\"api_base\":\"https://gate/v1\"}", "", nil, "https://gate/v1 <-c model.model_kwargs"},
		{"crush", "", nil, "refused: its own settings only"},
	} {
		t.Run(c.line+" "+c.want, func(t *testing.T) {
			home := t.TempDir()
			for file, text := range c.files {
				file = filepath.Join(home, file)
				must(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)))
			}
			work := filepath.Join(home, "work")
			must(t, os.MkdirAll(filepath.Join(work, ".git"), 0o700))
			if c.files["opencode.jsonc"] != "" { // above the folder, in the repository
				must(t, os.Rename(filepath.Join(work, ".git"), filepath.Join(home, ".git")))
			}
			t.Chdir(work)
			env := map[string]string{"HOME": home}
			for _, pair := range strings.Fields(c.env) {
				name, value, _ := strings.Cut(pair, "=")
				env[name] = value
			}
			p, err := NewProgram(strings.Fields(c.line), env)
			if says, isRefused := strings.CutPrefix(c.want, "refused: "); isRefused {
				var f *fault.Error
				if !errors.As(err, &f) || !strings.Contains(f.Message, says) || f.Remedy == "" {
					t.Errorf("%v", err)
				}
				return
			}
			must(t, err)
			address, from, _ := strings.Cut(c.want, " <")
			if !slices.ContainsFunc(p.Routes, func(r Route) bool {
				return r.To.String() == address && strings.Contains(r.From, from) && (from != "" || r.From == "" || c.files != nil)
			}) {
				t.Errorf("it calls %+v", p.Routes)
			}
			// No other address of that name, and the proxy knows no other.
			for _, r := range p.Routes {
				if up := p.Upstreams[r.Name]; up == nil || up.Host != r.To.Host {
					t.Errorf("%s goes to %v", r.Name, up)
				}
			}
			p.Point("http://127.0.0.1:1") // and can be told
			if name, _ := named(p.Args); name == "codex" && strings.Contains(strings.Join(p.Args, " "), address) {
				t.Errorf("it is still given %s", p.Args)
			}
		})
	}
}

// A place that is a variable is named once.
func TestThePlaceOfAnOptionIsNamedOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	p, err := NewProgram([]string{"aider"}, map[string]string{"HOME": t.TempDir(), "AIDER_OPENAI_API_BASE": "https://gate/v1"})
	if err != nil || !slices.ContainsFunc(p.Routes, func(r Route) bool { return r.From == "AIDER_OPENAI_API_BASE" }) {
		t.Errorf("%+v %v", p.Routes, err)
	}
}

// A library that reads the first variable of a provider alone calls where another that is set leads: recorded, and not
// with the key of a gateway at the provider.
func TestTheFirstVariableIsToldWithAnother(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ set, told string }{
		{"OPENAI_API_BASE=https://gate/a/v1", "OPENAI_BASE_URL=http://pact/openai/a/v1"},
		{"ANTHROPIC_API_URL=https://gate/a", "ANTHROPIC_BASE_URL=http://pact/anthropic/a"},
		{"ANTHROPIC_API_URL=https://gate/a ANTHROPIC_API_BASE=https://other", "ANTHROPIC_BASE_URL=http://pact/anthropic"},
		{"OPENAI_API_BASE=https://gate/a OPENAI_BASE_URL=https://other/b", "OPENAI_BASE_URL=http://pact/openai/b"},
	} {
		env := map[string]string{"HOME": t.TempDir()}
		for pair := range strings.FieldsSeq(c.set) {
			name, value, _ := strings.Cut(pair, "=")
			env[name] = value
		}
		p, err := NewProgram([]string{"agent.py"}, env)
		must(t, err)
		p.Point("http://pact")
		name, _, _ := strings.Cut(c.told, "=")
		n := 0
		for _, pair := range p.Env {
			if strings.HasPrefix(pair, name+"=") {
				n++
			}
		}
		if n != 1 || !slices.Contains(p.Env, c.told) {
			t.Errorf("%s: %s", c.set, p.Env)
		}
	}
}

// A refusal shows no password of an address, wherever the address stands.
func TestNoPasswordIsShown(t *testing.T) {
	const address = "https://user:hunter2@gate/v1?key=hunter2"
	for line, files := range map[string]map[string]string{
		"agent.py": nil,
		"opencode": {"opencode.json": `{"provider":{"mine":{"models":{"m":{"provider":{"api":"` + address + `"}}}}}}`},
		"mini":     {"mini.yaml": "model:\n  model_kwargs:\n    api_base: " + address + "\n"},
	} {
		t.Run(line, func(t *testing.T) {
			home := t.TempDir()
			for file, text := range files {
				must(t, os.WriteFile(filepath.Join(home, file), []byte(text), 0o600))
			}
			t.Chdir(home)
			env := map[string]string{"HOME": home, "OPENAI_BASE_URL": address}
			if line == "mini" {
				env = map[string]string{"HOME": home, "MSWEA_MINI_CONFIG_PATH": "mini.yaml"}
			}
			_, err := NewProgram(strings.Fields(line), env)
			if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "gate") {
				t.Errorf("%v", err)
			}
		})
	}
	if got := shown(address); strings.Contains(got, "hunter2") || !strings.Contains(got, "gate") {
		t.Error(got)
	}
}
