package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// TestPartsWithoutAPage runs inspector/test, the tests of what needs no page: addresses, the layout of the picture,
// text, the lists, the comparison, the tokens of selectors. They run in node; without it the test is skipped, unless
// PACT_REQUIRE_NODE is set.
func TestPartsWithoutAPage(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("PACT_REQUIRE_NODE") != "" {
			t.Fatal(err)
		}
		t.Skip("node is not installed")
	}
	script := filepath.Join(t.TempDir(), "test.js")
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{"../test/all.ts"}, Bundle: true, Write: true, Outfile: script,
		Format: api.FormatIIFE, Target: api.ES2022, TsconfigRaw: "{}", LogLevel: api.LogLevelSilent,
	})
	for _, message := range built.Errors {
		t.Error(message.Text)
	}
	out, err := exec.Command(node, script).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
