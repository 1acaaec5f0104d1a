package cli_test

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
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
	if err != nil {
		t.Fatal(err)
	}
	reader, err := other.Begin()
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reader.QueryRow("SELECT count(*) FROM pair").Scan(&n); err != nil {
		t.Fatal(err)
	}
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
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("pact", "erase", "chat", "pin", "--reason", "asked for", "--yes", "--db", db, "--json="+
				map[string]string{"text": "false", "json": "true"}[mode])
			cmd.Stdout, cmd.Stderr = said, said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			mark := regexp.MustCompile(`"pact:erased":"([0-9a-f]{64})"`)
			marked := ""
			for ends := time.Now().Add(20 * time.Second); marked == "" &&
				time.Now().Before(ends); time.Sleep(10 * time.Millisecond) {
				if _, out, _ := run(t, "", "export", "chat", "@c1", "--db", db); mark.MatchString(out) {
					marked = mark.FindStringSubmatch(out)[1]
				}
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
				t.Fatalf("the command ended with %v", err)
			}
			release()
			data, err := os.ReadFile(said.Name())
			if err != nil {
				t.Fatal(err)
			}
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
