package e2e

import (
	"bufio"
	"bytes"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// command runs pact on a store and returns what it prints. A command that fails fails
// the test.
func command(t testing.TB, db string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program(t), append(args, "--db", db)...)
	cmd.Env = environment()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("pact %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String()
}

// environment is that of the test without what the user set for pact.
func environment() []string {
	var all []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PACT_") {
			all = append(all, v)
		}
	}
	return append(all, "USER=tester", "COLUMNS=80", "NO_COLOR=1")
}

// site is a pact serve that runs.
type site struct {
	t       testing.TB
	db      string
	flags   []string
	address string // as printed, with the token
	origin  string // http://127.0.0.1:PORT
	process *exec.Cmd
}

// serve starts pact serve on a store, on a free port, until the test ends.
func serve(t testing.TB, db string, flags ...string) *site {
	t.Helper()
	s := &site{t: t, db: db, flags: flags}
	s.start("127.0.0.1:0")
	t.Cleanup(s.stop)
	return s
}

// start starts the server and reads the address that it prints.
func (s *site) start(listen string) {
	s.t.Helper()
	cmd := exec.Command(program(s.t), append([]string{"serve", "--addr", listen, "--db", s.db}, s.flags...)...)
	cmd.Env = environment()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		s.t.Fatalf("pact serve printed no address: %v\n%s", err, errs.String())
	}
	s.process, s.address = cmd, strings.TrimSpace(line)
	at, err := url.Parse(s.address)
	if err != nil || strings.HasPrefix(at.Fragment, "token=") == slices.Contains(s.flags, "--no-token") {
		s.t.Fatalf("pact serve %q printed the address %q: %v", s.flags, s.address, err)
	}
	s.origin = at.Scheme + "://" + at.Host
}

// stop interrupts the server, which then ends in good order, and waits for it.
func (s *site) stop() {
	s.t.Helper()
	if s.process == nil {
		return
	}
	_ = s.process.Process.Signal(os.Interrupt)
	slow := time.AfterFunc(30*time.Second, func() { _ = s.process.Process.Kill() })
	err := s.process.Wait()
	slow.Stop()
	s.process = nil
	if err != nil {
		s.t.Errorf("pact serve did not end in good order: %v", err)
	}
}

// restart stops the server, if it runs, and starts it again at the same address, with
// another token.
func (s *site) restart() {
	s.t.Helper()
	s.stop()
	s.start(strings.TrimPrefix(s.origin, "http://"))
}

// sqliteFile returns the path of a store that is not there yet.
func sqliteFile(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "pact.db")
}
