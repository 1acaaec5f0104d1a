//go:build unix

package agents

import (
	"os/exec"
	"syscall"
)

// inGroup gives a program a group of processes, which kill ends with all that the program started in it.
func inGroup(cmd *exec.Cmd) (kill func() error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	return func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
