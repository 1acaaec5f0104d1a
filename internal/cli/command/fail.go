package command

import (
	"cmp"
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

	Remedy string // "" to derive it from the error's code and the command
}

func (l *Located) Error() string { return l.Err.Error() }

func (l *Located) Unwrap() error { return l.Err }

// Advise ends the remedy of an error with what its command knows: the library knows no commands.
func Advise(err error, more string) error {
	return &Located{Err: err, Remedy: FactsOf(err).Remedy + more}
}

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

// InSelector is InArgument of a selector, to which it adds the one that finds a node of a state, nil for none, if the text
// is the id of that node.
func InSelector(err error, text string, in *pact.Snapshot) error {
	err = InArgument(err, text)
	address, id := cutAddress(text)
	if l, _ := err.(*Located); l != nil && FactsOf(err).Code == fault.SelectorInvalid && in != nil {
		if _, missing := in.Node(id); missing == nil {
			l.Remedy = "did you mean " + screen.Quote(strings.TrimSpace(address+" [id="+strconv.Quote(id)+"]")) + "? " + id + " is an id"
		}
	}
	return err
}

// cutAddress cuts the address off a text in the place of a selector, "" if it has none.
func cutAddress(text string) (address, rest string) {
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "@") {
		address, text, _ = strings.Cut(text, " ")
	}
	return address, strings.TrimSpace(text)
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
		exit, f = exitInterrupted, fault.New(fault.Store, "interrupted", "repeat the command")
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
		advised.Remedy = cmp.Or(place.Remedy, a.remedy(cmd, f))
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
	f := fault.New(fault.Store, err.Error(), "mend what the system says, then repeat the command")
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

// remedy returns the advice for the error of a command. The library knows no
// commands, so remedy names them where one helps, ready to type. Otherwise it
// returns the library's own remedy.
func (a *App) remedy(cmd *cobra.Command, f *fault.Error) string {
	db := a.InStore()
	switch f.Code {
	case fault.ContextNotFound:
		list := "pact contexts" + db + " lists those of " + a.Shown()
		if f.Remedy == wholeName {
			return f.Remedy
		}
		if f.Token == "" || cmd.Name() == "copy" {
			return list
		}
		if _, ready := ReadyPolicies[f.Token]; ready && cmd.Name() == "policy" {
			return "pact policy --print " + f.Token + " prints the ready policy " + f.Token + "; " + list
		}
		if a.nearest != "" {
			return a.asks(list)
		}
		return list + "; pact new " + screen.Quote(f.Token) + db + " makes it"
	case fault.Conflict:
		if lost := (*pact.Conflict)(nil); errors.As(f, &lost) && cmd.Flags().Lookup("rebase") != nil {
			return "pact log " + a.Subject + db + " --edits shows the new state; repeat the command, " +
				"or add --rebase to let it repeat by itself"
		}
	case fault.AttemptNotFound:
		return "pact log " + a.Subject + db + " --attempts lists those that are there"
	case fault.NodeNotFound:
		return cmp.Or(a.whereNodesAre(cmd, f), f.Remedy)
	case fault.SnapshotNotFound:
		if cmd.Name() == "erase" && f.Token == "" { // an unknown revision
			return "pact log " + a.Subject + db + " --edits --json lists the revisions"
		}
	case fault.DocumentInvalid:
		switch {
		case cmd.Name() == "erase" && f.Token != "": // another context's name holds the text
			return "rename that context first: pact rename " + screen.Quote(f.Token) + " NEW" + db
		case f.Token == "pact:policy": // an imported root has something else there
			return "keep no policy: pact policy " + a.Subject + db + " --clear"
		case cmd.Name() != "apply" && f.Token == "cycle" && f.Line > 0: // a history with a gap
			return "a history has one snapshot for every cycle; to count its snapshots anew, import it with --renumber"
		}
	case fault.Store, fault.NotFound:
		switch {
		case cmd.Name() == "revoke" && f.Code == fault.NotFound && f.Token != a.Shown():
			return "pact token list" + db + " lists those that are there"
		case cmd.Name() == "copy" && f.Token == a.Shown():
			if given(cmd, "compact") || given(cmd, "backup") || given(cmd, "edition") || given(cmd, "discard") { // not beside --from
				return "--db or PACT_DB names another store"
			}
			return "--from names the store to copy from"
		case f.Token != "" && f.Token == a.Shown(): // the store does not exist
			return "pact open FILE" + db + " or pact new NAME" + db + " makes one; --db or PACT_DB names another"
		}
	}
	return f.Remedy
}

// whereNodesAre names the command that lists the ids, "" if the command is not
// about one context or already named it.
func (a *App) whereNodesAre(cmd *cobra.Command, f *fault.Error) string {
	db := a.InStore()
	if a.Subject == "" {
		return ""
	}
	if strings.HasPrefix(f.Node, "^") {
		return "the regions are ^sys, ^seq and ^ah"
	}
	switch cmd.Name() {
	case "erase", "life", "show":
		switch {
		case f.Node != "" && len(cmd.Flags().Args()) > 2 && cmd.Name() == "show": // the state that was asked lacks it, as working may
			return "pact life " + a.Subject + db + " " + screen.Quote(f.Node) + " says in which snapshots it is"
		case f.Node != "":
			return "pact select " + a.Subject + db + " '@* *' lists the ids of all snapshots"
		case cmd.Name() == "erase": // the selector found nothing
			return ""
		}
	case "verify":
		return "pact show " + a.Subject + db + " --all draws what is there"
	}
	return "pact show " + a.Subject + db + " working --all draws what is there"
}

// InStore returns the flag that names the store in a suggested command, after a
// space; "" if the command finds the store without it.
func (a *App) InStore() string {
	if a.DB == a.Getenv("PACT_DB", "pact.db") {
		return ""
	}
	return " --db " + screen.Quote(a.Shown())
}
