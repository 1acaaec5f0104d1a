package pact_test

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// noticesFile has the licences of all that is linked into the program, as the
// modules bring them. It goes along with a binary.
const noticesFile = "THIRD_PARTY_NOTICES.txt"

const (
	noticesHead = "What is linked into pact beside its own code, which is under the licence in LICENSE, and the " +
		"licences that it comes under.\n"
	noticesRule = "\n================================================================================\n"
	noticesGo   = "the Go standard library and runtime" // in the version that builds the program
)

// bundledPackages are the packages of npm in the script of the inspector, which is embedded,
// and where their files are.
var bundledPackages = map[string]string{
	"preact 11.2.0 (npm)":               "inspector/vendor/preact",
	"@preact/signals 2.11.4 (npm)":      "inspector/vendor/signals",
	"@preact/signals-core 1.14.5 (npm)": "inspector/vendor/signals-core",
}

// TestNoticesHoldEveryLinkedLicence holds the file to the modules that are linked into cmd/pact, for
// Linux, macOS and Windows, to the packages in the script of the inspector, and to the
// licences in all of them. UPDATE_NOTICES=1, which make generate sets, writes it.
func TestNoticesHoldEveryLinkedLicence(t *testing.T) {
	want := make(map[string]string) // what it is, and its licences
	for title, dir := range linkedModules(t, "./cmd/pact") {
		want[title] = licencesIn(t, dir)
	}
	for title, dir := range bundledPackages {
		want[title] = licencesIn(t, dir)
	}
	if os.Getenv("UPDATE_NOTICES") != "" {
		want[noticesGo] = licencesIn(t, goRoot(t))
		text := noticesHead
		for _, title := range slices.Sorted(maps.Keys(want)) {
			text += noticesRule + title + "\n" + want[title]
		}
		must(t, os.WriteFile(noticesFile, []byte(text), 0o644))
	}
	text, err := os.ReadFile(noticesFile)
	must(t, err)
	have := make(map[string]string)
	for _, part := range strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), noticesRule)[1:] {
		title, licences, _ := strings.Cut(part, "\n")
		have[title] = licences
	}
	if !strings.Contains(have[noticesGo], "Redistribution and use in source and binary forms") {
		t.Errorf("the licence of %s is not there", noticesGo)
	}
	delete(have, noticesGo)
	delete(want, noticesGo)
	for title, licences := range want {
		if have[title] != licences {
			t.Errorf("the licences of %s are not there as they are", title)
		}
		delete(have, title)
	}
	for title := range have {
		t.Errorf("%s is not linked", title)
	}
	if t.Failed() {
		t.Logf("make generate writes %s anew", noticesFile)
	}
}

// linkedModules finds where the modules are whose packages are linked.
func linkedModules(t *testing.T, by string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-json=Module", by)
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Skipf("left out: the go command cannot tell what is linked on %s: %v", system, err)
		}
		for d := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p struct {
				Module *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if m := p.Module; m != nil && !m.Main {
				found[m.Path+" "+m.Version] = m.Dir
			}
		}
	}
	return found
}

var licenceFile = regexp.MustCompile(`(?i)licen[cs]e|^copying|^notice|^patents`)

// licencesIn joins the files of a module that say on what terms it comes.
func licencesIn(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	must(t, err)
	all := ""
	for _, f := range list {
		if !f.Type().IsRegular() || !licenceFile.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		must(t, err)
		all += "\n--- " + f.Name() + "\n\n" + strings.ReplaceAll(strings.TrimRight(string(text), "\r\n"), "\r\n", "\n") + "\n"
	}
	if all == "" {
		t.Errorf("%s has no licence", dir)
	}
	return all
}

// goRoot is where the Go distribution lies, with its licence.
func goRoot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	must(t, err)
	return strings.TrimSpace(string(out))
}
