package provider

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
)

// A tool of Responses that takes a text keeps its items in its own API, and its text in the words of none.
func TestACallThatTakesAText(t *testing.T) {
	const input = `[{"call_id":"c1","input":"*** Begin Patch","name":"apply_patch","type":"custom_tool_call"},` +
		`{"call_id":"c1","output":"done","type":"custom_tool_call_output"}]`
	body, err := canon.ParseAny([]byte(`{"input":` + input + `}`))
	must(t, err)
	r, _ := ReadRequest(Responses, body)
	fields, left := Render(Responses, r.Parts, func(int) API { return Responses })
	if got, _ := fields.Get("input"); string(got.Value()) != input || left != 0 {
		t.Errorf("it is %s, %d parts are left out", got.Value(), left)
	}
	p, ok := Plain(Responses, r.Parts[0])
	if want := `{"input":"*** Begin Patch"}`; !ok || string(p.Content.Value()) != want || p.Name != "apply_patch" {
		t.Errorf("it calls %s with %s, want %s", p.Name, p.Content.Value(), want)
	}
}

// What each API wraps is the same in the words of none.
func TestPlainParts(t *testing.T) {
	for _, test := range []struct {
		api           API
		kind, content string
		want          string // "" if it stays
	}{
		{Messages, "thinking", `{"signature":"x","thinking":"Momo?","type":"thinking"}`, `"Momo?"`},
		{Messages, "thinking", `{"data":"x","type":"redacted_thinking"}`, ""},
		{Responses, "thinking", `{"encrypted_content":"x","summary":[{"text":"Momo?","type":"summary_text"}],"type":"reasoning"}`, `"Momo?"`},
		{Gemini, "thinking", `{"text":"Momo?","thought":true}`, `"Momo?"`},
		{Chat, "thinking", `"Momo?"`, `"Momo?"`},
		{Messages, "image", `{"source":{"data":"AA==","media_type":"image/png","type":"base64"},"type":"image"}`, `"data:image/png;base64,AA=="`},
		{Chat, "image", `{"image_url":{"url":"https://a.test/b"},"type":"image_url"}`, `"https://a.test/b"`},
		{Responses, "image", `{"file_id":"file-1","type":"input_image"}`, ""},
		{Gemini, "result", `{"functionResponse":{"name":"f","response":{"output":"shelf 4"}}}`, `"shelf 4"`},
		{Gemini, "result", `{"functionResponse":{"name":"f","response":{"a":1,"output":"b"}}}`, `{"a":1,"output":"b"}`},
		{Chat, "call", `{"arguments":"{\"title\":\"Momo\"}","name":"find"}`, `{"title":"Momo"}`},
		{Chat, "call", `{"arguments":"","name":"find"}`, `{}`},
		{Chat, "call", `{"arguments":"{","name":"find"}`, `{"arguments":"{"}`},
		{Chat, "refusal", `{"refusal":"No.","type":"refusal"}`, `"No."`},
		{Chat, "input_audio", `{"input_audio":{},"type":"input_audio"}`, ""},
	} {
		content, err := canon.ParseAny([]byte(test.content))
		must(t, err)
		p, ok := Plain(test.api, Part{Kind: test.kind, Content: content})
		want := test.want
		if want == "" {
			want = test.content
		}
		if got := string(p.Content.Value()); got != want || ok != (test.want != "") {
			t.Errorf("%s of %s is %s, %v", test.content, test.api, got, ok)
		}
	}
}

// TestAResultOfSeveralTextsIsTextsInEachAPI: an API that takes a list of texts has them, Gemini one text, and what is more
// than texts is JSON.
func TestAResultOfSeveralTextsIsTextsInEachAPI(t *testing.T) {
	const two, object = `[{"text":"one","type":"text"},{"text":"two","type":"text"}]`, `{"a":[1]}`
	for _, c := range []struct {
		to      API
		content string
		want    string
	}{
		{Messages, two, `"content":` + two},
		{Responses, two, `"output":[{"text":"one","type":"input_text"},{"text":"two","type":"input_text"}]`},
		{Gemini, two, `"response":{"output":"one\ntwo"}`},
		{Chat, two, `"content":` + two},
		{Messages, `"one"`, `"content":"one"`},
		{Messages, `[]`, `"content":"[]"`},
		{Messages, object, `"content":"{\"a\":[1]}"`},
		{Messages, `[{"text":"one","type":"text"},{"image_url":{"url":"u"},"type":"image_url"}]`, `"content":"[{\"text\":\"one\"`},
	} {
		content, err := canon.ParseAny([]byte(c.content))
		must(t, err)
		got, _ := Render(c.to, []Part{{Section: Conversation, Role: "tool", Kind: "result", Call: "c", Content: content}},
			func(int) API { return Chat })
		if text := string(got.Value()); !strings.Contains(text, c.want) {
			t.Errorf("%s as %s is %s, want %s", c.content, c.to, text, c.want)
		}
	}
}
