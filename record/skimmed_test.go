package record

import (
	"net/http"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// What is skimmed of a body says the same of the question as the whole body does.
func TestSkimmedSaysWhatTheWholeBodySays(t *testing.T) {
	of := func(r *provider.Request) string {
		req, err := http.NewRequest(http.MethodPost, "http://localhost/v1/messages", nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(conversationOf(req, r)) + r.Model + r.QuestionAboutCache("msg_1")
	}
	for body, begun := range map[string]bool{
		`{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}],"model":"m"}`:                                                         true,
		`{"system":"s","tools":[{"name":"t"}],"messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]}`: true,
		"\n{ \"metadata\" : {\"user_id\":\"u\"} , \"messages\" : [ {\"role\":\"assistant\",\"content\":\"a\"} ] }":                                       true,
		`{"messages":[],"messages":[{"role":"user","content":"a"}],"diagnostics":null}`:                                                                  true,
		`{"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"}]}`:                                                                   true,
		`{"input":"a","prompt_cache_key":"k","model":"gpt-5.6"}`:                                                                                         true,
		`{"instructions":"s","input":[{"role":"developer","content":"s"},{"role":"user","content":"a"},5],"model":"gpt-5.6"}`:                            true,
		`{"\u0069nput":[{"type":"function_call_output","call_id":"c","output":"o"}],"model":"gpt-5.6"}`:                                                  true,
		`{"input":[{"role":"system","content":"s"}]}`:                                                                                                    false,
		`{"messages":[]}`: false, `{"messages":{"role":"user","content":"a"}}`: true, `{"messages":null}`: true,
		`{"model":"m"}`: false, `{}`: false, `[{"messages":[{"role":"user","content":"a"}]}]`: false, `"a"`: false,
	} {
		api := provider.Messages
		if strings.Contains(body, "nput") {
			api = provider.Responses
		}
		value, err := canon.ParseAny([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if whole, ok := provider.ReadRequest(api, value); ok && begins(whole) != nil {
			want = of(whole)
		}
		got := skimmed(api, []byte(body))
		if (begins(got) != nil) != begun || begun != (want != "") {
			t.Errorf("%s: a conversation begins: %v, of the whole body %v", body, begins(got) != nil, want != "")
		} else if begun && of(got) != want {
			t.Errorf("%s: %s, of the whole body %s", body, of(got), want)
		}
	}
	for _, body := range []string{``, `{"messages":[{"role":"user","content":"a"}]`, `{"messages":[{"role":"user"}]}x`} {
		if begins(skimmed(provider.Messages, []byte(body))) != nil {
			t.Errorf("%q is no JSON", body)
		}
	}
}

// Two requests begin with the messages of one, and the second was not recorded: the first has its own frames all the same.
func TestRequestsDoNotShareTheEndOfTheirFrames(t *testing.T) {
	read := func(body string) *request {
		v, err := canon.ParseAny([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		of, _ := provider.ReadRequest(provider.Messages, v)
		return requestOf(of, group{})
	}
	const one = `{"role":"user","content":"one"},{"role":"user","content":"two"},{"role":"user","content":"three"}`
	first := read(`{"messages":[` + one + `]}`)
	_, _, before := (&frames{}).behind(first)
	before.chain[0].attempt = "1"
	before.list = append(make([]string, 0, 9), before.list...) // with room behind its end
	_, _, then := before.behind(read(`{"messages":[` + one + `,{"role":"user","content":"four"}]}`))
	wanted := then.list[3]
	_, _, other := before.behind(read(`{"messages":[` + one + `,{"role":"user","content":"four","name":"x"}]}`))
	if then.list[3] != wanted || other.list[3] == wanted {
		t.Errorf("the frames are now %q, were %q", then.list[3], wanted)
	}
}
