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

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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
			if err != nil {
				t.Fatal(err)
			}
			texts++
			if found := spoken.FindString(text); found != "" {
				t.Errorf("%s names %q: %s", files.Position(literal.Pos()), found, text)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
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

// TestSpokenByTheCommandLine makes sure that the test above would find something.
func TestSpokenByTheCommandLine(t *testing.T) {
	spoken := spokenByTheCommandLine()
	for text, want := range map[string]bool{
		"pact show draws it": true, "repeat with --yes": true, "see --db": true,
		"the pact of two": false, "import it with Renumber": false, "a--b": false, "--skip": true, "codex exec --skip-git-repo-check": false,
	} {
		if spoken.MatchString(text) != want {
			t.Errorf("%q: got %v", text, !want)
		}
	}
}
