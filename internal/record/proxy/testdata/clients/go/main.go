// Command clients makes calls with the real Go clients of four APIs, for
// clients_test.go; the lines of its input and output are those of clients.py.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/openai/openai-go/v3"
	"google.golang.org/genai"
)

const (
	key         = "sk-clients-0123456789"
	question    = "What is the weather in Oslo and in Rome? ☀ <b>&</b> \u2028"
	system      = "Answer in one sentence."
	description = "The weather of a city."
	pixel       = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)

var schema = map[string]any{"type": "object", "required": []string{"city"},
	"properties": map[string]any{"city": map[string]any{"type": "string"}}}

func weather(arguments []byte) string {
	var a struct{ City string }
	if err := json.Unmarshal(arguments, &a); err != nil {
		return err.Error()
	}
	return a.City + ": 12 °C"
}

func pixelBytes() []byte {
	data, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		panic(err)
	}
	return data
}

// leftOut is why a client has no such call.
type leftOut string

func (l leftOut) Error() string { return string(l) }

// line is a line of the input or the output.
type line struct {
	Client  string `json:"client"`
	Case    string `json:"case"`
	Base    string `json:"base,omitempty"`
	Answer  string `json:"answer,omitempty"`
	LeftOut string `json:"left_out,omitempty"`
}

var clients = map[string]func(ctx context.Context, name, base string) (string, error){
	"openai_chat": openaiChat, "openai_responses": openaiResponses,
	"anthropic": anthropicMessages, "genai": geminiGenerate,
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		var call line
		if err := json.Unmarshal(input.Bytes(), &call); err != nil {
			panic(err)
		}
		say := line{Client: call.Client, Case: call.Case}
		answer, err := clients[call.Client](context.Background(), call.Case, call.Base)
		var left leftOut
		switch {
		case errors.As(err, &left):
			say.LeftOut = err.Error()
		case err != nil:
			say.Answer = "error " + status(err)
		default:
			say.Answer = answer
		}
		if err := output.Encode(say); err != nil {
			panic(err)
		}
	}
}

// status is the HTTP status that an error tells of, or the error.
func status(err error) string {
	var o *openai.Error
	var a *anthropic.Error
	var g genai.APIError
	switch {
	case errors.As(err, &o):
		return fmt.Sprint(o.StatusCode)
	case errors.As(err, &a):
		return fmt.Sprint(a.StatusCode)
	case errors.As(err, &g):
		return fmt.Sprint(g.Code)
	}
	return err.Error()
}

func retries(name string) int {
	if name == "retry" {
		return 2
	}
	return 0
}

// all joins the pieces of a stream, or leaves it after the first one.
func all(name string, next func() bool, piece func() string, end func() error) (string, error) {
	var text strings.Builder
	for next() {
		if name == "cancel" {
			return "left", end()
		}
		text.WriteString(piece())
	}
	return text.String(), end()
}
