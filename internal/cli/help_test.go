package cli

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The help of every command fits a terminal of 80 columns.
func TestHelpFitsATerminal(t *testing.T) {
	testrun.OneGoroutine(t)
	var each func(cmd *cobra.Command, path []string)
	each = func(cmd *cobra.Command, path []string) {
		var out strings.Builder
		Run(t.Context(), append(path[:len(path):len(path)], "--help"), command.Streams{Out: &out, Err: &out})
		if out.Len() == 0 {
			t.Errorf("pact %s --help prints nothing", strings.Join(path, " "))
		}
		for line := range strings.Lines(out.String()) {
			if line = strings.TrimSuffix(line, "\n"); lipgloss.Width(line) > 80 {
				t.Errorf("pact %s --help: %d columns: %s", strings.Join(path, " "), lipgloss.Width(line), line)
			}
		}
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() && c.Name() != "completion" && c.Name() != "help" {
				each(c, append(path[:len(path):len(path)], c.Name()))
			}
		}
	}
	each(root(command.New(command.Streams{})), nil)
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

// The page of the command line lists the commands as their help does; UPDATE_CLI writes them into it.
func TestThePageOfCommandsIsTheHelp(t *testing.T) {
	page := filepath.Join("..", "..", "docs", "cli.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "-run PageOfCommands -->\n", "<!-- until here -->"
	before, rest, begins := strings.Cut(string(text), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatal("docs/cli.md has no place for the commands")
	}
	root := root(command.New(command.Streams{}))
	var list strings.Builder
	commands := 0
	for _, group := range root.Groups() {
		list.WriteString("\nTo " + strings.ToLower(strings.TrimSuffix(group.Title, ":")) + ":\n\n")
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && !cmd.Hidden {
				use, _, _ := strings.Cut(cmd.Use, " | ")
				list.WriteString("- `" + use + "`: " + cmd.Short + "\n")
				commands++
			}
		}
	}
	if commands != 38 {
		t.Errorf("%d commands, not 38", commands)
	}
	if want := before + begin + list.String() + "\n" + end + after; want != string(text) {
		if os.Getenv("UPDATE_CLI") != "" {
			err = os.WriteFile(page, []byte(want), 0o600)
		}
		t.Errorf("docs/cli.md lists other commands than the help, %v: UPDATE_CLI=1 writes them", err)
	}
}

// oldLines has the examples that the help of each old name had, and more, and the line that does today what each did.
var oldLines = []struct{ old, now string }{
	{"attempts chat --json", "log --attempts --json=true -- chat"},
	{"attempts list chat", "log --attempts -- chat"},
	{"attempts start chat --provider openai --model gpt-5 --out thread.json",
		"commit --start --send=thread.json --provider=openai --model=gpt-5 -- chat"},
	{"attempts start chat --provider local --model test --params-file p.json --out=f --output json",
		"commit --start --send=f --params-file=p.json --provider=local --model=test --output=json -- chat"},
	{"attempts end chat attempt:3-1 --status completed --token-in 812",
		"request --end=attempt:3-1 --status=completed --token-in=812 -- chat"},
	{"attempts end chat attempt:3-3 --status error --error limit", "request --end=attempt:3-3 --error=limit --status=error -- chat"},
	{"blame chat", "life -- chat"},
	{"blame chat @t-3", "life -- chat @t-3"},
	{"blame chat working --json", "life --json=true -- chat working"},
	{"cat chat block:3-0", "show -- chat block:3-0"},
	{"cat chat @c2 block:1-0 block:2-1", "show -- chat @c2 block:1-0 block:2-1"},
	{"cat chat block:4-1 --raw", "show --raw=true -- chat block:4-1"},
	{"cat --file run.traj block:2-0", "show --file=run.traj -- block:2-0"},
	{"db backup backups/monday.db", "copy --backup=backups/monday.db --"},
	{"db check --json", "verify --all --json=true --"},
	{"db compact", "copy --compact --"},
	{"explain chat .block[kind=call]", "select --explain -- chat .block[kind=call]"},
	{"explain --file snapshot.json --edition v0.1 -- #cb:u2", "select --explain --edition=v0.1 --file=snapshot.json -- #cb:u2"},
	{"fmt .cb ??{type=block}", "select --normal -- .cb ??{type=block}"},
	{"fmt --edition v0.1", "select --normal --edition=v0.1 --"},
	{"hash chat @t-1 --node block:3-1", "verify --hash --node=block:3-1 -- chat @t-1"},
	{"hash --file backup.jsonl @c3 --node b --receipt 5d0c", "verify --hash --node=b --receipt=5d0c --file=backup.jsonl -- @c3"},
	{"hash --file -", "verify --hash --file=- --"},
	{"hook --print --policy p.json", "import --hook --policy=p.json --print=true --"},
	{"prefix chat @c10 @c20", "log --prefix -- chat @c10 @c20"},
	{"prefix chat --tokenizer claude-sonnet-4 --breaks", "log --prefix --breaks=true --tokenizer=claude-sonnet-4 -- chat"},
	{"prefix codex --provider --prices prices.json", "log --prefix --prices=prices.json --provider=true -- codex"},
	{"prune chat --max-tokens 8000 --protect-turns 3 --dry-run",
		"commit --limited --dry-run=true --max-tokens=8000 --protect-turns=3 -- chat"},
	{"prune --select .a --select .b chat", "commit --limited --select=.a --select=.b -- chat"},
	{"prune chat block:2-1 seg:1-2", "commit --limited --prune=block:2-1 --prune=seg:1-2 -- chat"},
	{"prune chat --policy window.json --stub out -m why", "commit --limited --message=why --policy=window.json --stub=out -- chat"},
	{"replay history.jsonl", "verify --export --file=history.jsonl --"},
	{"replay - --json", "verify --export --file=- --json=true --"},
	{"thread chat @t-1 --as openai", "show --as=thread --as=openai -- chat @t-1"},
	{"thread codex @c12 --as anthropic --request", "show --as=thread --as=anthropic --request=true -- codex @c12"},
	{"thread codex @c12 --verbatim", "request -- codex @c12"},
	{"thread codex --verbatim=false", "show --as=thread -- codex"},
	{"validate --file history.jsonl --json", "verify --file=history.jsonl --json=true --"},
	{"version --json", "--version --json=true --"},
}

