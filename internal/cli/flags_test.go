package cli_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A flag of all commands means the same on every command: no command has another flag of that name or letter.
func TestNoCommandHasAnotherFlagOfTheNameOfAGlobalOne(t *testing.T) {
	root := cli.Root()
	global := map[string]bool{}
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { global[f.Name], global["-"+f.Shorthand] = true, f.Shorthand != "" })
	if !global["output"] || !global["db"] {
		t.Fatalf("the flags of all commands are %v", global)
	}
	var each func(*cobra.Command)
	each = func(c *cobra.Command) {
		for _, of := range c.Commands() {
			of.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
				if global[f.Name] || global["-"+f.Shorthand] {
					t.Errorf("%s has a --%s of its own", of.CommandPath(), f.Name)
				}
			})
			each(of)
		}
	}
	each(root)
}

// --output names a form also where a command writes a file, and who names a file with it is told how to.
func TestTheFormOfAnExportIsNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, os.WriteFile("chat.json", []byte(`[{"role":"user","content":"Hello?"},{"role":"assistant","content":"Yes."}]`), 0o600))
	db := filepath.Join(t.TempDir(), "pact.db")
	runIn(t, "import", "chat.json", "--db", db)
	code, out, problems := run(t, "", "export", "chat", "--output", "json", "--db", db)
	if code != 0 || !strings.Contains(out, "Hello?") {
		t.Errorf("exit code %d: %s, %s", code, out, problems)
	}
	code, _, problems = run(t, "", "export", "chat", "--output", "copy.json", "--db", db)
	if code != 2 || !strings.Contains(problems, "--out names a file") {
		t.Errorf("exit code %d: %s", code, problems)
	}
	code, out, problems = run(t, "", "export", "chat", "--out", "copy.json", "--db", db)
	text, err := os.ReadFile("copy.json")
	if code != 0 || out != "" || err != nil || !strings.Contains(string(text), "Hello?") {
		t.Errorf("exit code %d: %s, %s, %v", code, out, problems, err)
	}
	if files, err := filepath.Glob("*"); err != nil || len(files) != 2 {
		t.Errorf("there are the files %v, %v", files, err)
	}
}

// needed are arguments that a command has to have before its flags are looked at.
var needed = map[string][]string{"commit": {"chat"}, "diff": {"chat", "@c1", "@c2"}, "export": {"chat"}, "import": {"chat.json"}, "log": {"chat"},
	"move": {"chat", "x"}, "open": {"chat.json"}, "policy": {"chat"}, "request": {"chat"}, "run": {"--", "true"},
	"select": {"chat", ".cb"}, "show": {"chat"}}

// valued writes a flag with a value that it takes, so that the value is no fault.
func valued(t *testing.T, f *pflag.Flag) string {
	t.Helper()
	switch f.Value.Type() {
	case "bool":
		return "--" + f.Name
	case "int", "int64", "uint64":
		return "--" + f.Name + "=1"
	case "duration":
		return "--" + f.Name + "=1s"
	}
	closed := map[string]string{"as": "openai", "content-mode": "tokens", "dialect": "openai", "edition": "canonical", "orphans": "drop",
		"status": "completed"}
	return "--" + f.Name + "=" + cmp.Or(closed[f.Name], "o200k_base")
}

// A flag that would be ignored, because the one that it goes with is missing or because another one decides, is refused
// before the command does anything. A hook alone never fails the agent, and says so on standard error.
func TestNoFlagIsIgnored(t *testing.T) {
	flag := func(cmd *cobra.Command, name string) *pflag.Flag {
		f := cmd.Flags().Lookup(name)
		if f == nil {
			t.Fatalf("%s has no --%s", cmd.Name(), name)
		}
		return f
	}
	for _, r := range command.FlagRules {
		name := r.Command
		if name == "" {
			name = "show" // one of those that have the flags
		}
		for name1 := range strings.FieldsSeq(r.Flags) {
			cmd, _, _ := cli.Root().Find([]string{name})
			asked := valued(t, flag(cmd, name1))
			others := []string{""}
			for other := range strings.FieldsSeq(r.Excludes) {
				others = append(others, valued(t, flag(cmd, other)))
			}
			if r.Needs == "" {
				others = others[1:]
			}
			for _, other := range others {
				line := slices.DeleteFunc(append([]string{name, asked, other}, needed[name]...), func(s string) bool { return s == "" })
				code, out, problems := run(t, "", line...)
				want := 2
				if name1 == "hook" {
					want, line = 0, line[:len(line)-1] // a hook takes no arguments
				}
				if code != want || out != "" || !strings.Contains(problems, "[E_USAGE]") || !strings.Contains(problems, name1) {
					t.Errorf("pact %s: exit code %d, %s%s", strings.Join(line, " "), code, out, problems)
				}
			}
			for need := range strings.FieldsSeq(r.Needs) {
				given := []string{asked, valued(t, flag(cmd, need))}
				switch name {
				case "commit":
					given = append(given, "--dry-run")
				case "import": // what goes with --print needs --hook, too
					given = append(given, "--hook")
				case "verify":
					given = append(given, "--file=x")
				}
				cmd, _, _ := cli.Root().Find([]string{name})
				must(t, cmd.ParseFlags(given))
				if err := command.CheckFlags(cmd); err != nil {
					t.Errorf("pact %s %s: %v", name, strings.Join(given, " "), err)
				}
			}
		}
	}
}

