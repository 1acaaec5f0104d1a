package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// oldNames has for each name of a command of before the command that answers now. What is not said below stands in
// front of the arguments as they are.
var oldNames = map[string]string{
	"attempts": "log --attempts", "attempts list": "log --attempts", "attempts start": "commit --start",
	"attempts end": "request --end", "blame": "life", "cat": "show", "db": "copy", "db backup": "copy --backup", "db check": "verify --all",
	"db compact": "copy --compact", "explain": "select --explain", "fmt": "select --normal", "hash": "verify --hash",
	"hook": "import --hook", "prefix": "log --prefix", "prune": "commit --prune", "replay": "verify --export --file",
	"thread": "show --as=thread", "thread --verbatim": "request", "validate": "verify",
	"version": "--version",
}

// translate returns the old name with what of its arguments belongs to it, and the command line that does today what it
// did, nil if none does.
func translate(root *cobra.Command, name string, args []string) (old string, line []string) {
	has := func(flag string) bool {
		return slices.ContainsFunc(args, func(arg string) bool { return arg == flag || strings.HasPrefix(arg, flag+"=") })
	}
	switch first := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") }); {
	case (name == "attempts" || name == "db") && first >= 0 && oldNames[name+" "+args[first]] != "":
		name, args = name+" "+args[first], slices.Delete(slices.Clone(args), first, first+1)
	case name == "thread" && has("--verbatim"):
		name, args = "thread --verbatim", slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--verbatim" })
	}
	words := strings.Fields(oldNames[name])
	switch name {
	case "attempts start": // which wrote the thread with --out
		for i, arg := range args {
			if rest, ok := strings.CutPrefix(arg, "--out"); ok {
				args[i] = "--send" + rest
			}
		}
	case "attempts end", "db backup", "replay", "prune": // an argument became the value of a flag
		flags, named := parsed(root, words[0], args)
		if least := map[string]int{"attempts end": 1, "prune": 1}[name]; len(named) > least {
			for _, value := range named[least:] {
				flags = append(flags, words[len(words)-1]+"="+value)
			}
			named = named[:least]
		}
		if name == "prune" && !slices.ContainsFunc(flags, prunes) {
			return name, nil
		}
		return name, slices.Concat(words[:len(words)-1], flags, []string{"--"}, named)
	}
	return name, append(words, args...)
}

// prunes reports whether a flag of commit says what to prune.
func prunes(flag string) bool {
	return strings.HasPrefix(flag, "--prune=") || strings.HasPrefix(flag, "--select=") || strings.HasPrefix(flag, "--policy=") ||
		strings.HasPrefix(flag, "--max-")
}

// parsed splits the arguments of a command into flags, each with its value, and the rest. Of what the command does not
// take it returns all as the rest.
func parsed(root *cobra.Command, name string, args []string) (flags, rest []string) {
	cmd, _, _ := root.Find([]string{name})
	f := cmd.Flags()
	f.AddFlagSet(root.PersistentFlags())
	if f.Parse(args) != nil {
		return nil, args
	}
	f.Visit(func(flag *pflag.Flag) {
		values := []string{flag.Value.String()}
		if many, ok := flag.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, value := range values {
			flags = append(flags, "--"+flag.Name+"="+value)
		}
	})
	return flags, f.Args()
}

// addOldNames makes the old names answer: each runs the command that does its work now, after a line that says so.
func addOldNames(a *command.App, root *cobra.Command) {
	for name := range oldNames {
		if strings.Contains(name, " ") {
			continue
		}
		root.AddCommand(&cobra.Command{Use: name, Hidden: true, DisableFlagParsing: true, RunE: a.Does(
			func(ctx context.Context, cmd *cobra.Command, args []string) error {
				old, line := translate(root, name, args)
				if line == nil {
					return command.Usage(cmd, "pact %s is pact %s now, and needs what to prune: pact commit NAME alone prunes by the policy "+
						"that the context keeps", old, oldNames[old])
				}
				a.Reportf("pact %s is pact %s now", old, oldNames[old])
				a.Exit = a.Anew(ctx, line, command.Streams{In: a.In, Out: a.Out.W, Err: a.Err, Env: a.Environ()})
				return nil
			})})
	}
}
