package agents

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
)

// resolveGemini: the environment counts more than the one file of variables that Gemini CLI reads: the nearest of
// .gemini/.env and .env in the folder and above it, then that of the user. It follows the file, and the settings of the
// project, only in a folder that it trusts.
func resolveGemini(p *Program) error {
	home := cmp.Or(p.given["GEMINI_CLI_HOME"], p.home())
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	system := cmp.Or(p.given["GEMINI_CLI_SYSTEM_SETTINGS_PATH"], filepath.Join(etc, "gemini-cli", "settings.json"))
	const project = ".gemini/settings.json"
	files := []string{system, project, filepath.Join(home, ".gemini", "settings.json"), p.given["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"]}
	settings := map[string]map[string]any{}
	var asks any // whether folders are to be trusted, of which the project has no say
	for _, file := range files {
		if settings[file], err = readSettings(file); err != nil {
			return err
		}
		if file != project && asks == nil {
			asks = at(settings[file], "security", "folderTrust", "enabled")
		}
	}
	trusted := p.given["GEMINI_CLI_TRUST_WORKSPACE"] == "true" || asks == false || slices.Contains(p.Args, "--skip-trust")
	if !trusted {
		list := cmp.Or(p.given["GEMINI_CLI_TRUSTED_FOLDERS_PATH"], filepath.Join(home, ".gemini", "trustedFolders.json"))
		if trusted, err = trusts(list, dir, false); err != nil {
			return err
		}
	}
	how, where := "", ""
	for _, file := range files {
		if how == "" && (trusted || file != project) {
			how, where = cmp.Or(textAt(settings[file], "security", "auth", "selectedType"), textAt(settings[file], "selectedAuthType")), file
		}
	}
	places := layers{{"", p.given}}
	for _, file := range append(upward(dir, nil, ".gemini/.env", ".env"), filepath.Join(home, ".gemini", ".env"), filepath.Join(home, ".env")) {
		set, err := readEnv(file)
		if err != nil {
			return err
		}
		if set != nil {
			for name := range p.given {
				delete(set, name) // what the environment has counts, even if it is empty
			}
			places.add(file, set)
			break
		}
	}
	for _, s := range [][2]string{{"GOOGLE_GENAI_USE_GCA", "oauth-personal"}, {"GOOGLE_GENAI_USE_VERTEXAI", "vertex-ai"}} {
		if value, from := places.get(s[0]); how == "" && value == "true" {
			how, where = s[1], from
		}
	}
	if how != "" && how != "gemini-api-key" && how != "gateway" {
		return unknown(where+" has Gemini CLI sign in by "+how+", and then it calls another API",
			"set GEMINI_API_KEY, and security.auth.selectedType to gemini-api-key there")
	}
	address, from := places.get("GOOGLE_GEMINI_BASE_URL")
	if own := p.given["GOOGLE_GEMINI_BASE_URL"]; !trusted && address != own {
		return unknown(from+" is "+shown(address)+", and Gemini CLI follows it only in a folder that it trusts, which this is not",
			"trust the folder in Gemini CLI once, or set GOOGLE_GEMINI_BASE_URL in the environment of the run")
	}
	if err := p.routeBy(places, gemini); err != nil {
		return err
	}
	// Without a choice Gemini CLI signs in by the key in its environment, but at a foreign address as at a gateway.
	if key, _ := places.get("GEMINI_API_KEY"); key != "" && how == "" && p.Routes[0].From == "" &&
		p.given["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"] == "" {
		p.ofRoot, p.File, p.Holds = true, "gemini.json", `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`
		p.steer = func() {
			p.Env = append(p.Env, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH="+filepath.Join(p.Dir, p.File))
		}
	}
	return nil
}

// trusts reports whether a list of folders has one as trusted, which Gemini CLI and Qwen Code decide differently: of
// several that it is in, that with the longest name counts, or any that is trusted, by the name as it stands.
func trusts(list, dir string, anyCounts bool) (trusted bool, err error) {
	folders, err := readSettings(list)
	longest := -1
	for name, level := range folders {
		of, yes := name, level == "TRUST_FOLDER" || level == "TRUST_PARENT"
		if level == "TRUST_PARENT" {
			of = filepath.Dir(name)
		}
		if of, err = filepath.Abs(of); err != nil {
			return false, err
		}
		if !anyCounts {
			of = real(of)
		}
		if rel, err := filepath.Rel(of, real(dir)); err != nil || !filepath.IsLocal(rel) {
			continue
		}
		switch {
		case anyCounts:
			trusted = trusted || yes
		case len(name) > longest:
			longest, trusted = len(name), yes
		case len(name) == longest:
			trusted = trusted && yes
		}
	}
	return trusted, err
}

// real returns the whole name of a folder, without symbolic links if it is there.
func real(dir string) string {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if to, err := filepath.EvalSymlinks(whole); err == nil {
		return to
	}
	return whole
}

// resolveQwen: an address of the model in modelProviders counts more than --openai-base-url, that more than the
// environment, files of variables, env of the settings, and these more than security.auth.baseUrl.
func resolveQwen(p *Program) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	own := layers{{"", p.given}}
	if err := own.read(filepath.Join(p.home(), ".qwen", ".env"), filepath.Join(p.home(), ".env")); err != nil {
		return err
	}
	folder, _ := own.get("QWEN_HOME")
	folder = cmp.Or(folder, filepath.Join(p.home(), ".qwen"))
	system := cmp.Or(p.given["QWEN_CODE_SYSTEM_SETTINGS_PATH"], filepath.Join(etc, "qwen-code", "settings.json"))
	var settings, ofSystem map[string]any
	const project = ".qwen/settings.json"
	ofProject, froms := "", map[string]string{}
	if exists(project) {
		ofProject = project
	}
	asks := false // whether folders are to be trusted, of which the project has no say
	for _, file := range []string{filepath.Join(folder, "settings.json"), project, system} {
		if ofSystem, err = readSettings(file); err != nil {
			return err
		}
		asks = asks || file != project && at(ofSystem, "security", "folderTrust", "enabled") == true
		for _, name := range []string{"modelProviders", "security"} {
			if ofSystem[name] != nil {
				froms[name] = file
			}
		}
		if ofSystem["modelProviders"] != nil {
			delete(settings, "modelProviders") // the whole of it is replaced
		}
		settings = merged(settings, ofSystem)
	}
	how := cmp.Or(p.option("--auth-type"), textAt(settings, "security", "auth", "selectedType"))
	if how == "qwen-oauth" || how == "vertex-ai" {
		return unknown("Qwen Code signs in by "+how+", and then it calls another API", "sign in with a key: qwen --auth-type openai")
	}
	if value := cmp.Or(p.option("--proxy"), textAt(settings, "proxy")); value != "" {
		return unknown("Qwen Code is told to call everything through the proxy "+shown(value)+", so also pact",
			"name it by HTTPS_PROXY in the environment of the run instead")
	}
	var places layers
	places.add("the command line", map[string]string{"OPENAI_BASE_URL": p.option("--openai-base-url", "--openaiBaseUrl")})
	places.add("", p.given)
	files := []string{filepath.Join(folder, ".env"), filepath.Join(p.home(), ".qwen", ".env"), filepath.Join(p.home(), ".env")}
	// The nearest of the folder and those above it comes first, up to that of the user.
	for _, file := range upward(dir, nil, ".qwen/.env", ".env") {
		if slices.Contains(files, file) {
			break
		}
		if exists(file) {
			files, ofProject = slices.Insert(files, 0, file), file
			break
		}
	}
	if asks && ofProject != "" {
		list := cmp.Or(p.given["QWEN_CODE_TRUSTED_FOLDERS_PATH"], filepath.Join(folder, "trustedFolders.json"))
		trusted, err := trusts(list, dir, true)
		if err != nil {
			return err
		}
		if !trusted {
			return unknown("Qwen Code follows "+ofProject+" only in a folder that it trusts, which this is not",
				"trust the folder in Qwen Code once, or turn security.folderTrust.enabled off")
		}
	}
	if err := places.read(files...); err != nil {
		return err
	}
	places.add("env of the settings", textsIn(tableAt(settings, "env")))
	places.add(froms["security"]+": security.auth.baseUrl", map[string]string{
		"OPENAI_BASE_URL": textAt(settings, "security", "auth", "baseUrl")})
	if err := p.routeBy(places, anthropic, openai, gemini); err != nil {
		return err
	}
	return p.qwenModels(settings, ofSystem, froms["modelProviders"])
}

