package calllog

import (
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
