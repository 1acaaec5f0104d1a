package pact_test

import (
	"bytes"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxColumns = 120 // of a line, in characters; a tab is one
	maxLines   = 350 // of a file that is no test
	longRaw    = 60  // characters of a raw string, which is not broken up, excuse its line
)

// TestFilesAndLinesAreShort holds the sizes of CONTRIBUTING.md. A line may be
// longer for a raw string, and where an example prints so much.
func TestFilesAndLinesAreShort(t *testing.T) {
	must(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := bytes.Split(source, []byte("\n"))
		if !strings.HasSuffix(path, "_test.go") && len(lines)-1 > maxLines {
			t.Errorf("%s has %d lines, more than %d: divide it by what it does", path, len(lines)-1, maxLines)
		}
		var exempt map[int]bool
		for i, line := range lines {
			columns := utf8.RuneCount(line)
			if columns <= maxColumns {
				continue
			}
			if exempt == nil {
				exempt = linesThatMayBeLong(t, path, source)
			}
			if !exempt[i+1] {
				t.Errorf("%s:%d has %d characters, more than %d", path, i+1, columns, maxColumns)
			}
		}
		return nil
	}))
}

// linesThatMayBeLong are the lines, from 1, with a long piece of a raw string, and
// those that examples print.
func linesThatMayBeLong(t *testing.T, path string, source []byte) map[int]bool {
	t.Helper()
	set, may := token.NewFileSet(), map[int]bool{}
	file := set.AddFile(path, -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			break
		}
		if kind != token.STRING || text[0] != '`' {
			continue
		}
		first := file.Line(pos)
		for i, piece := range strings.Split(text, "\n") {
			may[first+i] = may[first+i] || utf8.RuneCountInString(piece) >= longRaw
		}
	}
	parsed, err := parser.ParseFile(set, path, source, parser.ParseComments|parser.SkipObjectResolution)
	must(t, err)
	for _, group := range parsed.Comments {
		printed := false
		for _, c := range group.List {
			printed = printed || strings.HasPrefix(c.Text, "// Output:")
			may[set.Position(c.Pos()).Line] = may[set.Position(c.Pos()).Line] || printed
		}
	}
	return may
}
