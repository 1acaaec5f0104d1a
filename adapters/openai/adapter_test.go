package openai_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	adapter "github.com/contexttree/pact/adapters/openai"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/store"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
)

// chatLoop asks a model and runs the tools that it calls, until it answers without a call.
func chatLoop(ctx context.Context, client openai.Client, c *pact.Context, question string, run func(name, arguments string) string) error {
	if _, err := adapter.AddChatMessages(ctx, c, openai.UserMessage(question)); err != nil {
		return err
	}
	for {
		candidate, err := c.Prepare(ctx, nil)
		if err != nil {
			return err
		}
		params, err := adapter.ChatParams(ctx, candidate.Snapshot, openai.ChatCompletionNewParams{Model: "gpt-5.1"}, false)
		if err != nil {
			return err
		}
		stream, answer := client.Chat.Completions.NewStreaming(ctx, params), openai.ChatCompletionAccumulator{}
		for stream.Next() {
			answer.AddChunk(stream.Current())
		}
		if err := stream.Err(); err != nil {
			return err
		}
		if _, err := c.Commit(ctx, nil); err != nil { // what the model was sent is kept for good
			return err
		}
		if _, err := adapter.AddChatAnswer(ctx, c, &answer.ChatCompletion); err != nil {
			return err
		}
		calls := answer.Choices[0].Message.ToolCalls
		if len(calls) == 0 {
			return nil
		}
		var results []openai.ChatCompletionMessageParamUnion
		for _, call := range calls {
			results = append(results, openai.ToolMessage(run(call.Function.Name, call.Function.Arguments), call.ID))
		}
		if _, err := adapter.AddChatMessages(ctx, c, results...); err != nil {
			return err
		}
	}
}

// responsesLoop does the same with Responses.
func responsesLoop(ctx context.Context, client openai.Client, c *pact.Context, question string, run func(name, arguments string) string) error {
	if _, err := adapter.AddItems(ctx, c, responses.ResponseInputItemParamOfMessage(question, responses.EasyInputMessageRoleUser)); err != nil {
		return err
	}
	for {
		candidate, err := c.Prepare(ctx, nil)
		if err != nil {
			return err
		}
		base := responses.ResponseNewParams{Model: "gpt-5.1", Store: openai.Bool(false),
			Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}}
		params, err := adapter.ResponseParams(ctx, candidate.Snapshot, base, false)
		if err != nil {
			return err
		}
		answer, err := client.Responses.New(ctx, params)
		if err != nil {
			return err
		}
		if _, err := c.Commit(ctx, nil); err != nil { // what the model was sent is kept for good
			return err
		}
		if _, err := adapter.AddResponse(ctx, c, answer); err != nil {
			return err
		}
		var outputs []responses.ResponseInputItemUnionParam
		for _, item := range answer.Output {
			if call, ok := item.AsAny().(responses.ResponseFunctionToolCall); ok {
				output := responses.ResponseInputItemParamOfFunctionCallOutput(run(call.Name, call.Arguments))
				output.OfFunctionCallOutput.CallID = openai.String(call.CallID)
				outputs = append(outputs, output)
			}
		}
		if len(outputs) == 0 {
			return nil
		}
		if _, err := adapter.AddItems(ctx, c, outputs...); err != nil {
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

// The provider takes every request of the loops, with reasoning and parallel calls.
func TestLoops(t *testing.T) {
	ls := openai.FunctionDefinitionParam{Name: "ls", Parameters: openai.FunctionParameters{"type": "object"}}
	for name, one := range map[string]struct {
		loop  func(context.Context, openai.Client, *pact.Context, string, func(string, string) string) error
		begin func(context.Context, *pact.Context) ([]string, error)
		want  []string
	}{
		"chat": {chatLoop, func(ctx context.Context, c *pact.Context) ([]string, error) {
			return adapter.AddChatParams(ctx, c, openai.ChatCompletionNewParams{Tools: []openai.ChatCompletionToolUnionParam{
				openai.ChatCompletionFunctionTool(ls)}, Messages: []openai.ChatCompletionMessageParamUnion{openai.DeveloperMessage("Be brief.")}})
		}, []string{`"role":"developer"`}},
		"responses": {responsesLoop, func(ctx context.Context, c *pact.Context) ([]string, error) {
			return adapter.AddResponseParams(ctx, c, responses.ResponseNewParams{Tools: []responses.ToolUnionParam{
				responses.ToolParamOfFunction("ls", map[string]any{"type": "object"}, false)},
				Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
					responses.ResponseInputItemParamOfMessage("Be brief.", responses.EasyInputMessageRoleDeveloper)}}})
		}, []string{`"role":"developer"`, `"type":"reasoning"`, `"encrypted_content"`}},
	} {
		t.Run(name, func(t *testing.T) {
			p := providertest.New(providertest.Turn{Thinking: "Hm.", Text: "I look.", Calls: []providertest.Call{{ID: "call_1", Name: "ls",
				Arguments: `{"dir":"/"}`}, {ID: "call_2", Name: "ls", Arguments: `{}`}}}, providertest.Turn{Text: "There are two."})
			server := httptest.NewServer(p)
			t.Cleanup(server.Close)
			client := openai.NewClient(option.WithBaseURL(server.URL+"/v1"), option.WithAPIKey("k"), option.WithMaxRetries(0))
			c := newChat(t)
			if _, err := one.begin(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if err := one.loop(t.Context(), client, c, "How many files?", func(name, arguments string) string {
				return "result of " + name + arguments
			}); err != nil {
				t.Fatal(err)
			}
			thread, err := c.Working().Thread(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(thread), "There are two.") || len(p.Received()) != 2 {
				t.Errorf("after %d requests the thread is %s", len(p.Received()), thread)
			}
			second := string(p.Received()[1].Body)
			for _, text := range append(one.want, `result of ls{\"dir\":\"/\"}`, "Be brief.", "I look.", "call_2") {
				if !strings.Contains(second, text) {
					t.Errorf("%s is missing in %s", text, second)
				}
			}
		})
	}
}

// Every field comes back, also those that the client does not know.
func TestEveryFieldComesBack(t *testing.T) {
	t.Run("chat", func(t *testing.T) {
		c := newChat(t)
		_, err := adapter.AddChatParams(t.Context(), c, param.Override[openai.ChatCompletionNewParams](json.RawMessage(providertest.Bodies["openai"])))
		if err != nil {
			t.Fatal(err)
		}
		p, err := adapter.ChatParams(t.Context(), c.Working(), openai.ChatCompletionNewParams{Model: "m"}, false)
		comesBack(t, "openai", p, err, "tools", "messages")
	})
	t.Run("responses", func(t *testing.T) {
		c := newChat(t)
		_, err := adapter.AddResponseParams(t.Context(), c, param.Override[responses.ResponseNewParams](json.RawMessage(providertest.Bodies["responses"])))
		if err != nil {
			t.Fatal(err)
		}
		p, err := adapter.ResponseParams(t.Context(), c.Working(), responses.ResponseNewParams{Model: "m"}, false)
		comesBack(t, "responses", p, err, "tools", "input")
	})
}

func comesBack(t *testing.T, form string, params any, err error, fields ...string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range fields {
		if a, b := member(t, got, name), member(t, []byte(providertest.Bodies[form]), name); a != b {
			t.Errorf("%s\n%s\nwant\n%s", name, a, b)
		}
	}
}

// member returns a member of a body in canonical JSON.
func member(t *testing.T, body []byte, name string) string {
	t.Helper()
	v, err := canon.ParseAny(body)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := v.Get(name)
	return string(m.Value())
}
