package intake

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/store"
)

// TestAFileThatIsWrittenWhileItIsReadIsNotImportedWrong: a log may grow during an import; whatever else is done to it ends
// the import before a call is stored that the file did not have, also while its lines are read first.
func TestAFileThatIsWrittenWhileItIsReadIsNotImportedWrong(t *testing.T) {
	text := growing(30, 300_000)
	other := bytes.ReplaceAll(text, []byte("word "), []byte("WORD "))
	for name, c := range map[string]struct {
		write func(path string) error
		code  fault.Code
	}{
		"grown": {func(path string) error {
			return os.WriteFile(path, append(text[:len(text):len(text)], "{}\n"...), 0o600)
		}, ""},
		"overwritten": {func(path string) error {
			if err := os.WriteFile(path, other, 0o600); err != nil {
				return err
			}
			return os.Chtimes(path, time.Now(), time.Now().Add(time.Second)) // whatever the file system counts times in
		}, fault.Conflict},
		"truncated": {func(path string) error { return os.Truncate(path, int64(len(text)/2)) }, fault.Conflict},
	} {
		file := onDisk(t, text)
		info, err := file.Stat()
		must(t, err)
		from, buf := &growingFile{file, info}, make([]byte, 1<<20)
		if n, err := from.ReadAt(buf, 0); n != len(buf) || err != nil {
			t.Fatalf("%s: %d, %v", name, n, err)
		}
		f, err := Read(t.Context(), file, MaxText)
		if err != nil || !f.ReadsLazily() {
			t.Fatalf("%s: %v, in memory", name, err)
		}
		plan, err := PlanFile(t.Context(), f, Options{Name: "a"})
		must(t, err)
		recorded := 0
		_, err = plan.Import(t.Context(), pact.NewDB(store.NewMemory()), func(done, _ int) {
			if done > recorded && done == 10 {
				if err := c.write(file.Name()); err != nil {
					t.Error(err)
				}
			}
			recorded = done
		})
		if fault.CodeOf(err) != c.code {
			t.Errorf("%s: the import ends with %v", name, err)
		}
		if _, err := from.ReadAt(buf, 1<<20); fault.CodeOf(err) != c.code {
			t.Errorf("%s: the first pass ends with %v", name, err)
		}
		if want := map[bool]int{false: 10, true: 30}[c.code == ""]; recorded != want {
			t.Errorf("%s: %d calls are recorded", name, recorded)
		}
	}
}

// TestWhatIsMadeOfALogThatDoesNotStayIsClosed: of a transcript that is refused no temporary file stays open.
func TestWhatIsMadeOfALogThatDoesNotStayIsClosed(t *testing.T) {
	ctx, _ := budget.WithMemory(t.Context(), 1<<10, "")
	text := dbtest.Session(20)
	text = append(text, bytes.Repeat([]byte("\n"), inMemory)...)
	f := &File{file: onDisk(t, text)}
	if _, err := f.detectLines(ctx); fault.CodeOf(err) != fault.Limit || f.made != nil {
		t.Errorf("%v; the temporary file: %v", err, f.made)
	}
}
