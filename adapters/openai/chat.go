package openai

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sdkparams"
	"github.com/contexttree/pact/record"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
)

const chatForm = "openai"

// ChatParams returns base with the tools and the messages of a snapshot, as [record.NewRequest] writes them: it refuses
// what the provider would refuse; with mend it mends what needs no decision. Parameters that this version of the client
// cannot hold are in their raw form, which the client sends as it is. Errors and cost are those of NewRequest.
func ChatParams(ctx context.Context, s *pact.Snapshot, base openai.ChatCompletionNewParams, mend bool) (openai.ChatCompletionNewParams, error) {
	return sdkparams.New(ctx, s, chatForm, base, mend, param.Override[openai.ChatCompletionNewParams])
}

// AddChatParams adds the tools and the messages of parameters to the working state, and returns the ids of the blocks.
// Errors and cost are those of [record.AddRequest].
func AddChatParams(ctx context.Context, c *pact.Context, p openai.ChatCompletionNewParams) ([]string, error) {
	return sdkparams.Add(ctx, c, chatForm, p)
}

// AddChatMessages adds messages, such as results of tools. The rest is as with [AddChatParams].
func AddChatMessages(ctx context.Context, c *pact.Context, messages ...openai.ChatCompletionMessageParamUnion) ([]string, error) {
	return sdkparams.Add(ctx, c, chatForm, map[string]any{"messages": messages})
}

// AddChatAnswer adds an answer to ^ah, also that of a [openai.ChatCompletionAccumulator], which keeps no field that the
// client does not know. The rest is as with [AddChatParams].
func AddChatAnswer(ctx context.Context, c *pact.Context, answer *openai.ChatCompletion) ([]string, error) {
	if raw := answer.RawJSON(); raw != "" || len(answer.Choices) == 0 {
		return record.AddAnswer(ctx, c, chatForm, json.RawMessage(cmp.Or(raw, "{}")), nil)
	}
	return AddChatMessages(ctx, c, answer.Choices[0].Message.ToParam())
}
