package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sbom writes the list of all modules in a binary, in the form of CycloneDX, and returns its path.
func sbom(dir, version, platform, binary string) (string, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return "", err
	}
	system, processor, _ := strings.Cut(platform, "/")
	component := func(kind, path, version string) map[string]any {
		url := "pkg:golang/" + path + "@" + version
		return map[string]any{"type": kind, "name": path, "version": version, "purl": url, "bom-ref": url}
	}
	list := []any{component("library", "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		for m.Replace != nil {
			m = m.Replace
		}
		list = append(list, component("library", m.Path, m.Version))
	}
	text, err := json.MarshalIndent(map[string]any{"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": map[string]any{"component": component("application", info.Main.Path, version)}, "components": list}, "", " ")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "pact_"+version+"_"+system+"_"+processor+".cdx.json")
	return path, os.WriteFile(path, text, 0o644)
}

// formula writes a formula for Homebrew, which takes the archives of a release of GitHub, and returns its path; "" if
// there are no archives for macOS or Linux.
func formula(dir, version string, platforms []string) (string, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "class Pactctx < Formula\n  desc %q\n  homepage \"https://github.com/contexttree/pact\"\n  version %q\n  license \"Apache-2.0\"\n",
		about, strings.TrimPrefix(version, "v"))
	some := false
	for _, system := range []struct{ name, brew string }{{"darwin", "macos"}, {"linux", "linux"}} {
		for _, processor := range []struct{ name, brew string }{{"arm64", "arm"}, {"amd64", "intel"}} {
			name := "pact_" + version + "_" + system.name + "_" + processor.name
			data, err := os.ReadFile(filepath.Join(dir, name+".tar.gz"))
			if os.IsNotExist(err) || !slices.Contains(platforms, system.name+"/"+processor.name) {
				continue
			} else if err != nil {
				return "", err
			}
			some = true
			fmt.Fprintf(&b, "\n  on_%s do\n    on_%s do\n      url \"https://github.com/contexttree/pact/releases/download/%s/%s.tar.gz\"\n      sha256 \"%x\"\n    end\n  end\n",
				system.brew, processor.brew, version, name, sha256.Sum256(data))
		}
	}
	if !some {
		return "", nil
	}
	b.WriteString("\n  def install\n    bin.install \"pact\" => \"pactctx\"\n    generate_completions_from_executable(bin/\"pactctx\", \"completion\")\n  end\n\n" +
		"  test do\n    assert_match version.to_s, shell_output(\"#{bin}/pactctx version\")\n  end\nend\n")
	path := filepath.Join(dir, "pactctx.rb")
	return path, os.WriteFile(path, b.Bytes(), 0o644)
}
