package bring

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/spf13/cobra"
)

// hookSettings belongs into the settings of Claude Code. Stop comes after
// each turn, PreCompact before a compaction, SessionEnd at the end.
const hookSettings = `{
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "pact hook --db ~/pact.db"}]}],
    "SubagentStop": [{"hooks": [{"type": "command", "command": "pact hook --db ~/pact.db"}]}],
    "PreCompact": [{"hooks": [{"type": "command", "command": "pact hook --db ~/pact.db"}]}],
    "SessionEnd": [{"hooks": [{"type": "command", "command": "pact hook --db ~/pact.db"}]}]
  }
}
`

const HookName = "hook"

// maxHookEvent is how many bytes of an event are read. Events hold results of tools.
const maxHookEvent = 64 << 20

// hookEvent is an event that Claude Code sends to a hook.
type hookEvent struct {
	SessionID      string `json:"session_id"`
	TranscriptPath string `json:"transcript_path"`
	Dir            string `json:"cwd"`
}

// context returns the name of the context of a session: project/session.
func (e *hookEvent) context() string {
	session := e.SessionID
	if session == "" {
		session = strings.TrimSuffix(filepath.Base(e.TranscriptPath), ".jsonl")
	}
	if project := filepath.Base(filepath.Clean(e.Dir)); e.Dir != "" && project != string(filepath.Separator) {
		return project + "/" + session
	}
	return session
}

func hookCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   HookName,
		Short: "Import the new part of a session of Claude Code, as its hook",
		Long: `Read the event of a hook of Claude Code on standard input, and import what is new
of the transcript that it names, with its sub-agents: into the context
PROJECT/SESSION, where PROJECT is the last part of the working directory.

It never fails the agent: it prints nothing on standard output and exits with 0,
whatever happens; what went wrong stands on standard error. --print prints the
settings that make Claude Code call it after each turn.`,
		Example: `  pact hook --print
  pact hook --db ~/pact.db < event.json`,
		Args: command.Exactly(),
	}
	show := cmd.Flags().Bool("print", false, "print the settings for Claude Code, and read nothing")
	cmd.RunE = a.Does(func(ctx context.Context, _ *cobra.Command, _ []string) error {
		if *show {
			a.Printf("%s", hookSettings)
			return nil
		}
		return hook(ctx, a)
	})
	return cmd
}

// hook imports what the event on standard input tells of.
func hook(ctx context.Context, a *command.App) error {
	data, err := io.ReadAll(io.LimitReader(a.In, maxHookEvent+1))
	if err != nil {
		return err
	}
	var e hookEvent
	if err := json.Unmarshal(data, &e); err != nil || len(data) > maxHookEvent {
		return fault.New(fault.DocumentInvalid, "standard input is no event of a hook",
			"pact hook --print shows how to set it up")
	}
	if e.TranscriptPath == "" {
		return fault.New(fault.DocumentInvalid, "the event names no transcript (transcript_path)", "")
	}
	in, err := planOf(ctx, a, e.TranscriptPath, &importFlags{name: e.context()})
	if err != nil {
		return err
	}
	if in.kind != intake.Log {
		return fault.New(fault.DocumentInvalid, e.TranscriptPath+" is a "+string(in.kind)+", not a transcript of Claude Code",
			"")
	}
	in.Findings = nil // they would come after every turn
	s, err := a.OpenStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, p := range in.parts {
		if _, err := a.RecordLog(ctx, s, p, pact.OpenOptions{Actor: a.Getenv("USER", "")}, func(int) {}); err != nil {
			return err
		}
	}
	return nil
}
