package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/internal/cli"
)

// as runs a command as a user, with what comes in on standard input.
func as(t *testing.T, who string, in io.Reader, args ...string) (code int, out, problems string) {
	var o, e bytes.Buffer
	code = cli.Run(t.Context(), args, cli.Streams{In: in, Out: &o, Err: &e, Env: []string{"USER=" + who}})
	return code, o.String(), e.String()
}

// meanwhile is an input that does something when it is read for the first time.
type meanwhile struct {
	io.Reader
	once sync.Once
	do   func()
}

func (m *meanwhile) Read(buf []byte) (int, error) {
	m.once.Do(m.do)
	return m.Reader.Read(buf)
}

// While bea waits for her text, abe commits. She is told what he did and what to type
// next, or her node is added upon that.
func TestLoserIsTold(t *testing.T) {
	db := filepath.Join(t.TempDir(), "pact.db")
	abe := func(args ...string) string {
		t.Helper()
		code, out, problems := as(t, "abe", strings.NewReader(""), append(args, "--db", db)...)
		if code != 0 {
			t.Fatalf("%v: %s", args, problems)
		}
		return out
	}
	abe("new", "chat")
	late := func(text string) io.Reader {
		return &meanwhile{Reader: strings.NewReader(text), do: func() {
			abe("add", "chat", "--content", "of abe")
			abe("commit", "chat", "-m", "before "+text)
		}}
	}
	add := []string{"add", "chat", "--content-file", "-", "--db", db}
	code, _, problems := as(t, "bea", late("one"), add...)
	for _, part := range []string{"E_CONFLICT", "revision 3, commit of cycle 1 by abe: \"before one\"",
		"pact log chat --db " + db + " --edits shows", "--rebase"} {
		if code != 1 || !strings.Contains(problems, part) {
			t.Errorf("%d, without %q:\n%s", code, part, problems)
		}
	}
	code, out, problems := as(t, "bea", late("two"), append(add, "--rebase")...)
	if code != 0 || out != "block:3-0\n" {
		t.Fatalf("%d, %q: %s", code, out, problems)
	}
	thread := abe("show", "--as=thread", "chat", "working")
	if !strings.Contains(thread, `"two"`) || strings.Contains(thread, `"one"`) {
		t.Errorf("the thread is %s", thread)
	}
	if code, _, problems := as(t, "bea", strings.NewReader(""), "commit", "chat", "--rebase", "--send", "x", "--db",
		db); code != 2 {
		t.Errorf("what was sent cannot be rebased: %d, %s", code, problems)
	}
}

// Several who add and commit at once with --rebase all come through, and everything
// is there once.
func TestRebaseTogether(t *testing.T) {
	const writers, turns = 4, 6
	db := filepath.Join(t.TempDir(), "pact.db")
	if code, _, problems := as(t, "abe", strings.NewReader(""), "new", "chat", "--db", db); code != 0 {
		t.Fatal(problems)
	}
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for n := range turns {
				for _, args := range [][]string{
					{"add", "chat", "--content", fmt.Sprintf("%d of writer %d", n, w)},
					{"commit", "chat"},
				} {
					code, _, problems := as(t, "abe", strings.NewReader(""), append(args, "--rebase", "--db", db)...)
					if taken := args[0] == "commit" && strings.Contains(problems, "E_CONFLICT"); code != 0 && !taken {
						t.Errorf("%v: %s", args, problems)
					}
				}
			}
		})
	}
	wait.Wait()
	_, thread, _ := as(t, "abe", strings.NewReader(""), "show", "--as=thread", "chat", "working", "--db", db)
	for w := range writers {
		for n := range turns {
			if text := fmt.Sprintf("%d of writer %d", n, w); strings.Count(thread, text) != 1 {
				t.Errorf("%q is there %d times", text, strings.Count(thread, text))
			}
		}
	}
}
