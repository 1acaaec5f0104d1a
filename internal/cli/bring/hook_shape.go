package bring

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/splice"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
)

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
		return "", fault.New(fault.DocumentInvalid, "standard input is no event of a hook", "")
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
