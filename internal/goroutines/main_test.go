package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPackagesThatStartGoroutines has packages that start one in their tests, in their own
// code or in what they import, and one that starts none.
func TestPackagesThatStartGoroutines(t *testing.T) {
	const test = "import \"testing\"\n\nfunc TestA(t *testing.T) "
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":            "module example.org/m\n\ngo 1.26\n",
		"quiet/a.go":        "package quiet\n\nimport \"net/http\"\n\nvar Client http.Client\n",
		"quiet/a_test.go":   "package quiet\n\n" + test + "{ t.Log(Client) }\n",
		"untested/a.go":     "package untested\n\nfunc A() { go func() {}() }\n",
		"inside/a.go":       "package inside\n",
		"inside/a_test.go":  "package inside\n\n" + test + "{ go t.Log() }\n",
		"outside/a.go":      "package outside\n",
		"outside/a_test.go": "package outside_test\n\n" + test + "{ t.Parallel() }\n",
		"imports/a.go":      "package imports\n\nimport \"example.org/m/untested\"\n\nfunc A() { untested.A() }\n",
		"imports/a_test.go": "package imports\n\n" + test + "{ A() }\n",
		"serves/a.go":       "package serves\n\nimport \"net/http\"\n\nfunc A() { http.ListenAndServe(\"\", nil) }\n",
		"serves/a_test.go":  "package serves\n\n" + test + "{}\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	want := "example.org/m/imports\nexample.org/m/inside\nexample.org/m/outside\nexample.org/m/serves\n"
	out, left := printed(t)
	if out != want || left != "no goroutine is started in the tests of 1 packages: example.org/m/quiet\n" {
		t.Errorf("got\n%s%s", out, left)
	}
	if err := run([]string{"./missing"}, &bytes.Buffer{}, &bytes.Buffer{}); err == nil {
		t.Error("a package that is not there is no error")
	}
}

// TestPackagesOfThisModule: what serves, stores and queues is in the list. Packages that only
// compute are not.
func TestPackagesOfThisModule(t *testing.T) {
	t.Chdir("../..")
	out, _ := printed(t)
	list := strings.Fields(out)
	for name, want := range map[string]bool{"": true, "/server": true, "/store/sqlite": true, "/store/postgres": true,
		"/internal/proxy": true, "/record": true, "/tokens": true, "/fault": false, "/internal/query": false} {
		if got := slices.Contains(list, "github.com/contexttree/pact"+name); got != want {
			t.Errorf("pact%s is in the list: %v, want %v", name, got, want)
		}
	}
}

func printed(t *testing.T) (out, left string) {
	t.Helper()
	var o, e bytes.Buffer
	if err := run([]string{"./..."}, &o, &e); err != nil {
		t.Fatalf("%v: %s", err, &e)
	}
	return o.String(), e.String()
}
