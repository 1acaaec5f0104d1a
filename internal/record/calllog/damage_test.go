package calllog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// claudeLines writes a transcript of Claude Code: a question, a call of a tool, its result, an answer. Each line is
// written as the one before it says it stands above.
func claudeLines() []string {
	line := func(id, above, second, kind, message string) string {
		return `{"parentUuid":` + above + `,"sessionId":"s","type":"` + kind + `","uuid":"` + id +
			`","timestamp":"2026-09-01T10:00:0` + second + `Z","message":` + message + `}`
	}
	answer := func(id, content, stop string) string {
		return `{"id":"` + id + `","type":"message","role":"assistant","model":"claude-opus-4-8","content":[` + content +
			`],"stop_reason":"` + stop + `","usage":{"input_tokens":3,"cache_creation_input_tokens":10,` +
			`"cache_read_input_tokens":100,"output_tokens":20}}`
	}
	return []string{
		line("u1", "null", "0", "user", `{"role":"user","content":"Where is Momo?"}`),
		line("a1", `"u1"`, "2", "assistant", answer("m1", `{"type":"tool_use","id":"t1","name":"find","input":{"title":"Momo"}}`,
			"tool_use")),
		line("r1", `"a1"`, "3", "user", `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"shelf 4"}]}`),
		line("a2", `"r1"`, "5", "assistant", answer("m2", `{"type":"text","text":"On shelf 4."}`, "end_turn")),
	}
}

// TestDamagedLinesLeaveTheRestReadable: whatever happens to one line, every other record is read, a finding names line
// and bytes, and the log says what a strict import refuses.
func TestDamagedLinesLeaveTheRestReadable(t *testing.T) {
	l := claudeLines()
	zeros := strings.Repeat("\x00", 4096)
	for name, c := range map[string]struct {
		text, finding string
		calls         int
		whole         bool
	}{
		"whole":            {strings.Join(l, "\n"), "", 2, true},
		"torn, then whole": {l[0] + "\n" + l[1] + "\n" + l[2][:60] + "\n" + l[2] + "\n" + l[3], "line 3: 60 bytes from byte ", 2, false},
		"torn into":        {l[0] + "\n" + l[1] + "\n" + l[2][:60] + l[2] + "\n" + l[3], "line 3: 60 bytes from byte ", 2, false},
		"torn at first":    {l[0][:50] + "\n" + strings.Join(l, "\n"), "line 1: 50 bytes from byte 0 ", 2, false},
		"torn for good":    {l[0] + "\n" + l[1] + "\n" + l[2][:60] + "\n" + l[3], "line 3: 60 bytes", 2, false},
		"glued":            {l[0] + "\n" + l[1] + l[2] + "\n" + l[3], "line 2: 2 records stand in one line; all were read", 2, false},
		"all in one line":  {strings.Join(l, ""), "line 1: 4 records stand in one line; all were read", 2, false},
		"zeros at the end": {strings.Join(l, "\n") + "\n" + zeros, "line 5: 4096 bytes from byte ", 2, false},
		"zeros between":    {l[0] + "\n" + l[1] + "\n" + zeros + l[2] + "\n" + l[3], "line 3: 4096 bytes from byte ", 2, false},
		"zeros at first":   {zeros + strings.Join(l, "\n"), "line 1: 4096 bytes from byte 0 ", 2, false},
		"zeros in a line": {l[0] + "\n" + l[1] + "\n" + l[2][:80] + zeros + "\n" + l[3],
			"line 3: 4176 bytes from byte ", 2, false},
		"cut at the end": {strings.Join(l, "\n") + "\n" + l[2][:60], "line 5: it is cut short: 60 bytes from byte ", 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			log, err := Read([]byte(c.text))
			must(t, err)
			if got := calls(log); got != c.calls {
				t.Errorf("%d calls, want %d", got, c.calls)
			}
			if (log.Damage == nil) != c.whole || log.Damage != nil && fault.CodeOf(log.Damage) != fault.DocumentInvalid {
				t.Errorf("the damage is %v", log.Damage)
			}
			if said := fmt.Sprint(log.Findings); c.finding == "" && len(log.Findings) > 0 || !strings.Contains(said, c.finding) {
				t.Errorf("the findings are %s, want one that says %q", said, c.finding)
			}
		})
	}
}

// TestAnElementOfADamagedListIsNoLine: a list or an object over several lines that is damaged is refused with the place,
// and not read in part.
func TestAnElementOfADamagedListIsNoLine(t *testing.T) {
	call := `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"ls","input":{}}]}`
	for _, text := range []string{"[\n" + call + ",\n" + call + "\n", "[\n" + call + ",\n" + call + "\n] the end",
		"{\"messages\": [\n  " + call + ",\n  " + call + "\n"} {
		if log, err := Read([]byte(text)); fault.CodeOf(err) != fault.DocumentInvalid || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %v, %v", text, log, err)
		}
	}
}

// TestZerosAreNoUTF16: what a file is called is what it is.
func TestZerosAreNoUTF16(t *testing.T) {
	for text, says := range map[string]string{
		strings.Repeat("\x00", 99):              "nothing but zero bytes",
		"ab\x00cd\x00\x00ef":                    "a binary file",
		"{\x00\"\x00a\x00\"\x00:\x001\x00}\x00": "UTF-16",
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %s", text, err, says)
		}
	}
}