// The value of each flag is read somewhere in the folder of its command: no flag does nothing.
func TestEveryFlagIsRead(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("*", "*.go"))
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	declares := regexp.MustCompile(`^(Bool|String|StringArray|StringSlice|Int|Int64|Uint64|Float64|Duration)(Var)?P?$`)
	flags, uses := map[string]string{}, map[string]int{} // by folder and name
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		must(t, err)
		use := func(more int, list ...*ast.Ident) {
			for _, name := range list {
				uses[filepath.Dir(path)+" "+name.Name] += more
			}
		}
		set := func(to ast.Node, flag string) {
			switch to := to.(type) {
			case *ast.SelectorExpr:
				use(-1, to.Sel)
				if !to.Sel.IsExported() { // else another package reads it
					flags[filepath.Dir(path)+" "+to.Sel.Name] = flag
				}
			case *ast.Ident:
				use(-1, to)
				flags[filepath.Dir(path)+" "+to.Name] = flag
			}
		}
		ast.PreorderStack(file, nil, func(n ast.Node, above []ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				use(1, n)
			case *ast.BasicLit:
				uses[filepath.Dir(path)+" "+n.Value]++
			case *ast.Field:
				use(-1, n.Names...)
			case *ast.ValueSpec:
				use(-1, n.Names...)
			case *ast.CallExpr:
				fun, _ := n.Fun.(*ast.SelectorExpr)
				if fun == nil || !declares.MatchString(fun.Sel.Name) || len(n.Args) < 3 {
					return true
				}
				target, named := n.Args[0].(*ast.UnaryExpr)
				at := 0
				if named {
					at = 1
				}
				literal, _ := n.Args[at].(*ast.BasicLit)
				if literal == nil {
					return true
				}
				name := literal.Value
				if named {
					set(target.X, name)
					return true
				}
				switch to := above[len(above)-1].(type) {
				case *ast.ExprStmt: // it is looked up by its name
					uses[filepath.Dir(path)+" "+name]--
					flags[filepath.Dir(path)+" "+name] = name
				case *ast.AssignStmt:
					set(to.Lhs[slices.Index(to.Rhs, ast.Expr(n))], name)
				case *ast.KeyValueExpr:
					set(to.Key, name)
				}
			}
			return true
		})
	}
	for to, flag := range flags {
		if uses[to] <= 0 {
			t.Errorf("nothing reads the flag %s: %s", flag, to)
		}
	}
	if len(flags) < 80 {
		t.Errorf("%d flags were found", len(flags))
	}
}

// What the help says goes with another flag is in the table of rules.
func TestWhatHelpSaysGoesWithAFlagNeedsIt(t *testing.T) {
	goes, found := regexp.MustCompile(`^with (--[a-z-]+ )*--([a-z-]+)`), 0
	for _, cmd := range cli.Root().Commands() {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			m := goes.FindStringSubmatch(f.Usage)
			if m == nil || cmd.Hidden || cmd.Name() == "log" && m[2] == "prefix" { // which asks for prefixes by itself
				return
			}
			found++
			if !slices.ContainsFunc(command.FlagRules, func(r command.FlagRule) bool {
				return (r.Command == cmd.Name() || r.Command == "") && slices.Contains(strings.Fields(r.Flags), f.Name) &&
					slices.Contains(strings.Fields(r.Needs), m[2])
			}) {
				t.Errorf("no rule says that %s --%s needs --%s", cmd.Name(), f.Name, m[2])
			}
		})
	}
	if found < 20 {
		t.Errorf("help says of %d flags what they go with", found)
	}
}

