package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const offered = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// beside are the files that stand in every archive beside the binary.
var beside = []string{"LICENSE", "README.md", "THIRD_PARTY_NOTICES.txt"}

func main() {
	out := flag.String("o", "dist", "the `DIRECTORY` to write to")
	platforms := flag.String("platforms", offered, "the platforms to build for, as a `LIST` of system/processor")
	js := flag.String("js", "", "pack the client for Node too, which TypeScript built into this `DIRECTORY`")
	only := flag.String("only", "", "make this `KIND` alone: "+strings.Join(kinds(), ", ")+"; without the plugin and the formula")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "release: name the version, such as v0.1.0")
		os.Exit(2)
	}
	if err := release(*out, flag.Arg(0), *js, *only, strings.Split(*platforms, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

var versionForm = regexp.MustCompile(`^v\d+\.\d+\.\d+[-+.0-9A-Za-z]*$`)

// release writes what each platform gets, the client for Node if js is where it was built, then their sums. If only
// names a kind, it is all that each platform gets.
func release(dir, version, js, only string, platforms []string) error {
	if !versionForm.MatchString(version) {
		return fmt.Errorf("%q is not a version: write one such as v0.1.0", version)
	}
	if only != "" && !slices.Contains(kinds(), only) {
		return fmt.Errorf("%q is not a kind: write one of %s", only, strings.Join(kinds(), ", "))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	binaries, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(binaries)
	var list []string
	for _, platform := range platforms {
		system, processor, found := strings.Cut(platform, "/")
		if !found {
			return fmt.Errorf("%q is not a platform: write one such as linux/amd64", platform)
		}
		binary, err := build(binaries, version, system, processor)
		if err != nil {
			return err
		}
		for _, kind := range made {
			if only != "" && only != kind.name {
				continue
			}
			path, err := kind.write(dir, version, platform, binary)
			if err != nil {
				return err
			}
			list = append(list, path)
		}
	}
	if js != "" {
		client, err := npmClient(dir, version, js, platforms)
		if err != nil {
			return err
		}
		list = append(list, client)
	}
	beyond := []func() (string, error){
		func() (string, error) { return plugin(dir, version) },
		func() (string, error) { return formula(dir, version, platforms) },
	}
	if only != "" {
		beyond = nil // the formula names the archives
	}
	for _, write := range beyond {
		path, err := write()
		if err != nil {
			return err
		}
		list = append(list, path)
	}
	var names []string
	for _, path := range list {
		if path != "" {
			fmt.Println(path)
			names = append(names, filepath.Base(path))
		}
	}
	return sums(dir, names)
}

// made lists what is made of the binary of each platform. Each writes one file and returns its path, "" where the
// platform has no such thing.
var made = []struct {
	name  string
	write func(dir, version, platform, binary string) (string, error)
}{
	{"archive", archive},
	{"wheel", wheel},
	{"npm", npmBinary},
	{"deb", deb},
	{"image", image},
	{"bundle", bundle},
	{"sbom", sbom},
}

// kinds are the names of what is made, in their order.
func kinds() []string {
	var names []string
	for _, kind := range made {
		names = append(names, kind.name)
	}
	return names
}

// archive packs the binary with its licences.
func archive(dir, version, platform, binary string) (string, error) {
	system, processor, _ := strings.Cut(platform, "/")
	return pack(dir, "pact_"+version+"_"+system+"_"+processor, system == "windows", append([]string{binary}, beside...))
}

// build compiles the command for a platform and returns the path of the binary. It
// replaces the binary of the platform before.
func build(dir, version, system, processor string) (string, error) {
	binary := filepath.Join(dir, "pact")
	if system == "windows" {
		binary += ".exe"
	}
	flags := "-ldflags=-s -w -X github.com/contexttree/pact/internal/cli.released=" + version
	cmd := exec.Command("go", "build", "-trimpath", flags, "-o", binary, "./cmd/pact")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return binary, cmd.Run()
}
