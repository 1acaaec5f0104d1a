package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/selector"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// oldName is a command of before: the arguments and flags that it took, and the command line that does its work now. If
// that ends in =, it takes the arguments behind NAME. old=new is a flag that has another name now.
type oldName struct{ name, args, now, flags string }

const (
	oldSource = " conversation edition file"
	oldLimits = " every-cycles max-bytes max-nodes max-tokens max-turns min-bytes min-tokens model orphans policy protect-turns stub tokenizer"
)

// oldNames are the names of before. A group stands in front of its commands.
var oldNames = []oldName{
	{"attempts", "NAME", "log --attempts", ""},
	{"attempts list", "NAME", "log --attempts", ""},
	{"attempts start", "NAME", "commit --start", "out=send params-file provider prune" + oldLimits},
	{"attempts end", "NAME ID", "request --end=", "error status token-in token-out"},
	{"blame", "NAME [@t]", "life", oldSource},
	{"cat", "NAME [@t] ID…", "show", "original raw" + oldSource},
	{"db", "[COMMAND]", "copy", ""},
	{"db backup", "FILE", "copy --backup=", ""},
	{"db check", "", "verify --all", ""},
	{"db compact", "", "copy --compact", ""},
	{"explain", "NAME SELECTOR", "select --explain", "limit skip where" + oldSource},
	{"fmt", "[SELECTOR…]", "select --normal", "edition strict"},
	{"hash", "NAME [@t]", "verify --hash", "node receipt" + oldSource},
	{"hook", "", "import --hook", "for policy print"},
	{"prefix", "NAME [A [B]]", "log --prefix", "breaks dialect prices provider tokenizer tokens" + oldSource},
	{"prune", "NAME [ID…]", "commit --limited --prune=", "actor dry-run message prices rebase retain select" + oldLimits},
	{"replay", "HISTORY.jsonl", "verify --export --file=", ""},
	{"thread", "NAME [@t]", "show --as=thread", "as request" + oldSource},
	{"validate", "NAME", "verify", oldSource},
	{"version", "", "--version", ""},
}

// addOldNames makes the old names answer: each runs the command that does its work now, after a line that says so.
func addOldNames(a *command.App, root *cobra.Command) {
	for _, o := range oldNames {
		now, _, _ := root.Find(strings.Fields(o.now)[:1])
		parent, name := root, o.name
		if group, word, ok := strings.Cut(o.name, " "); ok {
			parent, _, _ = root.Find([]string{group})
			name = word
		}
		cmd := &cobra.Command{Use: strings.TrimSpace(name + " " + o.args), Hidden: true, Args: command.Takes(o.args)}
		for word := range strings.FieldsSeq(o.flags) {
			old, called, _ := strings.Cut(word, "=")
			f := *now.Flag(cmp.Or(called, old))
			f.Name = old
			cmd.Flags().AddFlag(&f)
		}
		if o.name == "thread" {
			cmd.Flags().Bool("verbatim", false, "print the recorded bytes of the request")
		}
		helps := []*cobra.Command{now}
		if o.name == "db" {
			verify, _, _ := root.Find([]string{"verify"})
			helps = append(helps, verify)
		}
		cmd.SetHelpFunc(func(*cobra.Command, []string) {
			for _, c := range helps {
				c.InitDefaultHelpFlag()
				_ = c.Help()
			}
		})
		cmd.RunE = a.Does(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			if o.name == "db" && len(args) == 0 {
				return cmd.Help()
			}
			if is, err := cmd.Flags().GetBool("verbatim"); err == nil && is {
				o.name, o.now = "thread --verbatim", "request"
			}
			if err := o.refuses(cmd, args); err != nil {
				return err
			}
			a.Reportf("pact %s is pact %s now", o.name, strings.TrimSuffix(strings.Replace(o.now, " --limited", "", 1), "="))
			a.Exit = a.Rerun(ctx, o.line(cmd, args), command.Streams{In: a.In, Out: a.Out.W, Err: a.Err, Env: a.Environ()})
			return nil
		})
		parent.AddCommand(cmd)
	}
}

// refuses returns the error for what the name refused before and the command of now takes for something else.
func (o oldName) refuses(cmd *cobra.Command, args []string) error {
	rest := args
	if file := cmd.Flags().Lookup("file"); len(args) > 0 && (file == nil || !file.Changed) {
		rest = args[1:]
	}
	ids := slices.ContainsFunc(rest, func(arg string) bool {
		_, err := command.ParseAddress(arg, selector.Canonical)
		return err != nil && !strings.HasPrefix(arg, "@")
	})
	switch {
	case o.name == "db":
		return command.Usage(cmd, "pact db has no command %s", screen.Quote(args[0]))
	case o.name == "validate" && !cmd.Flags().Changed("file"):
		return command.Usage(cmd, "pact validate takes no context any more: pact export %[1]s --all | pact verify --file - checks "+
			"its history as a file, and pact verify %[1]s checks the store", screen.Quote(args[0]))
	case strings.Contains(o.args, "[@t]") && ids != strings.Contains(o.args, "ID"):
		return command.Usage(cmd, "%s takes %s", cmd.Name(), o.args)
	}
	return nil
}

// line returns the command line that does today what the arguments asked for.
func (o oldName) line(cmd *cobra.Command, args []string) []string {
	line := strings.Fields(o.now)
	if last := len(line) - 1; strings.HasSuffix(line[last], "=") {
		value, named := line[last], strings.Count(o.args, "NAME")
		line = line[:last]
		for _, arg := range args[named:] {
			line = append(line, value+arg)
		}
		args = args[:named]
	}
	add := func(name string, f *pflag.Flag) {
		values := []string{f.Value.String()}
		if many, ok := f.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, value := range values {
			if f.Changed {
				line = append(line, "--"+name+"="+value)
			}
		}
	}
	for word := range strings.FieldsSeq(o.flags) {
		old, called, _ := strings.Cut(word, "=")
		add(cmp.Or(called, old), cmd.Flags().Lookup(old))
	}
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { add(f.Name, f) })
	return append(append(line, "--"), args...)
}
