package agents

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/BurntSushi/toml"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/safefile"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"

	"encoding/json"
)

// mostSettings is how many bytes of settings are looked at.
const mostSettings = 16 << 20

// etc is the folder for the settings of administrators.
var etc = "/etc"

// layer is one place that sets variables, and what it sets.
type layer struct {
	place  string
	values map[string]string
}

// layers are the places that set a program's variables, the one that counts most first.
type layers []layer

// get returns what counts of several variables that mean the same, the first of which counts most, and its place.
func (l layers) get(names ...string) (value, place string) {
	for _, name := range names {
		for _, one := range l {
			if value := one.values[name]; value != "" {
				switch {
				case one.place == "":
					return value, name
				case strings.HasSuffix(one.place, name): // the place is itself a variable, such as AIDER_OPENAI_API_BASE
					return value, one.place
				}
				return value, one.place + ": " + name
			}
		}
	}
	return "", ""
}

func (l *layers) add(place string, values map[string]string) {
	if len(values) > 0 {
		*l = append(*l, layer{place, values})
	}
}

// read adds files of lines NAME=value, those that are there, the one that counts most first.
func (l *layers) read(files ...string) error {
	for _, file := range files {
		values, err := readEnv(file)
		if err != nil {
			return err
		}
		l.add(file, values)
	}
	return nil
}

// unknown is the error for an address that pact cannot know; the program is not started.
func unknown(what, remedy string) error { return fault.New(fault.DocumentInvalid, what, remedy) }

// untold is the error for a program that pact cannot tell an address; the remedy says for what to start a proxy.
func (p *Program) untold(what, remedy string) error {
	p.NeedsProxy = true
	return unknown(what, remedy)
}

// read returns a file, nil if there is none.
func read(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && info.IsDir() {
		return nil, nil
	}
	text, err := safefile.Read(file, mostSettings)
	if err != nil {
		return nil, fault.Wrap(fault.DocumentInvalid, err, "pact cannot read "+file+", which may set where calls go",
			"make it readable, or take it away for the run")
	}
	return text, nil
}

// readSettings returns what a file of settings holds, by the ending of its name: TOML, YAML, or JSON that may have
// comments; nil if there is none.
func readSettings(file string) (map[string]any, error) {
	text, err := read(file)
	if err != nil || len(strings.TrimSpace(string(text))) == 0 {
		return nil, err
	}
	return parseSettings(file, text)
}

func parseSettings(file string, text []byte) (settings map[string]any, err error) {
	switch filepath.Ext(file) {
	case ".toml":
		err = toml.Unmarshal(text, &settings)
	case ".yaml", ".yml":
		err = yaml.Unmarshal(text, &settings)
	default:
		if text, err = hujson.Standardize(text); err == nil {
			err = json.Unmarshal(text, &settings)
		}
	}
	if err != nil {
		return nil, fault.Wrap(fault.DocumentInvalid, err, "pact cannot read "+file+", which may set where calls go",
			"correct it, or take it away for the run")
	}
	return settings, nil
}

// readEnv returns the variables of a file of lines NAME=value. A value that refers to another variable is an error,
// if it is an address.
func readEnv(file string) (map[string]string, error) {
	text, err := read(file)
	if err != nil || text == nil {
		return nil, err
	}
	set := map[string]string{}
	for line := range strings.SplitSeq(string(text), "\n") {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if name = strings.TrimSpace(name); !ok || strings.HasPrefix(name, "#") {
			continue
		}
		value = strings.TrimSpace(value)
		if quote := value[:min(1, len(value))]; quote != "" && strings.Contains("\"'`", quote) && strings.Count(value, quote) > 1 {
			value, _, _ = strings.Cut(value[1:], quote)
		} else {
			value, _, _ = strings.Cut(value, " #")
			value = strings.TrimSpace(value)
		}
		set[name] = value
	}
	return set, nil
}

// at returns what stands at a path of names in settings, nil if nothing does.
func at(settings map[string]any, path ...string) any {
	var v any = settings
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// textAt is at for a text, "" for all else.
func textAt(settings map[string]any, path ...string) string {
	text, _ := at(settings, path...).(string)
	return text
}

// tableAt is at for an object, nil for all else.
func tableAt(settings map[string]any, path ...string) map[string]any {
	table, _ := at(settings, path...).(map[string]any)
	return table
}

// textsIn returns the members of an object that are texts.
func textsIn(object map[string]any) map[string]string {
	texts := map[string]string{}
	for name, v := range object {
		if text, ok := v.(string); ok {
			texts[name] = text
		}
	}
	return texts
}

// merged lays an object over another, member by member.
func merged(under, over map[string]any) map[string]any {
	all := map[string]any{}
	for name, v := range under {
		all[name] = v
	}
	for name, v := range over {
		a, isObject := all[name].(map[string]any)
		b, too := v.(map[string]any)
		if isObject && too {
			v = merged(a, b)
		}
		all[name] = v
	}
	return all
}

// upward returns the files of a name in a folder and those above it, the nearest first. It ends with the folder that
// has one of the roots, if there are any.
func upward(dir string, roots []string, names ...string) (files []string) {
	for {
		for _, name := range names {
			files = append(files, filepath.Join(dir, name))
		}
		isRoot := slices.ContainsFunc(roots, func(root string) bool {
			_, err := os.Lstat(filepath.Join(dir, root))
			return err == nil
		})
		if above := filepath.Dir(dir); !isRoot && above != dir {
			dir = above
			continue
		}
		return files
	}
}

// home returns the user's folder.
func (p *Program) home() string { return cmp.Or(p.given["HOME"], p.given["USERPROFILE"]) }

// config returns the folder for settings.
func (p *Program) config() string {
	return cmp.Or(p.given["XDG_CONFIG_HOME"], filepath.Join(p.home(), ".config"))
}

// option returns the last value of an option in the arguments, as "--name value" or "--name=value", "" without any.
func (p *Program) option(names ...string) string {
	values := p.options(names...)
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// options returns all values of an option, in their order.
func (p *Program) options(names ...string) (values []string) {
	args := p.Args[p.word+1:]
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if value, joined := joinedTo(arg, names...); joined {
			values = append(values, value)
		} else if slices.Contains(names, arg) && i+1 < len(args) {
			values = append(values, args[i+1])
		}
	}
	return values
}

// joinedTo returns the value that is part of an argument, as in --name=VALUE, -n=VALUE and -nVALUE.
func joinedTo(arg string, names ...string) (value string, joined bool) {
	name, value, joined := strings.Cut(arg, "=")
	if joined && slices.Contains(names, name) {
		return value, true
	}
	for _, name := range names {
		if value, joined = strings.CutPrefix(arg, name); joined && value != "" && len(name) == 2 {
			return value, true
		}
	}
	return "", false
}

// insert puts arguments behind the word that names the agent.
func (p *Program) insert(args ...string) { p.Args = slices.Insert(p.Args, p.word+1, args...) }

// isSet reports whether a switch in an environment is on.
func isSet(value string) bool { return value != "" && value != "0" && value != "false" }
