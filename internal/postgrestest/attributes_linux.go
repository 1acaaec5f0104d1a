package postgrestest

import "syscall"

// attributes makes a process run as a user, and makes the kernel end it when
// this process ends for any reason.
func attributes(as *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGQUIT}
}
