package agents

import (
	"cmp"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// resolveCodex: -c counts more than a profile, that more than config.toml, that more than the system's file. Codex
// takes no provider from a project's file, and no address from OPENAI_BASE_URL. The provider that is chosen keeps its
// name and all else, so that it sends the same. Without a login, a key in the environment gets a provider of its own.
func resolveCodex(p *Program) error {
	dir := codexHome(p.given)
	settings, from, err := codexSettings(p, dir)
	if err != nil {
		return err
	}
	id := cmp.Or(textAt(settings, "model_provider"), "openai")
	if slices.Contains([]string{"ollama", "lmstudio", "amazon-bedrock"}, id) || slices.Contains(p.Args, "--oss") {
		return unknown("Codex calls its built-in provider for another API or a local server, whose address cannot be set",
			"give it a provider of your own: model_providers.ID.base_url in "+filepath.Join(dir, "config.toml"))
	}
	if id != "openai" {
		return resolveCodexProvider(p, dir, id, settings, from)
	}
	login, err := readSettings(filepath.Join(dir, "auth.json"))
	if err != nil {
		return err
	}
	signedIn := login != nil || p.given["CODEX_API_KEY"] != "" || p.given["OPENAI_API_KEY"] == ""
	address, where := textAt(settings, "openai_base_url"), from("openai_base_url")
	const place = "cli_auth_credentials_store"
	if store := textAt(settings, place); address == "" && p.given["CODEX_API_KEY"] == "" &&
		(store == "keyring" || store == "auto") {
		return unknown(from(place)+" has Codex keep its login in the keyring, into which pact cannot look",
			"set openai_base_url: https://chatgpt.com/backend-api/codex for a login with ChatGPT, "+openai.provider+" for a key")
	}
	if address == "" {
		where = ""
		switch {
		case !signedIn:
			places := layers{{"", p.given}}
			address, where = places.get("OPENAI_BASE_URL")
		case strings.HasPrefix(textAt(login, "auth_mode"), "chatgpt"),
			textAt(login, "auth_mode") == "" && at(login, "tokens") != nil && textAt(login, "OPENAI_API_KEY") == "":
			address, where = "https://chatgpt.com/backend-api/codex", ""
		}
	}
	if err := p.route("openai", cmp.Or(address, openai.provider), where); err != nil {
		return err
	}
	p.steer = func() {
		pairs := []string{"openai_base_url", p.proxyAddress("openai")}
		if !signedIn {
			pairs = []string{"model_provider", "pact", "model_providers.pact.name", "pact",
				"model_providers.pact.base_url", p.proxyAddress("openai"), "model_providers.pact.wire_api", "responses",
				"model_providers.pact.env_key", "OPENAI_API_KEY"}
		}
		codexTold(p, pairs...)
	}
	return nil
}

// resolveCodexProvider finds the address of a provider in model_providers.
func resolveCodexProvider(p *Program, dir, id string, settings map[string]any, from func(...string) string) error {
	where := filepath.Join(dir, "config.toml")
	if !bareKey.MatchString(id) {
		return unknown("Codex calls the provider "+id+", to which no option can refer", "name it by letters, digits, - and _ in "+where)
	}
	if tableAt(settings, "model_providers", id) == nil {
		return unknown("Codex calls the provider "+id+", which none of its settings has", "set model_providers."+id+".base_url in "+where)
	}
	address := textAt(settings, "model_providers", id, "base_url")
	if address == "" {
		return unknown("Codex calls the provider "+id+", whose address is not set", "set model_providers."+id+".base_url in "+where)
	}
	if err := p.route(id, address, from("model_providers", id, "base_url")); err != nil {
		return err
	}
	p.steer = func() { codexTold(p, "model_providers."+id+".base_url", p.proxyAddress(id)) }
	return nil
}

// codexSettings returns what counts of all places, and the place where a path was set last.
func codexSettings(p *Program, dir string) (settings map[string]any, from func(path ...string) string, err error) {
	type part struct {
		place string
		holds map[string]any
	}
	var parts []part
	file := filepath.Join(dir, "config.toml")
	for _, one := range []string{filepath.Join(etc, "codex", "config.toml"), file} {
		holds, err := readSettings(one)
		if err != nil {
			return nil, nil, err
		}
		parts, settings = append(parts, part{one, holds}), merged(settings, holds)
	}
	var flags map[string]any
	for _, pair := range p.options("-c", "--config") {
		name, value, _ := strings.Cut(pair, "=")
		parsed := map[string]any{}
		if _, err := toml.Decode("v = "+value, &parsed); err != nil {
			parsed["v"] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
		if _, isTable := parsed["v"].(map[string]any); isTable && strings.HasPrefix(name, "model_providers") {
			return nil, nil, unknown("-c "+name+" sets a whole table of a provider, of which pact cannot replace the address",
				"set each member with a -c of its own, as model_providers.ID.base_url")
		}
		v, names := parsed["v"], strings.Split(strings.TrimSpace(name), ".")
		for _, name := range slices.Backward(names) {
			v = map[string]any{name: v}
		}
		flags = merged(flags, v.(map[string]any))
	}
	if profile := cmp.Or(p.option("-p", "--profile"), textAt(flags, "profile"), textAt(settings, "profile")); profile != "" {
		one := filepath.Join(dir, profile+".config.toml")
		holds, err := readSettings(one)
		if err != nil {
			return nil, nil, err
		}
		old := tableAt(settings, "profiles", profile)
		if holds == nil && old == nil {
			return nil, nil, unknown("Codex has no profile "+profile, "make "+one+", or name another profile")
		}
		parts = append(parts, part{file + ": profiles." + profile, old}, part{one, holds})
		settings = merged(merged(settings, old), holds)
	}
	parts, settings = append(parts, part{"-c", flags}), merged(settings, flags)
	ofAdmin := filepath.Join(etc, "codex", "managed_config.toml")
	managed, err := readSettings(ofAdmin)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{"model_provider", "model_providers", "openai_base_url"} {
		if managed[name] != nil {
			return nil, nil, p.untold(ofAdmin+" sets "+name+", and nothing that pact may change counts more",
				"start a proxy for that provider, and have the administrator set its address there")
		}
	}
	return settings, func(path ...string) string {
		for _, one := range slices.Backward(parts) {
			if at(one.holds, path...) != nil {
				return one.place + ": " + strings.Join(path, ".")
			}
		}
		return ""
	}, nil
}

// codexTold gives Codex settings, and takes the user's own of the same names out of the arguments, because those
// behind a subcommand would count more.
func codexTold(p *Program, pairs ...string) {
	mine := map[string]bool{}
	var set []string
	for i := 0; i < len(pairs); i += 2 {
		mine[pairs[i]] = true
		set = append(set, "-c", pairs[i]+`="`+pairs[i+1]+`"`)
	}
	if mine["model_provider"] {
		mine["openai_base_url"] = true
		set = slices.Insert(set, len(set)-2, "-c", "model_providers.pact.supports_websockets=false")
	}
	for i := p.word + 1; i < len(p.Args) && p.Args[i] != "--"; i++ {
		pair, joined := joinedTo(p.Args[i], "-c", "--config")
		n := 1
		if !joined {
			if p.Args[i] != "-c" && p.Args[i] != "--config" || i+1 == len(p.Args) {
				continue
			}
			pair, n = p.Args[i+1], 2
		}
		if name, _, _ := strings.Cut(pair, "="); mine[strings.TrimSpace(name)] {
			p.Args = slices.Delete(p.Args, i, i+n)
			i--
		}
	}
	p.insert(set...)
}

func codexHome(env map[string]string) string {
	return cmp.Or(env["CODEX_HOME"], filepath.Join(cmp.Or(env["HOME"], env["USERPROFILE"]), ".codex"))
}

// names returns the sorted names of an object's members.
func names[V any](object map[string]V) []string { return slices.Sorted(maps.Keys(object)) }
