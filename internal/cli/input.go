package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/calllog"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/transcript"
)

// input is the contents of a file or of standard input.
type input struct {
	name     string // as the user gave it
	data     []byte
	findings []inspect.Finding // what of a log was left out
}

// read reads a file; - is standard input. It stops waiting for input when ctx
// ends.
func (a *app) read(ctx context.Context, name string) (*input, error) {
	if name != "-" {
		data, err := os.ReadFile(name)
		return &input{name: name, data: data}, err
	}
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := io.ReadAll(a.in)
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return &input{name: "standard input", data: r.data}, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// base returns the default name of a context made from the input.
func (in *input) base() string {
	if in.name == "standard input" {
		return "stdin"
	}
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(in.name), ".gz"), ".zst")
	if name := strings.TrimSuffix(base, filepath.Ext(base)); name != "" {
		return name
	}
	return base
}

// shape is what an input can be.
type shape string

const (
	isSnapshot   shape = "snapshot"
	isHistory    shape = "history"
	isTranscript shape = "transcript"
)

// outside reads only the names of an input's members: they reveal its shape.
var outside = canon.Outline{Names: true}

// shape finds out what the input is from its contents.
func (in *input) shape() (shape, error) {
	if calllog.Detect(in.data) != "" {
		return isLog, nil
	}
	if transcript.Detect(in.data) != "" {
		return isTranscript, nil
	}
	first, rest := in.data, []byte(nil)
	if i := bytes.IndexByte(in.data, '\n'); i >= 0 {
		first, rest = in.data[:i], bytes.TrimSpace(in.data[i:])
	}
	line, err := outside.Parse(first)
	if err == nil {
		_, compact := line.Get("pact_history")
		_, root := line.Get("root")
		switch {
		case compact, root && len(rest) > 0:
			return isHistory, nil
		case root:
			return isSnapshot, nil
		}
	}
	if text := bytes.TrimSpace(in.data); len(text) > 0 && text[0] != '{' && text[0] != '[' {
		return "", in.unknown()
	}
	whole := line
	if err != nil || len(rest) > 0 {
		lines := err == nil // the first line is a JSON value
		if whole, err = outside.Parse(in.data); err != nil && !lines {
			return "", inFile(err, in.name, in.data)
		}
	}
	if _, ok := whole.Get("root"); ok {
		return isSnapshot, nil
	}
	return "", in.unknown()
}

// unknown says what an input could have been.
func (in *input) unknown() error {
	return inFile(fault.New(fault.DocumentInvalid,
		"the file is neither a snapshot document nor a history nor a transcript nor a log of calls",
		"pact reads JSON and JSON Lines: its own documents and histories, chat messages, tau-bench, SWE-smith, requests "+
			"to OpenAI, Anthropic and Gemini, HAR, logs of LiteLLM, Bedrock and Inspect, sessions of Claude Code, Codex, "+
			"opencode, Cline, ChatGPT, LangChain, Pydantic AI, ADK and the OpenAI Agents SDK; pact import --help has more"),
		in.name, nil)
}

// begin makes one context of a document or a history. The options for reading
// histories do not apply to a document.
func (in *input) begin(ctx context.Context, kind shape, s store.Store, name string,
	o pact.ImportHistoryOptions) (c *pact.Context, findings []inspect.Finding, err error) {
	if kind == isHistory {
		c, findings, err = pact.ImportHistory(ctx, s, name, bytes.NewReader(in.data), &o)
	} else {
		c, findings, err = pact.Import(ctx, s, name, in.data, &pact.ImportOptions{OpenOptions: o.OpenOptions,
			Edition: o.Edition})
	}
	if f := factsOf(err); err != nil && f.Line > 0 {
		return nil, nil, inFile(err, in.name, in.line(f.Line))
	}
	return c, findings, inFile(err, in.name, in.data)
}

// line returns the n-th line, counted from 1.
func (in *input) line(n int) []byte {
	rest := in.data
	for ; n > 1; n-- {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return nil
		}
		rest = rest[i+1:]
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return line
}

// warn prints findings about an input, the first few in full.
func (a *app) warn(findings []inspect.Finding) {
	const most = 8
	for i, f := range findings {
		if i == most {
			a.warnf("… and %d more findings; pact validate lists all", len(findings)-most)
			return
		}
		a.warnf("%s", findingText(f))
	}
}

func findingText(f inspect.Finding) string {
	if f.Node == "" {
		return f.Message
	}
	return "node " + f.Node + ": " + f.Message
}
