package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/testrun"
)

// content returns the files of an archive, by name.
type content struct {
	mode fs.FileMode
	data string
}

func unpack(t *testing.T, path string) map[string]content {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	found := map[string]content{}
	if filepath.Ext(path) == ".zip" {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		must(t, err)
		for _, f := range z.File {
			r, err := f.Open()
			must(t, err)
			text, err := io.ReadAll(r)
			must(t, err)
			found[f.Name] = content{f.Mode(), string(text)}
		}
		return found
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	must(t, err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		must(t, err)
		text, err := io.ReadAll(r)
		must(t, err)
		found[h.Name] = content{fs.FileMode(h.Mode), string(text)}
	}
}

// TestArchivesHoldTheFilesAndNoTime: an archive has the files with their modes, and the
// same bytes whenever it is made.
func TestArchivesHoldTheFilesAndNoTime(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"pact", "LICENSE"} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte("this is "+name), 0o600))
		files = append(files, path)
	}
	for _, asZip := range []bool{false, true} {
		first, err := pack(dir, "pact_v1", asZip, files)
		must(t, err)
		before, err := os.ReadFile(first)
		must(t, err)
		for _, f := range files {
			must(t, os.Chtimes(f, time.Now(), time.Now().Add(time.Hour)))
		}
		again, err := pack(t.TempDir(), "pact_v1", asZip, files)
		must(t, err)
		if after, err := os.ReadFile(again); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s has other bytes the second time (%v)", first, err)
		}
		want := map[string]content{"pact_v1/pact": {0o755, "this is pact"}, "pact_v1/LICENSE": {0o644, "this is LICENSE"}}
		if got := unpack(t, first); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s holds %v", first, got)
		}
		must(t, sums(dir, []string{filepath.Base(first)}))
		line, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
		if want := fmt.Sprintf("%x  %s\n", sha256.Sum256(before), filepath.Base(first)); err != nil || string(line) != want {
			t.Errorf("the sums are %q (%v)", line, err)
		}
	}
	if _, err := pack(dir, "pact_v1", true, []string{filepath.Join(dir, "missing")}); err == nil {
		t.Error("a missing file is not missed")
	}
}

func TestReleaseRefusesBadNames(t *testing.T) {
	for _, version := range []string{"", "1.0.0", "v1", "v1.0.0/../..", "v1.0.0 x"} {
		if err := release(t.TempDir(), version, "", "", nil); err == nil {
			t.Errorf("%q is taken for a version", version)
		}
	}
	if err := release(t.TempDir(), "v1.0.0", "", "", []string{"linux"}); err == nil {
		t.Error("a system without a processor is taken for a platform")
	}
	if err := release(t.TempDir(), "v1.0.0", "", "wheels", nil); err == nil || !strings.Contains(err.Error(), "wheel, npm") {
		t.Errorf("an unknown kind is refused with %v", err)
	}
}

// What is made for one person's machine is one file and its sum.
func TestOnlyOneKindIsMade(t *testing.T) {
	testrun.Long(t, "it builds pact")
	t.Chdir("../..")
	dir := t.TempDir()
	must(t, release(dir, "v1.2.3", "", "wheel", []string{runtime.GOOS + "/" + runtime.GOARCH}))
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 || !strings.HasSuffix(files[1].Name(), ".whl") {
		t.Errorf("%v %v", files, err)
	}
}
