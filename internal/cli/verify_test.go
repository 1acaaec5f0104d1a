package cli_test

import (
	"bytes"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/store/sqlite"
)

// TestVerifyReportsDamage damages a store and looks at what the command makes of it.
func TestVerifyReportsDamage(t *testing.T) {
	db := filepath.Join(t.TempDir(), "pact.db")
	pact := func(want int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		streams := cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out, Env: []string{"PACT_DB=" + db, "USER=tester"}}
		if code := cli.Run(t.Context(), args, streams); code != want {
			t.Fatalf("pact %q: exit %d\n%s", args, code, &out)
		}
		return out.String()
	}
	pact(0, "new", "chat")
	for _, text := range []string{"one", "two"} {
		pact(0, "add", "chat", "--role", "user", "--content", text)
		pact(0, "commit", "chat")
	}
	// Root, ^sys, ^seq; a turn, a core, a head and a block for each cycle.
	if got := pact(0, "verify", "chat"); got != "chat holds: 2 snapshots, 11 versions of nodes\n" {
		t.Errorf("printed %q", got)
	}
	if got := pact(0, "verify", "chat",
		"--json"); got != `{"context":"chat","snapshots":2,"versions":11,"recorded":2,"sent":0}`+"\n" {
		t.Errorf("printed %q", got)
	}
	tamper(t, db, "block:2-0", "blick:2-0")
	got := pact(1, "verify", "chat")
	for _, want := range []string{"chat does not hold\n", "  what     the context \"chat\" is damaged: revision 5 of the log is not as it was written\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("printed %q, which lacks %q", got, want)
		}
	}
	tamper(t, db, "blick:2-0", "block:2-0")
	tamper(t, db, `"two"`, `"tWo"`)
	got = pact(1, "verify", "chat", "--json")
	for _, want := range []string{`"broken":{"cycle":2,"node":"block:2-0","what":"content hash","recorded":"`,
		`"snapshots":0,`} {
		if !strings.Contains(got, want) {
			t.Errorf("printed %q, which lacks %q", got, want)
		}
	}
	tamper(t, db, `"tWo"`, `"two"`)
	pact(0, "verify", "chat")
}

// tamper replaces a text by another of the same length in the values of a file.
func tamper(t *testing.T, path, old, new string) {
	t.Helper()
	file, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	changed := int64(0)
	for _, column := range [][2]string{{"pair", "value"}, {"log", "value"}, {"log", "rest"}} {
		statement := strings.NewReplacer("T", column[0], "C", column[1]).Replace(
			"update T set C = cast(substr(C, 1, instr(C, ?1) - 1) || ?2 || substr(C, instr(C, ?1) + length(?1)) as blob) where instr(C, ?1)")
		res, err := file.Exec(statement, []byte(old), []byte(new))
		if err != nil {
			t.Fatal(err)
		}
		n, _ := res.RowsAffected()
		changed += n
	}
	if changed == 0 {
		t.Fatalf("nothing says %q", old)
	}
}

// A damaged checkpoint hides nothing from a reader, check says how to make it anew, and
// that command does.
func TestADamagedCheckpointIsMadeAnew(t *testing.T) {
	db := filepath.Join(t.TempDir(), "pact.db")
	s, err := dbtest.Engine(sqlite.Open(t.Context(), db))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	c, err := pact.Create(t.Context(), dbtest.Of(s), "chat", nil)
	must(err)
	for range 300 {
		_, err := c.Commit(t.Context(), &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Content: "said"})
			return nil
		}})
		must(err)
	}
	must(s.SettleAll(t.Context()))
	must(s.Close())
	run := func(want int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		streams := cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out, Env: []string{"PACT_DB=" + db}}
		if code := cli.Run(t.Context(), args, streams); code != want {
			t.Fatalf("pact %q: exit %d\n%s", args, code, &out)
		}
		return out.String()
	}
	thread := run(0, "show", "chat", "@t0", "--as", "thread")
	file, err := sql.Open("sqlite", db)
	must(err)
	_, err = file.Exec("UPDATE pair SET value = zeroblob(32) WHERE space = 1 AND substr(name, 1, 1) = x'63'")
	must(err)
	must(file.Close())
	if got := run(0, "show", "chat", "@t0", "--as", "thread"); got != thread {
		t.Errorf("read %.80s", got)
	}
	for _, want := range []string{"chat does not hold\n", "  what     a checkpoint is not as it was written\n",
		"  remedy   nothing is lost: pact copy --compact makes it anew\n"} {
		if got := run(1, "verify", "--all"); !strings.Contains(got, want) {
			t.Errorf("printed %q, which lacks %q", got, want)
		}
	}
	if got := run(1, "verify", "chat", "--json"); !strings.Contains(got, `"snapshots":300,`) ||
		!strings.Contains(got, `"derived":true`) {
		t.Errorf("printed %q", got)
	}
	run(0, "copy", "--compact")
	run(0, "verify", "--all")
}

// TestVerifyAll damages the row of one context and the content of another.
func TestVerifyAll(t *testing.T) {
	db := filepath.Join(t.TempDir(), "pact.db")
	pact := func(want int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		streams := cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out, Env: []string{"PACT_DB=" + db, "USER=tester"}}
		if code := cli.Run(t.Context(), args, streams); code != want {
			t.Fatalf("pact %q: exit %d\n%s", args, code, &out)
		}
		return out.String()
	}
	for _, name := range []string{"one", "two"} {
		pact(0, "new", name)
		pact(0, "add", name, "--role", "user", "--content", name)
		pact(0, "commit", name)
	}
	want := "one holds: 1 snapshot, 7 versions of nodes\ntwo holds: 1 snapshot, 7 versions of nodes\n" + db +
		" holds: 2 contexts\n"
	if got := pact(0, "verify", "--all"); got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	pact(2, "verify")
	pact(2, "verify", "one", "--all")
	tamper(t, db, `"one"`, `"oNe"`)
	got := pact(1, "verify", "--all")
	if !strings.Contains(got, "one does not hold\n  at       @c1\n  node     block:1-0\n  what     content hash\n") ||
		!strings.Contains(got, "two holds: ") || strings.Contains(got, db) {
		t.Errorf("printed %q", got)
	}
	if got := pact(1, "show", "one", "@t0", "--as", "thread"); !strings.Contains(got, "content hash") || strings.Contains(got, "oNe") {
		t.Errorf("printed %q", got)
	}
	file, err := sql.Open("sqlite", db)
	if err == nil {
		_, err = file.Exec("UPDATE pair SET value = zeroblob(20) WHERE space = 2 AND name = x'69'")
	}
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	if got := pact(1, "verify", "--all", "--json"); !strings.Contains(got,
		`{"broken":{"loose":true,"cycle":0,"what":"the context \"two\" is damaged: `) {
		t.Errorf("printed %q", got)
	}
	if got := pact(1, "contexts"); !strings.Contains(got, "not as it was written") {
		t.Errorf("printed %q", got)
	}
}