// A value that a flag does not take is a fault of the command line, whatever it names in a document.
func TestAValueThatAFlagDoesNotTakeIsAFaultOfUsage(t *testing.T) {
	for line, says := range map[string]string{
		"commit chat --max-tokens -1":                          "--max-tokens takes a number of 0 or more",
		"commit chat --tokenizer bogus":                        "bogus",
		"commit chat --orphans bogus":                          "refuse, drop",
		"diff chat @c1 @c2 --rich --content-mode bogus":        "jsonpatch",
		"log chat --dialect bogus":                             "anthropic",
		"new chat --edition zz":                                "zz",
		"proxy --upstream :::":                                 "address of a provider",
		"request chat --end x --token-in -5 --status canceled": "--token-in takes a number of 0 or more",
	} {
		code, _, problems := run(t, "", strings.Fields(line)...)
		if code != 2 || !strings.Contains(problems, "[E_USAGE]") || !strings.Contains(problems, says) {
			t.Errorf("pact %s: exit code %d, %s", line, code, problems)
		}
	}
}

// A log takes the ends of a range in either order, and says of the working state that it is none of its cycles.
func TestTheLogTakesTheEndsInEitherOrder(t *testing.T) {
	chat := t.TempDir() + "/chat.json"
	text := `[{"role":"user","content":"A?"},{"role":"assistant","content":"a"},{"role":"user","content":"B?"},` +
		`{"role":"assistant","content":"b"},{"role":"user","content":"C?"},{"role":"assistant","content":"c"}]`
	must(t, os.WriteFile(chat, []byte(text), 0o600))
	db := "--db=" + t.TempDir() + "/pact.db"
	runIn(t, "import", chat, "--name", "chat", db)
	runIn(t, "add", "chat", "--content", "more", db)
	for _, more := range [][]string{{"--json"}, {"--attempts", "--json"}, {"--output", "table"}} {
		_, there, _ := run(t, "", append([]string{"log", "chat", "@c1", "@c2", db}, more...)...)
		code, back, problems := run(t, "", append([]string{"log", "chat", "@c2", "@c1", db}, more...)...)
		if code != 0 || back != there || back == "" && more[0] != "--attempts" {
			t.Errorf("%s backwards: exit code %d, %s%s, not %s", more, code, back, problems, there)
		}
	}
	if code, out, problems := run(t, "", "log", "chat", "working", "--edits", db); code != 0 || !strings.Contains(out, "edit") {
		t.Errorf("the edits of the working state: exit code %d, %s%s", code, out, problems)
	}
	if code, out, problems := run(t, "", "log", "chat", "working", db); code != 0 || out != "" ||
		!strings.Contains(problems, "no entry") {
		t.Errorf("the log of the working state: exit code %d, %s%s", code, out, problems)
	}
}

// What is not there is E_NOT_FOUND, and the remedy is one that the command takes.
func TestWhatIsMissingHasARemedyThatTheCommandTakes(t *testing.T) {
	chat := t.TempDir() + "/chat.json"
	must(t, os.WriteFile(chat, []byte(`[{"role":"user","content":"A?"}]`), 0o600))
	db := t.TempDir() + "/pact.db"
	runIn(t, "import", chat, "--name", "chat", "--db", db)
	for _, c := range []struct{ line, code, says, never string }{
		{"policy --print nope", "E_NOT_FOUND", "the names are agent", ""},
		{"token revoke nope --db " + db, "E_NOT_FOUND", "pact token list --db " + db + " lists", "Tokens"},
		{"copy --compact", "E_NOT_FOUND", "--db", "--from"},
		{"copy --backup " + t.TempDir() + "/b.db", "E_NOT_FOUND", "--db", "--from"},
		{"copy --to " + t.TempDir() + "/c.db", "E_NOT_FOUND", "--from names", ""},
		{"open --conversation zz " + chat, "E_SNAPSHOT_NOT_FOUND", "no name", "choose one"},
	} {
		code, _, problems := run(t, "", strings.Fields(c.line)...)
		if code != 1 || !strings.Contains(problems, "["+c.code+"]") || !strings.Contains(problems, c.says) ||
			c.never != "" && strings.Contains(problems, c.never) {
			t.Errorf("pact %s: exit code %d, %s", c.line, code, problems)
		}
	}
}

// A hook never fails the agent that calls it, however its command line says that it is one.
func TestAHookNeverFailsHoweverItIsAsked(t *testing.T) {
	for line, want := range map[string]int{"--hook": 0, "--hook=true": 0, "--hook=1 --nope": 0, "--nope --hook=true": 0,
		"--hook=perhaps": 0, "--hook=false": 2, "--nope --hook=false": 2} {
		code, out, problems := run(t, "{", append([]string{"import"}, strings.Fields(line)...)...)
		if code != want || out != "" || problems == "" {
			t.Errorf("import %s: exit code %d, %s%s", line, code, out, problems)
		}
	}
}
