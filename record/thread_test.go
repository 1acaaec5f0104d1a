package record_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/transcript"
)

// facts are those that requests of all APIs have in common, a line each: texts with their
// roles, names of tools, calls and results in their pairs.
func facts(t *testing.T, name provider.API, fields json.RawMessage) (list []string) {
	t.Helper()
	body, err := canon.ParseAny(fields)
	must(t, err)
	r, ok := provider.ReadRequest(name, body)
	if !ok {
		t.Fatalf("this is no request: %s", fields)
	}
	for _, p := range r.Parts {
		text := p.Content.Text
		if p.Content.Kind == canon.KindObject {
			text = string(p.Content.Value())
		}
		switch {
		case p.Kind == "call" || p.Kind == "result":
			found := ""
			for _, word := range []string{"/tmp", "a.txt", "b.txt"} {
				if strings.Contains(text, word) {
					found += " " + word
				}
			}
			list = append(list, p.Kind+" "+p.Call+found)
		case p.Kind == "tool":
			list = append(list, "tool "+p.Name)
		case p.Kind == "text":
			list = append(list, "text "+p.Role+" "+text)
		case p.Kind == "image":
			list = append(list, "image with "+map[bool]string{true: "its bytes"}[strings.Contains(text, "iVBORw0")])
		}
	}
	return list
}

// A field beside the words of a system message, such as its name, is no instruction; a text that somebody adds to ^sys is
// one, of whatever kind.
func TestOnlyInstructionsAreInTheSystemPrompt(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	i, err := record.NewImporter(t.Context(), db, record.ImportOptions{Context: "run"})
	must(t, err)
	_, err = i.Add(t.Context(), record.PastCall{API: "openai.chat", Path: "/v1/chat/completions", Body: []byte(
		`{"model":"m","messages":[{"role":"system","content":"SYS1","name":"aside"},{"role":"user","content":"hi"}]}`)})
	must(t, err)
	c := opened(t, db, "run")
	must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{Kind: "note", Role: "system", Content: "SYS2"})
		return nil
	}, nil))
	for _, form := range []string{"openai", "responses", "anthropic", "gemini"} {
		text, left, err := record.Thread(t.Context(), c.Working(), form)
		must(t, err)
		if left != 1 || !strings.Contains(string(text), "SYS1") || !strings.Contains(string(text), "SYS2") ||
			strings.Contains(string(text), "aside") {
			t.Errorf("%s leaves out %d parts: %s", form, left, text)
		}
	}
}

// A run that was recorded from one API is a request that each of the four takes,
// and says the same.
func TestAThreadIsWrittenForEachAPI(t *testing.T) {
	const inline = "data:image/png;base64,iVBORw0"
	image := map[provider.API]any{
		provider.Chat:      map[string]any{"type": "image_url", "image_url": map[string]any{"url": inline}},
		provider.Responses: map[string]any{"type": "input_image", "image_url": inline},
		provider.Messages: map[string]any{"type": "image", "source": map[string]any{"type": "base64",
			"media_type": "image/png", "data": "iVBORw0"}},
		provider.Gemini: map[string]any{"inlineData": map[string]any{"mimeType": "image/png", "data": "iVBORw0"}},
	}
	want := []string{"tool ls", "text system Be kind.", "text user What is here?", "image with its bytes",
		"text assistant Let me look.", "call c1 /tmp", "call c2", "result c1 a.txt", "result c2 b.txt",
		"text assistant There are two.", "text user Thanks."}
	everyAPI(t, func(t *testing.T, name provider.API, stream bool) {
		calls := []providertest.Call{{ID: "c1", Name: "ls", Arguments: `{"p":"/tmp"}`},
			{ID: "c2", Name: "ls", Arguments: `{}`}}
		_, url := startProvider(t, providertest.Turn{Thinking: "hmm", Text: "Let me look.", Calls: calls},
			providertest.Turn{Text: "There are two."})
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat"})
		a := newAgent(t, name, url, rec.Transport(nil), stream)
		a.ask("What is here?")
		withImage(a, image[name])
		a.call()
		a.results("ls", "c1", "a.txt", "c2", "b.txt")
		a.call()
		a.ask("Thanks.")
		a.call()
		rec.Close()
		snapshot, err := opened(t, s, "chat").At(t.Context(), "latest")
		must(t, err)
		for form, to := range formsOfAPIs {
			fields, left, err := record.Thread(t.Context(), snapshot, form)
			must(t, err)
			if got := facts(t, to, fields); !slices.Equal(got, want) {
				t.Errorf("%s as %s is %s\n%q, want\n%q", name, form, fields, got, want)
			}
			if thinks := name != provider.Chat; left > 1 || left == 1 && !thinks || left == 0 && thinks && to != name {
				t.Errorf("%s as %s leaves out %d blocks", name, form, left)
			}
			again := newAgent(t, to, "", nil, false)
			var body map[string]any
			must(t, json.Unmarshal(fields, &body))
			body["model"], body["max_tokens"] = "m", 9
			again.takes(body)
		}
		if _, _, err := record.Thread(t.Context(), snapshot, "other"); !errors.Is(err, fault.DocumentInvalid) {
			t.Errorf("another form ended as %v", err)
		}
		c := opened(t, s, "chat") // to which somebody adds texts: of no kind, of one's own, and no string
		must(t, c.Edit(t.Context(), func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Content: "More?", Offset: 10})
			b.Add("^ah", pact.Spec{Role: "assistant", Kind: "diff", Content: "+ a", Offset: 11})
			b.Add("^ah", pact.Spec{Role: "user", Content: map[string]any{"n": 1}, Offset: 12})
			return nil
		}, nil))
		for form, to := range formsOfAPIs {
			fields, _, err := record.Thread(t.Context(), c.Working(), form)
			must(t, err)
			got, added := facts(t, to, fields), []string{"text user More?", "text assistant + a", `text user {"n":1}`}
			if !slices.Equal(got[max(0, len(got)-3):], added) {
				t.Errorf("%s as %s is %s\n%q, which lacks\n%q", name, form, fields, got, added)
			}
		}
	})
}

