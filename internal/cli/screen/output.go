package screen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/contexttree/pact/internal/view"
	"golang.org/x/term"
)

// PrintText prints a text of several lines and ends its last line. On a
// terminal it makes invisible characters visible.
func (a *Screen) PrintText(text string) {
	text = strings.TrimSuffix(text, "\n")
	if !a.OutTerminal {
		a.Printf("%s\n", text)
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		a.Printf("%s\n", view.Visible(strings.TrimSuffix(line, "\r")))
	}
}

// Answer prints one line for a person or an object for a program.
func (a *Screen) Answer(line string, object any) error {
	if a.JSON {
		return a.PrintJSON(object)
	}
	a.Printf("%s\n", line)
	return nil
}

// Show prints an object for a program, or has it drawn for a person.
func (a *Screen) Show(object any, draw func()) error {
	if a.JSON {
		return a.PrintJSON(object)
	}
	draw()
	return nil
}

// output collects what a command prints. Under --json it holds everything back
// until the command succeeds, because the object of a failure must stand alone.
// A log, one object a line, passes at once.
type output struct {
	W     io.Writer
	buf   bytes.Buffer
	Hold  bool
	plain bool // the terminal shows ASCII alone
}

const FlushAt = 64 << 10

func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	if o.plain {
		p = inASCII(p)
	}
	o.buf.Write(p)
	if !o.Hold && o.buf.Len() >= FlushAt {
		return n, o.Flush()
	}
	return n, nil
}

func (o *output) Flush() error {
	_, err := o.buf.WriteTo(o.W)
	return err
}

func (o *output) Drop() { o.buf.Reset() }

func (a *Screen) Printf(format string, args ...any) { fmt.Fprintf(a.Out, format, args...) }

// PrintJSON prints a value as one line of JSON and leaves <, > and & unescaped;
// with --output jsonl it prints the elements of a list, a line each. It escapes
// what [view.Visible] would replace, so that no terminal at the end of a pipe
// gets it, and a JSON reader gets the original back.
func (a *Screen) PrintJSON(v any) error {
	if list := reflect.ValueOf(v); a.Form == "jsonl" && list.Kind() == reflect.Slice {
		for i := range list.Len() {
			if err := a.printValue(list.Index(i).Interface()); err != nil {
				return err
			}
		}
		return nil
	}
	return a.printValue(v)
}

func (a *Screen) printValue(v any) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := a.Out.Write(escaped(line.Bytes()))
	return err
}

// Sentence prints a line that a terminal wraps by words.
func (a *Screen) Sentence(text string) {
	for _, line := range WrapLine(text, a.LineWidth()) {
		a.Printf("%s\n", line)
	}
}

// WriteJSON writes JSON that is valid UTF-8, on a terminal escaped as by [Screen.PrintJSON]: elsewhere its bytes
// are exact.
func (a *Screen) WriteJSON(text []byte) error {
	if a.OutTerminal {
		text = escaped(text)
	}
	_, err := a.Out.Write(text)
	return err
}

// escaped writes invisible characters of JSON as escapes. They occur only inside strings, apart from line ends.
func escaped(text []byte) []byte {
	hidden := func(r rune) bool { return r != '\n' && !view.Shows(r) }
	from := bytes.IndexFunc(text, hidden)
	if from < 0 {
		return text
	}
	shown := append(make([]byte, 0, len(text)+64), text[:from]...)
	for _, r := range string(text[from:]) {
		if !hidden(r) {
			shown = utf8.AppendRune(shown, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			shown = fmt.Appendf(shown, `\u%04x`, unit)
		}
	}
	return shown
}

// PrintLine prints a line of text; on a terminal, made [view.Visible].
func (a *Screen) PrintLine(text string) {
	if a.OutTerminal {
		text = view.Visible(text)
	}
	a.Printf("%s\n", text)
}

// FoundNothing says on a terminal that an answer is empty, and why. It goes to standard
// error: what a program reads stays empty.
func (a *Screen) FoundNothing(format string, args ...any) {
	if a.OutTerminal && a.Form == "" {
		a.Reportf(format, args...)
	}
}

// Warnf prints a warning.
func (a *Screen) Warnf(format string, args ...any) { a.Reportf("pact: warning: "+format, args...) }

// Reportf is Report for a format.
func (a *Screen) Reportf(format string, args ...any) { a.Report(fmt.Sprintf(format, args...)) }

// Report writes a line to standard error. A terminal wraps it by words, and every
// line but the first begins below the end of "pact: ".
func (a *Screen) Report(line string) {
	const indent = "      "
	if a.ErrWidth > 0 {
		body := strings.TrimPrefix(line, indent)
		lines := WrapLine(body, min(a.ErrWidth, widest)-len(indent))
		line = line[:len(line)-len(body)] + strings.Join(lines, "\n"+indent)
	}
	fmt.Fprintln(a.Err, line)
}

func Terminal(stream any) bool {
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
type theme struct{ On bool }

// ThemeFor returns a theme with colours if w is a terminal that has them and
// NO_COLOR is not set.
func ThemeFor(w io.Writer, env []string) theme {
	return theme{Terminal(w) && colorprofile.Detect(w, env) > colorprofile.ASCII}
}

func (t theme) as(s lipgloss.Style, text string) string {
	if !t.On || text == "" {
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

func (t theme) Faint(s string) string { return t.as(faintStyle, s) }

func (t theme) Strong(s string) string { return t.as(strongStyle, s) }

func (t theme) Good(s string) string { return t.as(goodStyle, s) }

func (t theme) Bad(s string) string { return t.as(badStyle, s) }

func (t theme) Changed(s string) string { return t.as(changeStyle, s) }

func (t theme) Name(s string) string { return t.as(nameStyle, s) }

// Quote quotes a word for a shell.
func Quote(word string) string {
	plain := word != "" && strings.IndexFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:@%+,=",
			r))
	}) < 0
	if plain {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Cells makes a row of texts, with invisible characters made visible.
func Cells(texts ...string) []string {
	row := slices.Clone(texts)
	for i := range row {
		row[i] = view.Visible(row[i])
	}
	return row
}

// Painted is a text that may have colours, which a row keeps as it is.
type Painted string

// Row makes a row of cells: of texts, in which it makes invisible characters visible, of numbers,
// and of pointers to numbers, nil for an empty cell.
func Row(values ...any) []string {
	row := make([]string, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case string:
			row[i] = view.Visible(v)
		case Painted:
			row[i] = string(v)
		case int:
			row[i] = strconv.Itoa(v)
		case int64:
			row[i] = strconv.FormatInt(v, 10)
		case *int64:
			if v != nil {
				row[i] = strconv.FormatInt(*v, 10)
			}
		}
	}
	return row
}
