package openai

import (
	"context"
	"encoding/json"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sdkparams"
	"github.com/contexttree/pact/record"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
)

const responsesForm = "responses"

// ResponseParams returns base with the tools and the items of a snapshot. The rest is as with [ChatParams].
func ResponseParams(ctx context.Context, s *pact.Snapshot, base responses.ResponseNewParams, mend bool) (responses.ResponseNewParams, error) {
	return sdkparams.New(ctx, s, responsesForm, base, mend, param.Override[responses.ResponseNewParams])
}

// AddResponseParams adds the tools and the items of parameters to the working state. The rest is as with
// [AddChatParams].
func AddResponseParams(ctx context.Context, c *pact.Context, p responses.ResponseNewParams) ([]string, error) {
	return sdkparams.Add(ctx, c, responsesForm, p)
}

// AddItems adds items, such as outputs of calls. The rest is as with [AddChatParams].
func AddItems(ctx context.Context, c *pact.Context, items ...responses.ResponseInputItemUnionParam) ([]string, error) {
	return sdkparams.Add(ctx, c, responsesForm, map[string]any{"input": items})
}

// AddResponse adds an answer to ^ah, with its reasoning; of a stream that is the response of its last event. The rest
// is as with [AddChatParams].
func AddResponse(ctx context.Context, c *pact.Context, answer *responses.Response) ([]string, error) {
	return record.AddAnswer(ctx, c, responsesForm, json.RawMessage(answer.RawJSON()), nil)
}
