package main

import (
	"context"
	"encoding/json"

	"google.golang.org/genai"
)

func geminiGenerate(ctx context.Context, name, base string) (string, error) {
	options := genai.HTTPOptions{BaseURL: base}
	if name == "retry" {
		options.RetryOptions = &genai.HTTPRetryOptions{}
	}
	client, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: key, Backend: genai.BackendGeminiAPI,
		HTTPOptions: options})
	if err != nil {
		return "", err
	}
	parts := []*genai.Part{genai.NewPartFromText(question)}
	if name == "image" {
		parts = append(parts, genai.NewPartFromBytes(pixelBytes(), "image/png"))
	}
	contents := []*genai.Content{genai.NewContentFromParts(parts, genai.RoleUser)}
	config := &genai.GenerateContentConfig{
		SystemInstruction: &genai.Content{Parts: []*genai.Part{genai.NewPartFromText(system)}}}
	if name == "tools" || name == "thinking" {
		config.Tools = []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "weather",
			Description: description, ParametersJsonSchema: schema}}}}
	}
	if name == "thinking" {
		config.ThinkingConfig = &genai.ThinkingConfig{IncludeThoughts: true}
	}
	if name == "stream" || name == "cancel" {
		var text string
		for chunk, err := range client.Models.GenerateContentStream(ctx, "gemini-x", contents, config) {
			if err != nil {
				return "", err
			}
			if name == "cancel" {
				return "left", nil
			}
			text += chunk.Text()
		}
		return text, nil
	}
	for {
		answer, err := client.Models.GenerateContent(ctx, "gemini-x", contents, config)
		if err != nil {
			return "", err
		}
		calls := answer.FunctionCalls()
		if len(calls) == 0 {
			return answer.Text(), nil
		}
		contents = append(contents, answer.Candidates[0].Content)
		var results []*genai.Part
		for _, call := range calls {
			arguments, err := json.Marshal(call.Args)
			if err != nil {
				return "", err
			}
			results = append(results, &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: call.ID, Name: call.Name,
				Response: map[string]any{"output": weather(arguments)}}})
		}
		contents = append(contents, genai.NewContentFromParts(results, genai.RoleUser))
	}
}
