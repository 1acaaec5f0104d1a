//go:build unix

package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const childRuns = "PACT_RUNTESTS_CHILD"

// TestMain lets the test binary be the program.
func TestMain(m *testing.M) {
	if os.Getenv(childRuns) != "" {
		os.Args = []string{os.Args[0], "-count=1", "-p=1", "./..."}
		main()
		return
	}
	os.Exit(m.Run())
}

// TestAnInterruptEndsTheRun sends it as a terminal does, to the whole group of
// processes, while a test sleeps. What was done by then has been printed.
func TestAnInterruptEndsTheRun(t *testing.T) {
	started := t.TempDir() + "/pid"
	module(t, map[string]string{
		"a": `func TestA(t *testing.T) {}`,
		"b": "import (\n\t\"os\"\n\t\"strconv\"\n\t\"time\"\n)\n\nfunc TestB(t *testing.T) {\n" +
			"\tos.WriteFile(" + strconv.Quote(started) + ", []byte(strconv.Itoa(os.Getpid())+\"\\n\"), 0o600)\n" +
			"\ttime.Sleep(time.Hour)\n}",
	})
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRuns+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasSuffix(first, "example.org/m/a\n") {
		t.Errorf("before the second package is done: %q, %v", first, err)
	}
	pid := 0
	for pid == 0 {
		if text, err := os.ReadFile(started); err == nil && strings.HasSuffix(string(text), "\n") {
			if pid, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the run did not fail")
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process of the tests is still there: %v", err)
	}
}
