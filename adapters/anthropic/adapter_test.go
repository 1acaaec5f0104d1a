package anthropic_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"
	"github.com/contexttree/pact"
	adapter "github.com/contexttree/pact/adapters/anthropic"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/store"
)

// loop asks a model and runs the tools that it calls, until it answers without a call.
func loop(ctx context.Context, client anthropic.Client, c *pact.Context, question string, run func(anthropic.ToolUseBlock) string) error {
	if _, err := adapter.AddMessages(ctx, c, anthropic.NewUserMessage(anthropic.NewTextBlock(question))); err != nil {
		return err
	}
	for {
		candidate, err := c.Prepare(ctx, nil)
		if err != nil {
			return err
		}
		params, err := adapter.Params(ctx, candidate.Snapshot, anthropic.MessageNewParams{Model: "claude-opus-4-6", MaxTokens: 1000}, false)
		if err != nil {
			return err
		}
		stream, answer := client.Messages.NewStreaming(ctx, params), &anthropic.Message{}
		for stream.Next() {
			if err := answer.Accumulate(stream.Current()); err != nil {
				return err
			}
		}
		if err := stream.Err(); err != nil {
			return err
		}
		if _, err := c.Commit(ctx, nil); err != nil { // what the model was sent is kept for good
			return err
		}
		if _, err := adapter.AddAnswer(ctx, c, answer); err != nil {
			return err
		}
		var results []anthropic.ContentBlockParamUnion
		for _, block := range answer.Content {
			if call, ok := block.AsAny().(anthropic.ToolUseBlock); ok {
				results = append(results, anthropic.NewToolResultBlock(call.ID, run(call), false))
			}
		}
		if len(results) == 0 {
			return nil
		}
		if _, err := adapter.AddMessages(ctx, c, anthropic.NewUserMessage(results...)); err != nil {
			return err
		}
	}
}

func newChat(t *testing.T) *pact.Context {
	t.Helper()
	db := pact.NewDB(store.NewMemory())
	t.Cleanup(func() { _ = db.Close() })
	c, err := pact.Create(t.Context(), db, "chat", nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The provider takes every request of the loop, with thinking behind which stand parallel calls.
func TestLoop(t *testing.T) {
	p := providertest.New(providertest.Turn{Thinking: "Hm.", Text: "I look.", Calls: []providertest.Call{{ID: "toolu_1", Name: "ls",
		Arguments: `{"dir":"/"}`}, {ID: "toolu_2", Name: "ls", Arguments: `{}`}}}, providertest.Turn{Text: "There are two."})
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	client := anthropic.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("k"), option.WithMaxRetries(0))
	c := newChat(t)
	if _, err := adapter.AddParams(t.Context(), c, anthropic.MessageNewParams{
		System: []anthropic.TextBlockParam{{Text: "Be brief."}},
		Tools:  []anthropic.ToolUnionParam{anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{}, "ls")}}); err != nil {
		t.Fatal(err)
	}
	if err := loop(t.Context(), client, c, "How many files?", func(call anthropic.ToolUseBlock) string {
		return "result of " + call.ID + " " + string(call.Input)
	}); err != nil {
		t.Fatal(err)
	}
	thread, err := c.Working().Thread(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second := string(p.Received()[1].Body)
	for text, in := range map[string]string{"There are two.": string(thread), `result of toolu_1 {\"dir\":\"/\"}`: second,
		`"thinking":"Hm."`: second, `"signature":`: second, "Be brief.": second} {
		if !strings.Contains(in, text) {
			t.Errorf("%s is missing in %s", text, in)
		}
	}
	if n := strings.Count(second, "cache_control"); n < 2 || n > 3 {
		t.Errorf("the second request has %d markers", n)
	}
	if n := len(p.Received()); n != 2 {
		t.Errorf("the loop sent %d requests", n)
	}
}

// Every field comes back, also those that the client does not know.
func TestEveryFieldComesBack(t *testing.T) {
	body := providertest.Bodies["anthropic"]
	c := newChat(t)
	if _, err := adapter.AddParams(t.Context(), c, param.Override[anthropic.MessageNewParams](json.RawMessage(body))); err != nil {
		t.Fatal(err)
	}
	p, err := adapter.Params(t.Context(), c.Working(), anthropic.MessageNewParams{Model: "m", MaxTokens: 5}, false)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tools", "messages"} {
		if a, b := member(t, got, name), member(t, []byte(body), name); a != b {
			t.Errorf("%s\n%s\nwant\n%s", name, a, b)
		}
	}
}

// member returns a member of a body in canonical JSON, without markers.
func member(t *testing.T, body []byte, name string) string {
	t.Helper()
	v, err := canon.ParseAny(body)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := v.Get(name)
	text := strings.ReplaceAll(string(m.Value()), `"cache_control":{"type":"ephemeral"},`, "")
	return strings.ReplaceAll(text, `[{"text":"More.","type":"text"}]`, `"More."`) // a text with a marker is a list
}
