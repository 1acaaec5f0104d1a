package calllog

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
)

// The blocks of LangChain's messages are texts, thoughts and images in any of its forms; what is no such block stays as it is,
// and a call that the message has apart is not there twice.
func TestPartsOfLangChain(t *testing.T) {
	for content, want := range map[string]string{
		`"a text"`: `text "a text"`, `""`: "", `["a"]`: `text "a"`, `[{"type":"text","text":"a"}]`: `text "a"`,
		`[{"type":"text","text":"a","x":1}]`:                                  `part {"text":"a","type":"text","x":1}`,
		`[{"type":"tool_use","id":"c1"},{"type":"tool_call","call_id":"c1"}]`: "",
		`[{"type":"tool_use","id":"c2"}]`:                                     `part {"id":"c2","type":"tool_use"}`,
		`[{"type":"reasoning","reasoning":"hm"}]`:                             `thinking {"reasoning":"hm","type":"reasoning"}`,
		`[{"type":"thinking","thinking":"hm"},{"type":"redacted_thinking"}]`:  `thinking {"thinking":"hm","type":"thinking"}, thinking {"type":"redacted_thinking"}`,
		`[{"type":"image","url":"https://x"}]`:                                `image "https://x"`,
		`[{"type":"image","base64":"aGk=","mime_type":"image/png"}]`:          `image "data:image/png;base64,aGk="`,
		`[{"type":"image","data":"aGk=","mime_type":"image/png"}]`:            `image "data:image/png;base64,aGk="`,
		`[{"type":"image"}]`:                                                  `part {"type":"image"}`,
		`[{"type":"file","base64":"aGk="}]`:                                   `part {"base64":"aGk=","type":"file"}`,
		`[{"type":"image_url","image_url":{"url":"https://x"}}]`:              `image "https://x"`,
		`[{"type":"image_url"}]`:                                              `part {"type":"image_url"}`,
	} {
		var got []string
		for _, p := range langChainParts(raw(content), map[string]bool{"c1": true}) {
			got = append(got, p.Kind+" "+string(p.Content.Value()))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s, want %s", content, strings.Join(got, ", "), want)
		}
	}
}

// A result is a text or a list of parts, as the APIs take it; what a program kept in another form is its JSON.
func TestContentsOfResults(t *testing.T) {
	for content, want := range map[canon.Value]canon.Value{`"a"`: `"a"`, `null`: `null`, `[]`: `"[]"`, `[{"type":"text","text":"a"}]`: `[{"text":"a","type":"text"}]`,
		`["a"]`: `"[\"a\"]"`, `[{"type":"text"},{"x":1}]`: `"[{\"type\":\"text\"},{\"x\":1}]"`, `{"a":1}`: `"{\"a\":1}"`, `7`: `"7"`} {
		if got := resultContent(content.Any()).Value(); got != want {
			t.Errorf("%s is %s, want %s", content, got, want)
		}
	}
	if got := resultContent(canon.Any{}).Value(); got != `""` {
		t.Errorf("nothing is %s", got)
	}
}

// A list of Gemini's contents has parts in each, of a role that Gemini has or of none.
func TestWhatIsAListOfGemini(t *testing.T) {
	for text, want := range map[string]bool{`[{"role":"user","parts":[]},{"role":"model","parts":[]},{"role":"function","parts":[]},{"parts":[]}]`: true,
		`[{"role":"assistant","parts":[]}]`: false, `[{"role":"user","parts":[]},{"role":"tool","parts":[]}]`: false, `[{"role":"user","parts":{}}]`: false,
		`[{"role":"user"}]`: false, `[{"kind":"request","parts":[]}]`: false, `[{"kind":"request","role":"user","parts":[]}]`: false, `[]`: false} {
		if got := isGeminiList(raw(text)); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

// A span of the Agents SDK that has no messages is left out, and a finding says so, with how many there are.
func TestASpanWithoutMessagesIsNamed(t *testing.T) {
	const span = `{"object":"trace.span","id":"s","trace_id":"t","span_data":{"type":"response","response_id":"r"}}`
	data, err := os.ReadFile("testdata/agents-sdk-trace.jsonl") // its sixth line is such a span
	must(t, err)
	for more, want := range map[string]string{"": "line 6: a span has no messages, so it was left out",
		span: "line 6: a span has no messages, so it was left out (and 1 more like it)"} {
		log, err := readWhole(append(slices.Clone(data), more...))
		must(t, err)
		if len(log.Findings) != 1 || log.Findings[0].Message != want || len(log.Sessions) != 1 {
			t.Errorf("%+v, %d conversations", log.Findings, len(log.Sessions))
		}
	}
}
