//go:build unix

package postgres_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/contexttree/pact/internal/postgrestest"
)

// TestMain lets the test binary be a process that writes beside others.
func TestMain(m *testing.M) {
	if work := os.Getenv(soakChild); work != "" {
		if err := soakAsChild(work); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if address := os.Getenv(crashChild); address != "" {
		work := map[string]func(address string) error{"": commitAsChild, "erase": eraseAsChild, "open": openAsChild}
		if err := work[os.Getenv(crashWork)](address); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(postgrestest.Run(m))
}
