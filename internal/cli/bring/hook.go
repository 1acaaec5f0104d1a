package bring

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/budget"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/cli/screen"
	"github.com/contexttree/pact/internal/record/intake"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/splice"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/spf13/cobra"
)

// hookSettings returns what belongs into the settings of Claude Code. Stop comes after each turn,
// PreCompact before a compaction, SessionEnd at the end, and PostToolUse after each call of a tool.
func hookSettings(policy string) string {
	events, line := []string{"Stop", "SubagentStop", beforeCompaction, "SessionEnd"}, "pact import --hook --db ~/pact.db"
	if policy != "" {
		events, line = append(events, afterClaudeTool), line+" --policy "+screen.Quote(policy)
	}
	text := "{\n  \"hooks\": {"
	for i, event := range events {
		command, err := json.Marshal(line)
		if err != nil {
			panic(err) // every text has a JSON form
		}
		if i > 0 {
			text += ","
		}
		text += "\n    \"" + event + "\": [{\"hooks\": [{\"type\": \"command\", \"command\": " + string(command) + "}]}]"
	}
	return text + "\n  }\n}\n"
}

// maxHookEvent is how many bytes of an event are read. Events hold results of tools.
const maxHookEvent = 64 << 20

// hookEvent is an event that Claude Code sends to a hook.
type hookEvent struct {
	Event          string `json:"hook_event_name"`
	SessionID      string `json:"session_id"`
	TranscriptPath string `json:"transcript_path"`
	Dir            string `json:"cwd"`
	Agent          string `json:"agent_id"` // of a sub-agent
	Tool           string `json:"tool_name"`
	Call           string `json:"tool_use_id"`
}

// originals names the context that keeps the answers of tools that were shaped: each agent has its own, because a
// reference to an earlier answer says something to that agent alone.
func (e *hookEvent) originals() string {
	name := e.context()
	if e.Agent != "" {
		name += "/" + e.Agent
	}
	return name + "/originals"
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

// byHand returns the command that imports what the hook imports, into the same context: one named after the file would
// know nothing of what was erased.
func (e *hookEvent) byHand() string {
	return "pact import " + screen.Quote(e.TranscriptPath) + " --name " + screen.Quote(e.context())
}

// hookFlags make import the hook of an agent.
type hookFlags struct {
	hook, show bool
	agent      string
}

func newHookFlags(cmd *cobra.Command) *hookFlags {
	h := &hookFlags{}
	cmd.Flags().BoolVar(&h.hook, "hook", false, "import what the event of an agent's hook on standard input names, and never fail")
	cmd.Flags().BoolVar(&h.show, "print", false, "with --hook: print the settings for the agent, and read nothing")
	cmd.Flags().StringVar(&h.agent, "for", "claude", "with --hook --print: what `AGENT` needs, claude or opencode")
	return h
}

// IsHook reports whether a command line is that of a hook. It never fails the agent that calls it.
func IsHook(cmd *cobra.Command, args []string) bool {
	if cmd.Name() != "import" {
		return false
	}
	if asked, _ := cmd.Flags().GetBool("hook"); asked {
		return true
	}
	return slices.ContainsFunc(args, func(arg string) bool { // which the parser may not have reached
		value, joined := strings.CutPrefix(arg, "--hook=")
		on, err := strconv.ParseBool(value)
		return arg == "--hook" || joined && (on || err != nil)
	})
}

// answer imports what an event names, or prints the settings that make an agent send events.
func (h *hookFlags) answer(ctx context.Context, a *command.App, cmd *cobra.Command, policy string) error {
	switch {
	case h.show && h.agent == "opencode":
		a.Printf("%s", strings.ReplaceAll(opencodePlugin, "POLICY", cmp.Or(policy, "policy.json")))
		return nil
	case h.show && h.agent == "claude":
		a.Printf("%s", hookSettings(policy))
		return nil
	case h.show:
		return command.Usage(cmd, "--for is claude or opencode")
	}
	text, err := inTime(ctx, func(ctx context.Context) (string, error) { return hook(ctx, a, policy) })
	if err == nil {
		a.Printf("%s", text)
	}
	return err
}

// hookPatience is how long a hook takes at most: the agent waits for it.
const hookPatience = 5 * time.Second

// inTime runs a hook, and leaves it when its time is over: a system call may never end. What was not imported by then
// comes with a later event. It returns what the agent reads.
func inTime(ctx context.Context, work func(context.Context) (string, error)) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, hookPatience, fault.New(fault.Limit,
		"the hook took more than 5 seconds, and ended", "a later event takes what is missing"))
	defer cancel()
	said, err := command.WaitFor(ctx, func() (string, error) { return work(ctx) })
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return said, err
}

