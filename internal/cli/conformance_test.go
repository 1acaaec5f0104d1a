package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/conformance"
	"github.com/contexttree/pact/internal/testrun"
)

// TestConformanceAgainstItself puts cases to this program twice, in its own
// process and as the program that --against starts, and wants one report. Every
// twelfth case is enough, or sixtieth in a short run: each starts the program a few times.
func TestConformanceAgainstItself(t *testing.T) {
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	args, every := []string{"conformance", "--json"}, testrun.Size(t, 60, 12, 1)
	for i := 0; i < len(cases); i += every {
		args = append(args, cases[i].ID)
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
	inside, in, problems := run(t, "", args...)
	outside, out, more := run(t, "", append(args, "--against", "'"+program+"'")...)
	if inside != 0 || outside != inside || in != out || problems+more != "" {
		t.Errorf("exit codes %d and %d, %d and %d bytes\n%s%s", inside, outside, len(in), len(out), problems, more)
	}
}
