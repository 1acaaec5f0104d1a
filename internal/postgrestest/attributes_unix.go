//go:build unix && !linux

package postgrestest

import "syscall"

// attributes makes a process run as a user.
func attributes(as *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as}
}
