package pact_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

// rule is a line of docs/packages.txt.
type rule struct {
	packages []string // directories; a last element … stands for all below
	own      []string // packages of the lines above; nil means all
	third    bool     // whether other modules may be imported
}

func (r rule) has(dir string) bool {
	return slices.ContainsFunc(r.packages, func(p string) bool {
		above, all := strings.CutSuffix(p, "…")
		return p == dir || all && strings.HasPrefix(dir, above)
	})
}

// packageFolders returns the directories of all packages that the lines name.
func packageFolders(t *testing.T) (list []string) {
	for _, r := range readRules(t) {
		list = append(list, r.packages...)
	}
	return list
}

// readRules reads docs/packages.txt, which says what each package may import. A name
// without a folder is the only package of the lines above whose path ends in it.
func readRules(t *testing.T) (rules []rule) {
	t.Helper()
	text, err := os.ReadFile("docs/packages.txt")
	must(t, err)
	_, lines, _ := strings.Cut(string(text), "\n\n")
	known := map[string][]string{} // directories by the ends of their paths
	for line := range strings.Lines(lines) {
		names, imports, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			t.Fatalf("the line has no imports: %s", line)
		}
		r := rule{own: []string{}}
		imports, r.third = strings.CutSuffix(imports, "; third")
		var first string
		for name := range strings.SplitSeq(names, ", ") {
			switch {
			case name == "pact":
				name = ""
			case first == "":
				first = path.Dir(name)
			case !strings.Contains(name, "/"):
				name = first + "/" + name
			}
			r.packages = append(r.packages, name)
		}
		switch {
		case strings.HasPrefix(imports, "all above"):
			r.own = nil
		case imports != "-":
			for name := range strings.SplitSeq(imports, ", ") {
				switch dirs := known[name]; {
				case name == "pact":
					r.own = append(r.own, "")
				case len(dirs) == 1:
					r.own = append(r.own, dirs[0])
				default:
					t.Fatalf("%s may import %s, which names %d packages of the lines above", names, name, len(dirs))
				}
			}
		}
		for _, dir := range r.packages {
			for end, more := dir, true; more; _, end, more = strings.Cut(end, "/") {
				known[end] = append(known[end], dir)
			}
		}
		rules = append(rules, r)
	}
	return rules
}

func TestImportsRunOneWay(t *testing.T) {
	const module = "github.com/contexttree/pact"
	rules := readRules(t)
	used := map[[2]string]bool{} // imports, and packages that there are
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if otherModule := err == nil; otherModule || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if dir == "." {
			dir = ""
		}
		at := slices.IndexFunc(rules, func(r rule) bool { return r.has(dir) })
		if at < 0 {
			t.Errorf("package %q is not in docs/packages.txt", dir)
			return nil
		}
		used[[2]string{dir}] = true
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			first, _, _ := strings.Cut(name, "/")
			switch {
			case name == module || strings.HasPrefix(name, module+"/"):
				own := strings.TrimPrefix(strings.TrimPrefix(name, module), "/")
				above := slices.ContainsFunc(rules[:at], func(r rule) bool { return r.has(own) })
				if !above || rules[at].own != nil && !slices.Contains(rules[at].own, own) {
					t.Errorf("%s imports %q, which its package may not", path, own)
				}
				used[[2]string{rules[at].packages[0], own}] = true
			case strings.Contains(first, ".") && !rules[at].third:
				t.Errorf("%s imports %s: core packages import the standard library alone", path, name)
			}
		}
		return nil
	})
	must(t, err)
	for _, r := range rules {
		for _, dir := range r.packages {
			if !strings.HasSuffix(dir, "…") && !used[[2]string{dir}] {
				t.Errorf("docs/packages.txt lists %q, where there is no package", dir)
			}
		}
		for _, own := range r.own {
			if !used[[2]string{r.packages[0], own}] {
				t.Errorf("docs/packages.txt lets %q import %q, which it does not", r.packages[0], own)
			}
		}
	}
}

// A package of several files has its package comment in doc.go, and only there,
// so that a reader knows where to begin.
func TestArchitecturePackageCommentsAreInDocGo(t *testing.T) {
	for _, dir := range packageFolders(t) {
		paths, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.go"))
		must(t, err)
		paths = slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
		if len(paths) < 2 {
			continue
		}
		var documented []string
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
			must(t, err)
			if file.Doc != nil {
				documented = append(documented, filepath.Base(path))
			}
		}
		if !slices.Equal(documented, []string{"doc.go"}) {
			t.Errorf("package %q has its package comment in %q, not in doc.go alone", dir, documented)
		}
	}
}

