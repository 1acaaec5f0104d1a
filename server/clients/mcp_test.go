package clients

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestTheConformanceSuiteOfMCPPasses has the suite of the Model Context Protocol ask the server. Left out are its
// scenarios that call a tool, a prompt or a resource of a certain name, which a server for tests would have.
func TestTheConformanceSuiteOfMCPPasses(t *testing.T) {
	dir, err := filepath.Abs(tools(t))
	if err != nil {
		t.Fatal(err)
	}
	server, _ := serve(t, "--no-token") // the suite sends no token
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "logging-set-level", "resources-list",
		"prompts-list", "dns-rebinding-protection"} {
		said := run(t, t.TempDir(), []string{"NO_COLOR=1"}, filepath.Join(dir, "node_modules/.bin/conformance"), "server",
			"--url", server+"/v1/mcp", "--scenario", scenario)
		if !strings.Contains(said, ", 0 failed, 0 warnings") {
			t.Errorf("%s: the suite says\n%s", scenario, said)
		}
	}
}
