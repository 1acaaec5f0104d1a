package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli/command"
)

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
		list.WriteString("\n| " + strings.ToLower(strings.TrimSuffix(group.Title, ":")) + " | |\n| --- | --- |\n")
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && !cmd.Hidden {
				use, _, _ := strings.Cut(cmd.Use, " | ")
				list.WriteString("| `" + strings.ReplaceAll(use, "|", "\\|") + "` | " + cmd.Short + " |\n")
				commands++
			}
		}
	}
	if commands != 36 {
		t.Errorf("%d commands, not 36", commands)
	}
	if want := before + begin + list.String() + "\n" + end + after; want != string(text) {
		if os.Getenv("UPDATE_CLI") != "" {
			err = os.WriteFile(page, []byte(want), 0o600)
		}
		t.Errorf("docs/cli.md lists other commands than the help, %v: UPDATE_CLI=1 writes them", err)
	}
}
