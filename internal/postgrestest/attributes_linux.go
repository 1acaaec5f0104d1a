package postgrestest

import "syscall"

// attributes start a process as a user. It ends with this one, however that ends.
func attributes(as *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGQUIT}
}
