package cli_test

import (
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/contexttree/pact/internal/postgrestest"
)

// A program is not started where the store cannot be written: a file of another user, and a database that only answers.
func TestRunStartsNothingThatItCouldNotRecord(t *testing.T) {
	refused := func(t *testing.T, code int, out, problems, why string) {
		t.Helper()
		if code != 1 || out != "" || !strings.Contains(problems, why) {
			t.Errorf("%d: %s%s", code, out, problems)
		}
	}
	t.Run("file", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("left out: only root runs a program as another user")
		}
		const stranger = 65534
		open, err := os.MkdirTemp("/tmp", "pact-of-root") // the parent of t.TempDir is closed to other users
		must(t, err)
		t.Cleanup(func() { os.RemoveAll(open) })
		program, db := filepath.Join(open, "pact"), filepath.Join(open, "pact.db")
		self, err := os.Executable()
		must(t, err)
		binary, err := os.ReadFile(self)
		must(t, err)
		must(t, errors.Join(os.WriteFile(program, binary, 0o755), os.Chmod(open, 0o777))) //nolint:gosec // another user runs it
		if code, _, problems := as(t, "root", strings.NewReader(""), "new", "chat", "--db", db); code != 0 {
			t.Fatal(problems)
		}
		must(t, os.Chmod(db, 0o444)) //nolint:gosec // another user reads it
		cmd := exec.CommandContext(t.Context(), program, "run", "--db", db, "--", "echo", "started")
		cmd.Dir, cmd.Env = open, []string{"HOME=" + open, "PATH=" + os.Getenv("PATH")}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
		var out, problems strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &problems
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Skipf("left out: no program can be run as another user: %v", err)
		}
		refused(t, cmd.ProcessState.ExitCode(), out.String(), problems.String(), "the file cannot be written")
	})
	t.Run("database", func(t *testing.T) {
		address := postgrestest.Database(t)
		run := func(db string) (code int, out, problems string) {
			return as(t, "me", strings.NewReader(""), "run", "--db", db, "--", "echo", "started")
		}
		if code, out, problems := run(address); code != 0 || out != "started\n" {
			t.Fatal(out, problems)
		}
		u, err := url.Parse(address)
		must(t, err)
		role, query := strings.TrimPrefix(u.Path, "/")+"_reader", u.Query()
		query.Del("user")
		u.User, u.RawQuery = url.UserPassword(role, "reader"), query.Encode()
		postgrestest.Exec(t, address, "CREATE ROLE "+role+" LOGIN PASSWORD 'reader'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO "+role)
		t.Cleanup(func() { postgrestest.Exec(t, address, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
		code, out, problems := run(u.String())
		refused(t, code, out, problems, "permission denied")
	})
}
