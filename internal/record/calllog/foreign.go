package calllog

import (
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// foreign are forms that look like a conversation and that Read does not read, each by what only it has.
var foreign = []struct {
	name, remedy string
	is           func(f fields) bool
}{
	{"an export of Claude.ai", "record the calls of a program instead, or import its requests", func(f fields) bool {
		return f["chat_messages"].kind() == canon.KindArray
	}},
	{"runs of LangSmith", "export them as OpenTelemetry spans (OTLP JSON), or the messages of a run as LangChain's dumpd",
		func(f fields) bool {
			return f["run_type"] != nil && (f["inputs"] != nil || f["outputs"] != nil || f["dotted_order"] != nil)
		}},
	{"a session of goose", "record the calls of its next session", func(f fields) bool {
		if f["working_dir"] != nil && (f["message_count"] != nil || f["description"] != nil) {
			return true
		}
		for _, p := range f["content"].elems() {
			if kind := p.fields().text("type"); kind == "toolRequest" || kind == "toolResponse" {
				return true
			}
		}
		return false
	}},
	{"a session of Qwen Code", "record the calls of its next session", func(f fields) bool {
		return f.text("sessionId") != "" && f.text("uuid") != "" && f["message"].fields()["parts"].kind() == canon.KindArray
	}},
	{"a transcript of Cursor", "record its calls: a recording proxy as the base URL of Cursor's OpenAI key", func(f fields) bool {
		kind := f.text("type")
		return f["role"] != nil && f["content"] == nil && f["message"].fields()["content"].kind() == canon.KindArray ||
			f["composerId"] != nil || f["bubbleId"] != nil || f["session_id"] != nil && // or cursor-agent's output, much as claude -p's
			(kind == "system" && f["apiKeySource"] != nil && f["tools"] == nil || kind == "tool_call" && f["tool_call"] != nil ||
				kind == "result" && f["request_id"] != nil && f["num_turns"] == nil)
	}},
	{"the output of claude -p in JSON", "import the transcript of that session, by its session_id",
		func(f fields) bool {
			kind := f.text("type")
			return f.text("session_id") != "" && (kind == "system" && f["subtype"] != nil || kind == "result" && f["num_turns"] != nil ||
				(kind == "assistant" || kind == "user") && f["message"].kind() == canon.KindObject || kind == "stream_event")
		}},
	{"the events that codex exec prints", "import the rollout of that thread, by its thread_id", func(f fields) bool {
		switch kind := f.text("type"); {
		case kind == "thread.started":
			return f["thread_id"] != nil
		case strings.HasPrefix(kind, "item."):
			return f["item"].kind() == canon.KindObject
		case strings.HasPrefix(kind, "turn."):
			return true
		}
		return false
	}},
	{"a chat of VS Code's Copilot", "record its calls: a recording proxy as the address of a model of your own", func(f fields) bool {
		list := f["requests"].elems()
		return f["responderUsername"] != nil || len(list) > 0 && list[0].fields()["requestId"] != nil &&
			list[0].fields()["message"] != nil && list[0].fields()["response"].kind() == canon.KindArray
	}},
	{"results of tau2-bench", "take the messages of one simulation: jq '.simulations[0].messages'", func(f fields) bool {
		return f["simulations"].kind() == canon.KindArray && f["tasks"].kind() == canon.KindArray
	}},
	{"events of OpenHands", "have it log its requests (LLM completions), and import that folder's files", func(f fields) bool {
		for _, name := range []string{"trajectory", "history"} { // what its API and its evaluation write
			if list := f[name].elems(); len(list) > 0 && f["source"] == nil {
				f = list[0].fields()
				break
			}
		}
		source := f.text("source")
		if source != "user" && source != "agent" && source != "environment" {
			return false
		}
		return f["action"] != nil || f["observation"] != nil || f["kind"] != nil && (f["llm_message"] != nil || f["system_prompt"] != nil)
	}},
	{"messages of the AI SDK's UI", spansInstead, func(f fields) bool {
		list := f["parts"].elems()
		return f["role"] != nil && f["content"] == nil && len(list) > 0 && list[0].fields()["type"] != nil
	}},
	{"messages of Pydantic AI", spansInstead, func(f fields) bool {
		list := f["parts"].elems()
		return f["kind"] != nil && len(list) > 0 && list[0].fields()["part_kind"] != nil
	}},
	{"conversations of ShareGPT", "rename from and value to role and content: pact reads chat messages", func(f fields) bool {
		list := f["conversations"].elems()
		if len(list) == 0 {
			list = f["conversation"].elems()
		}
		return len(list) > 0 && list[0].fields()["from"] != nil && list[0].fields()["value"] != nil
	}},
}

// Foreign returns the error, E_DOCUMENT_INVALID, for a file that is known by name and not read, nil for any other. It
// looks at the first values of the file.
func Foreign(data []byte) error {
	at, number := 0, 0
	for range maxForeignLines {
		var text []byte
		if text, number, at = canon.NextLine(data, at, number); text == nil {
			return nil
		}
		s := canon.Scanner{Data: data[at-len(text):]}
		value := raw(s.Value())
		goesOn := len(value) > len(text)
		if value.kind() == canon.KindArray {
			value = firstOf(value)
		}
		if i := foreignAt(value.fields()); i >= 0 {
			return fault.New(fault.DocumentInvalid, "the file looks like "+foreign[i].name+", which pact does not read",
				foreign[i].remedy)
		}
		if goesOn {
			return nil
		}
	}
	return nil
}

// foreignAt returns which of the foreign forms an object has, -1 for none.
func foreignAt(f fields) int {
	for i := range foreign {
		if foreign[i].is(f) {
			return i
		}
	}
	return -1
}

// foreignPart refuses a part that only messages of another form have: its call, its result or its text would be lost.
func foreignPart(c *chat) (*fault.Error, bool) {
	refuse := func(n int, of, remedy string) (*fault.Error, bool) {
		return &fault.Error{Code: fault.DocumentInvalid, Offset: fault.NoOffset, Line: c.lineOf(n),
			Message: "message " + strconv.Itoa(n) + " has a part of " + of, Remedy: remedy}, false
	}
	for n, m := range c.final {
		content, _ := m.Get("content")
		for _, part := range content.Elems {
			kind, _ := part.Get("type")
			text, _ := part.Get("text")
			call, _ := part.Get("toolUse")
			result, _ := part.Get("toolResult")
			switch {
			case kind.Text == "tool_use" || kind.Text == "tool_result":
				return refuse(n, "Anthropic's messages ("+kind.Text+"), and others are of chat completions: the file may be either",
					"put messages of one form into one file")
			case kind.Text == "tool-call" || kind.Text == "tool-result":
				return refuse(n, "the messages of the AI SDK ("+kind.Text+"), which pact does not read", spansInstead)
			case kind.Kind == canon.KindAbsent && (text.Kind == canon.KindString || len(call.Members)+len(result.Members) > 0):
				return refuse(n, "the messages of Bedrock's Converse, which pact does not read", spansInstead)
			}
		}
	}
	return nil, false
}

// spansInstead is the remedy for messages of a framework.
const spansInstead = "export the run as OpenTelemetry spans (OTLP JSON), or record its calls"
