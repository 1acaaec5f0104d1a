package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/contexttree/pact/selector"
)

// TestLanguageExamplesCoverTheGrammar holds the pages to an example of every
// construct: of each kind of part, hop, operator, value, address, control and
// place that the syntax tree knows, and of each way to write one.
func TestLanguageExamplesCoverTheGrammar(t *testing.T) {
	examples, _ := readExamples(t)
	seen := map[string]bool{}
	var texts []string
	for _, x := range examples {
		if x.code == "" && !errorLine.MatchString(x.want) {
			texts = append(texts, x.mark(t, seen)...)
		}
	}
	for _, name := range syntaxTree(t) {
		if !seen[name] {
			t.Errorf("the pages have no example of %s", name)
		}
	}
	for what, pattern := range spellings {
		if !slices.ContainsFunc(texts, regexp.MustCompile(pattern).MatchString) {
			t.Errorf("the pages have no example of %s", what)
		}
	}
}

// spellings are the texts that the syntax tree does not tell apart.
var spellings = map[string]string{
	"a range with a colon":                  `^@t-\d+:@`,
	"a range whose end is short":            `^@t-\d+\.\.-\d`,
	"a range of cycles":                     `^@c\d+\.\.@c\d`,
	"a range to the oldest snapshot":        `\.\.@t-\*`,
	"@history":                              `^@history `,
	"a quoted key":                          `#'`,
	"text in double quotes":                 `="`,
	"a list of values":                      `=\[\w+,\w+\]`,
	"attributes side by side":               `\]\[`,
	"attributes in braces":                  `\w ?\{\w+=\w+, `,
	"attributes in parentheses":             `\.\w+\([^),]+ \w+=`,
	"attributes in parentheses, with comma": `\.\w+\([^)]+, \w+=`,
	"attributes in brackets, with comma":    `\[\w+=\w+, \w`,
	"[ephemeral]":                           `\[ephemeral\]`,
	"[sticky]":                              `\[sticky\]`,
	"type for nodeType":                     `[{[]type=`,
	"a class in the older words":            `\.cb`,
	"a type with a kind":                    `\.block:\w`,
	"a filter after a space":                `\) \[`,
	"several groups":                        `^\S+ \S+, \S+ \S+$`,
	"several tags":                          `\+\w+ \+\w`,
	"depths in a list":                      `:depth\(\d,`,
	"a run of depths":                       `:depth\(\d-\d`,
	"a run of depths with dots":             `:depth\(\d\.\.\d`,
	"a set of depths":                       `:depth\(\{`,
	"depths above":                          `:depth\(>\d`,
	"depths from":                           `:depth\(>=\d`,
	"depths below":                          `:depth\(<\d`,
	"depths up to":                          `:depth\(<=\d`,
	"a hop with a kind":                     `:block\.\w`,
	"a hop depth(…)":                        `^\(depth\(`,
	"blocks at an offset":                   `, \d:block`,
	"blocks without a star":                 `, block\)`,
	"a bare depth":                          `^d-?\d`,
	"a bare turn":                           `^seg\{`,
	"steps behind a position":               `^\(.*\) > `,
	"filters behind a position":             `^\(.*\) \{`,
	"a search behind a step":                `^\S+ \?\? `,
	"a search in places":                    `^within\(d\d, ?d-?\d\) \?\?`,
	"@mode=union":                           `@mode=union`,
	"@mode=latest":                          `@mode=latest`,
	"@mode=reduce":                          `@mode=reduce`,
	"@order=pre":                            `@order=pre`,
	"@order=post":                           `@order=post`,
	"@order=bfs":                            `@order=bfs`,
	"@order=path":                           `@order=path`,
	"@order=turn:asc,pre":                   `@order=turn:asc,pre`,
	"@order=turn:desc,pre":                  `@order=turn:desc,pre`,
	"born_turn":                             `^@.*\[born_turn`,
	"age":                                   `^@.*\[age`,
	"depth":                                 `^@.*\[depth`,
	"sdepth":                                `^@.*\[sdepth`,
}

// mark notes what an example contains and returns its selectors.
func (x *example) mark(t *testing.T, seen map[string]bool) []string {
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
	return texts
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

// cell is a case of the table of comparisons.
type cell struct {
	attribute, operator string
	value               selector.LiteralKind // or list
}

const list = selector.Null + 1

var comparison = regexp.MustCompile(`^\.block\[(\w+)(<=|>=|!=|<|>|=|~)(.*)\]$`)

// TestComparisonIsComplete holds testdata/comparison.txt to a result for every
// operator and every form of a value, for an attribute of each type, and to one
// for every attribute without an operator.
func TestComparisonIsComplete(t *testing.T) {
	examples, _ := readExamples(t)
	cells, alone := map[cell]bool{}, map[string]bool{}
	for _, x := range examples {
		last := x.command[len(x.command)-1]
		if !slices.Contains(x.command, "values.json") {
			continue
		}
		alone[last] = true
		if m := comparison.FindStringSubmatch(last); m != nil {
			q := selector.MustParse("[k="+m[3]+"]", selector.Canonical)
			kind := q.Groups[0].Steps[0].Parts[0].(selector.Attr).Values[0].Kind
			if m[3][0] == '[' {
				kind = list
			}
			cells[cell{m[1], m[2], kind}] = true
		}
	}
	for _, name := range []string{"ttl", "kind", "nodeType", "tags", "data_v", "nobody"} {
		for _, operator := range []string{"=", "!=", "<", "<=", ">", ">=", "~"} {
			for kind := selector.Number; kind <= list; kind++ {
				if !cells[cell{name, operator, kind}] {
					t.Errorf("the table has no %s with %s and a value of kind %d", name, operator, kind)
				}
			}
		}
		if !alone[".block["+name+"]"] {
			t.Errorf("the table has no [%s]", name)
		}
	}
}
