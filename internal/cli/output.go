package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"unicode/utf16"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/safefile"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// output collects what a command prints. Under --json it holds everything back
// until the command succeeds, because the object of a failure must stand alone.
// A log, one object a line, passes at once.
type output struct {
	w     io.Writer
	buf   bytes.Buffer
	hold  bool
	plain bool // the terminal shows ASCII alone
}

const flushAt = 64 << 10

func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	if o.plain {
		p = inASCII(p)
	}
	o.buf.Write(p)
	if !o.hold && o.buf.Len() >= flushAt {
		return n, o.flush()
	}
	return n, nil
}

func (o *output) flush() error {
	_, err := o.buf.WriteTo(o.w)
	return err
}

func (o *output) drop() { o.buf.Reset() }

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }

// forms are the values of --output.
var forms = []string{"json", "jsonl", "table", "wide", "id"}

// colors are the values of --color.
var colors = []string{"auto", "always", "never"}

// chooseForm reads --color, --output and --json, which is short for --output
// json.
func (a *app) chooseForm(cmd *cobra.Command) error {
	switch {
	case a.form == "" && a.json:
		a.form = "json"
	case a.form != "" && !slices.Contains(forms, a.form):
		return usage(cmd, "--output %s is not known: it is one of %s", a.form, strings.Join(forms, ", "))
	case a.json && a.form != "json" && a.form != "jsonl":
		return usage(cmd, "--json is the same as --output json; %s is another form", a.form)
	}
	a.json = a.form == "json" || a.form == "jsonl"
	switch a.color {
	case "auto":
	case "always", "never":
		a.paint.on = a.color == "always"
	default:
		return usage(cmd, "--color %s is not known: it is one of %s", a.color, strings.Join(colors, ", "))
	}
	return nil
}

// printJSON prints a value as one line of JSON and leaves <, > and & unescaped;
// with --output jsonl it prints the elements of a list, a line each. On a
// terminal it escapes what [visible] would replace, so that a JSON reader gets
// the original back.
func (a *app) printJSON(v any) error {
	if list := reflect.ValueOf(v); a.form == "jsonl" && list.Kind() == reflect.Slice {
		for i := range list.Len() {
			if err := a.printValue(list.Index(i).Interface()); err != nil {
				return err
			}
		}
		return nil
	}
	return a.printValue(v)
}

func (a *app) printValue(v any) error {
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

// sentence prints a line that a terminal wraps by words.
func (a *app) sentence(text string) {
	for _, line := range wrapLine(text, a.lineWidth()) {
		a.printf("%s\n", line)
	}
}

// writeJSON writes JSON that is valid UTF-8, escaped on a terminal as printJSON
// says. Invisible characters occur only inside strings, apart from line ends.
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

// printLine prints a line of text; on a terminal, made [visible].
func (a *app) printLine(text string) {
	if a.outTerminal {
		text = visible(text)
	}
	a.printf("%s\n", text)
}

// replaceFile writes a file under a temporary name and renames it when it is
// complete and on the disk. It refuses to replace the store.
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

// foundNothing says on a terminal that an answer is empty, and why. It goes to standard
// error: what a program reads stays empty.
func (a *app) foundNothing(format string, args ...any) {
	if a.outTerminal && a.form == "" {
		a.report(fmt.Sprintf(format, args...))
	}
}

// warnf prints a warning.
func (a *app) warnf(format string, args ...any) {
	a.report("pact: warning: " + fmt.Sprintf(format, args...))
}

// report writes a line to standard error. A terminal wraps it by words, and every
// line but the first begins below the end of "pact: ".
func (a *app) report(line string) {
	const indent = "      "
	if a.errWidth > 0 {
		body := strings.TrimPrefix(line, indent)
		lines := wrapLine(body, min(a.errWidth, widest)-len(indent))
		line = line[:len(line)-len(body)] + strings.Join(lines, "\n"+indent)
	}
	fmt.Fprintln(a.err, line)
}

func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// columns returns the width of the terminal, 0 if the stream is not one.
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

// theme colours text, or leaves it alone. It uses only the sixteen colours of
// the terminal's own palette.
type theme struct{ on bool }

// themeFor returns a theme with colours if w is a terminal that has them and
// NO_COLOR is not set.
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
