package cli

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
	"github.com/contexttree/pact/store"
	"github.com/spf13/cobra"
)

// located is an error together with the input that caused it, so that fail can
// show the place.
type located struct {
	err  error
	name string // name of the file; "" if the input was an argument
	text string // the text that the error's offset counts in
	exit int    // exit code; 0 to derive it from the error's code
}

func (l *located) Error() string { return l.err.Error() }
func (l *located) Unwrap() error { return l.err }

// inArgument attaches an argument to an error. An error found after parsing has
// a token but no place; it gets a place if the token occurs once in the
// argument.
func inArgument(err error, text string) error {
	if err == nil {
		return nil
	}
	if f := factsOf(err); f.Code != "" && f.Offset == fault.NoOffset && f.Token != "" &&
		strings.Count(text, f.Token) == 1 {
		placed := *f
		placed.Offset = strings.Index(text, f.Token)
		err = &placed
	}
	return &located{err: err, text: text}
}

// inFile attaches the contents of a file to an error.
func inFile(err error, name string, data []byte) error {
	if err == nil || fault.CodeOf(err) == "" {
		return err
	}
	if l := (*located)(nil); errors.As(err, &l) {
		return err
	}
	return &located{err: err, name: name, text: string(data)}
}

// usage returns the error for an invalid command line.
func usage(cmd *cobra.Command, format string, args ...any) error {
	return fault.New(fault.DocumentInvalid, fmt.Sprintf(format, args...), cmd.CommandPath()+" --help shows how")
}

// invalid lists the codes of errors that the input causes; the state of the
// world causes the others.
var invalid = []fault.Code{
	fault.SelectorInvalid, fault.RangeKindMismatch, fault.RangeWildcard, fault.RangeLimit, fault.PlacementInvalid,
	fault.Sealed, fault.NodeDuplicate, fault.DocumentInvalid, fault.Limit,
}

// misused rewords an error of the flag parser and keeps its suggestions.
func misused(cmd *cobra.Command, err error) *fault.Error {
	message, more, _ := strings.Cut(err.Error(), "\n")
	f := fault.New(fault.DocumentInvalid, message, cmd.CommandPath()+" --help shows how")
	if _, names, ok := strings.Cut(more, "Did you mean this?"); ok {
		f.Remedy = "did you mean " + strings.Join(strings.Fields(names), " or ") + "?"
	}
	return f
}

// fail reports the error of a command and returns the exit code.
func (a *app) fail(ctx context.Context, cmd *cobra.Command, err error, args []string) int {
	f, place := factsOf(err), &located{}
	errors.As(err, &place)
	exit := exitFailure
	switch {
	case ctx.Err() != nil:
		exit, f = exitInterrupted, fault.New(fault.Store, "interrupted", "")
	case !a.began && f.Code == "":
		f, exit = misused(cmd, err), exitInvalid
	case place.exit != 0:
		exit = place.exit
	case slices.Contains(invalid, f.Code):
		exit = exitInvalid
	}
	if f.Code == "" {
		f = ofWorld(err)
	}
	if a.began {
		advised := *f
		advised.Remedy = a.remedy(cmd, f)
		f = &advised
	}
	if a.json || !a.began && asksForJSON(beforeDashes(args)) {
		a.out.drop()
		if a.printJSON(failure(f)) == nil {
			_ = a.out.flush()
		}
		return exit
	}
	_ = a.out.flush()
	a.describe(f, place, exit)
	return exit
}

// factsOf returns the facts of an error. They have no code if the error is not
// from the library.
func factsOf(err error) *fault.Error {
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
			f.Message, f.Err, f.Remedy = "there is no file "+path.Path, nil, "check the name; - stands for standard input"
		}
	}
	return f
}

// written describes the write of another process to which a command lost.
type written struct {
	Revision int64      `json:"revision"`
	Kind     store.Kind `json:"kind"`
	Cycle    int64      `json:"cycle"`
	Actor    string     `json:"actor,omitempty"`
	Message  string     `json:"message,omitempty"`
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
func (a *app) describe(f *fault.Error, place *located, exit int) {
	paint := themeFor(a.err, a.environ())
	if a.color == "always" || a.color == "never" {
		paint.on = a.color == "always"
	}
	if exit == exitInterrupted {
		fmt.Fprintln(a.err, "pact: interrupted")
		return
	}
	where := ""
	if place.name != "" {
		where = filepath.ToSlash(place.name)
	}
	marked := f.Offset >= 0 && place.text != ""
	if marked {
		m := caretsUnder(place.text, f.Offset, f.Token)
		if where != "" && f.Line == 0 {
			where += ":" + strconv.Itoa(m.line) + ":" + strconv.Itoa(m.column)
		}
		fmt.Fprintf(a.err, "  %s\n  %s\n", m.text, paint.bad(m.carets))
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
	a.report("pact: " + visible(where) + visible(message) + " " + paint.faint("["+string(f.Code)+"]"))
	if f.Remedy != "" {
		a.report("      " + visible(f.Remedy))
	}
}

// asksForJSON reports whether the arguments of a command that did not begin ask
// for JSON.
func asksForJSON(args []string) bool {
	for i, arg := range args {
		value, joined := strings.CutPrefix(arg, "--output=")
		if arg == "--output" && i+1 < len(args) {
			value, joined = args[i+1], true
		}
		if arg == "--json" || joined && (value == "json" || value == "jsonl") {
			return true
		}
	}
	return false
}

func (a *app) environ() []string {
	list := make([]string, 0, len(a.env))
	for name, value := range a.env {
		list = append(list, name+"="+value)
	}
	return list
}

// beforeDashes returns the arguments that can be flags: those in front of a
// lone --.
func beforeDashes(args []string) []string {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i]
	}
	return args
}
