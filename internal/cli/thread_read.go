package cli

import (
	"context"
	"strconv"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/reading"
)

// readThread writes a thread for people, and cuts long contents if it shall.
func (a *app) readThread(ctx context.Context, s *pact.Snapshot, markdown, cuts bool) error {
	o := reading.Options{Markdown: markdown, Terminal: a.outTerminal, Clip: a.clip, Strong: a.paint.strong,
		Name: a.paint.name, Bad: a.paint.bad, Faint: a.paint.faint}
	if a.width > 0 {
		o.Wrap = func(line string, indent int) []string { return wrapLine(line, a.width-indent) }
	}
	if cuts {
		command := a.catCommandOf(s)
		o.Rest = func(id string) string { return command + " " + quote(id) }
	}
	return reading.Write(ctx, a.out, s, &o)
}

// catCommandOf returns the command that prints a content of a snapshot.
func (a *app) catCommandOf(s *pact.Snapshot) string {
	return "pact cat " + a.subject + a.inStore() + " @c" + strconv.FormatInt(s.Cycle(), 10)
}
