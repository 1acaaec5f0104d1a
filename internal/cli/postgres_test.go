package cli_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli"
	"github.com/contexttree/pact/internal/postgrestest"
)

// served runs the tests, and ends the server that they used.
type served struct{ m *testing.M }

func (s served) Run() int { return postgrestest.Run(s.m) }

// TestPostgresAnswersAsAFileDoes has --db name a database: every answer is the one that a file gives.
func TestPostgresAnswersAsAFileDoes(t *testing.T) {
	address, file := postgrestest.Database(t), filepath.Join(t.TempDir(), "pact.db")
	pact := func(db string, args ...string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		code = cli.Run(t.Context(), append(args, "--db", db), cli.Streams{In: strings.NewReader(""), Out: &stdout,
			Err: &stderr, Env: []string{"USER=tester"}})
		return code, strings.ReplaceAll(stdout.String(), db, "DB"), strings.ReplaceAll(stderr.String(), db, "DB")
	}
	if code, _, errs := pact(address, "contexts"); code != 1 || !strings.Contains(errs, "E_STORE") {
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
	if code, _, errs := pact(address, "db", "backup", file+".copy"); code != 1 || !strings.Contains(errs, "pg_dump") {
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