// A context that no recorder made is a request that each API takes too, and says what its
// message list says.
func TestAContextOfOnesOwnIsWrittenForEachAPI(t *testing.T) {
	contexts := map[string]*pact.Context{}
	byHand, err := pact.Create(t.Context(), pact.NewDB(store.NewMemory()), "by hand", nil)
	must(t, err)
	must(t, byHand.Edit(t.Context(), func(b *pact.Batch) error {
		b.Add("^sys", pact.Spec{Role: "system", Content: "Be kind."})
		b.Add("^ah", pact.Spec{Role: "user", Content: "What is here?"})
		first := b.Add("^ah", pact.Spec{Role: "assistant", Kind: "call", Offset: 1,
			Content: map[string]any{"name": "ls", "arguments": `{"p":"/tmp"}`}})
		second := b.Add("^ah", pact.Spec{ID: "c.2", Role: "assistant", Kind: "call", Offset: 1,
			Content: map[string]any{"name": "ls", "arguments": `{}`}})
		b.AddResult(second, pact.Spec{Content: "b.txt", Offset: 2})
		b.AddResult(first, pact.Spec{Content: "a.txt", Offset: 2})
		b.Add("^ah", pact.Spec{Role: "assistant", Content: "There are two.", Offset: 3})
		b.Add("^ah", pact.Spec{Role: "user", Content: "Thanks.", Offset: 4})
		return nil
	}, nil))
	contexts["by hand"] = byHand
	list, err := transcript.Read([]byte(`{"model":"m","tools":[{"type":"function","function":{"name":"ls"}}],"messages":[
		{"role":"system","content":"Be kind.","note":"a field of the log"},{"role":"user","content":"What is here?"},
		{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"c1","type":"function",
			"function":{"name":"ls","arguments":"{\"p\":\"/tmp\"}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"a.txt"},{"role":"assistant","content":"One."},
		{"role":"user","content":"Thanks."}]}`))
	must(t, err)
	imported, err := transcript.Import(t.Context(), pact.NewDB(store.NewMemory()), "imported", list[0], nil)
	must(t, err)
	contexts["imported"] = imported
	for name, c := range contexts {
		messages, err := transcript.OpenAI(t.Context(), c.Working())
		must(t, err)
		body := `{"messages":` + string(messages) + `}`
		wantLeft := 0
		if name == "imported" {
			body = `{"tools":[{"type":"function","function":{"name":"ls"}}],"messages":` + string(messages) + `}`
			wantLeft = 1 // the field of the log
		}
		want := facts(t, provider.Chat, json.RawMessage(body))
		if len(want) < 7 {
			t.Fatalf("%s: the messages say only %q", name, want)
		}
		for form, to := range formsOfAPIs {
			fields, left, err := record.Thread(t.Context(), c.Working(), form)
			must(t, err)
			got := facts(t, to, fields)
			if to == provider.Messages { // whose ids of calls have letters, digits, _ and - alone
				for i := range want {
					want[i] = strings.NewReplacer("block:1-2", "call_1", "c.2", "call_2").Replace(want[i])
				}
			}
			if !slices.Equal(got, want) || left != wantLeft {
				t.Errorf("%s as %s leaves out %d and is %s\n%q, want\n%q", name, form, left, fields, got, want)
			}
			want = facts(t, provider.Chat, json.RawMessage(body))
			var sent map[string]any
			must(t, json.Unmarshal(fields, &sent))
			sent["model"], sent["max_tokens"] = "m", 9
			newAgent(t, to, "", nil, false).takes(sent)
		}
	}
	if _, _, err := record.Thread(t.Context(), byHand.Working(), "other"); !errors.Is(err, fault.DocumentInvalid) {
		t.Errorf("another form ended as %v", err)
	}
}

