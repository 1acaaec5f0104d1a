package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The help of every command fits a terminal of 80 columns and has an example. There are 38, each in a group.
func TestHelp(t *testing.T) {
	testrun.OneGoroutine(t)
	top, commands := root(command.New(command.Streams{})), 0
	var each func(cmd *cobra.Command, path ...string)
	each = func(cmd *cobra.Command, path ...string) {
		var out strings.Builder
		code := Run(t.Context(), append(path, "--help"), command.Streams{Out: &out, Err: &out})
		name := strings.Join(append([]string{"pact"}, path...), " ")
		if code != 0 || !strings.Contains(out.String(), "Examples:\n") && !cmd.HasAvailableSubCommands() || !strings.Contains(out.String(), name) {
			t.Errorf("%s --help: exit %d\n%s", name, code, &out)
		}
		for line := range strings.Lines(out.String()) {
			if line = strings.TrimSuffix(line, "\n"); lipgloss.Width(line) > 80 {
				t.Errorf("%s --help: %d columns: %s", name, lipgloss.Width(line), line)
			}
		}
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && c.Name() != "completion" && c.Name() != "help" {
				each(c, append(slices.Clone(path), c.Name())...)
			}
		}
	}
	each(top)
	for _, cmd := range top.Commands() {
		if cmd.Hidden || cmd.Name() == "help" {
			continue
		}
		if commands++; !top.ContainsGroup(cmd.GroupID) {
			t.Errorf("%s stands in no group", cmd.Name())
		}
	}
	if commands != 38 {
		t.Errorf("%d commands, not 38", commands)
	}
}

// Folding breaks paragraphs anew, keeps tables, and loses no word.
func TestFoldedKeepsTablesAndWords(t *testing.T) {
	const long = "word word word word word word word word word word word word word word word word word"
	got := folded(long + "\nshort\n\n  a table      stays as it is\nthe end")
	want := strings.Repeat("word ", 15) + "word\nword short\n\n  a table      stays as it is\nthe end"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Each old line stands for the one that does its work now, and any other for itself.
func TestOldNamesAreTranslated(t *testing.T) {
	tried := map[string]bool{}
	for old, want := range map[string]string{
		"attempts chat --json":                              "log --attempts chat --json",
		"attempts list chat":                                "log --attempts chat",
		"attempts start chat --model m":                     "commit --start chat --model m",
		"attempts end chat attempt:3-1 --status x":          "request --end=attempt:3-1 chat --status x",
		"attempts end --json --db c.db -- chat attempt:3-1": "request --end=attempt:3-1 --json --db c.db -- chat",
		"blame chat working":                                "life chat working",
		"--db x cat chat @c2 block:1-0":                     "--db x show chat @c2 block:1-0",
		"db backup monday.db":                               "copy --backup monday.db",
		"db check --json":                                   "verify --all --json",
		"--db=x db compact":                                 "--db=x copy --compact",
		"explain --file s.json -- #cb":                      "select --explain --file s.json -- #cb",
		"fmt .cb ??{type=block}":                            "select --normal .cb ??{type=block}",
		"hash chat @t-1 --node b":                           "verify --hash chat @t-1 --node b",
		"hook --print":                                      "import --hook --print",
		"prefix chat @c10 @c20":                             "log --prefix chat @c10 @c20",
		"prune chat block:2-1 seg:1-2 --dry-run":            "commit --limited --prune=block:2-1 --prune=seg:1-2 chat --dry-run",
		"prune --select .a chat":                            "commit --limited --select .a chat",
		"replay history.jsonl":                              "verify --export --file history.jsonl",
		"thread chat @t-1 --as openai":                      "show --as=thread chat @t-1 --as openai",
		"validate --file h.jsonl":                           "verify --file h.jsonl",
		"help prune":                                        "help commit",
		"help db backup":                                    "help copy",
		"help attempts start":                               "help commit",
		"help version":                                      "help",
		"help blame":                                        "help life",
		"version --json":                                    "--version --json",
		"show cat":                                          "show cat", "--db cat log x": "--db cat log x", "db": "db", "--output json": "--output json", "": "",
	} {
		line, says := current(strings.Fields(old))
		if got := strings.Join(line, " "); got != want || (says == "") != (old == want) {
			t.Errorf("pact %s: %q (%s), want %q", old, got, says, want)
		}
		tried[says] = true
	}
	if len(tried) != len(oldNames)+1 {
		t.Errorf("%d names of %d were tried", len(tried), len(oldNames))
	}
	for _, says := range []string{"pact thread is pact show --as=thread now", "pact prune is pact commit --prune now"} {
		if !tried[says] {
			t.Error("nothing says:", says)
		}
	}
}

// TestLibraryNamesNoCommand holds the library to its own words: a program that embeds
// it has no commands and no flags, so no text of a package outside of the command line
// names one.
func TestLibraryNamesNoCommand(t *testing.T) {
	testrun.OneGoroutine(t)
	spoken := spokenByTheCommandLine()
	const root = "../.."
	// conformance asks command lines; the server of the tests is started by one; release writes files that start one;
	// agents reads those of other programs.
	others := []string{"benchmarks", "cmd", "conformance", "examples", "internal/cli", "internal/postgrestest", "internal/record/agents",
		"internal/release"}
	texts := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata" ||
			slices.Contains(others, name)) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			must(t, err)
			texts++
			if found := spoken.FindString(text); found != "" {
				t.Errorf("%s names %q: %s", files.Position(literal.Pos()), found, text)
			}
			return true
		})
		return nil
	})
	must(t, err)
	if texts < 1000 {
		t.Errorf("only %d texts were read", texts)
	}
}

// spokenByTheCommandLine matches the commands, "pact show", and the flags, "--json".
func spokenByTheCommandLine() *regexp.Regexp {
	var commands, flags []string
	collect := func(f *pflag.Flag) { flags = append(flags, regexp.QuoteMeta(f.Name)) }
	root := root(command.New(command.Streams{}))
	root.PersistentFlags().VisitAll(collect)
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		commands = append(commands, regexp.QuoteMeta(c.Name()))
		c.Flags().VisitAll(collect)
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	for _, c := range root.Commands() {
		visit(c)
	}
	return regexp.MustCompile(`\bpact (` + strings.Join(commands, "|") + `)\b|--(` + strings.Join(flags, "|") + `)(?:[^-\w]|$)`)
}
