package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pythonSources is the package for Python, which each wheel has beside the binary.
const pythonSources = "clients/python"

// wheelTags are the platforms of Python on which the binary of a platform runs. It is static, so on Linux
// neither the version nor the kind of the C library matters; the oldest macOS is that of Go.
var wheelTags = map[string][]string{
	"linux/amd64":   {"manylinux_2_17_x86_64", "musllinux_1_1_x86_64"},
	"linux/arm64":   {"manylinux_2_17_aarch64", "musllinux_1_1_aarch64"},
	"darwin/amd64":  {"macosx_12_0_x86_64"},
	"darwin/arm64":  {"macosx_12_0_arm64"},
	"windows/amd64": {"win_amd64"},
	"windows/arm64": {"win_arm64"},
}

var preRelease = regexp.MustCompile(`^(alpha|beta|rc)\.?(\d+)$`)

// pythonVersion writes a version as Python does: v1.2.0-rc.1 is 1.2.0rc1, and any other suffix a local version.
func pythonVersion(version string) string {
	number, suffix, _ := strings.Cut(strings.TrimPrefix(version, "v"), "-")
	if m := preRelease.FindStringSubmatch(suffix); m != nil {
		return number + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[m[1]] + m[2]
	}
	if suffix == "" {
		return number
	}
	return number + "+" + strings.ToLower(strings.NewReplacer("-", ".", "+", ".").Replace(suffix))
}

// wheel writes the wheel of a platform into dir and returns its path. What it says of itself is that of
// pyproject.toml. The binary lies in the package, where its two commands find it.
func wheel(dir, version, platform, binary string) (string, error) {
	sources, err := filepath.Glob(filepath.Join(pythonSources, "src/pactctx/*.*"))
	if err != nil {
		return "", err
	}
	version = pythonVersion(version)
	info := "pactctx-" + version + ".dist-info/"
	program := "pactctx/bin/" + filepath.Base(binary)
	paths := map[string]string{program: binary}
	for _, path := range sources {
		paths["pactctx/"+filepath.Base(path)] = path
	}
	for _, licence := range []string{"LICENSE", "THIRD_PARTY_NOTICES.txt"} {
		paths[info+"licenses/"+licence] = licence
	}
	files, err := readAll(paths, program)
	if err != nil {
		return "", err
	}
	project, err := os.ReadFile(filepath.Join(pythonSources, "pyproject.toml"))
	if err != nil {
		return "", err
	}
	readme, err := os.ReadFile(filepath.Join(pythonSources, "README.md"))
	if err != nil {
		return "", err
	}
	tags := wheelTags[platform]
	about := "Wheel-Version: 1.0\nGenerator: pact\nRoot-Is-Purelib: false\n"
	for _, tag := range tags {
		about += "Tag: py3-none-" + tag + "\n"
	}
	files = append(files,
		packedFile{info + "METADATA", []byte(metadata(string(project), version) + "\n" + string(readme)), 0o644, 0},
		packedFile{info + "WHEEL", []byte(about), 0o644, 0},
		packedFile{info + "entry_points.txt", []byte("[console_scripts]\n" + table(string(project), "scripts")), 0o644, 0})
	var record bytes.Buffer
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	files = append(files, packedFile{info + "RECORD", record.Bytes(), 0o644, 0})
	return written(dir, "pactctx-"+version+"-py3-none-"+strings.Join(tags, ".")+".whl", func(w io.Writer) error { return zipped(w, files) })
}

// metadata returns the head of METADATA for a pyproject.toml.
func metadata(project, version string) string {
	value := func(key string) string {
		m := regexp.MustCompile(`(?m)^` + key + ` = "(.*)"$`).FindStringSubmatch(project)
		return m[1]
	}
	lines := []string{"Metadata-Version: 2.4", "Name: " + value("name"), "Version: " + version,
		"Summary: " + value("description"), "Requires-Python: " + value("requires-python"),
		"License-Expression: " + value("license"), "License-File: LICENSE", "License-File: THIRD_PARTY_NOTICES.txt",
		"Description-Content-Type: text/markdown"}
	for line := range strings.Lines(table(project, "optional-dependencies")) {
		extra, needs, _ := strings.Cut(strings.TrimSpace(line), " = ")
		lines = append(lines, "Provides-Extra: "+extra)
		for need := range strings.SplitSeq(strings.Trim(needs, "[]"), ",") {
			lines = append(lines, "Requires-Dist: "+strings.TrimSpace(need)+`; extra == "`+extra+`"`)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// table returns the lines of a table below project in a pyproject.toml, without quotes.
func table(project, name string) string {
	_, rest, _ := strings.Cut(project, "[project."+name+"]\n")
	lines := slices.Collect(strings.Lines(rest))
	if end := slices.Index(lines, "\n"); end >= 0 {
		lines = lines[:end]
	}
	return strings.ReplaceAll(strings.Join(lines, ""), `"`, "")
}
