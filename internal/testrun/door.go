package testrun

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Door has a test of an attack print what the attack cost: a row of the table of make attack.
func Door(t testing.TB, name string) {
	t.Helper()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak begins anew, where the system can do that
	began := time.Now()
	t.Cleanup(func() { Row(t, name, time.Since(began), PeakOf(os.Getpid())) })
}

// Row prints a row of that table.
func Row(t testing.TB, name string, took time.Duration, peak int64) {
	t.Helper()
	t.Logf("door: %-72s %8.1f %8d", name, took.Seconds(), peak>>20)
}

// PeakOf returns the most memory that a process had resident, in bytes; 0 where the system does not say.
func PeakOf(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kilobytes, _ := strconv.ParseInt(strings.Fields(rest + " 0")[0], 10, 64)
	return kilobytes << 10
}
