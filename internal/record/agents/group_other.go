//go:build !unix

package agents

import "os/exec"

// onlyRoot is not asked where files have other owners.
func onlyRoot(string) bool { return true }

// inGroup returns what ends a program alone where the system has no groups of processes.
func inGroup(cmd *exec.Cmd) (kill func() error) { return func() error { return cmd.Process.Kill() } }
