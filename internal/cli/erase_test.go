package cli_test

import (
	"bytes"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact/internal/cli"
)

// withPIN makes a store with one node to erase, and a reader of it that stands in
// the way of a clean-up until it is released.
func withPIN(t *testing.T) (db string, release func()) {
	t.Helper()
	db = filepath.Join(t.TempDir(), "pact.db")
	for _, args := range [][]string{{"new", "chat"}, {"add", "chat", "--id", "pin", "--content", "my PIN is 4711"},
		{"commit", "chat"},
		{"export", "chat", "--all", "-o", db + ".jsonl"}} {
		if code, _, problems := run(t, "", append(args, "--db", db)...); code != 0 {
			t.Fatal(args, problems)
		}
	}
	other, err := sql.Open("sqlite", db)
	must(t, err)
	reader, err := other.Begin()
	must(t, err)
	var n int
	must(t, reader.QueryRow("SELECT count(*) FROM pair").Scan(&n))
	release = func() {
		reader.Rollback()
		other.Close()
	}
	t.Cleanup(release)
	return db, release
}

var receiptLine = regexp.MustCompile(`(?m)^(?:pact: )?receipt +([0-9a-f]{64})$`)

// TestEraseWithAReaderInTheWay holds that an erasure that cannot be cleaned up is
// said to be done, and fails; and that verify says it until it is cleaned up.
func TestEraseWithAReaderInTheWay(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"text", "json"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			db, release := withPIN(t)
			args := []string{"erase", "chat", "pin", "--reason", "asked for", "--yes", "--db", db}
			if mode == "json" {
				args = append(args, "--json")
			}
			code, out, problems := run(t, "", args...)
			if code != 1 || !receiptLine.MatchString(out+problems) {
				t.Errorf("exit code %d, %s%s", code, out, problems)
			}
			if mode == "json" && (!strings.HasPrefix(out, `{"ids":["pin"]`) ||
				!strings.Contains(out, `"remains":"another process`)) {
				t.Errorf("the answer is %s", out)
			}
			if mode == "text" && (!strings.Contains(out, "erased 1 node") || !strings.Contains(problems, "E_STORE") ||
				!strings.Contains(problems, "pact erase --clean")) {
				t.Errorf("the answer is %s%s", out, problems)
			}
			for pending := range 2 {
				code, out, problems := run(t, "", "verify", "chat", "--db", db)
				if said := strings.Contains(out, "pact erase --clean"); code != 0 || said != (pending == 0) {
					t.Errorf("verify: exit code %d, %s%s", code, out, problems)
				}
				if pending == 0 {
					release()
					if code, _, problems := run(t, "", "erase", "--clean", "--db", db); code != 0 {
						t.Error(problems)
					}
				}
			}
			for _, name := range []string{db, db + "-wal"} {
				if data, _ := os.ReadFile(name); strings.Contains(string(data), "4711") {
					t.Errorf("%s still has it", name)
				}
			}
		})
	}
}

// TestReceiptSurvivesAKill kills the command when the erasure is durable and what
// follows is not done.
func TestReceiptSurvivesAKill(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"text", "json"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			db, release := withPIN(t)
			said, err := os.Create(db + ".said")
			must(t, err)
			cmd := exec.Command("pact", "erase", "chat", "pin", "--reason", "asked for", "--yes", "--db", db, "--json="+
				map[string]string{"text": "false", "json": "true"}[mode])
			cmd.Stdout, cmd.Stderr = said, said
			must(t, cmd.Start())
			mark := regexp.MustCompile(`"pact:erased":"([0-9a-f]{64})"`)
			marked := ""
			for ends := time.Now().Add(20 * time.Second); marked == "" &&
				time.Now().Before(ends); time.Sleep(10 * time.Millisecond) {
				if _, out, _ := run(t, "", "export", "chat", "@c1", "--db", db); mark.MatchString(out) {
					marked = mark.FindStringSubmatch(out)[1]
				}
			}
			must(t, cmd.Process.Kill())
			if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
				t.Fatalf("the command ended with %v", err)
			}
			release()
			data, err := os.ReadFile(said.Name())
			must(t, err)
			receipt := receiptLine.FindStringSubmatch(string(data))
			if receipt == nil || strings.Contains(string(data), "erased") {
				t.Fatalf("the command said %q", data)
			}
			code, out, problems := run(t, "", "verify", "--file", db+".jsonl", "@c1", "--node", "pin", "--receipt", receipt[1])
			if code != 0 || strings.TrimSpace(out) != marked {
				t.Errorf("the receipt gives %s%s, and the mark is %s", out, problems, marked)
			}
			if _, out, _ := run(t, "", "verify", "chat", "--db", db); !strings.Contains(out, "pact erase --clean") {
				t.Errorf("verify says %s", out)
			}
		})
	}
}

// tamper replaces a text by another of the same length in the values of a file.
func tamper(t *testing.T, path, old, new string) {
	t.Helper()
	file, err := sql.Open("sqlite", path)
	must(t, err)
	defer file.Close()
	changed := int64(0)
	for _, column := range [][2]string{{"pair", "value"}, {"log", "value"}, {"log", "rest"}} {
		statement := strings.NewReplacer("T", column[0], "C", column[1]).Replace(
			"update T set C = cast(substr(C, 1, instr(C, ?1) - 1) || ?2 || substr(C, instr(C, ?1) + length(?1)) as blob) where instr(C, ?1)")
		res, err := file.Exec(statement, []byte(old), []byte(new))
		must(t, err)
		n, _ := res.RowsAffected()
		changed += n
	}
	if changed == 0 {
		t.Fatalf("nothing says %q", old)
	}
}

// TestVerifyAll damages the content of one of two contexts.
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
}
