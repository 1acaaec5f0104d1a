package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// measurement is the result for one package. All lists are sorted.
type measurement struct {
	files, lines        int
	exported            []string // package-level names
	undocumented        []string
	methods             int // exported methods of exported types
	undocumentedMethods []string
	fields              int      // exported fields of exported structs, without embedded ones
	uncommented         []string // fields without a comment above or behind them
	uses                []string // "a.go -> b.go": a uses a name, method or field that b declares
	mutual              []string // "a.go <-> b.go"
}

// listed is what go list reports for a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// measure reads the package in a directory and type-checks it. It needs the go
// command, which compiles the imports.
func measure(dir string) (*measurement, error) {
	p, exports, err := list(dir)
	if err != nil {
		return nil, err
	}
	m := &measurement{files: len(p.GoFiles)}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		m.lines += bytes.Count(source, []byte("\n"))
		file, err := parser.ParseFile(set, name, source, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(set, "gc", open)}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	checked, err := config.Check(p.ImportPath, set, files, info)
	if err != nil {
		return nil, err
	}
	m.countNames(files)
	m.countUses(set, checked, info)
	return m, nil
}

// list asks the go command for the files of a package and for the compiled form
// of each import.
func list(dir string) (p listed, exports map[string]string, err error) {
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,DepOnly", ".")
	var failure bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &failure
	out, err := cmd.Output()
	if err != nil {
		return p, nil, fmt.Errorf("go list: %w: %s", err, bytes.TrimSpace(failure.Bytes()))
	}
	exports = map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var each listed
		if err := d.Decode(&each); err == io.EOF {
			return p, exports, nil
		} else if err != nil {
			return p, nil, err
		}
		exports[each.ImportPath] = each.Export
		if !each.DepOnly {
			p = each
		}
	}
}

// countUses counts which files use names that other files declare:
// package-level names, fields and methods.
func (m *measurement) countUses(set *token.FileSet, p *types.Package, info *types.Info) {
	used := map[[2]string]bool{}
	for ident, object := range info.Uses {
		if object.Pkg() != p || !ofPackageLevel(p, object) {
			continue
		}
		from, to := set.Position(ident.Pos()).Filename, set.Position(object.Pos()).Filename
		if from != to {
			used[[2]string{from, to}] = true
		}
	}
	for pair := range used {
		m.uses = append(m.uses, pair[0]+" -> "+pair[1])
		if back := [2]string{pair[1], pair[0]}; used[back] && pair[0] < pair[1] {
			m.mutual = append(m.mutual, pair[0]+" <-> "+pair[1])
		}
	}
	slices.Sort(m.uses)
	slices.Sort(m.mutual)
}

// ofPackageLevel reports whether an object is declared at package level, or is
// a field or method of such a type.
func ofPackageLevel(p *types.Package, o types.Object) bool {
	switch o := o.(type) {
	case *types.Func:
		if o.Signature().Recv() != nil {
			return true
		}
	case *types.Var:
		if o.IsField() {
			return true
		}
	}
	return o.Parent() == p.Scope()
}
