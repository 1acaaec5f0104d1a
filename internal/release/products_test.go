package main

import (
	"archive/zip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program writes a small program.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pact")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\necho this is pact\n"), 0o755))
	return path
}

// output runs a tool that is left out where it is not installed.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// write calls one of the functions that make something of a binary, and returns what it made.
func write(t *testing.T, make func(dir, version, platform, binary string) (string, error), version, platform string) string {
	t.Helper()
	binary, dir := program(t), t.TempDir()
	t.Chdir("../..")
	path, err := make(dir, version, platform, binary)
	must(t, err)
	return path
}

// Debian's own tools read the package, and the program in it runs under both names.
func TestDebianTakesThePackage(t *testing.T) {
	path := write(t, deb, "v1.2.3-rc.1", "linux/amd64")
	if got := output(t, "dpkg-deb", "--field", path, "Package", "Version", "Architecture"); got != "Package: pactctx\nVersion: 1.2.3~rc.1\nArchitecture: amd64\n" {
		t.Errorf("the package says\n%s", got)
	}
	to := t.TempDir()
	output(t, "dpkg-deb", "--extract", path, to)
	for _, name := range []string{"pact", "pactctx"} {
		if got := output(t, filepath.Join(to, "usr/bin", name)); got != "this is pact\n" {
			t.Errorf("%s says %s", name, got)
		}
	}
	if path, err := deb(t.TempDir(), "v1.2.3", "darwin/arm64", "none"); path != "" || err != nil {
		t.Errorf("for macOS there is %s, %v", path, err)
	}
}

// Every blob of the image has the sum by which it is named, and the image runs without root.
func TestImageIsWhole(t *testing.T) {
	path := write(t, image, "v1.2.3", "linux/arm64")
	to := t.TempDir()
	output(t, "tar", "-xf", path, "-C", to)
	read := func(v any, name string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(to, name))
		if err == nil {
			err = json.Unmarshal(text, v)
		}
		must(t, err)
	}
	blob := func(sum string) string { return "blobs/sha256/" + strings.TrimPrefix(sum, "sha256:") }
	type descriptor struct {
		Digest string
		Size   int64
	}
	var index struct {
		Manifests []struct {
			descriptor
			Platform struct{ Architecture, OS string }
		}
	}
	read(&index, "index.json")
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	read(&manifest, blob(index.Manifests[0].Digest))
	var config struct {
		Config struct {
			User       string
			Entrypoint []string
		}
		RootFS struct {
			DiffIDs []string `json:"diff_ids"`
		}
	}
	read(&config, blob(manifest.Config.Digest))
	if config.Config.User != "65532:65532" || config.Config.Entrypoint[0] != "/pact" || index.Manifests[0].Platform.Architecture != "arm64" {
		t.Errorf("the image is %+v for %+v", config, index.Manifests[0].Platform)
	}
	for _, d := range append(manifest.Layers, manifest.Config, index.Manifests[0].descriptor) {
		data, err := os.ReadFile(filepath.Join(to, blob(d.Digest)))
		if err != nil || digest(data) != d.Digest || int64(len(data)) != d.Size {
			t.Errorf("%s has %d bytes with the sum %s, %v", d.Digest, len(data), digest(data), err)
		}
	}
	layer := filepath.Join(to, blob(manifest.Layers[0].Digest))
	if got := output(t, "tar", "-tvzf", layer); !strings.Contains(got, "65532/65532") || !strings.Contains(got, " pact\n") {
		t.Errorf("the layer has\n%s", got)
	}
	plain := output(t, "gzip", "-dc", layer)
	if got := digest([]byte(plain)); got != config.RootFS.DiffIDs[0] {
		t.Errorf("the layer without gzip has the sum %s, want %s", got, config.RootFS.DiffIDs[0])
	}
}

// entries returns the files of a zip file.
func entries(t *testing.T, path string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(path)
	must(t, err)
	defer z.Close()
	all := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		data, err := io.ReadAll(r)
		must(t, err)
		all[f.Name] = string(data)
	}
	return all
}

// What agents install names programs that are there, and commands that pact has.
func TestAgentsFindTheProgram(t *testing.T) {
	files := entries(t, write(t, bundle, "v1.2.3", "windows/amd64"))
	var manifest struct {
		Server struct {
			Entry  string                  `json:"entry_point"`
			Config struct{ Args []string } `json:"mcp_config"`
		}
		Compatibility struct{ Platforms []string }
	}
	must(t, json.Unmarshal([]byte(files["manifest.json"]), &manifest))
	if files[manifest.Server.Entry] == "" || manifest.Server.Config.Args[0] != "mcp" || manifest.Compatibility.Platforms[0] != "win32" {
		t.Errorf("the bundle says %s", files["manifest.json"])
	}
	path, err := plugin(t.TempDir(), "v1.2.3")
	must(t, err)
	files = entries(t, path)
	for name, want := range map[string]string{".claude-plugin/plugin.json": `"version": "1.2.3"`, "hooks/hooks.json": `pactctx hook --db`,
		".mcp.json": `"mcp"`} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s lacks %s:\n%s", name, want, files[name])
		}
	}
}

// The list of modules has those of the binary, and the formula the sums of the archives.
func TestListings(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "pact_v1.2.3_darwin_arm64.tar.gz"), []byte("archive"), 0o644))
	path, err := formula(dir, "v1.2.3", []string{"darwin/arm64", "windows/amd64"})
	must(t, err)
	text, err := os.ReadFile(path)
	must(t, err)
	for _, want := range []string{`version "1.2.3"`, "/v1.2.3/pact_v1.2.3_darwin_arm64.tar.gz", "on_macos do\n    on_arm do",
		strings.TrimPrefix(digest([]byte("archive")), "sha256:")} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the formula lacks %s:\n%s", want, text)
		}
	}
	if path, err := formula(dir, "v1.2.3", []string{"windows/amd64"}); path != "" || err != nil {
		t.Errorf("without an archive the formula is %s, %v", path, err)
	}
	list, err := sbom(dir, "v1.2.3", "linux/amd64", os.Args[0])
	must(t, err)
	text, err = os.ReadFile(list)
	must(t, err)
	var bom struct {
		Format     string `json:"bomFormat"`
		Components []struct{ Name, Purl string }
	}
	if err := json.Unmarshal(text, &bom); err != nil || bom.Format != "CycloneDX" || bom.Components[0].Name != "std" {
		t.Errorf("%v: %s", err, text)
	}
}
