package intake

import (
	"bytes"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/calllog"
)

// Kind is a kind of file.
type Kind string

// The kinds of files.
const (
	Snapshot Kind = "snapshot" // a canonical document
	History  Kind = "history"  // what export writes, one JSON object a line
	Log      Kind = "log"      // the calls of another program, or messages alone: a transcript
)

// outside reads only the names of a file's members: they reveal its kind.
var outside = canon.Outline{Names: true}

// KindOf recognises a text by its contents. It returns E_DOCUMENT_INVALID for what pact
// does not read. Cost: that of reading the text once.
func KindOf(data []byte) (Kind, error) {
	if err := calllog.Foreign(data); err != nil {
		return "", err
	}
	if calllog.Detect(data) != "" {
		return Log, nil
	}
	first, rest := data, []byte(nil)
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		first, rest = data[:i], bytes.TrimSpace(data[i:])
	}
	line, err := outside.Parse(first)
	if err == nil {
		_, compact := line.Get("pact_history")
		_, root := line.Get("root")
		switch {
		case compact, root && len(rest) > 0:
			return History, nil
		case root:
			return Snapshot, nil
		}
	}
	if text := bytes.TrimSpace(data); len(text) > 0 && text[0] != '{' && text[0] != '[' {
		return "", unknown()
	}
	whole := line
	if err != nil || len(rest) > 0 {
		lines := err == nil // the first line is a JSON value
		if whole, err = outside.Parse(data); err != nil && !lines {
			return "", err
		}
	}
	_, document := whole.Get("root")
	if _, flat := whole.Get("flat_log"); document || flat { // 07 §4.1 prints a flat log
		return Snapshot, nil
	}
	return "", unknown()
}

// unknown is the error for a file of no known kind.
func unknown() error {
	return fault.New(fault.DocumentInvalid,
		"the file is neither a snapshot document nor a history nor a transcript nor a log of calls",
		"pact reads JSON and JSON Lines: its own documents and histories, chat messages, tau-bench, SWE-smith, requests "+
			"to OpenAI, Anthropic and Gemini, HAR, logs of LiteLLM, Langfuse, Bedrock and Inspect, sessions of Claude Code, "+
			"Codex, Gemini CLI, opencode, Cline, SWE-agent, ChatGPT, LangChain and the OpenAI Agents SDK, ATIF, spans in OTLP JSON, plain or compressed")
}
