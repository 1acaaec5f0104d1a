// Command cut is an agent that breaks the cache of its provider: it shows a model
// three files, one a call, and before the last question shortens the first of them
// to save tokens. docs/ten-questions.md finds out what that costs.
//
// It speaks OpenAI's chat API at OPENAI_BASE_URL with the key in OPENAI_API_KEY.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "cut:", err)
		os.Exit(1)
	}
}

func run() error {
	said := []message{{"system", "You review files. Answer in one sentence."}}
	ask := func(text string) error {
		said = append(said, message{"user", text})
		answer, err := call(said)
		said = append(said, answer)
		return err
	}
	for n := range 3 {
		file := strings.Repeat(fmt.Sprintf("line of file %d\n", n+1), 200)
		if err := ask(fmt.Sprintf("This is file %d:\n%s", n+1, file)); err != nil {
			return err
		}
	}
	said[1].Content = "This was file 1."
	return ask("Which of the three files should be split?")
}

// call sends a conversation and returns the answer.
func call(said []message) (message, error) {
	body, err := json.Marshal(map[string]any{"model": cmp.Or(os.Getenv("MODEL"), "gpt-5-mini"), "messages": said})
	if err != nil {
		return message{}, err
	}
	address := cmp.Or(os.Getenv("OPENAI_BASE_URL"), "https://api.openai.com/v1") + "/chat/completions"
	req, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return message{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return message{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return message{}, err
	}
	var answer struct{ Choices []struct{ Message message } }
	if err := json.Unmarshal(text, &answer); err != nil || len(answer.Choices) == 0 {
		return message{}, fmt.Errorf("%s: %s", resp.Status, text)
	}
	return answer.Choices[0].Message, nil
}
