package agents

import (
	"os/exec"
	"runtime"
	"syscall"
)

// bind makes the system ask a program to end when this process is killed. The goroutine that
// calls it starts the program and waits for it, then calls release.
func bind(cmd *exec.Cmd) (release func()) {
	runtime.LockOSThread() // the system asks when the thread that started the program ends
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	return runtime.UnlockOSThread
}
