package genai_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	adapter "github.com/contexttree/pact/adapters/genai"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
	"google.golang.org/genai"
)

// loop asks a model and runs the functions that it calls, until it answers without a call.
func loop(ctx context.Context, client *genai.Client, c *pact.Context, question string, run func(*genai.FunctionCall) string) error {
	if _, err := adapter.AddContents(ctx, c, genai.NewContentFromText(question, genai.RoleUser)); err != nil {
		return err
	}
	for {
		candidate, err := c.Prepare(ctx, nil)
		if err != nil {
			return err
		}
		contents, config, err := adapter.Contents(ctx, candidate.Snapshot, nil, false)
		if err != nil {
			return err
		}
		answer, err := client.Models.GenerateContent(ctx, "gemini-2.5-pro", contents, config)
		if err != nil {
			return err
		}
		if _, err := c.Commit(ctx, nil); err != nil { // what the model was sent is kept for good
			return err
		}
		if _, err := adapter.AddAnswer(ctx, c, answer); err != nil {
			return err
		}
		var parts []*genai.Part
		for _, call := range answer.FunctionCalls() {
			part := genai.NewPartFromFunctionResponse(call.Name, map[string]any{"output": run(call)})
			part.FunctionResponse.ID = call.ID
			parts = append(parts, part)
		}
		if len(parts) == 0 {
			return nil
		}
		if _, err := adapter.AddContents(ctx, c, genai.NewContentFromParts(parts, genai.RoleUser)); err != nil {
			return err
		}
	}
}

func newChat(t *testing.T) *pact.Context {
	t.Helper()
	db := pact.NewDB(store.NewMemory())
	t.Cleanup(func() { _ = db.Close() })
	c, err := pact.Create(t.Context(), db, "chat", nil)
	must(t, err)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The provider takes every request of the loop, with parallel calls and their signature.
func TestLoop(t *testing.T) {
	p := providertest.New(providertest.Turn{Thinking: "Hm.", Text: "I look.", Calls: []providertest.Call{{ID: "c1", Name: "ls",
		Arguments: `{"dir":"/"}`}, {ID: "c2", Name: "ls", Arguments: `{}`}}}, providertest.Turn{Text: "There are two."})
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	client, err := genai.NewClient(t.Context(), &genai.ClientConfig{APIKey: "k", Backend: genai.BackendGeminiAPI,
		HTTPOptions: genai.HTTPOptions{BaseURL: server.URL}})
	must(t, err)
	c := newChat(t)
	_, err = adapter.AddConfig(t.Context(), c, &genai.GenerateContentConfig{SystemInstruction: genai.NewContentFromText("Be brief.", ""),
		Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "ls"}}}}})
	must(t, err)
	must(t, loop(t.Context(), client, c, "How many files?", func(call *genai.FunctionCall) string { return "result of " + call.Name }))
	thread, err := c.Working().Thread(t.Context())
	must(t, err)
	if !strings.Contains(string(thread), "There are two.") || len(p.Received()) != 2 {
		t.Errorf("after %d requests the thread is %s", len(p.Received()), thread)
	}
	second := string(p.Received()[1].Body)
	for _, text := range []string{"result of ls", "Be brief.", "I look.", `"thought":true`} {
		if !strings.Contains(second, text) {
			t.Errorf("%s is missing in %s", text, second)
		}
	}
}

// Every field that the client knows comes back, and one that it does not know is refused.
func TestEveryFieldComesBack(t *testing.T) {
	body := providertest.Bodies["gemini"]
	c := newChat(t)
	_, err := record.AddRequest(t.Context(), c, "gemini", []byte(body), nil)
	must(t, err)
	if _, _, err := adapter.Contents(t.Context(), c.Working(), nil, false); fault.CodeOf(err) != fault.DocumentInvalid {
		t.Errorf("a part that the client does not know gives %v", err)
	}
	body = strings.Replace(body, `"name":"ls","args":{}`, `"name":"ls"`, 1) // which the client leaves out
	body = strings.Replace(body, `,{"tomorrow":{"anything":[1,{"deep":null}]}}`, "", 1)
	var contents struct{ Contents []*genai.Content }
	must(t, json.Unmarshal([]byte(body), &contents))
	c = newChat(t)
	_, err = record.AddRequest(t.Context(), c, "gemini", []byte(`{"contents":[{"role":"user","parts":[{"text":"a"}]},
		{"role":"model","parts":[{"functionCall":{"id":"c1","name":"ls","args":{}}}]},
		{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"ls","response":{}}}]}]}`), nil)
	must(t, err)
	_, _, err = adapter.Contents(t.Context(), c.Working(), nil, false)
	must(t, err)
	c = newChat(t)
	_, err = adapter.AddContents(t.Context(), c, contents.Contents...)
	must(t, err)
	got, _, err := adapter.Contents(t.Context(), c.Working(), nil, false)
	must(t, err)
	text, err := json.Marshal(got)
	must(t, err)
	want, err := canon.ParseAny([]byte(body))
	must(t, err)
	have, err := canon.ParseAny(text)
	must(t, err)
	if list, _ := want.Get("contents"); have.Value() != list.Value() {
		t.Errorf("%s\nwant\n%s", have.Value(), list.Value())
	}
}
