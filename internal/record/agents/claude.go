package agents

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// otherClouds are the switches by which Claude Code calls another API.
var otherClouds = []string{"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY",
	"CLAUDE_CODE_USE_ANTHROPIC_AWS", "CLAUDE_CODE_USE_MANTLE", "CLAUDE_CODE_USE_GATEWAY", "ANTHROPIC_UNIX_SOCKET"}

// claudeManaged returns the files of an administrator, the one that counts most first.
func claudeManaged() []string {
	dir := map[string]string{"darwin": "/Library/Application Support/ClaudeCode",
		"windows": `C:\Program Files\ClaudeCode`}[runtime.GOOS]
	dir = cmp.Or(dir, filepath.Join(etc, "claude-code"))
	more, _ := filepath.Glob(filepath.Join(dir, "managed-settings.d", "*.json"))
	slices.Sort(more)
	slices.Reverse(more)
	return append(more, filepath.Join(dir, "managed-settings.json"))
}

// resolveClaude: the variables in settings count more than those of the environment: those of the administrator,
// of --settings, of the project's local file, of the project, of the user, of ~/.claude.json.
func resolveClaude(p *Program) error {
	dir := cmp.Or(p.given["CLAUDE_CONFIG_DIR"], filepath.Join(p.home(), ".claude"))
	global := filepath.Join(cmp.Or(p.given["CLAUDE_CONFIG_DIR"], p.home()), ".claude.json")
	managed, flag := claudeManaged(), p.option("--settings")
	files := slices.Concat(managed, []string{flag, ".claude/settings.local.json", ".claude/settings.json",
		filepath.Join(dir, "settings.json"), global})
	if chosen := p.options("--setting-sources"); len(chosen) > 0 { // the last counts
		for i, source := range []string{"local", "project", "user"} {
			if !slices.Contains(strings.FieldsFunc(chosen[len(chosen)-1], isListed), source) {
				files[len(managed)+1+i] = ""
			}
		}
	}
	var places layers
	var ofFlag map[string]any
	for i, file := range files {
		if file == "" {
			continue
		}
		settings, err := claudeSettings(file)
		if err != nil {
			return err
		}
		if i == len(managed) {
			ofFlag = settings
		}
		set := textsIn(tableAt(settings, "env"))
		if value := set["ANTHROPIC_BASE_URL"]; value != "" && i < len(managed) {
			return p.untold(file+" sets ANTHROPIC_BASE_URL to "+shown(value)+", and nothing that pact may change counts more",
				"start a proxy for "+shown(value)+", and have the administrator set its address there")
		}
		if i == len(managed) && isInline(flag) {
			file = "--settings" // its text may have a key
		}
		places.add(file, set)
	}
	places.add("", p.given)
	for _, name := range otherClouds {
		if value, from := places.get(name); isSet(value) {
			return unknown(from+" sends the calls of Claude Code to another API or over a socket", "unset it for the run")
		}
	}
	if err := p.routeBy(places, anthropic); err != nil {
		return err
	}
	p.steer = func() { claudeTold(p, places, ofFlag) }
	return nil
}

// isListed reports whether a rune divides the names of a list.
func isListed(r rune) bool { return r == ',' || r == ' ' }

// claudeSettings reads a file, or the JSON that stands in its place after --settings.
func claudeSettings(file string) (map[string]any, error) {
	if isInline(file) {
		return parseSettings("--settings", []byte(file))
	}
	return readSettings(file)
}

// isInline reports whether what follows --settings is JSON and not the name of a file.
func isInline(settings string) bool { return strings.HasPrefix(strings.TrimSpace(settings), "{") }

// claudeTold has --settings set the address, if a file sets it. Claude Code sends the schemas of all tools at once to
// an address that is not Anthropic's, because another server may not know how to defer them; it also divides the
// system prompt for the cache in another way there, and leaves out a header.
func claudeTold(p *Program, places layers, ofFlag map[string]any) {
	route := p.Routes[0]
	if route.From != "" && route.From != "ANTHROPIC_BASE_URL" {
		text, _ := json.Marshal(merged(ofFlag, map[string]any{"env": map[string]any{"ANTHROPIC_BASE_URL": p.proxyAddress("anthropic")}}))
		p.drop("--settings")
		p.insert("--settings", string(text))
	}
	if route.To.Host != "api.anthropic.com" {
		return
	}
	var set []string
	for _, name := range []string{"ENABLE_TOOL_SEARCH", "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL"} {
		if value, _ := places.get(name); value == "" {
			p.Env, set = append(p.Env, name+"=true"), append(set, name)
		}
	}
	if len(set) > 0 {
		p.Note = "With " + strings.Join(set, " and ") + " Claude Code sends what it sends to Anthropic itself"
	}
}

// drop takes an option and its value out of the arguments.
func (p *Program) drop(name string) {
	for i := p.word + 1; i < len(p.Args) && p.Args[i] != "--"; {
		switch {
		case p.Args[i] == name && i+1 < len(p.Args):
			p.Args = slices.Delete(p.Args, i, i+2)
		case strings.HasPrefix(p.Args[i], name+"="):
			p.Args = slices.Delete(p.Args, i, i+1)
		default:
			i++
		}
	}
}

// exists reports whether there is a file.
func exists(file string) bool { _, err := os.Stat(file); return err == nil }
