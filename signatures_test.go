package pact_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

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
