package agents

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/safefile"
)

// mostSettings is how many bytes of settings are looked at.
const mostSettings = 16 << 20

// TrySettings looks for settings of an agent, "" for all, that count more than the address that pact gives it.
// It says nothing of an agent that pact does not know or that is not set up here.
func TrySettings(name string, env map[string]string) (list []Checkup) {
	if name == "" {
		for _, name := range []string{"claude", "codex", "opencode", "gemini"} {
			list = append(list, TrySettings(name, env)...)
		}
		return list
	}
	home := cmp.Or(env["HOME"], env["USERPROFILE"])
	config := cmp.Or(env["XDG_CONFIG_HOME"], filepath.Join(home, ".config"))
	var files []string
	var trouble func(file string, text []byte) (says, remedy string)
	switch name {
	case "claude":
		dir := cmp.Or(env["CLAUDE_CONFIG_DIR"], filepath.Join(home, ".claude"))
		files = []string{filepath.Join(dir, "settings.json"), ".claude/settings.json", ".claude/settings.local.json"}
		trouble = claudeTrouble
	case "codex":
		if signedIn(env) { // else pact gives it a provider of its own
			files = []string{filepath.Join(codexHome(env), "config.toml")}
		}
		trouble = codexTrouble
	case "opencode":
		files = []string{filepath.Join(config, "opencode", "opencode.json"), filepath.Join(config, "opencode", "opencode.jsonc"),
			"opencode.json", "opencode.jsonc"}
		trouble = opencodeTrouble
	case "gemini":
		dir := cmp.Or(env["GEMINI_CLI_HOME"], home)
		files = []string{filepath.Join(dir, ".gemini", "settings.json"), ".gemini/settings.json"}
		trouble = geminiTrouble
	}
	seen := map[string]bool{}
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil || seen[path] {
			continue // the home is the working directory
		}
		seen[path] = true
		text, err := safefile.Read(file, mostSettings)
		if err != nil {
			continue // it is not there, or the agent cannot read it either
		}
		says, remedy := trouble(file, text)
		switch {
		case says != "":
		case filepath.Ext(file) != ".toml" && !json.Valid(text):
			says = file + " is not plain JSON, so pact has not looked into it"
		default:
			says = file + " leaves the address to pact"
		}
		list = append(list, Checkup{Tried: "settings", Works: remedy == "", Says: says, Remedy: remedy})
	}
	for _, variable := range []string{"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"} {
		if name == "claude" && isSet(env[variable]) {
			list = append(list, Checkup{Tried: "settings", Says: variable + " sends the calls of Claude Code to another API",
				Remedy: "unset it for the run"})
		}
	}
	return list
}

// isSet reports whether a switch in an environment is on.
func isSet(value string) bool { return value != "" && value != "0" && value != "false" }

// claudeTrouble: the variables in the settings replace those that Claude Code is started with.
func claudeTrouble(file string, text []byte) (says, remedy string) {
	var settings struct{ Env map[string]any }
	_ = json.Unmarshal(text, &settings) // Claude Code itself complains of what is no JSON
	for _, name := range slices.Sorted(maps.Keys(settings.Env)) {
		value, _ := settings.Env[name].(string)
		switch {
		case name == "ANTHROPIC_BASE_URL" && value != "":
			return file + " sets ANTHROPIC_BASE_URL to " + value + ", which counts more than what pact sets",
				"take it out of env there, and set ANTHROPIC_BASE_URL=" + value + " for the recording, which passes calls on to it"
		case (name == "CLAUDE_CODE_USE_BEDROCK" || name == "CLAUDE_CODE_USE_VERTEX") && isSet(value):
			return file + " sets " + name + ", so Claude Code calls another API", "take it out of env there for the run"
		}
	}
	return "", ""
}

var (
	modelProvider = regexp.MustCompile(`(?m)^\s*model_provider\s*=\s*["']([^"'\n]+)["']`)
	tableBegins   = regexp.MustCompile(`(?m)^\s*\[`)
)

// codexTrouble: pact gives an address to the provider openai of Codex; another keeps its own.
func codexTrouble(file string, text []byte) (says, remedy string) {
	top := text
	if at := tableBegins.FindIndex(text); at != nil {
		top = text[:at[0]]
	}
	if m := modelProvider.FindSubmatch(top); m != nil && string(m[1]) != "openai" {
		id := string(m[1])
		return file + " has Codex call the provider " + id + ", at the address that stands there",
			"start a proxy for that address, and set -c model_providers." + id + ".base_url to its own"
	}
	return "", ""
}

// opencodeTrouble: pact gives an address to three providers of opencode.
func opencodeTrouble(file string, text []byte) (says, remedy string) {
	var settings struct {
		Provider map[string]struct{ Options struct{ BaseURL string } }
	}
	_ = json.Unmarshal(text, &settings)
	for _, id := range slices.Sorted(maps.Keys(settings.Provider)) {
		url := settings.Provider[id].Options.BaseURL
		if url != "" && !slices.Contains([]string{"anthropic", "openai", "google"}, id) && !strings.Contains(url, "127.0.0.1") {
			return file + " has a provider " + id + " at " + url + ", whose calls do not come to pact",
				"start a proxy for " + url + ", and set baseURL there to its address"
		}
	}
	return "", ""
}

// geminiTrouble: after a login with Google, and for Vertex AI, Gemini CLI calls another API.
func geminiTrouble(file string, text []byte) (says, remedy string) {
	var settings struct {
		SelectedAuthType string
		Security         struct{ Auth struct{ SelectedType string } }
	}
	_ = json.Unmarshal(text, &settings)
	if how := cmp.Or(settings.Security.Auth.SelectedType, settings.SelectedAuthType); how != "" && how != "gemini-api-key" {
		return file + " has Gemini CLI sign in by " + how + ", and then it calls another API",
			"set GEMINI_API_KEY, and security.auth.selectedType to gemini-api-key there"
	}
	return "", ""
}
