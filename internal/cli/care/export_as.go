package care

import (
	"bufio"
	"context"
	"io"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/exports"
	"github.com/contexttree/pact/internal/safefile"
)

// runForms write whole runs for other programs.
var runForms = map[string]func(context.Context, io.Writer, *pact.Context, pact.Address, func(done, total int)) ([]exports.Lost, error){
	"atif": exports.ATIF, "otlp": exports.OTLP,
}

// sessionForms write a thread with which an agent goes on.
var sessionForms = map[string]func(context.Context, io.Writer, *pact.Context, *pact.Snapshot) (*exports.Session, error){
	"claude-code": exports.ClaudeCode, "codex": exports.Codex, "opencode": exports.Opencode,
}

// forms are the values of --as.
var forms = []string{"atif", "otlp", "claude-code", "codex", "opencode"}

// exported is what export --as says with --json.
type exported struct {
	Form    string         `json:"form"`
	File    string         `json:"file"`
	Lost    []exports.Lost `json:"not_carried"`
	Session string         `json:"session,omitempty"` // by which the agent resumes it
	Path    string         `json:"path,omitempty"`    // where the agent looks for it; opencode imports any file
	Command string         `json:"command,omitempty"` // that resumes it
}

// exportAs writes for another program. It says what the form cannot carry before anybody sees the rest.
func exportAs(ctx context.Context, a *command.App, s *command.Source, form, target string, rest []string) error {
	write, err := writerAs(ctx, a, s, form, rest)
	if err != nil {
		return err
	}
	var said *exported
	put := func(w io.Writer) error {
		if said, err = write(w); err != nil {
			return err
		}
		var words []string
		for _, l := range said.Lost {
			words = append(words, l.InWords())
		}
		if len(words) > 0 {
			a.Reportf("pact: %s does not carry: %s", form, strings.Join(words, "; "))
		}
		if target != "" {
			said.Command = strings.Replace(said.Command, " FILE ", " "+screen.Quote(target)+" ", 1)
		}
		if said.Path != "" {
			a.Reportf("pact: put it at %s, then type %s", said.Path, said.Command)
		} else if said.Command != "" {
			a.Reportf("pact: then type %s", said.Command)
		}
		return nil
	}
	if target == "" {
		return throughFile(a.Out, put)
	}
	if err := a.ReplaceFile(target, put); err != nil || !a.JSON {
		return err
	}
	said.Form, said.File, said.Lost = form, target, append([]exports.Lost{}, said.Lost...)
	return a.PrintJSON(said)
}

// throughFile copies what put writes when put has succeeded.
func throughFile(w io.Writer, put func(io.Writer) error) error {
	temp, err := safefile.NewUnnamed("pact-export-*")
	if err != nil {
		return err
	}
	defer temp.Close()
	buffered := bufio.NewWriter(temp)
	if err := put(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	if _, err := temp.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err = io.Copy(w, temp)
	return err
}

// writerAs returns what writes a form.
func writerAs(ctx context.Context, a *command.App, s *command.Source, form string, rest []string) (func(io.Writer) (*exported, error), error) {
	if session := sessionForms[form]; session != nil {
		snapshot, err := s.Argument(ctx, rest)
		if len(rest) == 0 && s.Context != nil { // with the answer to the last call
			snapshot, err = s.Context.Working(), nil
		}
		return func(w io.Writer) (*exported, error) {
			made, err := session(ctx, w, s.Context, snapshot)
			if err != nil {
				return nil, err
			}
			return &exported{Lost: made.Lost, Session: made.ID, Path: made.Path, Command: made.Command}, nil
		}, err
	}
	if s.Alone != nil {
		return nil, fault.New(fault.DocumentInvalid, "a document on its own is no run", "name a history, a log or a context")
	}
	to, err := pact.Address("latest"), error(nil)
	if len(rest) > 0 {
		to, err = command.ParseAddress(rest[0], s.Edition())
	}
	return func(w io.Writer) (*exported, error) {
		m := a.Meter("exporting")
		defer m.End()
		lost, err := runForms[form](ctx, w, s.Context, to, m.At)
		return &exported{Lost: lost}, err
	}, err
}
