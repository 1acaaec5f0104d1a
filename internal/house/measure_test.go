package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// The numbers are counted by hand in testdata/sample.
func TestMeasure(t *testing.T) {
	m, err := measure("testdata/sample")
	if err != nil {
		t.Fatal(err)
	}
	for what, lists := range map[string][2][]string{
		"exported names":         {m.exported, {"Bare", "Behind", "Loose", "Of", "One", "Thing", "Two", "Use"}},
		"names without comment":  {m.undocumented, {"Bare", "Loose"}},
		"methods without one":    {m.undocumentedMethods, {"Thing.Method"}},
		"fields without comment": {m.uncommented, {"Bare.A", "Bare.B", "Thing.Silent"}},
		"uses":                   {m.uses, {"a.go -> b.go", "b.go -> a.go", "c.go -> a.go"}},
		"mutual pairs":           {m.mutual, {"a.go <-> b.go"}},
	} {
		if got, want := strings.Join(lists[0], ", "), strings.Join(lists[1], ", "); got != want {
			t.Errorf("%s: got %s, want %s", what, got, want)
		}
	}
	if m.files != 3 || m.lines != 44 || m.methods != 2 || m.fields != 4 {
		t.Errorf("%d files, %d lines, %d methods, %d fields", m.files, m.lines, m.methods, m.fields)
	}
	var short, long bytes.Buffer
	m.print(&short, false)
	m.print(&long, true)
	if strings.Contains(short.String(), "Bare") || !strings.Contains(long.String(), "  a.go <-> b.go\n") ||
		!strings.Contains(short.String(), "     8  exported names\n") {
		t.Errorf("printed\n%s\n%s", &short, &long)
	}
}

func TestMeasureOfNoPackage(t *testing.T) {
	if _, err := measure("testdata"); err == nil {
		t.Error("a directory without a package was measured")
	}
}

// No two files of the root package use each other: who reads one follows its uses in one
// direction.
func TestNoFilesOfTheRootUseEachOther(t *testing.T) {
	m, err := measure(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.mutual) > 0 || len(m.uses) == 0 {
		t.Errorf("%d uses from file to file, and these pairs use each other: %v", len(m.uses), m.mutual)
	}
}
