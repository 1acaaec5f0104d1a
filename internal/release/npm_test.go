package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

// describes returns what a package of npm says of itself, and its files.
func describes(t *testing.T, path string) (about map[string]any, files map[string]content) {
	t.Helper()
	files = unpack(t, path)
	must(t, json.Unmarshal([]byte(files["package/package.json"].data), &about))
	return about, files
}

// TestPackagesOfNpmFindTheirBinary: the package of a platform has its binary and is for that platform alone, and
// the client names each of them with the version that it has itself.
func TestPackagesOfNpmFindTheirBinary(t *testing.T) {
	t.Chdir("../..")
	dir, built := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"pact.exe": "this is pact", "index.js": "export {}"} {
		must(t, os.WriteFile(filepath.Join(built, name), []byte(text), 0o644))
	}
	path, err := npmBinary(dir, "v1.2.3", "windows/amd64", filepath.Join(built, "pact.exe"))
	must(t, err)
	about, files := describes(t, path)
	for key, want := range map[string]any{"name": "@pactctx/win32-x64", "version": "1.2.3", "os": []any{"win32"},
		"cpu": []any{"x64"}} {
		if !reflect.DeepEqual(about[key], want) {
			t.Errorf("%s is %v, want %v", key, about[key], want)
		}
	}
	if got, want := files["package/bin/pact.exe"], (content{0o755, "this is pact"}); got != want {
		t.Errorf("the binary is %v, want %v", got, want)
	}

	if files["package/THIRD_PARTY_NOTICES.txt"].data == "" {
		t.Error("the package of a binary has no licences of what is linked into it")
	}

	path, err = npmClient(dir, "v1.2.3-rc.1", built, []string{"linux/arm64", "windows/amd64"})
	must(t, err)
	if want := "pactctx-1.2.3-rc.1.tgz"; filepath.Base(path) != want {
		t.Errorf("the package is called %s, want %s", filepath.Base(path), want)
	}
	about, files = describes(t, path)
	needs := map[string]any{"@pactctx/linux-arm64": "1.2.3-rc.1", "@pactctx/win32-x64": "1.2.3-rc.1"}
	if got := about["optionalDependencies"]; !reflect.DeepEqual(got, needs) {
		t.Errorf("it may need %v, want %v", got, needs)
	}
	if about["dependencies"] != nil || about["devDependencies"] != nil {
		t.Error("it needs other packages")
	}
	want := []string{"LICENSE", "README.md", "bin/pact.mjs", "dist/index.js", "dist/pact.exe", "package.json"}
	if got := slices.Sorted(maps.Keys(files)); strings.Join(got, " ") != "package/"+strings.Join(want, " package/") {
		t.Errorf("it holds %v, want %v", got, want)
	}
	if got := files["package/bin/pact.mjs"].mode; got != 0o755 {
		t.Errorf("its command has the mode %v", got)
	}
	if _, err := npmClient(dir, "v1.0.0", filepath.Join(built, "missing"), nil); err == nil {
		t.Error("a client that was not built is not missed")
	}
}

var must = testrun.Must
