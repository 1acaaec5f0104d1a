package agents

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var envInText = regexp.MustCompile(`\{env:([^}]+)\}`)

// resolveOpencode: OPENCODE_CONFIG_CONTENT counts more than .opencode and OPENCODE_CONFIG_DIR, these more than the
// project's file, OPENCODE_CONFIG, the user's. Every provider with an address is called through the proxy.
func resolveOpencode(p *Program) error {
	const variable = "OPENCODE_CONFIG_CONTENT"
	if server := cmp.Or(p.option("--attach"), p.opencodeServer()); server != "" {
		return unknown("the opencode at "+shown(server)+" calls the model, not this one", "start that with pact run -- opencode serve")
	}
	settings, froms, err := opencodeSettings(p, variable)
	if err != nil {
		return err
	}
	for _, id := range names(tableAt(settings, "provider")) {
		address, member := textAt(settings, "provider", id, "options", "baseURL"), "options.baseURL"
		if address == "" {
			address, member = textAt(settings, "provider", id, "api"), "api"
		}
		for name, m := range tableAt(settings, "provider", id, "models") {
			model, _ := m.(map[string]any)
			if own := textAt(model, "provider", "api"); own != "" && member != "options.baseURL" {
				return unknown("the model "+name+" of the provider "+id+" of opencode has the address "+shown(own)+" for itself",
					"set provider."+id+".options.baseURL, or give the model a provider of its own")
			}
		}
		if address == "" {
			continue
		}
		if !bareKey.MatchString(id) {
			return unknown("opencode has a provider "+id+", which no path of an address can name", "name it by letters, digits, - and _")
		}
		if err := p.route(id, address, froms[id]+": provider."+id+"."+member); err != nil {
			return err
		}
	}
	login, err := readSettings(filepath.Join(cmp.Or(p.given["XDG_DATA_HOME"], filepath.Join(p.home(), ".local", "share")), "opencode", "auth.json"))
	if err != nil {
		return err
	}
	remote := slices.ContainsFunc(names(login), func(name string) bool { return textAt(login, name, "type") == "wellknown" })
	if remote && len(p.Routes) == 0 {
		return unknown("opencode takes settings from a server that you are logged in to, into which pact cannot look",
			"set provider.ID.options.baseURL of the provider in opencode.json")
	}
	for _, c := range []client{{[]string{"ANTHROPIC_BASE_URL"}, "anthropic", "https://api.anthropic.com/v1"}, openai,
		{nil, "google", "https://generativelanguage.googleapis.com/v1beta"}} {
		if p.routed(c.segment) || remote {
			continue
		}
		if err := p.routeBy(layers{{"", p.given}}, client{c.variables, c.segment, c.provider}); err != nil {
			return err
		}
	}
	p.variables = nil // the settings count more
	chosen := cmp.Or(p.option("-m", "--model"), textAt(settings, "model"))
	if id, _, _ := strings.Cut(chosen, "/"); chosen != "" && !p.routed(id) {
		return unknown("opencode calls the provider "+id+", whose address pact does not know",
			"set provider."+id+".options.baseURL in opencode.json")
	}
	content := map[string]any{}
	if text := p.given[variable]; text != "" {
		if content, err = parseSettings(variable, []byte(text)); err != nil {
			return err
		}
	}
	p.steer = func() {
		for _, r := range p.Routes {
			content = merged(content, map[string]any{"provider": map[string]any{r.Name: map[string]any{
				"options": map[string]any{"baseURL": p.proxyAddress(r.Name)}}}})
		}
		text, _ := json.Marshal(content)
		p.Env = append(p.Env, variable+"="+string(text))
	}
	return nil
}

// opencodeCommands are the words that are no folder behind opencode.
var opencodeCommands = strings.Fields("completion acp mcp attach run debug providers auth agent upgrade uninstall serve web " +
	"models stats export import github pr session plugin plug db")

// opencodeFolder returns the folder whose settings count: that of --dir, or the one that stands where else a command does.
func (p *Program) opencodeFolder() string {
	if dir := p.option("--dir"); dir != "" {
		return dir
	}
	if at := p.opencodeWord(); at < len(p.Args) && !slices.Contains(opencodeCommands, p.Args[at]) {
		return p.Args[at]
	}
	return "."
}

// opencodeServer returns the address behind attach, "" without it.
func (p *Program) opencodeServer() string {
	if at := p.opencodeWord(); at+1 < len(p.Args) && p.Args[at] == "attach" {
		return p.Args[at+1]
	}
	return ""
}

// opencodeWord returns which argument is the command, or the folder that stands in its place: the first that is one and
// no value of an option. An option that this list lacks has a value that is neither, as a rule.
func (p *Program) opencodeWord() int {
	valued := strings.Fields("-m --model -s --session --prompt --agent --port --hostname --mdns-domain --cors --log-level " +
		"--variant --title --format --command -f --file -p --password -u --username")
	for i := p.word + 1; i < len(p.Args); i++ {
		arg := p.Args[i]
		info, err := os.Stat(arg)
		switch {
		case slices.Contains(valued, arg):
			i++
		case slices.Contains(opencodeCommands, arg), err == nil && info.IsDir():
			return i
		}
	}
	return len(p.Args)
}

// opencodeSettings returns what counts of all places, and where each provider's address was set last.
func opencodeSettings(p *Program, variable string) (settings map[string]any, froms map[string]string, err error) {
	folder := filepath.Join(p.config(), "opencode")
	files := []string{filepath.Join(folder, "config.json"), filepath.Join(folder, "opencode.json"),
		filepath.Join(folder, "opencode.jsonc"), p.given["OPENCODE_CONFIG"]}
	dir, err := filepath.Abs(p.opencodeFolder())
	if err != nil {
		return nil, nil, err
	}
	var below []string
	if !isSet(p.given["OPENCODE_DISABLE_PROJECT_CONFIG"]) {
		project := upward(dir, []string{".git"}, "opencode.jsonc", "opencode.json")
		slices.Reverse(project)
		files = append(files, project...)
		below = upward(dir, []string{".git"}, ".opencode")
	}
	below = append(below, filepath.Join(p.home(), ".opencode"), p.given["OPENCODE_CONFIG_DIR"])
	for _, dir := range below {
		if dir != "" {
			files = append(files, filepath.Join(dir, "opencode.json"), filepath.Join(dir, "opencode.jsonc"))
		}
	}
	froms = map[string]string{}
	ofAdmin := []string{filepath.Join(etc, "opencode", "opencode.json"), filepath.Join(etc, "opencode", "opencode.jsonc")}
	for _, file := range slices.Concat(files, []string{variable}, ofAdmin) {
		text, err := read(file)
		if file == variable {
			text, err = []byte(p.given[variable]), nil
		}
		if file == "" || err == nil && len(text) == 0 {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		text = envInText.ReplaceAllFunc(text, func(m []byte) []byte { return []byte(p.given[string(m[5:len(m)-1])]) })
		holds, err := parseSettings(file, text)
		if err != nil {
			return nil, nil, err
		}
		for id := range tableAt(holds, "provider") {
			if at(holds, "provider", id, "options", "baseURL") == nil && at(holds, "provider", id, "api") == nil {
				continue
			}
			if froms[id] = file; slices.Contains(ofAdmin, file) {
				return nil, nil, p.untold(file+" sets the address of the provider "+id+", and nothing that pact may change counts more",
					"start a proxy for that address, and have the administrator set its own there")
			}
		}
		settings = merged(settings, holds)
	}
	return settings, froms, nil
}
