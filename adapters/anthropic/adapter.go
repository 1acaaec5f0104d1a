// Package anthropic writes snapshots as parameters of Anthropic's own Go client, and adds its messages and answers to
// contexts. Every field comes back, also those that this version of the client does not know.
package anthropic

import (
	"context"
	"encoding/json"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"
	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sdkparams"
	"github.com/contexttree/pact/record"
)

const form = "anthropic"

// Params returns base with the tools, the system prompt and the messages of a snapshot, as [record.NewRequest] writes
// them: it places cache markers, and refuses what the provider would refuse; with mend it mends what needs no decision.
// Parameters that this version of the client cannot hold are in their raw form, which the client sends as it is. Errors
// and cost are those of NewRequest.
func Params(ctx context.Context, s *pact.Snapshot, base anthropic.MessageNewParams, mend bool) (anthropic.MessageNewParams, error) {
	return sdkparams.New(ctx, s, form, base, mend, param.Override[anthropic.MessageNewParams])
}

// AddParams adds the tools, the system prompt and the messages of parameters to the working state, and returns the ids
// of the blocks. Errors and cost are those of [record.AddRequest].
func AddParams(ctx context.Context, c *pact.Context, p anthropic.MessageNewParams) ([]string, error) {
	return sdkparams.Add(ctx, c, form, p)
}

// AddMessages adds messages to ^ah, such as results of tools. The rest is as with [AddParams].
func AddMessages(ctx context.Context, c *pact.Context, messages ...anthropic.MessageParam) ([]string, error) {
	return sdkparams.Add(ctx, c, form, map[string]any{"messages": messages})
}

// AddAnswer adds an answer to ^ah, also one that the client put together from a stream. The rest is as with
// [AddParams].
func AddAnswer(ctx context.Context, c *pact.Context, answer *anthropic.Message) ([]string, error) {
	return record.AddAnswer(ctx, c, form, json.RawMessage(answer.RawJSON()), nil)
}