// translated runs a command line and returns the one that it ran in turn, "" for none, and its exit code.
func translated(t *testing.T, args []string) (line, out string, code int) {
	var o strings.Builder
	a := command.New(command.Streams{Out: &o, Err: &strings.Builder{}})
	a.Rerun = func(_ context.Context, args []string, _ command.Streams) int {
		line = strings.Join(args, " ")
		return command.ExitOK
	}
	code = run(t.Context(), a, args)
	return line, o.String(), code
}

// Each old line stands for the one that does its work now, wherever the flags of all commands stand.
func TestOldNamesAreTranslated(t *testing.T) {
	tried := map[string]bool{"db": true}
	for _, x := range oldLines {
		words := strings.Fields(x.old)
		name := words[0]
		if slices.ContainsFunc(oldNames, func(o oldName) bool { return o.name == strings.Join(words[:min(2, len(words))], " ") }) {
			name = words[0] + " " + words[1]
		}
		tried[name] = true
		n := len(strings.Fields(name))
		end := len(words)
		if i := slices.Index(words, "--"); i >= 0 {
			end = i
		}
		for _, at := range []int{-1, 0, 1, n, end} {
			args, now := words, x.now
			if at >= 0 {
				args = slices.Insert(slices.Clone(words), at, "--db", "check")
				i := slices.IndexFunc(strings.Fields(now), isGlobal)
				fields := strings.Fields(now)
				now = strings.Join(slices.Insert(fields, i, "--db=check"), " ")
			}
			if line, _, code := translated(t, args); line != now || code != command.ExitOK {
				t.Errorf("pact %s: exit code %d, %q, want %q", strings.Join(args, " "), code, line, now)
			}
		}
		if line, _, code := translated(t, slices.Insert(slices.Clone(words), end, "--bogus")); line != "" ||
			code != command.ExitInvalid && name != "hook" {
			t.Errorf("pact %s --bogus: exit code %d, %q", x.old, code, line)
		}
		line, out, code := translated(t, slices.Insert(slices.Clone(words), end, "--help"))
		if line != "" || code != command.ExitOK || !strings.Contains(out, "Usage:\n  pact "+strings.Fields(x.now)[0]) &&
			name != "version" && name != "thread" {
			t.Errorf("pact %s --help: exit code %d, %q, %s", x.old, code, line, screen.Quote(out))
		}
	}
	for _, o := range oldNames {
		if !tried[o.name] {
			t.Errorf("no line tries pact %s", o.name)
		}
	}
}

// isGlobal reports whether a word of a line is a flag of all commands or ends the flags: --db stands in front of it.
func isGlobal(word string) bool {
	return word == "--json=true" || word == "--output=json" || word == "--"
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
