// Package genai writes snapshots as contents of Google's own Go client for Gemini, and adds its contents and answers to
// contexts.
package genai

import (
	"context"
	"encoding/json"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/sdkparams"
	"github.com/contexttree/pact/record"
	"google.golang.org/genai"
)

const form = "gemini"

// said are the fields of a request that hold the conversation.
type said struct {
	Tools             []*genai.Tool    `json:"tools,omitempty"`
	SystemInstruction *genai.Content   `json:"systemInstruction,omitempty"`
	Contents          []*genai.Content `json:"contents,omitempty"`
}

// Contents returns the contents of a snapshot, and base with its tools and its system instruction, as
// [record.NewRequest] writes them: it refuses what the provider would refuse; with mend it mends what needs no
// decision. base may be nil. E_DOCUMENT_INVALID if a content has a field that this version of the client does not know,
// because the client would not send it; else errors and cost are those of NewRequest.
func Contents(ctx context.Context, s *pact.Snapshot, base *genai.GenerateContentConfig, mend bool) ([]*genai.Content,
	*genai.GenerateContentConfig, error) {
	config := genai.GenerateContentConfig{}
	if base != nil {
		config = *base
	}
	given, err := json.Marshal(said{Tools: config.Tools, SystemInstruction: config.SystemInstruction})
	if err != nil {
		return nil, nil, err
	}
	body, err := record.NewRequest(ctx, s, form, given, mend)
	if err != nil {
		return nil, nil, err
	}
	var all said
	if !sdkparams.RoundTrips(body, &all, true) {
		return nil, nil, fault.New(fault.DocumentInvalid, "genai cannot hold the contents: they have a field that this version does not know, "+
			"or a number of more than 15 digits", "send the body that record.NewRequest writes, or take a newer version for a new field")
	}
	config.Tools, config.SystemInstruction = all.Tools, all.SystemInstruction
	return all.Contents, &config, nil
}

// AddContents adds contents to ^ah, such as the responses of functions, and returns the ids of the blocks. Errors and
// cost are those of [record.AddRequest].
func AddContents(ctx context.Context, c *pact.Context, contents ...*genai.Content) ([]string, error) {
	return sdkparams.Add(ctx, c, form, said{Contents: contents})
}

// AddConfig adds the tools and the system instruction of a configuration to ^sys. The rest is as with [AddContents].
func AddConfig(ctx context.Context, c *pact.Context, config *genai.GenerateContentConfig) ([]string, error) {
	return sdkparams.Add(ctx, c, form, said{Tools: config.Tools, SystemInstruction: config.SystemInstruction})
}

// AddAnswer adds an answer to ^ah, with its thought signatures. The rest is as with [AddContents].
func AddAnswer(ctx context.Context, c *pact.Context, answer *genai.GenerateContentResponse) ([]string, error) {
	body, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return record.AddAnswer(ctx, c, form, body, nil)
}
