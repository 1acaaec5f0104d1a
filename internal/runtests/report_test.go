package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// module writes a module of packages with one test file each.
func module(t *testing.T, tests map[string]string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.org/m\n\ngo 1.26\n")
	for name, text := range tests {
		write(name+"/x_test.go", "package "+name+"\n\nimport \"testing\"\n\n"+text)
	}
	t.Chdir(dir)
}

var seconds = regexp.MustCompile(` +[0-9.]+ s`)

// tested is what a run prints, its seconds left out.
func tested(t *testing.T) (string, error) {
	t.Helper()
	var out, errs bytes.Buffer
	err := run([]string{"-count=1", "-p=1", "./..."}, &out, &errs)
	if errs.Len() > 0 {
		t.Logf("on standard error: %s", &errs)
	}
	return seconds.ReplaceAllString(out.String(), ""), err
}

// TestWhatPassesIsOneLineAPackage also lists what was left out, together by reason.
func TestWhatPassesIsOneLineAPackage(t *testing.T) {
	module(t, map[string]string{
		"a": `func TestA(t *testing.T) { t.Log("not to be seen") }`,
		"b": "func TestB(t *testing.T) {\n\tt.Run(\"sub\", func(t *testing.T) { t.Skip(\"left out: no sub here\") })\n}\n" +
			`func TestC(t *testing.T) { t.Skip("left out: no sub here") }`,
		"c": `func TestD(t *testing.T) { t.SkipNow() }`,
	})
	got, err := tested(t)
	want := `ok  example.org/m/a
ok  example.org/m/b
ok  example.org/m/c

left out without a reason:
  example.org/m/c.TestD

left out: no sub here
  example.org/m/b.TestB/sub
  example.org/m/b.TestC
`
	if err != nil || got != want {
		t.Errorf("%v, got\n%s", err, got)
	}
}

// TestWhatFailsIsPrintedAndFails has a test that fails, one that panics, a
// package that ends by itself and one that cannot be built.
func TestWhatFailsIsPrintedAndFails(t *testing.T) {
	module(t, map[string]string{
		"a": "func TestA(t *testing.T) { t.Error(\"a is wrong\") }\n" +
			"func TestPasses(t *testing.T) { t.Log(\"not to be seen\") }",
		"b": `func TestB(t *testing.T) { panic("b gives up") }`,
		"c": `func TestC(t *testing.T) { undefined() }`,
		"d": `func TestD(t *testing.T) {}`,
	})
	got, err := tested(t)
	if err == nil {
		t.Error("the run did not fail")
	}
	for _, want := range []string{"a is wrong\n", "FAIL  example.org/m/a\n", "panic: b gives up",
		"FAIL  example.org/m/b\n", "undefined: undefined", "FAIL  example.org/m/c\n", "ok  example.org/m/d\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "not to be seen") {
		t.Errorf("a passing test is printed:\n%s", got)
	}
}
