//go:build unix

package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Server is a temporary server. It does not wait for the disk: its commits
// survive a kill of the server, but not a crash of the machine.
type Server struct {
	Dir     string // directory of its socket
	user    *syscall.Credential
	bin     string
	version int
	cmd     *exec.Cmd
	exited  chan struct{}
}

const (
	role = "pact"
	port = "5432" // only part of the socket's name
)

// Start makes a server in a directory of its own and starts it. If it cannot,
// for example without binaries, it returns what is missing.
func Start() (*Server, error) {
	s, err := Alone()
	if err != nil {
		return nil, err
	}
	s.version = majorVersion(filepath.Join(s.bin, "postgres"))
	if err := s.make(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.Dir))
	}
	return s, nil
}

func (s *Server) make() error {
	init := s.Command(filepath.Join(s.bin, "initdb"), "--pgdata="+s.data(), "--username="+role, "--auth=trust",
		"--encoding=UTF8", "--no-locale", "--no-sync")
	if out, err := init.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s.Run()
}

// Create returns the statement that makes an empty database.
func (s *Server) Create(name string) string {
	if s.version < 15 {
		return create(name)
	}
	// Otherwise the server writes the template to its log page by page, in three times the
	// processor time that it takes to copy its files.
	return create(name) + " STRATEGY FILE_COPY"
}

// majorVersion returns the version that a program of PostgreSQL tells, 0 if it tells none.
func majorVersion(program string) int {
	out, _ := exec.Command(program, "--version").Output() // such as: postgres (PostgreSQL) 15.14 (Debian)
	_, number, _ := strings.Cut(string(out), "(PostgreSQL) ")
	number, _, _ = strings.Cut(number, ".")
	major, _ := strconv.Atoi(number)
	return major
}

func (s *Server) data() string { return filepath.Join(s.Dir, "data") }

// Command returns a command that runs as the user of the server and in its
// directory.
func (s *Server) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = s.Dir
	cmd.SysProcAttr = attributes(s.user)
	return cmd
}

// Alone returns a server that is not started, with a directory of its own: somebody else runs it.
func Alone() (*Server, error) {
	s := &Server{}
	var err error
	if s.bin, err = binaries(); err != nil {
		return nil, err
	}
	if s.user, err = unprivileged(); err != nil {
		return nil, err
	}
	if s.Dir, err = os.MkdirTemp("", "pg"); err == nil && s.user != nil { // short: a socket's name has 107 bytes at most
		err = os.Chown(s.Dir, int(s.user.Uid), int(s.user.Gid))
	}
	return s, err
}

// Run starts the server again after Kill, and waits until it answers.
func (s *Server) Run() error {
	log, err := os.OpenFile(filepath.Join(s.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	deadline := time.Now().Add(starting)
	for {
		s.cmd = s.Command(filepath.Join(s.bin, "postgres"), "-D", s.data(), "-k", s.Dir, "-p", port, "-c",
			"listen_addresses=",
			"-c", "fsync=off", "-c", "max_connections=200", "-c", "shared_buffers=64MB")
		s.cmd.Stderr = log
		s.exited = make(chan struct{})
		started := make(chan error)
		go func() {
			// The server ends with the thread that started it.
			runtime.LockOSThread()
			err := s.cmd.Start()
			started <- err
			if err == nil {
				_ = s.cmd.Wait() // the test ended it
				close(s.exited)
			}
		}()
		if err := <-started; err != nil {
			return err
		}
		if s.answers(deadline) {
			return nil
		}
		// Processes of the killed server may still run.
		if time.Now().After(deadline) {
			text, _ := os.ReadFile(log.Name())
			return fmt.Errorf("the server does not start: %s", text)
		}
		time.Sleep(retryTime)
	}
}

// answers waits until the server accepts connections or ends.
func (s *Server) answers(deadline time.Time) bool {
	for time.Now().Before(deadline) {
		select {
		case <-s.exited:
			return false
		case <-time.After(retryTime):
		}
		if conn, err := pgconn.Connect(context.Background(), s.URL("postgres")); err == nil {
			return conn.Close(context.Background()) == nil
		}
	}
	return false
}

// Kill ends the server with SIGKILL, as a crash would.
func (s *Server) Kill() {
	_ = s.cmd.Process.Signal(syscall.SIGKILL) // an error means that the process has already ended
	<-s.exited
}

// Stop ends the server at once and removes its directory.
func (s *Server) Stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case <-s.exited:
	case <-time.After(starting):
		s.Kill()
	}
	return os.RemoveAll(s.Dir)
}

// Socket returns the path of the server's socket.
func (s *Server) Socket() string { return filepath.Join(s.Dir, ".s.PGSQL."+port) }

// URL returns the address of a database on the server.
func (s *Server) URL(database string) string { return Address(s.Dir, port, database) }

// Address returns the address of a database on a socket or port of this
// machine.
func Address(host, port, database string) string {
	return "postgres:///" + url.PathEscape(database) + "?" + url.Values{"host": {host}, "port": {port},
		"user": {role}}.Encode()
}

// binaries returns the directory with the binaries of the newest installed
// server.
func binaries() (string, error) {
	if path, err := exec.LookPath("postgres"); err == nil {
		path, err = filepath.EvalSymlinks(path) // a link may stand alone, without the programs beside it
		return filepath.Dir(path), err
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres") // the pattern is well-formed
	slices.SortFunc(found, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	if len(found) == 0 {
		return "", errors.New("no PostgreSQL server is installed, and PACT_TEST_POSTGRES names none")
	}
	return filepath.Dir(found[len(found)-1]), nil
}
