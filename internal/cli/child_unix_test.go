//go:build unix

package cli_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A program learns that pact was asked to end, and where the system tells it, that pact was killed.
func TestProgramIsToldThatPactEnds(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"asked": syscall.SIGTERM, "hung up": syscall.SIGHUP,
		"killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			if signal == syscall.SIGKILL && runtime.GOOS != "linux" {
				t.Skip("only Linux tells a program that the one that started it was killed")
			}
			dir := t.TempDir()
			cmd := exec.Command("pact", "run", "--db", filepath.Join(dir, "pact.db"), "--", "sh", "-c",
				`trap 'touch told; exit 5' TERM HUP; echo ready; while :; do sleep 0.05; done`)
			cmd.Dir = dir
			out, err := cmd.StdoutPipe()
			must(t, err)
			must(t, cmd.Start())
			_, err = bufio.NewReader(out).ReadString('\n')
			must(t, err)
			must(t, cmd.Process.Signal(signal))
			for told := false; !told; time.Sleep(10 * time.Millisecond) {
				_, err := os.Stat(filepath.Join(dir, "told"))
				told = err == nil
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); signal != syscall.SIGKILL && code != 5 {
				t.Errorf("pact ended with %d, and the program with 5", code)
			}
		})
	}
}

// What a program of doctor started ends with it: a child that goes on would call its model later.
func TestDoctorEndsWhatItsProgramStarted(t *testing.T) {
	for name, script := range map[string]string{"runs on": "; sleep 60", "has ended": ""} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			pid := filepath.Join(dir, "pid")
			cmd := exec.Command("pact", "doctor", "--wait", "1s", "--db", filepath.Join(dir, "pact.db"), "--", "sh", "-c",
				`sleep 60 & echo $! >`+pid+script)
			cmd.Dir = dir
			if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 {
				t.Fatal(err)
			}
			text, err := os.ReadFile(pid)
			must(t, err)
			child, err := strconv.Atoi(strings.TrimSpace(string(text)))
			must(t, err)
			for range 1000 { // 20 s: another may have the processor
				stat, _ := os.ReadFile("/proc/" + strconv.Itoa(child) + "/stat")
				if syscall.Kill(child, 0) != nil || strings.Contains(string(stat), ") Z ") { // none, or nobody has asked how it ended
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
			t.Error("the child of the program runs on")
			_ = syscall.Kill(child, syscall.SIGKILL)
		})
	}
}
