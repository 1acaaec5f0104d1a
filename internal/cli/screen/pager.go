package screen

import (
	"os/exec"
	"slices"
	"strings"
)

// PagerCommand returns the words of PAGER; less without it; none if it is empty
// or cat.
func (a *Screen) PagerCommand() []string {
	pager, set := a.Env["PAGER"]
	if !set {
		pager = "less"
	}
	words := strings.Fields(pager)
	if len(words) == 1 && words[0] == "cat" {
		return nil
	}
	return words
}

// Finish writes what the command printed: through the pager if it wants one and
// the pager can be started, else directly.
func (a *Screen) Finish() error {
	if a.Paged && a.page() {
		return nil
	}
	return a.Out.Flush()
}

// page runs the pager and reports whether it ran. LESS=FRX makes less end by
// itself if all fits on the screen, and keep colours.
func (a *Screen) page() bool {
	words := a.PagerCommand()
	program, err := exec.LookPath(words[0])
	if err != nil {
		return false
	}
	cmd := exec.Command(program, words[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Env = a.Out.W, a.Err, a.Environ()
	if a.Env["LESS"] == "" {
		cmd.Env = append(cmd.Env, "LESS=FRX")
	}
	slices.Sort(cmd.Env)
	in, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return false
	}
	_, _ = a.Out.buf.WriteTo(in) // the reader may leave before the end
	_ = in.Close()
	_ = cmd.Wait() // how the pager ended is the reader's business
	return true
}
