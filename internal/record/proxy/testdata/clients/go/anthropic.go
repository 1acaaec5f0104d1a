package main

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"
)

func anthropicMessages(ctx context.Context, name, base string) (string, error) {
	client := anthropic.NewClient(option.WithAPIKey(key), option.WithBaseURL(base+"/"),
		option.WithMaxRetries(retries(name)))
	content := []anthropic.ContentBlockParamUnion{anthropic.NewTextBlock(question)}
	if name == "image" {
		content = append(content, anthropic.NewImageBlockBase64("image/png", pixel))
	}
	request := anthropic.MessageNewParams{Model: "claude-x", MaxTokens: 2000,
		System:   []anthropic.TextBlockParam{{Text: system, CacheControl: anthropic.NewCacheControlEphemeralParam()}},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(content...)}}
	if name == "tools" || name == "thinking" {
		request.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "weather",
			Description: param.NewOpt(description), InputSchema: anthropic.ToolInputSchemaParam{
				Properties: schema["properties"], Required: []string{"city"}}}}}
	}
	if name == "thinking" {
		request.Thinking = anthropic.ThinkingConfigParamOfEnabled(1024)
	}
	if name == "stream" || name == "cancel" {
		stream := client.Messages.NewStreaming(ctx, request)
		return all(name, stream.Next, func() string { return stream.Current().Delta.Text }, func() error {
			if err := stream.Err(); err != nil {
				return err
			}
			return stream.Close()
		})
	}
	for {
		message, err := client.Messages.New(ctx, request)
		if err != nil {
			return "", err
		}
		var text string
		var results []anthropic.ContentBlockParamUnion
		for _, block := range message.Content {
			switch block.Type {
			case "text":
				text += block.Text
			case "tool_use":
				results = append(results, anthropic.NewToolResultBlock(block.ID, weather(block.Input), false))
			}
		}
		if len(results) == 0 {
			return text, nil
		}
		request.Messages = append(request.Messages, message.ToParam(), anthropic.NewUserMessage(results...))
	}
}