func TestArchitectureFileLength(t *testing.T) {
	const most = 350
	for _, dir := range packageFolders(t) {
		paths, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.go"))
		must(t, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			must(t, err)
			if n := strings.Count(string(text), "\n"); n > most && !strings.HasSuffix(path, "_test.go") {
				t.Errorf("%s has %d lines, over %d: split it by what it does", path, n, most)
			}
		}
	}
}

// TestTheLibraryLinksSixOtherModules: a program that imports the library links what compares contents and
// patches, and no more. Stores, the server and recorders bring their own.
func TestTheLibraryLinksSixOtherModules(t *testing.T) {
	var got []string
	for title := range linkedModules(t, ".") {
		name, _, _ := strings.Cut(title, " ")
		got = append(got, name)
	}
	slices.Sort(got)
	want := []string{"github.com/sergi/go-diff", "github.com/tidwall/gjson", "github.com/tidwall/match",
		"github.com/tidwall/pretty", "github.com/tidwall/sjson", "github.com/wI2L/jsondiff"}
	if !slices.Equal(got, want) {
		t.Errorf("the library links %v, and not %v", got, want)
	}
}

// walks are the sequences of a tree that yield the error of a part that cannot be loaded.
var walks = []string{"All", "Visit", "Blocks", "Referrers"}

// TestNoWalkLeavesOutItsError reads the sources: a loop over such a sequence takes its error, which Go
// does not demand.
func TestNoWalkLeavesOutItsError(t *testing.T) {
	inSources(t, func(at token.Position, n ast.Node) {
		if loop, ok := n.(*ast.RangeStmt); ok && loop.Value == nil && isWalk(loop.X) {
			t.Errorf("%s: the loop leaves out the error of its sequence", at)
		}
	})
}

// TestEveryErrorSaysWhatToDo reads the sources: whatever takes a remedy gets one, and so does an error that is written out.
func TestEveryErrorSaysWhatToDo(t *testing.T) {
	type argument struct {
		of string // the function, with its folder
		at int
	}
	remedies, empty := map[argument]bool{}, map[token.Position]argument{}
	inSources(t, func(at token.Position, n ast.Node) {
		of := filepath.Dir(at.Filename) + "."
		switch n := n.(type) {
		case *ast.FuncDecl:
			i := 0
			for _, list := range n.Type.Params.List {
				for _, name := range list.Names {
					remedies[argument{of + n.Name.Name, i}] = name.Name == "remedy"
					i++
				}
			}
		case *ast.CallExpr:
			switch f := n.Fun.(type) {
			case *ast.Ident:
				of += f.Name
			case *ast.SelectorExpr:
				if in, ok := f.X.(*ast.Ident); ok && in.Name == "fault" {
					of = "fault."
				}
				of += f.Sel.Name
			}
			if last := len(n.Args) - 1; last >= 0 {
				if text, ok := n.Args[last].(*ast.BasicLit); ok && text.Value == `""` {
					empty[at] = argument{of, last}
				}
			}
		case *ast.CompositeLit:
			of, _ := n.Type.(*ast.SelectorExpr)
			if of == nil || of.Sel.Name != "Error" || of.X.(*ast.Ident).Name != "fault" {
				return
			}
			has := func(name string) bool {
				return slices.ContainsFunc(n.Elts, func(e ast.Expr) bool {
					pair, _ := e.(*ast.KeyValueExpr)
					return pair != nil && pair.Key.(*ast.Ident).Name == name
				})
			}
			if has("Code") && !has("Remedy") {
				t.Errorf("%s: the error does not say what to do", at)
			}
		}
	})
	for at, one := range empty {
		if remedies[one] {
			t.Errorf("%s: the remedy is empty", at)
		}
	}
	if !remedies[argument{"fault.New", 2}] {
		t.Error("no function was found that takes a remedy")
	}
}

// inSources calls look with every node of the sources of all packages, without tests.
func inSources(t *testing.T, look func(at token.Position, n ast.Node)) {
	for _, dir := range packageFolders(t) {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		must(t, err)
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			must(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if n != nil {
					look(files.Position(n.Pos()), n)
				}
				return true
			})
		}
	}
}

// isWalk reports whether an expression calls a method with the name of a walk.
func isWalk(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains(walks, method.Sel.Name) {
		return false
	}
	of, ok := method.X.(*ast.Ident)
	return !ok || !slices.Contains([]string{"sure", "slices", "maps"}, of.Name)
}

var must = testrun.Must