// hook imports the new part of the transcript that the event on standard input names.
func hook(ctx context.Context, a *command.App, policy string) (answer string, err error) {
	data, err := io.ReadAll(io.LimitReader(a.In, maxHookEvent+1))
	if err != nil {
		return "", err
	}
	var e hookEvent
	if err := json.Unmarshal(data, &e); err != nil || len(data) > maxHookEvent {
		return "", fault.New(fault.DocumentInvalid, "standard input is no event of a hook",
			"pact import --hook --print shows how to set it up")
	}
	if e.Event == afterClaudeTool || e.Event == afterOpencodeTool {
		if policy == "" {
			return "", nil
		}
		p, err := a.PolicyNamed(ctx, policy)
		if err != nil {
			return "", err
		}
		return shapeTool(ctx, a, &e, data, &p)
	}
	if policy != "" && e.Event == beforeCompaction {
		if err := compacted(ctx, a, &e, policy); err != nil {
			return "", err
		}
	}
	if e.TranscriptPath == "" {
		return "", fault.New(fault.DocumentInvalid, "the event names no transcript (transcript_path)",
			"give the event as Claude Code wrote it")
	}
	flags := &importFlags{name: e.context()}
	ctx, _ = budget.WithMemory(ctx, importMemory, "import it yourself: "+e.byHand())
	in, err := planOf(ctx, a, e.TranscriptPath, flags)
	if err != nil {
		return "", err
	}
	if in.Plan.Kind != intake.Log {
		return "", fault.New(fault.DocumentInvalid, e.TranscriptPath+" is a "+string(in.Plan.Kind)+", not a transcript of Claude Code",
			"name a transcript of Claude Code as transcript_path")
	}
	s, err := a.OpenStore(ctx)
	if err != nil {
		return "", err
	}
	defer s.Close()
	for _, part := range in.Parts {
		part.Session.Unasked = true
	}
	if _, err = in.Import(ctx, s, func(int, int) {}); err != nil { // the findings would come after every turn
		return "", err
	}
	for _, part := range in.Parts {
		if part.Session.Erased > 0 {
			return "", fault.New(fault.Conflict, "calls of "+part.Name+" were erased, and later ones repeat them: the hook takes no more of it",
				e.byHand()+" takes the calls since then")
		}
	}
	return "", nil
}

// The events after a call of a tool, of Claude Code (code.claude.com/docs/en/hooks) and of opencode
// (opencode.ai/docs/plugins). Both were read in November 2026.
const (
	afterClaudeTool   = "PostToolUse"
	afterOpencodeTool = "tool.execute.after"
	beforeCompaction  = "PreCompact"
)

// toolTexts says where the answer of a built-in tool of Claude Code has the text that the model reads.
// Claude Code drops an answer of another form, so everything else in it stays. Tools that are not here,
// such as those that edit files, are left alone.
var toolTexts = map[string][]string{"Bash": {"stdout"}, "BashOutput": {"stdout"}, "Read": {"file", "content"},
	"Grep": {"content"}, "WebFetch": {"result"}, "Task": {"content"}, "Agent": {"content"}}

