package main

import (
	"context"
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
)

func openaiClient(name, base string) openai.Client {
	return openai.NewClient(option.WithAPIKey(key), option.WithBaseURL(base+"/v1/"), option.WithMaxRetries(retries(name)))
}

func openaiChat(ctx context.Context, name, base string) (string, error) {
	if name == "thinking" {
		return "", leftOut("chat completions do not show what the model thought")
	}
	client := openaiClient(name, base)
	user := openai.UserMessage(question)
	if name == "image" {
		user = openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart(question),
			openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64," + pixel}),
		})
	}
	request := openai.ChatCompletionNewParams{Model: "gpt-x",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(system), user}}
	if name == "tools" {
		request.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(
			openai.FunctionDefinitionParam{Name: "weather", Description: param.NewOpt(description), Parameters: schema})}
	}
	if name == "stream" || name == "cancel" {
		stream := client.Chat.Completions.NewStreaming(ctx, request)
		return all(name, stream.Next, func() string {
			if c := stream.Current().Choices; len(c) > 0 {
				return c[0].Delta.Content
			}
			return ""
		}, func() error {
			if err := stream.Err(); err != nil {
				return err
			}
			return stream.Close()
		})
	}
	for {
		answer, err := client.Chat.Completions.New(ctx, request)
		if err != nil {
			return "", err
		}
		message := answer.Choices[0].Message
		if len(message.ToolCalls) == 0 {
			return message.Refusal + message.Content, nil
		}
		request.Messages = append(request.Messages, message.ToParam())
		for _, call := range message.ToolCalls {
			request.Messages = append(request.Messages,
				openai.ToolMessage(weather([]byte(call.Function.Arguments)), call.ID))
		}
	}
}

func openaiResponses(ctx context.Context, name, base string) (string, error) {
	client := openaiClient(name, base)
	content := responses.ResponseInputMessageContentListParam{responses.ResponseInputContentParamOfInputText(question)}
	if name == "image" {
		content = append(content, responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{
			Detail: "auto", ImageURL: param.NewOpt("data:image/png;base64," + pixel)}})
	}
	input := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage(content, "user")}
	request := responses.ResponseNewParams{Model: "gpt-x", Instructions: param.NewOpt(system), Store: param.NewOpt(false)}
	if name == "tools" || name == "thinking" {
		request.Tools = []responses.ToolUnionParam{{OfFunction: &responses.FunctionToolParam{Name: "weather",
			Description: param.NewOpt(description), Parameters: schema, Strict: param.NewOpt(false)}}}
		request.Include = []responses.ResponseIncludable{"reasoning.encrypted_content"}
	}
	request.Input.OfInputItemList = input
	if name == "stream" || name == "cancel" {
		stream := client.Responses.NewStreaming(ctx, request)
		return all(name, stream.Next, func() string {
			if e := stream.Current(); e.Type == "response.output_text.delta" {
				return e.Delta
			}
			return ""
		}, func() error {
			if err := stream.Err(); err != nil {
				return err
			}
			return stream.Close()
		})
	}
	for {
		answer, err := client.Responses.New(ctx, request)
		if err != nil {
			return "", err
		}
		var text string
		var results responses.ResponseInputParam
		for _, item := range answer.Output {
			input = append(input, param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
			for _, part := range item.Content {
				text += part.Text + part.Refusal
			}
			if item.Type == "function_call" {
				results = append(results, responses.ResponseInputItemUnionParam{
					OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{CallID: param.NewOpt(item.CallID),
						Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{
							OfString: param.NewOpt(weather([]byte(item.Arguments.OfString)))}}})
			}
		}
		if len(results) == 0 {
			return text, nil
		}
		input = append(input, results...)
		request.Input.OfInputItemList = input
	}
}
