package screen

import (
	"io"
	"strings"
)

func (a *Screen) Environ() []string {
	list := make([]string, 0, len(a.Env))
	for name, value := range a.Env {
		list = append(list, name+"="+value)
	}
	return list
}

func (a *Screen) Getenv(name, fallback string) string {
	if v := a.Env[name]; v != "" {
		return v
	}
	return fallback
}

// Screen is where a command prints, and in which form.
type Screen struct {
	Out  *output
	Err  io.Writer
	Env  map[string]string
	JSON bool   // --json, or --output json or jsonl
	Form string // --output: json, jsonl, table, wide or id; "" to choose by where the output goes

	Color string // --color: auto, always or never
	Paged bool   // the output goes through a pager when the command is done

	OutTerminal, ErrTerminal bool
	Width, ErrWidth          int // columns of the outputs, 0 of one that is no terminal
	Paint                    theme
}

// New returns the screen that two outputs are, with an environment of "NAME=value".
func New(out, err io.Writer, env []string) *Screen {
	a := &Screen{Out: &output{W: out}, Err: err, Env: map[string]string{}}
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		a.Env[name] = value
	}
	a.OutTerminal, a.ErrTerminal = Terminal(out), Terminal(err)
	a.Width, a.ErrWidth, a.Paint = columns(out), columns(err), ThemeFor(out, env)
	a.Out.plain = a.OutTerminal && !showsUnicode(a.Env)
	return a
}
