package pact_test

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeShowsTheExample holds the program in the README to the Example that is
// compiled and run: the same lines, 30 at most.
func TestReadmeShowsTheExample(t *testing.T) {
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(source), "\nfunc Example() {\n")
	body, _, found := strings.Cut(body, "\t// Output:")
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if !found || len(lines) > 30 {
		t.Fatalf("the Example has %d lines before its output, want 30 at most", len(lines))
	}
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "\t")
	}
	if want := "```go\n" + strings.Join(lines, "\n") + "\n```\n"; !strings.Contains(string(readme), want) {
		t.Errorf("the README does not show the Example:\n%s", want)
	}
}
