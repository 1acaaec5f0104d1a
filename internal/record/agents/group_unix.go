//go:build unix

package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// onlyRoot reports whether what this process makes in a folder is root's, and nobody else may write in what it stands in.
func onlyRoot(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err == nil {
			of, known := info.Sys().(*syscall.Stat_t)
			if !known || of.Uid != 0 || info.Mode().Perm()&0o022 != 0 {
				return false
			}
		}
		if dir == filepath.Dir(dir) {
			return os.Geteuid() == 0
		}
	}
}

// inGroup gives a program a group of processes, which kill ends with all that the program started in it.
func inGroup(cmd *exec.Cmd) (kill func() error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	return func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