// shownInstead are members of the answer of Bash with which Claude Code shows a saved copy of the whole output.
var shownInstead = []string{"persistedOutputPath", "persistedOutputSize"}

// textOf returns the text of an answer, or its list of parts; missing if the tool is not known.
func textOf(tool string, answer splice.Value) splice.Value {
	if path, known := toolTexts[tool]; known {
		return answer.Get(path...)
	}
	if !strings.HasPrefix(tool, "mcp__") {
		return splice.Value{}
	}
	if content := answer.Get("content"); content.Is() {
		return content
	}
	return answer
}

// shapeTool answers an event after a call with the answer of the tool as the rules of a policy shape it, and
// with nothing if they leave it alone.
func shapeTool(ctx context.Context, a *command.App, e *hookEvent, data []byte, policy *lifecycle.Policy) (string,
	error) {
	root, ok := splice.Parse(data)
	if !ok {
		return "", fault.New(fault.DocumentInvalid, "standard input is no event of a hook",
			"give the event as Claude Code wrote it")
	}
	answer := root.Get("tool_response")
	text := textOf(e.Tool, answer)
	if e.Event == afterOpencodeTool {
		text = answer.Get("output")
	}
	if text.Kind != canon.KindString && text.Kind != canon.KindArray || len(text.Raw) <= shortest(policy) {
		return "", nil
	}
	said, err := text.Canon()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text.Raw)
	result := record.Result{Call: cmp.Or(e.Call, "hook_"+hex.EncodeToString(sum[:8])), Tool: e.Tool,
		Content: string(said.Value())}
	var s *pact.DB
	shaped, err := record.ShapeAlone(ctx, func() (_ *pact.DB, err error) { s, err = a.OpenStore(ctx); return s, err },
		e.originals(), policy, result, text.Raw)
	if s != nil {
		err = errors.Join(err, s.Close())
	}
	if err != nil || shaped == nil {
		return "", err
	}
	if e.Event == afterOpencodeTool {
		return `{"output":` + string(shaped) + "}\n", nil
	}
	var edits splice.Edits
	if !provider.Rewrite(&edits, text, canon.Value(shaped)) {
		return "", nil
	}
	for _, name := range shownInstead {
		edits.RemoveMember(answer, name)
	}
	whole := edits.Apply(data)
	updated := whole[answer.Start : answer.End()+len(whole)-len(data)] // all edits are inside of the answer
	return `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":` + string(updated) + "}}\n", nil
}

// shortest returns how many bytes of JSON no rule of a policy makes shorter.
func shortest(policy *lifecycle.Policy) int {
	least := -1
	for _, r := range policy.Rules {
		if r.Once {
			return 0
		}
		if n := r.Head + r.Tail; n > 0 && (least < 0 || n < least) {
			least = n
		}
	}
	if least < 0 {
		return maxHookEvent
	}
	return least
}

// compacted notes that earlier answers no longer stand before the model: no later one refers to them.
func compacted(ctx context.Context, a *command.App, e *hookEvent, policy string) error {
	p, err := a.PolicyNamed(ctx, policy)
	if err != nil || shortest(&p) > 0 { // only rules with once refer
		return err
	}
	s, err := a.OpenStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	return record.Forget(ctx, s, e.originals())
}

// opencodePlugin belongs into .opencode/plugins/pact.js, or into the folder of that name in opencode's own.
const opencodePlugin = `import { spawnSync } from "node:child_process"

export const Pact = async ({ directory }) => ({
  "tool.execute.after": async (input, output) => {
    const event = { hook_event_name: "tool.execute.after", session_id: input.sessionID, cwd: directory,
      tool_name: input.tool, tool_use_id: input.callID, tool_response: { output: output.output } }
    const said = spawnSync("pact", ["import", "--hook", "--db", "pact.db", "--policy", "POLICY"],
      { input: JSON.stringify(event), encoding: "utf8", timeout: 2000 })
    if (said.status === 0 && said.stdout) output.output = JSON.parse(said.stdout).output
  },
})
`