// Results go to the calls that they follow if a log names no call, and if it names calls in the member of
// SWE-agent's logs. A call that nothing answered gets no result of a later turn.
func TestResultsGoToTheCallsThatTheyFollow(t *testing.T) {
	calls := func(ids ...string) string {
		list := make([]string, len(ids))
		for i, id := range ids {
			list[i] = `{"id":"` + id + `","type":"function","function":{"name":"ls","arguments":"{}"}}`
		}
		return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(list, ",") + `]}`
	}
	const a, b = `{"role":"tool","content":"a.txt"`, `{"role":"tool","content":"b.txt"`
	const user = `{"role":"user","content":"Go on."}`
	for _, c := range []struct {
		messages []string
		want     string
	}{
		{[]string{calls("c1"), a + `,"tool_call_ids":["c1"]}`}, "call c1, result c1 a.txt"},
		{[]string{calls("c1", "c2"), a + `}`, b + `}`}, "call c1, call c2, result c1 a.txt, result c2 b.txt"},
		{[]string{calls("c1", "c2"), b + `,"tool_call_id":"c2"}`, a + `}`},
			"call c1, call c2, result c2 b.txt, result c1 a.txt"},
		{[]string{calls("c1", "c2"), b + `,"tool_call_ids":[3,"c2"]}`, a + `,"tool_call_ids":[]}`},
			"call c1, call c2, result c2 b.txt, result c1 a.txt"},
		{[]string{calls("c1"), user, calls("c2"), b + `}`}, "call c1, text user Go on., call c2, result c2 b.txt"},
		{[]string{calls("c1"), a + `}`, calls("c2"), b + `}`}, "call c1, result c1 a.txt, call c2, result c2 b.txt"},
	} {
		log := `[{"role":"user","content":"What is here?"},` + strings.Join(c.messages, ",") + `]`
		list, err := transcript.Read([]byte(log))
		must(t, err)
		made, err := transcript.Import(t.Context(), pact.NewDB(store.NewMemory()), "chat", list[0], nil)
		must(t, err)
		for form, to := range formsOfAPIs {
			fields, left, err := record.Thread(t.Context(), made.Working(), form)
			must(t, err)
			got := strings.Join(facts(t, to, fields)[1:], ", ")
			if got != c.want || left != 0 {
				t.Errorf("%s as %s leaves out %d and says %s, want %s", log, form, left, got, c.want)
			}
		}
	}
}

// formsOfAPIs maps the names of forms to their APIs.
var formsOfAPIs = map[string]provider.API{"openai": provider.Chat, "responses": provider.Responses,
	"anthropic": provider.Messages, "gemini": provider.Gemini}

// withImage puts an image behind the last text of the user.
func withImage(a *agent, image any) {
	last := a.said[len(a.said)-1].(map[string]any)
	if a.api == provider.Gemini {
		last["parts"] = append(last["parts"].([]any), image)
		return
	}
	kind := "text"
	if a.api == provider.Responses {
		kind = "input_text"
	}
	last["content"] = []any{map[string]any{"type": kind, "text": last["content"]}, image}
}

// takes checks that the provider takes a body.
func (a *agent) takes(body map[string]any) {
	a.Helper()
	server := httptest.NewServer(providertest.New())
	defer server.Close()
	a.url = newAgent(a.T, a.api, server.URL, nil, false).url
	a.said, _ = body[field[a.api]].([]any)
	a.body = body
	a.client.Transport = nil
	a.call()
}

// results gives the results of calls of one message, as pairs of ids and texts.
func (a *agent) results(name string, pairs ...string) {
	first := len(a.said)
	for i := 0; i < len(pairs); i += 2 {
		a.result(pairs[i], name, pairs[i+1])
	}
	list := map[provider.API]string{provider.Messages: "content", provider.Gemini: "parts"}[a.api]
	if list == "" {
		return
	}
	one := a.said[first].(map[string]any) // these two want all of them in one message
	for _, m := range a.said[first+1:] {
		one[list] = append(one[list].([]any), m.(map[string]any)[list].([]any)...)
	}
	a.said = a.said[:first+1]
}
