package server_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/contexttree/pact/server"
)

// continued finds the end of a line that goes on in the next one.
var continued = regexp.MustCompile(`\\?(\|?)\n +`)

// TestTheExamplesOfTheGuideRun runs the commands of docs/server.md one after the other.
func TestTheExamplesOfTheGuideRun(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("left out: there is no curl")
	}
	guide, err := os.ReadFile("../docs/server.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(guide), "## Examples")
	_, rest, _ = strings.Cut(rest, "```sh\n")
	commands, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("the guide has no examples")
	}
	r := start(t, server.Options{})
	for line := range strings.Lines(continued.ReplaceAllString(commands, "$1 ")) {
		line = strings.ReplaceAll(line, "curl ", "curl --fail-with-body ")
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Env = append(os.Environ(), "SERVER="+r.url, "TOKEN="+r.Token())
		out, err := cmd.CombinedOutput()
		if err != nil || len(out) == 0 {
			t.Errorf("%s%v: %s", line, err, out)
		}
	}
}
