package cli_test

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
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

// served runs the tests, and ends the server that they used.
type served struct{ m *testing.M }

func (s served) Run() int { return postgrestest.Run(s.m) }

// TestPostgresAnswersAsAFileDoes has --db name a database: every answer is the one that a file gives.
func TestPostgresAnswersAsAFileDoes(t *testing.T) {
	testrun.OneGoroutine(t)
	address, file := postgrestest.Database(t), filepath.Join(t.TempDir(), "pact.db")
	pact := func(db string, args ...string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		code = cli.Run(t.Context(), append(args, "--db", db), cli.Streams{In: strings.NewReader(""), Out: &stdout,
			Err: &stderr, Env: []string{"USER=tester"}})
		return code, strings.ReplaceAll(stdout.String(), db, "DB"), strings.ReplaceAll(stderr.String(), db, "DB")
	}
	if code, _, errs := pact(address, "contexts"); code != 1 || !strings.Contains(errs, "E_NOT_FOUND") {
		t.Errorf("without a store: %d, %s", code, errs)
	}
	if made := postgrestest.Exec(t, address,
		"SELECT tablename FROM pg_tables WHERE schemaname = 'public'"); len(made) > 0 {
		t.Errorf("reading made %v", made)
	}
	for _, args := range [][]string{
		{"import", "../../examples/conversations/weather.json"},
		{"contexts"},
		{"log", "weather"},
		{"show", "weather", "@t-1"},
		{"select", "weather", "^seq .seg:depth(1-2) .block"},
		{"diff", "weather", "@t-1", "@t0"},
		{"fork", "weather", "@c1", "other"},
		{"rename", "other", "third"},
		{"export", "weather", "--all"},
		{"verify", "--all"},
		{"delete", "third", "--yes"},
	} {
		code, out, errs := pact(address, args...)
		wantCode, wantOut, wantErrs := pact(file, args...)
		if code != 0 || code != wantCode || out != wantOut || errs != wantErrs {
			t.Fatalf("pact %v: %d %.200s%s\nof a file: %d %.200s%s", args, code, out, errs, wantCode, wantOut, wantErrs)
		}
	}
	if code, out, errs := pact(address, "open", "--no-browser", "--name", "again",
		"../../examples/conversations/weather.json"); code != 0 || !strings.Contains(out, "Stored: in DB.") {
		t.Errorf("opened: %d, %s%s", code, out, errs)
	}
	if code, out, errs := pact(address, "copy", "--compact"); code != 0 ||
		out != "DB: packed, and its tables are written anew\n" {
		t.Errorf("compacting a database: %d, %s%s", code, out, errs)
	}
	if code, out, errs := pact(address, "verify", "--all"); code != 0 {
		t.Errorf("a compacted database: %d, %s%s", code, out, errs)
	}
	if code, _, errs := pact(address, "copy", "--backup", file+".copy"); code != 1 || !strings.Contains(errs, "pg_dump") {
		t.Errorf("a backup of a database: %d, %s", code, errs)
	}
}

// A password is never shown.
func TestPasswordsAreNeverShown(t *testing.T) {
	const db = "postgres://someone:secret@localhost:1/none?connect_timeout=1"
	var out bytes.Buffer
	code := cli.Run(t.Context(), []string{"contexts", "--db", db}, cli.Streams{In: strings.NewReader(""), Out: &out,
		Err: &out})
	if code != 1 || strings.Contains(out.String(), "secret") {
		t.Errorf("%d: %s", code, out.String())
	}
}
