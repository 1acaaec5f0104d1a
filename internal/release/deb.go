package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// deb writes a package for Debian, "" for another system. It is called pactctx, as no package of that name is in
// Debian, and brings both commands. A version before a release sorts before it, as ~ does in Debian.
func deb(dir, version, platform, binary string) (string, error) {
	system, processor, _ := strings.Cut(platform, "/")
	if system != "linux" {
		return "", nil
	}
	number := strings.Replace(strings.TrimPrefix(version, "v"), "-", "~", 1)
	files, err := readAll(map[string]string{"./usr/bin/pactctx": binary, "./usr/share/doc/pactctx/copyright": "LICENSE",
		"./usr/share/doc/pactctx/THIRD_PARTY_NOTICES.txt": "THIRD_PARTY_NOTICES.txt"}, "./usr/bin/pactctx")
	if err != nil {
		return "", err
	}
	size := 0
	for _, f := range files {
		size += len(f.data)
	}
	files = append(files, packedFile{"./usr/bin/pact", []byte("pactctx"), os.ModeSymlink | 0o777, 0})
	control := fmt.Sprintf("Package: pactctx\nVersion: %s\nArchitecture: %s\nMaintainer: The PACT authors <noreply@github.com>\n"+
		"Installed-Size: %d\nSection: devel\nPriority: optional\nHomepage: https://github.com/contexttree/pact\n"+
		"Description: keep what a language model is sent as a tree\n"+
		" Records, inspects and manages the context of agents: every call an immutable\n snapshot, with selectors, diffs and policies.\n",
		number, processor, (size+1023)/1024)
	var data, about bytes.Buffer
	err = errors.Join(tarred(&data, files), tarred(&about, []packedFile{{"./control", []byte(control), 0o644, 0}}))
	if err != nil {
		return "", err
	}
	return written(dir, "pactctx_"+number+"_"+processor+".deb", func(w io.Writer) error {
		_, err := io.WriteString(w, "!<arch>\n")
		for _, member := range []struct {
			name string
			data []byte
		}{{"debian-binary", []byte("2.0\n")}, {"control.tar.gz", about.Bytes()}, {"data.tar.gz", data.Bytes()}} {
			padding := "\n"[:len(member.data)%2]
			_, failed := fmt.Fprintf(w, "%-16s%-12d%-6d%-6d%-8s%-10d`\n%s%s", member.name, packed.Unix(), 0, 0, "100644", len(member.data), member.data, padding)
			err = errors.Join(err, failed)
		}
		return err
	})
}
