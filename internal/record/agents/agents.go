package agents

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// agent describes a program that does not take a provider's address from the
// variables in clients alone.
type agent struct {
	names   []string
	reads   []client       // other variables from which it takes addresses of providers
	prepare func(*Program) // makes it call the proxy in other ways, and send the same as without
	says    string         // a note for its user
	refused string         // instructions for its user, as pact cannot tell it an address
}

var agents = []agent{
	{names: []string{"claude"}, prepare: prepareClaude},
	{names: []string{"codex"}, prepare: prepareCodex},
	{names: []string{"opencode"}, prepare: prepareOpencode},
	{names: []string{"gemini"}, prepare: prepareGemini,
		says: "Gemini CLI is recorded with a key of the API. After a login with Google it calls another API"},
	{names: []string{"pi"}, prepare: preparePi},
	{names: []string{"goose"}, reads: []client{
		{"ANTHROPIC_HOST", "goose-anthropic", "", "https://api.anthropic.com"},
		{"GOOGLE_HOST", "goose-google", "", "https://generativelanguage.googleapis.com"}}},
	{names: []string{"aider", "mini", "mini-swe-agent"}, reads: []client{
		{"OPENAI_API_BASE", "litellm-openai", "/v1", "https://api.openai.com/v1"},
		{"GEMINI_API_BASE", "litellm-gemini", "/v1beta", "https://generativelanguage.googleapis.com/v1beta"}}},
	{names: []string{"qwen"}, says: "Qwen Code calls OPENAI_BASE_URL if it signs in with a key of that API: " +
		"qwen --auth-type openai, and the model in OPENAI_MODEL"},
	{names: []string{"crush"}, refused: "start a proxy for https://api.anthropic.com on 127.0.0.1:8080, and " +
		"set base_url of the provider in crush.json to http://127.0.0.1:8080"},
}

// agentOf returns what pact knows of a program, the zero value for nothing.
func agentOf(program string) agent {
	name := baseName(program)
	at := slices.IndexFunc(agents, func(a agent) bool { return slices.Contains(a.names, name) })
	if at < 0 {
		return agent{}
	}
	return agents[at]
}

// baseName returns the name of a program or script without its folder and ending.
func baseName(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// runners are programs that run another, whose name says more.
var runners = []string{"python", "python3", "node", "bun", "deno", "npx", "uv", "uvx", "go", "ruby", "tsx", "bash", "sh"}

// ContextName names a context after the program, or after the script or module that it runs.
func ContextName(args []string) string {
	program := baseName(args[0])
	if !slices.Contains(runners, program) {
		return program
	}
	for i, arg := range args[1:] {
		switch {
		case arg == "-m" && i+2 < len(args):
			return args[i+2]
		case arg == "-c" || arg == "-e":
			return program
		case arg != "run" && !strings.HasPrefix(arg, "-") && baseName(arg) != "":
			return baseName(arg)
		}
	}
	return program
}

// Claude Code sends the schemas of all tools at once to an address that is not Anthropic's,
// because another server may not know how to defer them; it also divides the system prompt for
// the cache in another way there, and leaves out a header.
func prepareClaude(c *Program) {
	if c.Upstreams["anthropic"].Host != "api.anthropic.com" {
		return
	}
	var set []string
	for _, name := range []string{"ENABLE_TOOL_SEARCH", "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL"} {
		if c.given[name] == "" {
			c.Env, set = append(c.Env, name+"=true"), append(set, name)
		}
	}
	if len(set) > 0 {
		c.Note = "With " + strings.Join(set, " and ") + " Claude Code sends what it sends to Anthropic itself"
	}
}

// Codex ignores OPENAI_BASE_URL. Where it is signed in it calls its own provider at the proxy, so that
// it sends the same; else it gets a provider that takes the key from the environment.
func prepareCodex(c *Program) {
	pairs := []string{`openai_base_url="` + c.base["openai"] + `"`}
	if !signedIn(c.given) {
		pairs = []string{`model_provider="pact"`, `model_providers.pact.name="pact"`,
			`model_providers.pact.base_url="` + c.base["openai"] + `"`, `model_providers.pact.wire_api="responses"`,
			`model_providers.pact.supports_websockets=false`, `model_providers.pact.env_key="OPENAI_API_KEY"`}
	}
	var set []string
	for _, pair := range pairs {
		set = append(set, "-c", pair)
	}
	c.Args = slices.Concat(c.Args[:1], set, c.Args[1:])
}

func codexHome(env map[string]string) string {
	return cmp.Or(env["CODEX_HOME"], filepath.Join(cmp.Or(env["HOME"], env["USERPROFILE"]), ".codex"))
}

// signedIn reports whether Codex is signed in, or has no key in the environment either.
func signedIn(env map[string]string) bool {
	_, err := os.Stat(filepath.Join(codexHome(env), "auth.json"))
	return err == nil || env["OPENAI_API_KEY"] == ""
}

// opencode takes addresses from its configuration. The user's settings in the same variable stay.
func prepareOpencode(c *Program) {
	const variable = "OPENCODE_CONFIG_CONTENT"
	configuration := map[string]any{}
	_ = json.Unmarshal([]byte(c.given[variable]), &configuration) // opencode itself complains of what is no JSON
	providers := member(configuration, "provider")
	for name, url := range map[string]string{"anthropic": c.base["anthropic"] + "/v1", "openai": c.base["openai"],
		"google": c.base["gemini"] + "/v1beta"} {
		member(member(providers, name), "options")["baseURL"] = url
	}
	text, err := json.Marshal(configuration)
	if err == nil {
		c.Env = append(c.Env, variable+"="+string(text))
	}
}

// member returns an object in an object, and makes it if there is none.
func member(object map[string]any, name string) map[string]any {
	of, ok := object[name].(map[string]any)
	if !ok {
		of = map[string]any{}
		object[name] = of
	}
	return of
}

// Gemini CLI signs in with the key in its environment unless it calls a foreign address; then
// it wants its settings to say so.
func prepareGemini(c *Program) {
	const variable = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"
	if c.given["GEMINI_API_KEY"] == "" || c.given[variable] != "" {
		return
	}
	c.File, c.Holds = "gemini.json", `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`
	c.Env = append(c.Env, variable+"="+filepath.Join(c.Dir, c.File))
}

// pi takes addresses from an extension.
func preparePi(c *Program) {
	c.File = "pi.js"
	at := map[string]string{"anthropic": c.base["anthropic"], "openai": c.base["openai"],
		"google": c.base["gemini"] + "/v1beta"}
	c.Holds = "export default function (pi) {\n"
	for _, name := range slices.Sorted(maps.Keys(at)) {
		c.Holds += `  pi.registerProvider("` + name + `", { baseUrl: "` + at[name] + "\" });\n"
	}
	c.Holds += "}\n"
	c.Args = slices.Concat(c.Args[:1], []string{"-e", filepath.Join(c.Dir, c.File)}, c.Args[1:])
}
