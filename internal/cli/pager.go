package cli

import (
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// unpaged are the commands that answer questions but take long or write
// exact bytes, so that nobody wants a pager for them.
var unpaged = []string{"conformance", "request", "hash", "fmt", "verify"}

// wantsPager reports whether the output of a command goes through a pager: on a
// terminal, for commands that look and ask.
func (a *app) wantsPager(cmd *cobra.Command) bool {
	return terminal(a.out.w) && !a.noPager && cmd.GroupID == "ask" && !slices.Contains(unpaged, cmd.Name()) &&
		len(a.pagerCommand()) > 0
}

// pagerCommand returns the words of PAGER; less without it; none if it is empty
// or cat.
func (a *app) pagerCommand() []string {
	pager, set := a.env["PAGER"]
	if !set {
		pager = "less"
	}
	words := strings.Fields(pager)
	if len(words) == 1 && words[0] == "cat" {
		return nil
	}
	return words
}

// finish writes what the command printed: through the pager if it wants one and
// the pager can be started, else directly.
func (a *app) finish() error {
	if a.paged && a.page() {
		return nil
	}
	return a.out.flush()
}

// page runs the pager and reports whether it ran. LESS=FRX makes less end by
// itself if all fits on the screen, and keep colours.
func (a *app) page() bool {
	words := a.pagerCommand()
	program, err := exec.LookPath(words[0])
	if err != nil {
		return false
	}
	cmd := exec.Command(program, words[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Env = a.out.w, a.err, a.environ()
	if a.env["LESS"] == "" {
		cmd.Env = append(cmd.Env, "LESS=FRX")
	}
	slices.Sort(cmd.Env)
	in, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return false
	}
	_, _ = a.out.buf.WriteTo(in) // the reader may leave before the end
	_ = in.Close()
	_ = cmd.Wait() // how the pager ended is the reader's business
	return true
}
