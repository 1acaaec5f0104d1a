package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "goroutines:", err)
		os.Exit(1)
	}
}

func run(patterns []string, out, errs io.Writer) error {
	built, err := list(patterns, errs)
	if err != nil {
		return err
	}
	starts := make(map[string]bool)
	for _, p := range built {
		if starts[p.ImportPath], err = p.starts(); err != nil {
			return err
		}
	}
	var left []string
	for _, p := range built {
		name, ok := strings.CutSuffix(p.ImportPath, ".test")
		switch {
		case !ok || p.Name != "main":
		case slices.ContainsFunc(p.Deps, func(d string) bool { return starts[d] }):
			fmt.Fprintln(out, name)
		default:
			left = append(left, name)
		}
	}
	fmt.Fprintf(errs, "no goroutine is started in the tests of %d packages: %s\n", len(left), strings.Join(left, " "))
	return nil
}

// built is a package as go list tells it: one of the program of tests, such as "a.test",
// or one that such a program is built with, such as "a [a.test]" with the files of its tests.
type built struct {
	ImportPath, Name, Dir string
	Standard              bool
	GoFiles, Deps         []string
}

func list(patterns []string, errs io.Writer) ([]built, error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-test", "-json=ImportPath,Name,Dir,Standard,GoFiles,Deps",
		"--"}, patterns...)...)
	cmd.Stderr = errs
	text, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var all []built
	for d := json.NewDecoder(text); ; {
		var p built
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, cmd.Wait()
		} else if err != nil {
			return nil, errors.Join(err, cmd.Wait())
		}
		all = append(all, p)
	}
}

// starters are the names of functions and methods, of the standard library and of others,
// that run what they are given, or what their receiver is, in another goroutine.
var starters = map[string]bool{
	"Go": true, "AfterFunc": true, "Parallel": true, "RunParallel": true, "OpenDB": true,
	"NewServer": true, "NewTLSServer": true, "NewUnstartedServer": true, "Serve": true, "ListenAndServe": true,
	"Start": true, // of a command, whose output arrives while the test goes on
}

// starts reports whether a file of the package starts a goroutine.
func (p built) starts() (bool, error) {
	if p.Standard {
		return false, nil
	}
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) { // the main file of the tests is in the build cache
			name = filepath.Join(p.Dir, name)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return false, err
		}
		found := false
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = true
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && starters[s.Sel.Name] {
					found = true
				}
			}
			return !found
		})
		if found {
			return true, nil
		}
	}
	return false, nil
}
