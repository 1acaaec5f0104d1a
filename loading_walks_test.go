package pact_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// walks are the sequences of a tree that yield the error of a part that cannot be loaded.
var walks = []string{"All", "Visit", "Blocks", "Referrers"}

// TestNoWalkLeavesOutItsError reads the sources: a loop over such a sequence takes its error, which Go
// does not demand.
func TestNoWalkLeavesOutItsError(t *testing.T) {
	for _, dir := range packageFolders(t) {
		paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
		must(t, err)
		for _, path := range paths {
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			must(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if loop, ok := n.(*ast.RangeStmt); ok && loop.Value == nil && isWalk(loop.X) && !strings.HasSuffix(path, "_test.go") {
					t.Errorf("%s: the loop leaves out the error of its sequence", files.Position(loop.Pos()))
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
