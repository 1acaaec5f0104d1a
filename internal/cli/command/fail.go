package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/view"

	"github.com/spf13/cobra"
)

// Located is an error together with the input that caused it, so that fail can
// show the place.
type Located struct {
	Err  error
	Name string // name of the file; "" if the input was an argument
	Text string // the text that the error's offset counts in
	Exit int    // exit code; 0 to derive it from the error's code
}

func (l *Located) Error() string { return l.Err.Error() }

func (l *Located) Unwrap() error { return l.Err }

// InArgument attaches an argument to an error. An error found after parsing has
// a token but no place; it gets a place if the token occurs once in the
// argument.
func InArgument(err error, text string) error {
	if err == nil {
		return nil
	}
	if f := FactsOf(err); f.Code != "" && f.Offset == fault.NoOffset && f.Token != "" &&
		strings.Count(text, f.Token) == 1 {
		placed := *f
		placed.Offset = strings.Index(text, f.Token)
		err = &placed
	}
	return &Located{Err: err, Text: text}
}

// InFile attaches the contents of a file to an error.
func InFile(err error, name string, data []byte) error {
	if err == nil || fault.CodeOf(err) == "" {
		return err
	}
	if l := (*Located)(nil); errors.As(err, &l) {
		return err
	}
	return &Located{Err: err, Name: name, Text: string(data)}
}

// invalid lists the codes of errors that the input causes; the state of the
// world causes the others.
var invalid = []fault.Code{
	fault.SelectorInvalid, fault.RangeKindMismatch, fault.RangeWildcard, fault.RangeLimit, fault.PlacementInvalid,
	fault.Sealed, fault.NodeDuplicate, fault.DocumentInvalid, fault.Usage, fault.Limit,
}

// Fail reports the error of a command and returns the exit code.
func (a *App) Fail(ctx context.Context, cmd *cobra.Command, err error, args []string) int {
	f, place := FactsOf(err), &Located{}
	errors.As(err, &place)
	exit := ExitFailure
	switch {
	case ctx.Err() != nil:
		exit, f = exitInterrupted, fault.New(fault.Store, "interrupted", "")
	case !a.began && f.Code == "":
		f, exit = misused(cmd, err), ExitInvalid
	case place.Exit != 0:
		exit = place.Exit
	case slices.Contains(invalid, f.Code.General()):
		exit = ExitInvalid
	}
	if f.Code == "" {
		f = ofWorld(err)
	}
	if a.began {
		advised := *f
		advised.Remedy = a.remedy(cmd, f)
		f = &advised
	}
	if a.JSON || !a.began && asksForJSON(beforeDashes(args)) {
		a.Out.Drop()
		if a.PrintJSON(failure(f)) == nil {
			_ = a.Out.Flush()
		}
		return exit
	}
	_ = a.Out.Flush()
	a.describe(f, place, exit)
	return exit
}

// FactsOf returns the facts of an error. They have no code if the error is not
// from the library.
func FactsOf(err error) *fault.Error {
	var f *fault.Error
	switch {
	case errors.As(err, &f):
		return f
	case err == nil:
		return &fault.Error{Offset: fault.NoOffset}
	}
	return &fault.Error{Message: err.Error(), Offset: fault.NoOffset}
}

// ofWorld rewords an error of the operating system.
func ofWorld(err error) *fault.Error {
	f := fault.New(fault.Store, err.Error(), "")
	var path *os.PathError
	if errors.As(err, &path) {
		f.Message, f.Err = path.Path+" cannot be used", path.Err
		if errors.Is(err, os.ErrNotExist) {
			f.Code, f.Message, f.Err, f.Remedy = fault.NotFound, "there is no file "+path.Path, nil, "check the name; - stands for standard input"
		}
	}
	return f
}

// written describes the write of another process to which a command lost.
type written struct {
	Revision int64        `json:"revision"`
	Kind     history.Kind `json:"kind"`
	Cycle    int64        `json:"cycle"`
	Actor    string       `json:"actor,omitempty"`
	Message  string       `json:"message,omitempty"`
}

// failure returns the object that --json prints for an error.
func failure(f *fault.Error) any {
	type details struct {
		Offset *int   `json:"offset,omitempty"`
		Token  string `json:"token,omitempty"`
		Node   string `json:"node,omitempty"`
		Line   int    `json:"line,omitempty"`
		Remedy string `json:"remedy,omitempty"`
		Cause  string `json:"cause,omitempty"`

		Meanwhile []written `json:"meanwhile,omitempty"`
	}
	type body struct {
		Code    fault.Code `json:"code"`
		Message string     `json:"message"`
		Details details    `json:"details"`
	}
	d := details{Token: f.Token, Node: f.Node, Line: f.Line, Remedy: f.Remedy, Cause: f.Cause()}
	if f.Offset >= 0 {
		d.Offset = &f.Offset
	}
	var lost *pact.Conflict
	if errors.As(f, &lost) {
		for _, e := range lost.Meanwhile {
			d.Meanwhile = append(d.Meanwhile, written{e.Revision, e.Kind, e.Cycle, e.Actor, e.Message})
		}
	}
	return map[string]body{"error": {f.Code, f.Message, d}}
}

// describe prints an error for a person: the place, what is wrong, what to do.
func (a *App) describe(f *fault.Error, place *Located, exit int) {
	paint := screen.ThemeFor(a.Err, a.Environ())
	if a.Color == "always" || a.Color == "never" {
		paint.On = a.Color == "always"
	}
	if exit == exitInterrupted {
		fmt.Fprintln(a.Err, "pact: interrupted")
		return
	}
	where := ""
	if place.Name != "" {
		where = filepath.ToSlash(place.Name)
	}
	marked := f.Offset >= 0 && place.Text != ""
	if marked {
		m := screen.CaretsUnder(place.Text, f.Offset, f.Token)
		if where != "" && f.Line == 0 {
			where += ":" + strconv.Itoa(m.Line) + ":" + strconv.Itoa(m.Column)
		}
		fmt.Fprintf(a.Err, "  %s\n  %s\n", m.Text, paint.Bad(m.Carets))
	}
	if line := "line " + strconv.Itoa(f.Line) + ":"; f.Line > 0 && !strings.Contains(f.Message, line) {
		where = strings.TrimPrefix(where+", line "+strconv.Itoa(f.Line), ", ")
	}
	if where != "" {
		where += ": "
	}
	message := f.Message
	if !marked && f.Token != "" && !strings.Contains(message, f.Token) {
		message += ": " + strconv.Quote(f.Token)
	}
	if f.Node != "" {
		message += " (node " + f.Node + ")"
	}
	if cause := f.Cause(); cause != "" {
		message += ": " + cause
	}
	a.Report("pact: " + view.Visible(where) + view.Visible(message) + " " + paint.Faint("["+string(f.Code)+"]"))
	if f.Remedy != "" {
		a.Report("      " + view.Visible(f.Remedy))
	}
}
