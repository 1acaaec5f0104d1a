package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"unicode/utf16"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/safefile"
	"golang.org/x/term"
)

// output collects what a command prints. Under --json it passes nothing on
// before the command succeeded, because a failure must stand there alone;
// a log, an object a line, is passed on as it is read.
type output struct {
	w    io.Writer
	buf  bytes.Buffer
	hold bool
}

const flushAt = 64 << 10

func (o *output) Write(p []byte) (int, error) {
	o.buf.Write(p)
	if !o.hold && o.buf.Len() >= flushAt {
		return len(p), o.flush()
	}
	return len(p), nil
}

func (o *output) flush() error {
	_, err := o.buf.WriteTo(o.w)
	return err
}

func (o *output) drop() { o.buf.Reset() }

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }

// printJSON prints a value as one line of JSON, with <, > and & as they are. On
// a terminal it escapes what [visible] would replace, which whoever reads the
// JSON gets back.
func (a *app) printJSON(v any) error {
	var line bytes.Buffer
	w := io.Writer(a.out)
	if a.outTerminal {
		w = &line
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil || !a.outTerminal {
		return err
	}
	return a.writeJSON(line.Bytes())
}

// writeJSON writes JSON that is valid UTF-8, on a terminal escaped as printJSON
// says. What does not show stands inside strings there, or is a line's end.
func (a *app) writeJSON(text []byte) error {
	if a.outTerminal {
		var shown bytes.Buffer
		for _, r := range string(text) {
			if r == '\n' || shows(r) {
				shown.WriteRune(r)
				continue
			}
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&shown, `\u%04x`, unit)
			}
		}
		text = shown.Bytes()
	}
	_, err := a.out.Write(text)
	return err
}

// printLine prints a line of text as it is, on a terminal made [visible].
func (a *app) printLine(text string) {
	if a.outTerminal {
		text = visible(text)
	}
	a.printf("%s\n", text)
}

// replaceFile writes a file beside its place and puts it there when it is
// complete and on the disk. It refuses to put it in the place of the store.
func (a *app) replaceFile(name string, write func(io.Writer) error) error {
	if there, err := os.Stat(name); err == nil {
		if db, err := os.Stat(a.db); err == nil && os.SameFile(there, db) {
			return fault.New(fault.DocumentInvalid, name+" is the store", "name another file")
		}
	}
	return safefile.Replace(name, func(f *os.File) error {
		w := bufio.NewWriterSize(f, flushAt)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	})
}

// warnf says something about the work that is not a failure.
func (a *app) warnf(format string, args ...any) {
	fmt.Fprintf(a.err, "pact: warning: "+format+"\n", args...)
}

func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// columns is how wide the terminal is, 0 if the stream is none.
func columns(stream any) int {
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}

// theme colours text, or leaves it as it is. It keeps to the sixteen colours
// that a terminal's own palette defines.
type theme struct{ on bool }

// themeFor colours on a terminal that has colours, unless NO_COLOR is set.
func themeFor(w io.Writer, env []string) theme {
	return theme{terminal(w) && colorprofile.Detect(w, env) > colorprofile.ASCII}
}

func (t theme) as(s lipgloss.Style, text string) string {
	if !t.on || text == "" {
		return text
	}
	return s.Render(text)
}

var (
	faintStyle  = lipgloss.NewStyle().Faint(true)
	strongStyle = lipgloss.NewStyle().Bold(true)
	goodStyle   = lipgloss.NewStyle().Foreground(lipgloss.Green)
	badStyle    = lipgloss.NewStyle().Foreground(lipgloss.Red)
	changeStyle = lipgloss.NewStyle().Foreground(lipgloss.Yellow)
	nameStyle   = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
)

func (t theme) faint(s string) string   { return t.as(faintStyle, s) }
func (t theme) strong(s string) string  { return t.as(strongStyle, s) }
func (t theme) good(s string) string    { return t.as(goodStyle, s) }
func (t theme) bad(s string) string     { return t.as(badStyle, s) }
func (t theme) changed(s string) string { return t.as(changeStyle, s) }
func (t theme) name(s string) string    { return t.as(nameStyle, s) }
