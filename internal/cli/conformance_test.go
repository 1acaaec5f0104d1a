package cli_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestConformanceAgainstItself puts the cases to this program twice, in its own
// process and as the program that --against starts, and wants one report.
func TestConformanceAgainstItself(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts the program two thousand times")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "pact") // TestMain goes by the name
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	inside, in, problems := run(t, "", "conformance", "--json")
	outside, out, more := run(t, "", "conformance", "--json", "--against", "'"+program+"'")
	if inside != 0 || outside != inside || in != out || problems+more != "" {
		t.Errorf("exit codes %d and %d, %d and %d bytes\n%s%s", inside, outside, len(in), len(out), problems, more)
	}
}
