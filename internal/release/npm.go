package main

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// nodeSources is the package for Node. What TypeScript makes of it is built beside it.
const nodeSources = "clients/typescript"

// nodeNames are the names that Node has for systems and processors, where they differ from those of Go.
var nodeNames = map[string]string{"windows": "win32", "amd64": "x64"}

// nodeName returns the name of a platform in Node.
func nodeName(platform string) (system, processor string) {
	system, processor, _ = strings.Cut(platform, "/")
	if name := nodeNames[system]; name != "" {
		system = name
	}
	if name := nodeNames[processor]; name != "" {
		processor = name
	}
	return system, processor
}

// npmBinary writes the package with the binary of a platform into dir and returns its path. npm installs it only
// on that platform.
func npmBinary(dir, version, platform, binary string) (string, error) {
	system, processor := nodeName(platform)
	name := system + "-" + processor
	about := map[string]any{"name": "@pactctx/" + name, "version": strings.TrimPrefix(version, "v"), "license": "Apache-2.0",
		"description": "The binary of pactctx for " + name, "os": []string{system}, "cpu": []string{processor}}
	files, err := readAll(map[string]string{"bin/" + filepath.Base(binary): binary, "THIRD_PARTY_NOTICES.txt": "THIRD_PARTY_NOTICES.txt"},
		"bin/"+filepath.Base(binary))
	if err != nil {
		return "", err
	}
	return npmPack(dir, "pactctx-"+name, about, files)
}

// npmClient writes the package pactctx into dir and returns its path: what TypeScript built into the directory
// built, and a reference to the package with the binary of each platform, of which npm installs the one that fits.
func npmClient(dir, version, built string, platforms []string) (string, error) {
	var about map[string]any
	text, err := os.ReadFile(filepath.Join(nodeSources, "package.json"))
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(text, &about); err != nil {
		return "", err
	}
	number := strings.TrimPrefix(version, "v")
	binaries := map[string]string{}
	for _, platform := range platforms {
		system, processor := nodeName(platform)
		binaries["@pactctx/"+system+"-"+processor] = number
	}
	about["version"], about["optionalDependencies"] = number, binaries
	delete(about, "devDependencies")
	paths := map[string]string{"README.md": filepath.Join(nodeSources, "README.md"), "bin/pact.mjs": filepath.Join(nodeSources, "bin", "pact.mjs")}
	err = fs.WalkDir(os.DirFS(built), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			paths["dist/"+path] = filepath.Join(built, path)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	files, err := readAll(paths, "bin/pact.mjs")
	if err != nil {
		return "", err
	}
	return npmPack(dir, "pactctx", about, files)
}

// npmPack writes a package as npm pack does: under package, with its description first.
func npmPack(dir, name string, about map[string]any, files []packedFile) (string, error) {
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return "", err
	}
	licence, err := os.ReadFile("LICENSE")
	if err != nil {
		return "", err
	}
	files = append([]packedFile{{"package.json", text, 0o644, 0}, {"LICENSE", licence, 0o644, 0}}, files...)
	for i := range files {
		files[i].name = "package/" + files[i].name
	}
	return written(dir, name+"-"+about["version"].(string)+".tgz", func(w io.Writer) error { return tarred(w, files) })
}
