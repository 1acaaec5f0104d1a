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

// kindOf recognises a text by its contents. It returns E_DOCUMENT_INVALID for what pact
// does not read. Cost: that of reading the text once.
func kindOf(data []byte) (Kind, error) {
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
	if has, whole := membersOf(first); whole && (has[`"pact_history"`] || has[`"root"`] && len(rest) > 0) {
		return History, nil
	}
	if text := bytes.TrimSpace(data); len(text) > 0 && text[0] != '{' && text[0] != '[' {
		return "", unknown()
	}
	if has, _ := membersOf(data); has[`"root"`] || has[`"flat_log"`] { // 07 §4.1 prints a flat log
		return Snapshot, nil
	}
	if _, err := canon.Parse(first); err != nil { // not JSON Lines
		if _, err := canon.Parse(data); err != nil {
			return "", err
		}
	}
	return "", unknown()
}

// membersOf returns the names of the members of an object, as they are written: they reveal the kind of a file. whole
// says that nothing follows the object.
func membersOf(text []byte) (has map[string]bool, whole bool) {
	has = make(map[string]bool)
	s := canon.Scanner{Data: text}
	for s.Open('{'); s.Peek() == '"'; s.Next() {
		has[string(s.Name())] = true
		s.Value()
		s.Space()
		whole = s.Peek() == '}' && len(bytes.TrimSpace(text[s.At+1:])) == 0
	}
	return has, whole
}

// unknown is the error for a file of no known kind.
func unknown() error {
	return fault.New(fault.DocumentInvalid,
		"the file is neither a snapshot document nor a history nor a transcript nor a log of calls",
		"pact reads JSON and JSON Lines: its own documents and histories, chat messages, tau-bench, SWE-smith, requests "+
			"to OpenAI, Anthropic and Gemini, HAR, logs of LiteLLM, Langfuse, Bedrock and Inspect, sessions of Claude Code, "+
			"Codex, Gemini CLI, opencode, Cline, SWE-agent, ChatGPT, LangChain and the OpenAI Agents SDK, ATIF, spans in OTLP JSON, plain or compressed")
}
