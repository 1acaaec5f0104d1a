package agents

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// litellm calls these: of two variables the first counts.
var litellm = []client{
	{[]string{"ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"}, "anthropic", "https://api.anthropic.com"},
	{[]string{"OPENAI_BASE_URL", "OPENAI_API_BASE"}, "openai", "https://api.openai.com/v1"},
	{[]string{"GEMINI_API_BASE"}, "gemini", "https://generativelanguage.googleapis.com/v1beta"},
}

// addressIn returns a member of settings, at any depth, by which litellm takes an address for one model.
func addressIn(v any) (address string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range names(v) {
			if text, isText := v[name].(string); isText && slices.Contains([]string{"api_base", "base_url"}, name) {
				return text
			}
			if address = addressIn(v[name]); address != "" {
				return address
			}
		}
	case []any:
		for _, e := range v {
			if address = addressIn(e); address != "" {
				return address
			}
		}
	}
	return ""
}

// resolveAider: --openai-api-base counts more than --set-env, and that more than files of variables: the one of
// --env-file, here, of the repository, of the user; without --env-file that of the repository first. A file of variables
// counts more than the environment, and each of these can set an option, as AIDER_ENV_FILE. Of an option the command line
// counts most and .aider.conf.yml least.
func resolveAider(p *Program) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	repository := dir
	for _, file := range upward(dir, []string{".git"}, ".git") {
		if exists(file) {
			repository = filepath.Dir(file)
		}
	}
	conf := map[string]any{}
	in := map[string]string{}
	for _, file := range []string{filepath.Join(p.home(), ".aider.conf.yml"), filepath.Join(repository, ".aider.conf.yml"),
		filepath.Join(dir, ".aider.conf.yml"), p.option("-c", "--config")} {
		settings, err := readSettings(file)
		if err != nil {
			return err
		}
		for name, v := range settings {
			conf[name], in[name] = v, file
		}
	}
	files := []string{cmp.Or(p.option("--env-file"), p.given["AIDER_ENV_FILE"], textAt(conf, "env-file")), filepath.Join(dir, ".env")}
	if files = append(files, filepath.Join(repository, ".env"), filepath.Join(p.home(), ".env"),
		filepath.Join(p.home(), ".aider", "oauth-keys.env")); files[0] == "" {
		files[0] = filepath.Join(repository, ".env")
	}
	var places, options layers
	if err := places.read(files...); err != nil {
		return err
	}
	places.add("", p.given)
	options.add("the command line", map[string]string{"AIDER_OPENAI_API_BASE": p.option("--openai-api-base"),
		"AIDER_MODEL_SETTINGS_FILE": p.option("--model-settings-file")})
	options = append(options, places...)
	for _, name := range names(conf) {
		options.add(in[name], map[string]string{"AIDER_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")): textAt(conf, name)})
	}
	own, _ := options.get("AIDER_MODEL_SETTINGS_FILE")
	for _, file := range []string{own, filepath.Join(dir, ".aider.model.settings.yml"),
		filepath.Join(repository, ".aider.model.settings.yml"), filepath.Join(p.home(), ".aider.model.settings.yml")} {
		text, err := read(file)
		if err != nil {
			return err
		}
		if strings.Contains(string(text), "api_base") || strings.Contains(string(text), "base_url") {
			return unknown(file+" sets an address for a model, which counts more than all that pact may set",
				"set openai-api-base in .aider.conf.yml instead")
		}
	}
	set := map[string]string{}
	for _, pair := range p.options("--set-env") {
		name, value, _ := strings.Cut(pair, "=")
		set[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	base, from := options.get("AIDER_OPENAI_API_BASE")
	before := layers{{from, map[string]string{"OPENAI_API_BASE": base}}, {"the command line", set}}
	if err := p.routeBy(append(before, places...), litellm...); err != nil {
		return err
	}
	if _, place := options.get("AIDER_SET_ENV"); len(set) == 0 && (conf["set-env"] != nil || place != "") {
		return unknown(cmp.Or(place, in["set-env"])+" has set-env, which pact would have to repeat on the command line, where others "+
			"on this machine read it", "write into .env what is in set-env")
	}
	p.steer = func() {
		args := []string{"--openai-api-base", p.proxyAddress("openai")}
		p.drop("--openai-api-base")
		for _, pair := range p.Env {
			args = append(args, "--set-env", pair)
		}
		end := slices.Index(p.Args, "--")
		if end < 0 {
			end = len(p.Args)
		}
		p.Args = slices.Insert(p.Args, end, args...) // the last counts
	}
	return nil
}

// resolveMini: the environment counts more than the file of variables, and the address in a file or pair of -c more
// than both.
func resolveMini(p *Program) error {
	folder := cmp.Or(p.given["MSWEA_GLOBAL_CONFIG_DIR"], filepath.Join(p.config(), "mini-swe-agent"))
	places := layers{{"", p.given}}
	if err := places.read(filepath.Join(folder, ".env")); err != nil {
		return err
	}
	address, from := "", ""
	find := func(name string) (map[string]any, error) {
		if filepath.Ext(name) != ".yaml" {
			name = strings.TrimSuffix(name, filepath.Ext(name)) + ".yaml"
		}
		settings, err := readSettings(name)
		if folder, _ := places.get("MSWEA_CONFIG_DIR"); settings == nil && err == nil && folder != "" {
			settings, err = readSettings(filepath.Join(folder, name))
		}
		return settings, err
	}
	for _, spec := range p.options("-c", "--config") {
		if name, value, isPair := strings.Cut(spec, "="); isPair {
			path, holds := strings.Split(name, "."), map[string]any{}
			var v any = value
			_ = json.Unmarshal([]byte(value), &v) // what is no JSON stands for itself
			for i := range path {
				holds = map[string]any{path[len(path)-1-i]: v}
				v = holds
			}
			if found := addressIn(tableAt(holds, "model")); found != "" {
				address, from = found, "-c "+name
			}
			continue
		}
		settings, err := find(spec)
		if err != nil {
			return err
		}
		if found := addressIn(tableAt(settings, "model")); found != "" {
			address, from = found, spec+": model.model_kwargs.api_base"
		}
	}
	if of, where := places.get("MSWEA_MINI_CONFIG_PATH"); len(p.options("-c", "--config")) == 0 && of != "" {
		settings, err := find(of)
		if err != nil {
			return err
		}
		if found := addressIn(settings); found != "" {
			return unknown(of+", which "+where+" names, sets the address "+shown(found), "give the file with -c as well")
		}
	}
	if address == "" {
		return p.routeBy(places, litellm...)
	}
	if err := p.route("model", address, from); err != nil {
		return err
	}
	p.steer = func() { p.Args = append(p.Args, "-c", "model.model_kwargs.api_base="+p.proxyAddress("model")) }
	return nil
}

// resolveGoose: the environment counts more than config.yaml. A provider of the user's own has its address in a file.
func resolveGoose(p *Program) error {
	folder := filepath.Join(p.config(), "goose")
	file := filepath.Join(folder, "config.yaml")
	settings, err := readSettings(file)
	if err != nil {
		return err
	}
	places := layers{{"", p.given}}
	places.add(file, textsIn(settings))
	provider, where := places.get("GOOSE_PROVIDER")
	if flag := p.option("--provider"); flag != "" {
		provider, where = flag, "--provider"
	}
	own := filepath.Join(folder, "custom_providers", provider+".json")
	if provider != "" && !slices.Contains([]string{"anthropic", "openai", "google"}, provider) || exists(own) {
		return unknown(where+" has goose call "+provider+", to which pact cannot give an address",
			"set GOOSE_PROVIDER to anthropic, openai or google, and the address in its variable, as OPENAI_HOST")
	}
	host, _ := places.get("OPENAI_HOST")
	base, _ := places.get("OPENAI_BASE_URL")
	if host != "" && base != "" && host != strings.TrimSuffix(base, "/v1") {
		return unknown("OPENAI_HOST and OPENAI_BASE_URL name different addresses, and versions of goose differ in which counts",
			"set one of them")
	}
	ofOpenai := client{[]string{"OPENAI_BASE_URL"}, "openai", openai.provider}
	if host != "" {
		ofOpenai = client{[]string{"OPENAI_HOST"}, "openai", ""}
	}
	return p.routeBy(places, client{[]string{"ANTHROPIC_HOST"}, "anthropic", anthropic.provider}, ofOpenai,
		client{[]string{"GOOGLE_HOST"}, "gemini", gemini.provider})
}
