package command

import (
	_ "embed"
	"math"
	"strings"
	"sync"

	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/spf13/cobra"
)

// helpText has a section for each command: its usage line behind ===, one line that sums it up, an
// explanation, and examples.
//
//go:embed help.txt
var helpText string

// section is the help of a command.
type section struct{ use, short, long, examples string }

// sections returns the help of all commands by their names, such as token add.
var sections = sync.OnceValue(func() map[string]section {
	all := map[string]section{}
	for text := range strings.SplitSeq(strings.TrimPrefix(helpText, "=== "), "\n=== ") {
		use, text, _ := strings.Cut(text, "\n")
		short, text, _ := strings.Cut(text, "\n\n")
		long, examples, _ := strings.Cut(text, "\n\nExamples:\n")
		var name []string
		for word := range strings.FieldsSeq(use) {
			if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
				break
			}
			name = append(name, word)
		}
		all[strings.Join(name, " ")] = section{use, short, long, strings.TrimRight(examples, "\n")}
	}
	return all
})

// Command makes a command of its section in help.txt. The usage line says which arguments it takes; it
// completes the name of a context.
func (a *App) Command(name string) *cobra.Command {
	h, ok := sections()[name]
	if !ok {
		panic("help.txt has no command " + name)
	}
	words := positional(h.use[len(name):])
	cmd := &cobra.Command{Use: h.use[strings.LastIndex(name, " ")+1:], Short: h.short, Long: h.long, Example: h.examples,
		Args: takes(words)}
	if len(words) > 0 && strings.Contains(words[0], "NAME") {
		cmd.ValidArgsFunction = a.CompleteNames
	}
	if len(words) > 0 && strings.Contains(words[0], "FILE|") {
		cmd.ValidArgsFunction = a.completeFilesToo
	}
	return cmd
}

// Group makes a command that only has other commands.
func (a *App) Group(name string, commands ...*cobra.Command) *cobra.Command {
	cmd := a.Command(name)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return Usage(cmd, "%s has no command %s", cmd.CommandPath(), screen.Quote(args[0]))
		}
		return cmd.Help()
	}
	cmd.AddCommand(commands...)
	return cmd
}

// positional returns the arguments that the first form of a usage line names before its flags.
func positional(use string) (words []string) {
	use, _, _ = strings.Cut(use, " | ")
	optional := ""
	for word := range strings.FieldsSeq(use) {
		switch {
		case word == "--":
		case word == "[--":
			optional = "["
		case strings.HasPrefix(strings.TrimPrefix(word, "["), "--"):
			return words
		default:
			words = append(words, optional+word)
		}
	}
	return words
}

// takes checks the number of arguments. --file takes the place of the first. A word that begins with [
// is optional, and one that has … may be repeated.
func takes(words []string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		words, beside := words, ""
		if file := cmd.Flags().Lookup("file"); file != nil && file.Value.String() != "" && len(words) > 0 {
			words, beside = words[1:], " beside --file"
		}
		least, most := 0, len(words)
		for _, word := range words {
			if !strings.HasPrefix(word, "[") {
				least++
			}
			if strings.Contains(word, "…") {
				most = math.MaxInt
			}
		}
		if len(args) >= least && len(args) <= most {
			return nil
		}
		want := strings.Join(words, " ") + beside
		if len(words) == 0 {
			want = "no arguments"
		}
		return Usage(cmd, "%s takes %s; %d given", cmd.Name(), want, len(args))
	}
}
