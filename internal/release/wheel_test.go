package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestWheelsListWhatTheyHold: a wheel has the package, the binary and its commands, and
// RECORD has the digest and the size of every file.
func TestWheelsListWhatTheyHold(t *testing.T) {
	t.Chdir("../..")
	binary := filepath.Join(t.TempDir(), "pact")
	must(t, os.WriteFile(binary, []byte("this is pact"), 0o755))
	path, err := wheel(t.TempDir(), "v1.2.3", "linux/amd64", binary)
	must(t, err)
	if want := "pactctx-1.2.3-py3-none-manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl"; filepath.Base(path) != want {
		t.Errorf("the wheel is called %s, want %s", filepath.Base(path), want)
	}
	if err := os.Rename(path, path+".zip"); err != nil { // unpack knows zip files by their names
		t.Fatal(err)
	}
	files := unpack(t, path+".zip")
	if got, want := files["pactctx/bin/pact"], (content{0o755, "this is pact"}); got != want {
		t.Errorf("the binary is %v, want %v", got, want)
	}
	info := "pactctx-1.2.3.dist-info/"
	for name, want := range map[string]string{
		"pactctx/py.typed":        "",
		"pactctx/__init__.py":     "import pactctx",
		info + "WHEEL":            "Tag: py3-none-musllinux_1_1_x86_64\n",
		info + "entry_points.txt": "[console_scripts]\npact = pactctx.__main__:main\npactctx = pactctx.__main__:main\n",
		info + "METADATA":         "\nName: pactctx\nVersion: 1.2.3\nSummary: PACT",
	} {
		if file, ok := files[name]; !ok || !strings.Contains(file.data, want) {
			t.Errorf("%s is %q, want %q in it", name, file.data, want)
		}
	}
	if meta := files[info+"METADATA"].data; !strings.Contains(meta, `; extra == "openai-agents"`) {
		t.Errorf("METADATA has no extra openai-agents:\n%s", meta)
	}
	lines, err := csv.NewReader(strings.NewReader(files[info+"RECORD"].data)).ReadAll()
	must(t, err)
	var listed []string
	for _, line := range lines {
		listed = append(listed, line[0])
		if line[0] == info+"RECORD" {
			continue
		}
		data := files[line[0]].data
		sum := sha256.Sum256([]byte(data))
		want := []string{"sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]), strconv.Itoa(len(data))}
		if !slices.Equal(line[1:], want) {
			t.Errorf("RECORD says %v of %s, want %v", line[1:], line[0], want)
		}
	}
	slices.Sort(listed)
	if held := slices.Sorted(maps.Keys(files)); !slices.Equal(listed, held) {
		t.Errorf("RECORD lists %v, the wheel holds %v", listed, held)
	}
	for _, platform := range strings.Split(offered, ",") {
		if len(wheelTags[platform]) == 0 {
			t.Errorf("no platform of Python is known for %s", platform)
		}
	}
}

func TestVersionsAreThoseOfPython(t *testing.T) {
	for version, want := range map[string]string{"v1.2.3": "1.2.3", "v1.2.3-rc.1": "1.2.3rc1", "v1.2.3-beta2": "1.2.3b2",
		"v0.0.0-ci": "0.0.0+ci", "v1.0.0-Some-Try+5": "1.0.0+some.try.5"} {
		if got := pythonVersion(version); got != want {
			t.Errorf("%s is %s, want %s", version, got, want)
		}
	}
}
