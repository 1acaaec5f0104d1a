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
	"strconv"
	"strings"
	"testing"
)

var (
	fenced  = regexp.MustCompile("(?s)```.*?```")
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	torn    = regexp.MustCompile(`\n\n\|.*\n(\|[^ :-].*|\| [^:-].*|[^|].*)?\n`) // no line of dashes follows
	noSlug  = regexp.MustCompile(`[^\pL\pN_ -]`)
)

// Every link of a document leads to a file that is there, and to a heading of it; and no empty line parts a table.
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
	if err != nil || len(texts) < 25 {
		t.Fatalf("%d documents: %v", len(texts), err)
	}
	for path, text := range texts {
		for _, m := range torn.FindAllString(text, -1) {
			t.Errorf("%s: a row stands apart from its table:%s", path, m)
		}
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
	must(t, err)
	readme, err := os.ReadFile("README.md")
	must(t, err)
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

// TestExportedSignaturesNameNoInternalPackage keeps the packages usable for who
// is outside of this module, whom Go does not let name an internal package.
func TestExportedSignaturesNameNoInternalPackage(t *testing.T) {
	for _, dir := range packageFolders(t) {
		elements := strings.Split(dir, "/")
		if slices.Contains(elements, "internal") {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		must(t, err)
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			must(t, err)
			for _, found := range internalNames(file) {
				t.Errorf("%s: %s", path, found)
			}
		}
	}
}

// internalNames lists what a file exports that names an internal package.
func internalNames(file *ast.File) (found []string) {
	internal := map[string]bool{}
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if strings.Contains(path, "/internal/") {
			name := path[strings.LastIndexByte(path, '/')+1:]
			if spec.Name != nil {
				name = spec.Name.Name
			}
			internal[name] = true
		}
	}
	look := func(of string, n ast.Node) {
		members := map[*ast.Field]bool{} // of structs
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.StructType:
				for _, f := range n.Fields.List {
					members[f] = true
				}
			case *ast.Field: // an embedded one lends its methods, which no caller has to name
				return !members[n] || slices.ContainsFunc(n.Names, (*ast.Ident).IsExported)
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && internal[x.Name] {
					found = append(found, of+" names "+x.Name+"."+n.Sel.Name)
				}
			}
			return true
		})
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv.List[0].Type)) {
				look("func "+d.Name.Name, d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						look("type "+s.Name.Name, s.Type)
					}
				case *ast.ValueSpec:
					if s.Type != nil && slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
						look("value "+s.Names[0].Name, s.Type)
					}
				}
			}
		}
	}
	return found
}

func exportedReceiver(of ast.Expr) bool {
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	name, ok := of.(*ast.Ident)
	return ok && name.IsExported()
}
