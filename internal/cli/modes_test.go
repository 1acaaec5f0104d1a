package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli"
)

// TestWrittenFilesArePrivate looks at who may read what commands write: nobody but its owner,
// unless there was a file that others could read.
func TestWrittenFilesArePrivate(t *testing.T) {
	t.Chdir(t.TempDir())
	pact := func(args ...string) {
		t.Helper()
		var o, e bytes.Buffer
		if code := cli.Run(t.Context(), args, cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e}); code != 0 {
			t.Fatalf("pact %v: exit %d: %s", args, code, &e)
		}
	}
	if err := os.WriteFile("shared.json", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod("shared.json", 0o664); err != nil {
		t.Fatal(err)
	}
	pact("new", "chat")
	pact("add", "chat", "--role", "user", "--content", "private")
	pact("commit", "--start", "chat", "--provider", "p", "--model", "m", "--send", "out.json")
	pact("commit", "chat", "--send", "sent.json")
	pact("export", "chat", "-o", "exported.json")
	pact("export", "chat", "-o", "shared.json")
	for name, want := range map[string]os.FileMode{"out.json": 0o600, "sent.json": 0o600, "exported.json": 0o600,
		"shared.json": 0o664} {
		info, err := os.Stat(name)
		if err != nil || info.Mode() != want || info.Size() == 0 {
			t.Errorf("%s: %v, %v, want mode %v", name, info, err, want)
		}
	}
	if left, _ := filepath.Glob(".*"); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
