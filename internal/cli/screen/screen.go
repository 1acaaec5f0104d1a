package screen

import (
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
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

// showsUnicode reports whether the locale has UTF-8. Where no variable names a
// locale, as on Windows, it does.
func showsUnicode(env map[string]string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := strings.ToLower(env[name]); value != "" {
			return strings.Contains(value, "utf-8") || strings.Contains(value, "utf8")
		}
	}
	return true
}

// glyphs are the characters that pact draws, as a terminal without UTF-8 shows
// them. Each takes one column, as it does in Unicode.
var glyphs = map[rune]byte{'─': '-', '│': '|', '├': '+', '└': '`', '╭': '+', '╮': '+', '╰': '+', '╯': '+', '┊': ':',
	'…': '~', '–': '-', '→': '>', '⇄': '=', '▸': '>', '×': 'x', '“': '"', '”': '"', '█': '#', '┼': '+', '┤': '+',
	'┬': '+', '┴': '+'}

// inASCII replaces every character that ASCII lacks: those that pact draws by a
// similar one, others by a question mark.
func inASCII(p []byte) []byte {
	plain := make([]byte, 0, len(p))
	for len(p) > 0 {
		r, size := utf8.DecodeRune(p)
		p = p[size:]
		switch c, drawn := glyphs[r]; {
		case r < utf8.RuneSelf:
			plain = append(plain, byte(r))
		case drawn:
			plain = append(plain, c)
		default:
			plain = append(plain, '?')
		}
	}
	return plain
}

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

// Patience is how long work may take before a progress bar appears.
const Patience = time.Second

// Meter draws a progress bar on standard error if that is a terminal and the
// work takes more than a second. Otherwise it does nothing.
type Meter struct {
	on    *Screen
	label string
	began time.Time
	bar   *progressbar.ProgressBar
	shown bool
}

func (a *Screen) Meter(label string) *Meter { return &Meter{on: a, label: label, began: time.Now()} }

// Write passes on what the bar draws, once patience has run out.
func (m *Meter) Write(p []byte) (int, error) {
	if !m.shown {
		return len(p), nil
	}
	return m.on.Err.Write(p)
}

// At reports progress.
func (m *Meter) At(done, total int) {
	if !m.on.ErrTerminal {
		return
	}
	m.shown = m.shown || time.Since(m.began) >= Patience
	if m.bar == nil {
		m.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(m),
			progressbar.OptionSetDescription(m.label),
			progressbar.OptionSetWidth(30),
			progressbar.OptionShowCount(),
			progressbar.OptionThrottle(50*time.Millisecond),
			progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░", BarStart: "", BarEnd: ""}))
	}
	if m.bar.GetMax() != total {
		m.bar.ChangeMax(total)
	}
	_ = m.bar.Set(done)
}

// End removes the bar.
func (m *Meter) End() {
	if m.bar != nil && m.shown {
		_ = m.bar.Clear()
		m.shown = false
	}
}
