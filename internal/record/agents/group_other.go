//go:build !unix

package agents

import "os/exec"

// inGroup returns what ends a program alone where the system has no groups of processes.
func inGroup(cmd *exec.Cmd) (kill func() error) { return func() error { return cmd.Process.Kill() } }
