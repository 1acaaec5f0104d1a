package agents

import (
	"cmp"
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

// resolveAider: --openai-api-base counts more than --set-env, these more than .aider.conf.yml, and that more than
// .env: of --env-file, here, of the repository, of the user. A file of variables counts more than the environment.
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
	roots := slices.Compact([]string{dir, repository, p.home()})
	var places layers
	add := func(place string, flags string, set []string) {
		values := map[string]string{"OPENAI_BASE_URL": "", "OPENAI_API_BASE": flags}
		for _, pair := range set {
			name, value, _ := strings.Cut(pair, "=")
			values[strings.TrimSpace(name)] = cmp.Or(values[strings.TrimSpace(name)], strings.TrimSpace(value))
		}
		places.add(place, values)
	}
	add("the command line", p.option("--openai-api-base"), p.options("--set-env"))
	var set []string // of a file of settings, which that of the command line would replace
	var setIn string
	for _, file := range []string{p.option("-c", "--config"), filepath.Join(dir, ".aider.conf.yml"),
		filepath.Join(repository, ".aider.conf.yml"), filepath.Join(p.home(), ".aider.conf.yml")} {
		if file == "" {
			continue
		}
		settings, err := readSettings(file)
		if err != nil {
			return err
		}
		list, _ := settings["set-env"].([]any)
		var here []string
		for _, e := range list {
			if text, isText := e.(string); isText {
				here = append(here, text)
			}
		}
		if len(set) == 0 {
			set, setIn = here, file
		}
		add(file, textAt(settings, "openai-api-base"), here)
	}
	files := []string{p.option("--env-file")}
	for _, root := range roots {
		files = append(files, filepath.Join(root, ".env"))
	}
	for _, file := range files {
		if file == "" {
			continue
		}
		of, err := readEnv(file)
		if err != nil {
			return err
		}
		if of["OPENAI_API_BASE"] == "" && of["AIDER_OPENAI_API_BASE"] != "" {
			of["OPENAI_API_BASE"] = of["AIDER_OPENAI_API_BASE"]
		}
		places.add(file, of)
	}
	places.add("AIDER_OPENAI_API_BASE", map[string]string{"OPENAI_API_BASE": p.given["AIDER_OPENAI_API_BASE"]})
	places.add("", p.given)
	for _, root := range roots {
		file := filepath.Join(root, ".aider.model.settings.yml")
		text, err := read(file)
		if err != nil {
			return err
		}
		if strings.Contains(string(text), "api_base") || strings.Contains(string(text), "base_url") {
			return unknown(file+" sets an address for a model, which counts more than all that pact may set",
				"set openai-api-base in .aider.conf.yml instead")
		}
	}
	if err := p.routeBy(places, litellm...); err != nil {
		return err
	}
	if len(set) > 0 && len(p.options("--set-env")) == 0 {
		return unknown(setIn+" has set-env, which pact would have to repeat on the command line, where others on this machine read it",
			"write into .env what is in set-env")
	}
	p.steer = func() {
		args := []string{"--openai-api-base", p.told("openai")}
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
	file := filepath.Join(folder, ".env")
	set, err := readEnv(file)
	if err != nil {
		return err
	}
	places := layers{{"", p.given}}
	places.add(file, set)
	address, from := "", ""
	for _, spec := range p.options("-c", "--config") {
		if name, value, isPair := strings.Cut(spec, "="); isPair {
			if name == "model.model_kwargs.api_base" || name == "model.model_kwargs.base_url" {
				address, from = value, "-c "+name
			}
			continue
		}
		settings, err := readSettings(spec)
		if err != nil {
			return err
		}
		if found := addressIn(tableAt(settings, "model")); found != "" {
			address, from = found, spec+": model.model_kwargs.api_base"
		}
	}
	if of, where := places.get("MSWEA_MINI_CONFIG_PATH"); address == "" && of != "" {
		settings, err := readSettings(of)
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
	p.steer = func() { p.Args = append(p.Args, "-c", "model.model_kwargs.api_base="+p.told("model")) }
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
	own := filepath.Join(folder, "custom_providers", provider+".json")
	if strings.Contains(provider, "bedrock") || strings.Contains(provider, "vertex") || exists(own) {
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
