package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/contexttree/pact/selector"
)

// TestLanguageExamplesCoverTheGrammar holds the pages to an example of every
// construct: of each kind of part, hop, operator, value, address, control and
// place that the syntax tree knows.
func TestLanguageExamplesCoverTheGrammar(t *testing.T) {
	examples, _ := allSeries[0].read(t)
	seen := map[string]bool{}
	for _, x := range examples {
		if x.code == "" && !errorLine.MatchString(x.want) {
			x.mark(t, seen)
		}
	}
	for _, name := range syntaxTree(t) {
		if !seen[name] {
			t.Errorf("the pages have no example of %s", name)
		}
	}
}

// mark notes what the selectors of an example contain.
func (x *example) mark(t *testing.T, seen map[string]bool) {
	t.Helper()
	edition, texts := selector.Canonical, []string{}
	for i, word := range x.command {
		switch {
		case word == "--edition":
			edition = selector.Edition(x.command[i+1])
		case word == "--where":
			texts = append(texts, x.command[i+1])
		}
	}
	last := x.command[len(x.command)-1]
	switch x.command[1] {
	case "select":
		texts = append(texts, last)
	case "add":
		for _, word := range x.command[2:] {
			if p, err := selector.ParsePosition(word, edition); err == nil {
				marks(reflect.ValueOf(*p), seen)
			}
		}
	}
	for _, text := range texts {
		q, err := selector.Parse(text, edition)
		if err != nil {
			t.Fatalf("%v: %v", x, err)
		}
		marks(reflect.ValueOf(*q), seen)
	}
}

// marks notes every type and every constant of package selector in v.
func marks(v reflect.Value, seen map[string]bool) {
	if v.Kind() == reflect.Int && v.Type().PkgPath() != "" {
		seen[constant(v.Type().Name(), int(v.Int()))] = true
	}
	switch v.Kind() {
	case reflect.Struct:
		seen[v.Type().Name()] = true
		for i := range v.NumField() {
			marks(v.Field(i), seen)
		}
	case reflect.Slice:
		for i := range v.Len() {
			marks(v.Index(i), seen)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			marks(v.Elem(), seen)
		}
	}
}

func constant(kind string, n int) string { return kind + " " + string(rune('0'+n)) }

// syntaxTree lists what selector/ast.go declares: the kinds of parts, by their
// names, and the constants of each enumeration, by their numbers.
func syntaxTree(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "selector", "ast.go"), nil, 0)
	must(t, err)
	var names []string
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Name.Name == "part" {
				names = append(names, decl.Recv.List[0].Type.(*ast.Ident).Name)
			}
		case *ast.GenDecl:
			if decl.Tok != token.CONST {
				continue
			}
			kind := decl.Specs[0].(*ast.ValueSpec).Type.(*ast.Ident).Name
			for n := range decl.Specs {
				names = append(names, constant(kind, n))
			}
		}
	}
	if len(names) < 50 {
		t.Fatalf("%d constructs in selector/ast.go: %q", len(names), names)
	}
	return names
}
