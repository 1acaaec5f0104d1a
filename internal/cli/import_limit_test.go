package cli_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

// TestAFileThatNeedsMuchMemory: an import of a compressed file that would hold more than it may is refused before it
// makes anything, and says how it is taken: plain, whatever its size.
func TestAFileThatNeedsMuchMemory(t *testing.T) {
	testrun.Long(t, "imports what takes a quarter of a gigabyte")
	dir := t.TempDir()
	path, db := filepath.Join(dir, "chat.json.gz"), filepath.Join(dir, "pact.db")
	for name, text := range map[string]string{
		"bytes":    `[{"role":"user","content":"` + strings.Repeat("word ", 14<<20) + `"}]`,
		"messages": "[" + strings.Repeat(`{"role":"user","content":"a"},`, 130_000) + `{"role":"user","content":"a"}]`,
	} {
		if err := os.WriteFile(path, compressed(t, text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, problems := run(t, "", "import", path, "--db", db)
		if code != 2 || !strings.Contains(problems, "256 MiB") || !strings.Contains(problems, "decompress "+path) {
			t.Errorf("%s: exit %d\n%s", name, code, problems)
		}
		if _, err := os.Stat(db); err == nil {
			t.Errorf("%s: a refused import made a store", name)
		}
		if name == "messages" {
			continue // it takes long
		}
		plain := filepath.Join(dir, "chat.json")
		if err := os.WriteFile(plain, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, problems := run(t, "", "import", plain, "--dry-run")
		if code != 0 || !strings.Contains(out, "5 nodes") {
			t.Errorf("%s: exit %d\n%s%s", name, code, out, problems)
		}
	}
}

// TestABackupOfAnySizeIsImported: what pact exported is imported, however large it is; where it is compressed, which
// says nothing of its size, and one line takes more than the limit, the error says what to do.
func TestABackupOfAnySizeIsImported(t *testing.T) {
	testrun.Long(t, "imports what takes a quarter of a gigabyte")
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "chat", nil)
	if err != nil {
		t.Fatal(err)
	}
	add := func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Content: strings.Repeat("word ", 20<<20)})
		return nil
	}
	var text bytes.Buffer
	if _, err = c.Commit(t.Context(), &pact.CommitOptions{Edit: add}); err == nil {
		err = c.Export(t.Context(), &text)
	}
	if err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), "my chat.jsonl")
	for path, data := range map[string][]byte{plain: text.Bytes(), plain + ".gz": compressed(t, text.String())} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, problems := run(t, "", "import", plain, "--dry-run"); code != 0 || !strings.Contains(out, "1 cycle") {
		t.Errorf("exit %d\n%s%s", code, out, problems)
	}
	code, _, problems := run(t, "", "import", plain+".gz", "--dry-run")
	if code != 2 || !strings.Contains(problems, "decompress '"+plain+".gz'") {
		t.Errorf("exit %d\n%s", code, problems)
	}
}

// TestALargeBackupIsReadFromItsFile: a history that is too large to be held as a text is imported, checked
// and refused as a small one is, plain and compressed; the error shows its line, and no store is left.
func TestALargeBackupIsReadFromItsFile(t *testing.T) {
	c, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "chat", nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Content: strings.Repeat("word ", 700_000)})
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
	}
	var text bytes.Buffer
	if err := c.Export(t.Context(), &text); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	db := filepath.Join(dir, "pact.db")
	whole, broken := text.String(), text.String()+"{\"cycle\":5,\"not so\n"
	for name, text := range map[string]string{"plain.jsonl": broken, "packed.jsonl.gz": string(compressed(t, broken))} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"import", path, "--db", db}, {"verify", "--file", path}} {
			code, _, problems := run(t, "", args...)
			if code != 2 || !strings.Contains(problems, "line 6") || !strings.Contains(problems, "not so") {
				t.Errorf("%v: exit %d\n%s", args, code, problems)
			}
		}
		if _, err := os.Stat(db); err == nil {
			t.Fatalf("a refused import of %s made a store", name)
		}
	}
	path := filepath.Join(dir, "whole.jsonl")
	if err := os.WriteFile(path, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, problems := run(t, "", "verify", "--file", path); code != 0 || !strings.Contains(out, "3 snapshots") {
		t.Errorf("exit %d\n%s%s", code, out, problems)
	}
	if code, out, problems := run(t, "", "import", path, "--db", db); code != 0 || !strings.Contains(out, "3 cycles") {
		t.Errorf("exit %d\n%s%s", code, out, problems)
	}
	code, out, problems := run(t, "", "export", "whole", "--all", "--db", db)
	if code != 0 || out != whole {
		t.Errorf("exit %d, %d bytes came back of %d\n%s", code, len(out), len(whole), problems)
	}
}

func compressed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