// qwenModels routes each address in modelProviders, and has a file that counts more name the proxy instead.
func (p *Program) qwenModels(settings, ofSystem map[string]any, from string) error {
	providers := tableAt(settings, "modelProviders")
	named := map[string]string{}
	for _, id := range names(providers) {
		var addresses []string
		replaced(providers[id], func(address string) string {
			addresses = append(addresses, address)
			return address
		})
		for _, address := range addresses {
			if named[address] != "" {
				continue
			}
			named[address] = "qwen-" + string(rune('a'+len(named)%26))
			if len(named) > 26 {
				return unknown(from+" has more than 26 addresses of models", "take out those that the run does not need")
			}
			if err := p.route(named[address], address, from+": modelProviders."+id); err != nil {
				return err
			}
		}
	}
	how := textAt(settings, "security", "auth", "baseUrl")
	p.steer = func() {
		p.drop("--openai-base-url")
		p.drop("--openaiBaseUrl")
		if len(named) == 0 && how == "" {
			return
		}
		mine := map[string]any{}
		if how != "" {
			mine["security"] = map[string]any{"auth": map[string]any{"baseUrl": p.proxyAddress("openai")}}
		}
		if len(named) > 0 {
			mine["modelProviders"] = replaced(providers, func(address string) string {
				return p.proxyAddress(named[address])
			})
		}
		text, _ := json.Marshal(merged(ofSystem, mine))
		p.File, p.Holds = "qwen.json", string(text)
		p.Env = append(p.Env, "QWEN_CODE_SYSTEM_SETTINGS_PATH="+filepath.Join(p.Dir, p.File))
	}
	return nil
}

// replaced returns a copy of settings with other addresses of models, which it asks for in the order of names.
func replaced(v any, with func(string) string) any {
	switch v := v.(type) {
	case map[string]any:
		all := map[string]any{}
		for _, name := range names(v) {
			of := v[name]
			if address, isText := of.(string); name == "baseUrl" && isText && address != "" {
				of = with(address)
			}
			all[name] = replaced(of, with)
		}
		return all
	case []any:
		all := slices.Clone(v)
		for i := range all {
			all[i] = replaced(all[i], with)
		}
		return all
	}
	return v
}
