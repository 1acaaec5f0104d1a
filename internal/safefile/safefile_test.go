package safefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/testrun"
)

func fill(text string) func(*os.File) error {
	return func(f *os.File) error {
		_, err := io.WriteString(f, text)
		return err
	}
}

func expect(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil || string(data) != text {
		t.Errorf("%s holds %q, %v, want %q", name, data, err, text)
	}
	if info, err := os.Stat(name); err != nil || info.Mode() != mode {
		t.Errorf("%s has mode %v, %v, want %v", name, info.Mode(), err, mode)
	}
}

// TestReplace looks at contents, modes and what is left beside the file.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	must(t, Replace(name, fill("one")))
	expect(t, name, "one", 0o600)
	for _, mode := range []os.FileMode{0o640, 0o444, 0o666} {
		must(t, os.Chmod(name, mode))
		must(t, Replace(name, fill(mode.String())))
		expect(t, name, mode.String(), mode)
	}
	link := filepath.Join(dir, "link")
	must(t, os.Symlink("file", link))
	must(t, Replace(link, fill("through the link")))
	expect(t, name, "through the link", 0o666)
	if to, err := os.Readlink(link); err != nil || to != "file" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	failure := errors.New("no more")
	err := Replace(name, func(f *os.File) error {
		if err := fill("half")(f); err != nil {
			return err
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	expect(t, name, "through the link", 0o666)
	if err := Replace(filepath.Join(dir, "none", "file"), fill("x")); !errors.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
	for _, below := range []string{filepath.Join(name, "x"), filepath.Join(name, "x", "y"), filepath.Join(dir, strings.Repeat("x", 255))} {
		if err := Replace(below, fill("x")); err == nil || !strings.Contains(err.Error(), filepath.Dir(below)) ||
			strings.Contains(err.Error(), string(filepath.Separator)+".") {
			t.Errorf("%s: %v", below, err)
		}
	}
	if err := Replace(os.DevNull, fill("x")); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("%v are left, %v", list, err)
	}
}

var must = testrun.Must
