package main

import (
	"bufio"
	"debug/elf"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

// TestTheProgramRunsAsInItsContainer builds the program as the Dockerfile does and runs it as
// the container would: with a root that holds nothing else and cannot be written to, as a
// user without rights who owns /data, until SIGTERM. It needs to be root for that.
func TestTheProgramRunsAsInItsContainer(t *testing.T) {
	if testing.Short() {
		t.Skip("left out: building takes a minute")
	}
	if os.Getuid() != 0 {
		t.Skip("left out: only root changes the root directory of a process")
	}
	const stranger = 65532
	root, err := os.MkdirTemp("/tmp", "pact-root") // the parent of t.TempDir is closed to other users
	testrun.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(root) })
	program, data := filepath.Join(root, "pact"), filepath.Join(root, "data")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	file, err := elf.Open(program)
	testrun.Must(t, err)
	defer file.Close()
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("the program needs a loader, which an empty container lacks")
		}
	}
	for _, err := range []error{os.Mkdir(data, 0o700), os.Chown(data, stranger, stranger), os.Chmod(program, 0o555),
		os.Chmod(root, 0o555)} {
		testrun.Must(t, err)
	}
	cmd := exec.CommandContext(t.Context(), "/pact", "serve", "--no-token", "--addr", "127.0.0.1:0")
	cmd.Dir, cmd.Env = "/", []string{"PACT_DB=/data/pact.db"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
	out, err := cmd.StdoutPipe()
	testrun.Must(t, err)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	testrun.Must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, complaints.String())
	}
	at, err := url.Parse(strings.TrimSpace(line))
	testrun.Must(t, err)
	made, err := http.Post(at.JoinPath("v1/contexts").String(), "application/json", strings.NewReader(`{"name":"a"}`))
	testrun.Must(t, err)
	made.Body.Close()
	if made.StatusCode != http.StatusCreated {
		t.Errorf("%s", made.Status)
	}
	http.DefaultClient.CloseIdleConnections()
	testrun.Must(t, cmd.Process.Signal(syscall.SIGTERM))
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, complaints.String())
	}
	if _, err := os.Stat(filepath.Join(data, "pact.db")); err != nil {
		t.Error(err)
	}
}
