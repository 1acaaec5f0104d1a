package record_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// canned answers every request as OpenAI's chat API does.
type canned struct{}

func (canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(
		strings.NewReader(`{"choices":[{"message":{"role":"assistant","content":"Hi!"},"finish_reason":"stop"}]}`))}, nil
}

// The program sends its requests through the recorder's transport; each becomes a cycle.
func Example() {
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	ctx := context.Background()
	s := pact.NewDB(store.NewMemory())
	rec := record.New(s, record.Options{Context: "chat"})
	client := &http.Client{Transport: rec.Transport(canned{})} // nil instead of canned{} calls the network
	resp, err := client.Post("https://api.openai.com/v1/chat/completions", "application/json",
		strings.NewReader(`{"model":"gpt-5","messages":[{"role":"user","content":"Hello!"}]}`))
	check(err)
	_, err = io.Copy(io.Discard, resp.Body)
	check(err)
	check(resp.Body.Close())
	rec.Close()
	c, err := pact.Open(ctx, s, "chat", nil)
	check(err)
	sent, err := record.Request(ctx, c, 1, 0)
	check(err)
	fmt.Printf("%s\n", sent.Bytes)
	// Output: {"model":"gpt-5","messages":[{"role":"user","content":"Hello!"}]}
}
