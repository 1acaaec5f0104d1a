package agents

import (
	"path/filepath"
	"slices"
	"strings"
)

// agent describes a program that does not take a provider's address from variables of its environment alone.
type agent struct {
	names   []string             // of the program, of packages, of modules
	resolve func(*Program) error // finds where it would call, and prepares how it is told the proxy
	says    string               // a note for its user
	refused string               // instructions for its user, as pact cannot tell it an address
	mark    string               // how the User-Agent of its calls begins, in small letters; "" if it names a library only
}

var agents = []agent{
	{names: []string{"claude", "claude-code"}, resolve: resolveClaude, mark: "claude-cli/"},
	{names: []string{"codex"}, resolve: resolveCodex, mark: "codex"},
	{names: []string{"opencode", "opencode-ai"}, resolve: resolveOpencode, mark: "opencode/"},
	{names: []string{"gemini", "gemini-cli"}, resolve: resolveGemini, mark: "geminicli",
		says: "Gemini CLI is recorded with a key of the API. After a login with Google it calls another API"},
	{names: []string{"pi", "pi-coding-agent"}, resolve: resolvePi},
	{names: []string{"qwen", "qwen-code"}, resolve: resolveQwen, mark: "qwencode/",
		says: "Qwen Code is recorded if it signs in with a key: qwen --auth-type openai, and the model in OPENAI_MODEL"},
	{names: []string{"goose"}, resolve: resolveGoose},
	{names: []string{"aider", "aider-chat"}, resolve: resolveAider},
	{names: []string{"mini", "mini-swe-agent", "minisweagent"}, resolve: resolveMini},
	{names: []string{"crush"}, refused: "start a proxy for https://api.anthropic.com on 127.0.0.1:8080, and " +
		"set base_url of the provider in crush.json to http://127.0.0.1:8080"},
}

// agentOf returns what pact knows of a program, the zero value for nothing.
func agentOf(name string) agent {
	at := slices.IndexFunc(agents, func(a agent) bool { return slices.Contains(a.names, name) })
	if at < 0 {
		return agent{}
	}
	return agents[at]
}

// baseName returns the name of a program, script or package without its folder, ending and version.
func baseName(path string) string {
	name := filepath.Base(path)
	if at := strings.LastIndex(name, "@"); at > 0 {
		name = name[:at]
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// runners are programs that run another, whose name says more.
var runners = []string{"python", "python3", "node", "bun", "bunx", "deno", "npx", "uv", "uvx", "go", "ruby", "tsx", "bash", "sh"}

// ContextName names a context after the program, or after the script or module that it runs.
func ContextName(args []string) string {
	name, _ := named(args)
	return name
}

// named returns the name of what runs, and which argument names it.
func named(args []string) (name string, word int) {
	program := baseName(args[0])
	if !slices.Contains(runners, program) {
		return program, 0
	}
	for i, arg := range args[1:] {
		switch {
		case arg == "-m" && i+2 < len(args):
			return args[i+2], i + 2
		case arg == "-c" || arg == "-e":
			return program, 0
		case arg != "run" && !strings.HasPrefix(arg, "-") && baseName(arg) != "":
			return baseName(arg), i + 1
		}
	}
	return program, 0
}
