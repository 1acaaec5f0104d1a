package pact_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

var (
	fenced  = regexp.MustCompile("(?s)```.*?```")
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	noSlug  = regexp.MustCompile(`[^\pL\pN_ -]`)
)

// Every link of a document leads to a file that is there, and to a heading of it.
func TestLinksOfTheDocumentsLead(t *testing.T) {
	headings := map[string][]string{} // of a document, as GitHub names them
	texts := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "build", "node_modules", "testdata"}, d.Name()):
			return fs.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		texts[path] = fenced.ReplaceAllString(string(text), "")
		for _, h := range heading.FindAllStringSubmatch(texts[path], -1) {
			words := strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")
			headings[path] = append(headings[path], words)
		}
		return err
	})
	if err != nil || len(texts) < 50 {
		t.Fatalf("%d documents: %v", len(texts), err)
	}
	for path, text := range texts {
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			file, section, _ := strings.Cut(m[1], "#")
			to := path
			if file != "" {
				to = filepath.Join(filepath.Dir(path), file)
			}
			_, err := os.Stat(to)
			switch {
			case strings.Contains(m[1], "://"):
			case err != nil:
				t.Errorf("%s: %v", path, err)
			case section != "" && !slices.Contains(headings[to], section):
				t.Errorf("%s: %s has no heading %s", path, to, section)
			}
		}
	}
}

var named = regexp.MustCompile("`(?:[A-Za-z]+\\.)?([A-Z][A-Za-z]+)(?:\\([^`]*)?`")

// Every method, option and type that the pages on the lifecycle and the language name is declared.
func TestTheDocumentsNameWhatIsDeclared(t *testing.T) {
	declared := map[string]bool{}
	for _, dir := range packageFolders(t) {
		if strings.Contains(dir, "internal") {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		must(t, err)
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			must(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					declared[n.Name.Name] = true
				case *ast.TypeSpec:
					declared[n.Name.Name] = true
				case *ast.Field:
					for _, name := range n.Names {
						declared[name.Name] = true
					}
				}
				return true
			})
		}
	}
	for _, page := range []string{"docs/lifecycle.md", "docs/language/reference.md"} {
		text, err := os.ReadFile(page)
		must(t, err)
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			if !declared[m[1]] {
				t.Errorf("%s names %s, which nothing declares", page, m[0])
			}
		}
	}
}

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

// TestPrintedCallsGoAsTheyStand gives every selector that the documents print to Select, as chapter 04 writes
// ctx.select, in a context of the edition that prints it: nothing else is needed.
func TestPrintedCallsGoAsTheyStand(t *testing.T) {
	printed, err := os.ReadFile("selector/testdata/printed.tsv")
	must(t, err)
	contexts := map[selector.Edition]*pact.Context{}
	asked := 0
	for line := range strings.Lines(string(printed)) {
		row := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(row) != 3 {
			continue // the two lines that say what the columns are
		}
		edition, text := selector.Edition(row[0]), row[2]
		c := contexts[edition]
		if c == nil {
			c = create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{Edition: edition})
			for range 42 { // §2.1 prints @c42
				must(t, c.Edit(background, func(b *pact.Batch) error {
					b.Add("^ah", pact.Spec{Role: "user", Content: "x", TTL: 3})
					return nil
				}, nil))
				_, err := c.Commit(background, nil)
				must(t, err)
			}
			contexts[edition] = c
		}
		found, err := c.Select(background, text, nil)
		q := selector.MustParse(text, edition)
		_, mode := q.Control(selector.ControlMode)
		ranged := q.Time != nil && q.Time.Kind == selector.Range && !mode
		if err != nil || (found.Changes != nil) != ranged || !ranged && found.IDs == nil {
			t.Errorf("%s, %s: %+v, %v", row[1], text, found, err)
		}
		asked++
	}
	if asked < 300 {
		t.Errorf("only %d selectors are there", asked)
	}
}
