package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
	"google.golang.org/genai"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

// One function value is the middleware of both SDKs that have any, and stands inside
// their retries: each attempt is recorded, and gives back the bytes that were sent.
func TestMiddleware(t *testing.T) {
	for name, ask := range map[string]func(context.Context, string, *record.Recorder) (string, error){
		"openai": func(ctx context.Context, base string, rec *record.Recorder) (string, error) {
			client := openai.NewClient(openaioption.WithAPIKey(key), openaioption.WithBaseURL(base+"/v1/"),
				openaioption.WithMiddleware(rec.Middleware))
			answer, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "gpt-x",
				Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)}})
			if err != nil {
				return "", err
			}
			return answer.Choices[0].Message.Content, nil
		},
		"anthropic": func(ctx context.Context, base string, rec *record.Recorder) (string, error) {
			client := anthropic.NewClient(anthropicoption.WithAPIKey(key), anthropicoption.WithBaseURL(base+"/"),
				anthropicoption.WithMiddleware(rec.Middleware))
			answer, err := client.Messages.New(ctx, anthropic.MessageNewParams{Model: "claude-x", MaxTokens: 100,
				Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question))}})
			if err != nil {
				return "", err
			}
			return answer.Content[0].Text, nil
		},
		"genai": func(ctx context.Context, base string, rec *record.Recorder) (string, error) {
			client, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: key, Backend: genai.BackendGeminiAPI,
				HTTPClient:  &http.Client{Transport: rec.Transport(nil)},
				HTTPOptions: genai.HTTPOptions{BaseURL: base, RetryOptions: &genai.HTTPRetryOptions{}}})
			if err != nil {
				return "", err
			}
			answer, err := client.Models.GenerateContent(ctx, "gemini-x", genai.Text(question), nil)
			if err != nil {
				return "", err
			}
			return answer.Text(), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			provider := providertest.New(providertest.Turn{Status: http.StatusTooManyRequests},
				providertest.Turn{Text: "12 °C"})
			server := httptest.NewServer(provider)
			defer server.Close()
			s, err := dbtest.Open(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "pact.db")))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			rec := record.New(s, record.Options{Context: "chat"})
			answer, err := ask(t.Context(), server.URL, rec)
			rec.Close()
			if err != nil || answer != "12 °C" {
				t.Fatalf("the answer is %q, %v", answer, err)
			}
			c, err := pact.Open(t.Context(), s, "chat", nil)
			if err != nil {
				t.Fatal(err)
			}
			attempts, err := c.Attempts(t.Context(), 1, 2)
			received := provider.Received()
			if err != nil || len(attempts) != 2 || len(received) != 2 {
				t.Fatalf("%d attempts of %d requests, %v", len(attempts), len(received), err)
			}
			body, err := record.Request(t.Context(), c, 1, 0)
			if err != nil || !bytes.Equal(body.Bytes, received[1].Body) {
				t.Errorf("%v: the store gives back %s, and %s was sent", err, body.Bytes, received[1].Body)
			}
		})
	}
}
