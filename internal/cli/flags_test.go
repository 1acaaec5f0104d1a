package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli"
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
	if err := os.WriteFile("chat.json", []byte(`[{"role":"user","content":"Hello?"},{"role":"assistant","content":"Yes."}]`), 0o600); err != nil {
		t.Fatal(err)
	}
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
