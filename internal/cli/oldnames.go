package cli

import (
	"slices"
	"strings"
)

// oldNames are names of before, and the words that do their work now, which the rest of the line follows. A word that ends
// in = takes each argument behind the first.
var oldNames = []struct{ name, now string }{
	{"attempts end", "request --end="},
	{"attempts list", "log --attempts"},
	{"attempts start", "commit --start"},
	{"attempts", "log --attempts"},
	{"blame", "life"},
	{"cat", "show"},
	{"db backup", "copy --backup"},
	{"db check", "verify --all"},
	{"db compact", "copy --compact"},
	{"explain", "select --explain"},
	{"fmt", "select --normal"},
	{"hash", "verify --hash"},
	{"hook", "import --hook"},
	{"prefix", "log --prefix"},
	{"prune", "commit --limited --prune="},
	{"replay", "verify --export --file"},
	{"thread", "show --as=thread"},
	{"validate", "verify"},
	{"version", "--version"},
}

// current returns the command line that does now what one with an old name did, and what to say of it; any other line as it
// is.
func current(args []string) (line []string, says string) {
	at := 0
	for at < len(args) && strings.HasPrefix(args[at], "-") { // flags of all commands
		if slices.Contains([]string{"--db", "--output", "--color"}, args[at]) {
			at++
		}
		at++
	}
	help := at < len(args) && args[at] == "help"
	if help {
		at++
	}
	for _, o := range oldNames {
		name := strings.Fields(o.name)
		if at+len(name) > len(args) || !slices.Equal(args[at:at+len(name)], name) {
			continue
		}
		now := strings.TrimSuffix(strings.Replace(o.now, " --limited", "", 1), "=")
		says = "pact " + o.name + " is pact " + now + " now"
		line, rest := slices.Clone(args[:at]), slices.Clone(args[at+len(name):])
		if help {
			if command := strings.Fields(o.now)[0]; !strings.HasPrefix(command, "-") {
				line = append(line, command)
			}
			return append(line, rest...), says
		}
		first := slices.Index(rest, "--") + 1 // of the arguments
		for word := range strings.FieldsSeq(o.now) {
			if !strings.HasSuffix(word, "=") {
				line = append(line, word)
				continue
			}
			for len(rest) > first+1 && (first > 0 || !strings.HasPrefix(rest[0], "-") && !strings.HasPrefix(rest[1], "-")) {
				line, rest = append(line, word+rest[first+1]), slices.Delete(rest, first+1, first+2)
			}
		}
		return append(line, rest...), says
	}
	return args, ""
}
