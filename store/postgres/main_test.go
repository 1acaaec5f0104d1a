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
		fmt.Fprintln(os.Stderr, commitAsChild(address)) // it does not end by itself
		os.Exit(1)
	}
	os.Exit(postgrestest.Run(m))
}
