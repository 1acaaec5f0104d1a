package storetest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

// TestOutside runs the suite in another module, over a store that is written
// there: who implements the contract needs no internal package.
func TestOutside(t *testing.T) {
	dir := t.TempDir()
	testrun.Must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "outside"))))
	root, err := filepath.Abs(filepath.Join("..", ".."))
	testrun.Must(t, err)
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	testrun.Must(t, err)
	module := fmt.Sprintf("module example.com/outside\n\ngo 1.26\n\n"+
		"require github.com/contexttree/pact v0.0.0\n\nreplace github.com/contexttree/pact => %s\n", root)
	for name, text := range map[string]string{"go.mod": module, "go.sum": string(sums)} {
		testrun.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	cmd := exec.Command("go", "test", "-mod=mod", "-vet=all", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=") // nothing is downloaded
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
