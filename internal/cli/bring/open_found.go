package bring

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/record/sessions"
	"github.com/contexttree/pact/internal/view"
)

const (
	mostFound = 10   // sessions that are listed
	mostKnown = 1000 // sessions among which an id is looked for

	example = "examples/conversations/night-run.jsonl" // where a checkout has it
)

// toOpen returns the plan for the file that was named, or for a session on this machine: the one with the id
// that was named, or without a name the newest that pact reads, and then also what was found.
func toOpen(ctx context.Context, a *command.App, flags *importFlags, args []string) (*plan, []sessions.Session, error) {
	if len(args) == 0 {
		return newestSession(ctx, a, flags)
	}
	if _, err := os.Stat(args[0]); errors.Is(err, fs.ErrNotExist) && filepath.Base(args[0]) == args[0] {
		list, _ := sessions.Newest(ctx, a.Env, mostKnown) // what cannot be read need not be what was named
		if s := sessions.ByID(list, args[0]); s != nil {
			in, err := planOfSession(ctx, a, flags, s)
			return in, nil, err
		}
	}
	in, err := planOf(ctx, a, args[0], flags)
	return in, nil, err
}

// newestSession tries the sessions on this machine, the newest first. One that has nothing to draw yet, or is
// damaged, is passed over with a warning.
func newestSession(ctx context.Context, a *command.App, flags *importFlags) (*plan, []sessions.Session, error) {
	list, err := sessions.Newest(ctx, a.Env, mostFound)
	if err != nil && (len(list) == 0 || ctx.Err() != nil) {
		return nil, nil, err
	}
	if err != nil {
		a.Warnf("%v", err)
	}
	remedy := "name a file: pact open FILE; or record a program: pact run -- COMMAND"
	if _, err := os.Stat(example); err == nil {
		remedy = "see an example: pact open " + example + "; " + remedy
	}
	failed := fault.New(fault.NotFound, "no session of "+sessions.Agents()+" is on this machine", remedy)
	if len(list) > 0 {
		failed = fault.New(fault.Store, "pact reads none of the newest "+view.Plural(len(list), "session")+" on this machine, the last of "+
			list[0].Agent, "record the next one: pact run -- COMMAND")
	}
	for i := range list {
		s := &list[i]
		if !s.Reads {
			continue
		}
		in, err := planOfSession(ctx, a, flags, s)
		if err == nil && slices.ContainsFunc(in.Parts, func(p intake.Part) bool { return p.Calls() > 0 }) {
			return in, list, nil
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err == nil {
			err = errors.New("the model has answered nothing in it yet")
		}
		a.Warnf("the session %s of %s was passed over: %v", view.Visible(s.ID), s.Agent, err)
	}
	return nil, nil, failed
}

// planOfSession reads a session. Its context is named like that of the hook for Claude Code: FOLDER/ID.
func planOfSession(ctx context.Context, a *command.App, flags *importFlags, s *sessions.Session) (*plan, error) {
	if !s.Reads {
		return nil, fault.New(fault.DocumentInvalid, "pact does not read what "+s.Agent+" keeps",
			"record its next session: pact run -- COMMAND")
	}
	named := *flags
	if named.name == "" {
		named.name = s.Name()
	}
	text, err := s.Text(ctx)
	if err != nil {
		return nil, err
	}
	if text == nil {
		return planOf(ctx, a, s.Path, &named)
	}
	return planFor(ctx, a, &command.Input{Name: s.ID, File: &intake.File{Data: text}}, &named)
}

// drawFound lists the sessions that were found. opened is the file of the one that is drawn.
func drawFound(a *command.App, list []sessions.Session, opened string) {
	if len(list) == 0 {
		return
	}
	var rows [][]string
	for i := range list {
		s, mark := &list[i], ""
		switch {
		case s.Path == opened || s.ID == opened:
			mark = "below"
		case !s.Reads:
			mark = "not read"
		}
		rows = append(rows, screen.Row(view.Time(s.Changed.UnixNano()), s.Agent, s.Folder, s.ID, mark))
	}
	a.Table([]string{"changed", "agent", "folder", "session", ""}, rows)
	a.Printf("%s\n\n", a.Paint.Faint("pact open ID opens another. Nothing has left this machine."))
}
