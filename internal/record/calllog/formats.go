package calllog

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/sums"
)

// format is a format of logs. The first value of a file tells it.
type format struct {
	name string // with its article, for people
	is   func(first raw) bool
	// read makes the sessions of the values of a file, and notes what it leaves out.
	read   func(list []record, found *findings) []Session
	empty  string   // the error for a file without a session
	remedy string   // for that error
	lacks  []string // the parts of a request that a rebuilt session lacks
	// count counts a value of the file apart from read: each message, the tokens, the price. It shares no code with
	// read but for the names of members. Nil for bodies of requests, which stay as they are.
	count func(e record, b *sums.Book)
}

const noMessage = "it holds no message"

const codexRollout = "a Codex rollout"

const lacksForm = "the form of the request"

// What rebuilt requests lack.
var (
	lacksSetup  = []string{"the system prompt", "tool definitions", "parameters"}
	lacksTools  = []string{"tool definitions", "parameters"}
	lacksClaude = []string{"the system prompt", "tool definitions", "reminders and attachments", "parameters"}
	lacksModel  = []string{"the instructions", "tool definitions", "the model", "parameters"}
)

// lacking returns which parts of a request a session lacks, if only that of each session is known.
func lacking(system, tools bool) (list []string) {
	if !system {
		list = append(list, lacksSetup[0])
	}
	if !tools {
		list = append(list, lacksSetup[1])
	}
	return append(list, lacksSetup[2])
}

// lackedBy returns what a format lacks, but for what the request of each call has.
func lackedBy(calls []Call, lacks []string) []string {
	all := map[string]bool{lacksSetup[0]: len(calls) > 0, lacksSetup[1]: len(calls) > 0}
	for i := range calls {
		has := func(names ...string) bool {
			return slices.ContainsFunc(names, func(name string) bool {
				v, _ := calls[i].Request.Get(name)
				return len(v.Elems) > 0 || len(v.Members) > 0 || v.Kind == canon.KindString && v.Text != ""
			})
		}
		if !has("system", "systemInstruction", "instructions") && calls[i].firstRole() != "system" {
			all[lacksSetup[0]] = false
		}
		if !has("tools") {
			all[lacksSetup[1]] = false
		}
	}
	return slices.DeleteFunc(slices.Clone(lacks), func(part string) bool { return all[part] })
}

// formats are in the order in which they are tried: the last one fits most.
var formats = []format{
	{"a " + ClaudeCode, isClaudeCode, readClaudeCode, noMessage, "", lacksClaude, countClaude},
	{"a Gemini CLI session", isGeminiChat, readGeminiChat, noMessage, "", lacksSetup, countGeminiChat},
	{"a Gemini CLI stream", isGeminiStream, readGeminiStream, noMessage, "", lacksSetup, countGeminiStream},
	{"an opencode export", isOpencode, readOpencode, noMessage, "", lacksSetup, countOpencode},
	{"a HAR", isHAR, readHAR, "none of its exchanges is a call to one of the four APIs",
		"record the exchanges with their bodies", nil, nil},
	{codexRollout, isCodex, readCodex, "no message is in it yet", "", lacksTools, countCodex},
	{"an Inspect log", isInspect, readInspect, "none of its samples has a call to a model",
		"write the log with its samples: inspect log dump", []string{lacksForm}, countInspect},
	{"a ChatGPT export", isChatGPT, readChatGPT, "it holds no conversation with a message", "", lacksSetup, countChatGPT},
	{"a list of LangChain messages", isLangChain, readLangChain, noMessage, "", lacksTools, countLangChain},
	{"a trace of the OpenAI Agents SDK", isSpans, readSpans, "none of its spans has the messages of a call",
		"record generations with trace_include_sensitive_data, or record the calls themselves", lacksTools[:1], countSpan},
	{"a list of OpenAI Responses items", isItems, readItems, "it holds no item", "", lacksModel, countItem},
	{"an ATIF trajectory", isATIF, readATIF, "it holds no step", "", lacksSetup, countATIF},
	{"an OTLP export", isOTLP, readOTLP, "none of its spans is a call to a model with its messages",
		"have the program capture the contents of messages, for example with " +
			"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true", nil, countOTLP},
	{"a mini-swe-agent trajectory", isMiniSWE, readMiniSWE, noMessage, "", lacksTools, countMiniSWE},
	{"a Cline session", isClineSession, readClineSession, noMessage, "", lacksTools, countClineSession},
	{"a Cline task", isCline, readAnthropicList, noMessage, "", lacksSetup, countAnthropic},
	anthropicList,
	anthropicObjects,
	{"a list of Gemini contents", isGeminiList, readGeminiList, "it holds no content", "", lacksSetup, countContent},
	requests,
}

// ofEachValue are the formats that each value of a file tells by itself.
var ofEachValue = []string{"a HAR", "an opencode export", "an Inspect log", "a trace of the OpenAI Agents SDK", "an ATIF trajectory",
	"an OTLP export", "a mini-swe-agent trajectory", "a Cline session"}

// rivals recognize values that the reader of a format would take, although they have more than it knows.
var rivals = map[string]format{
	"a conversation of Anthropic messages": {name: "a Cline session", is: isClineSession},
	"a log of requests":                    anthropicObjects, // no request ends with an answer and says no max_tokens
}

// ofMessages are the formats of messages that have nothing of their own.
var ofMessages = []string{anthropicList.name, anthropicObjects.name, "a list of chat messages"}

// otherOf returns the name of another format that a value has which does not tell this one, "" for none. Plain messages
// are of each format whose values are messages.
func (f *format) otherOf(value raw) string {
	if f.name == "a Gemini CLI stream" && isGeminiEvent(value.fields()) {
		return ""
	}
	if other := formatOfValue(formats, value); other != nil {
		return other.name
	}
	if i := foreignAt(value.fields()); i >= 0 {
		return foreign[i].name
	}
	other := formatOfValue(messageFormats, value)
	if other == nil || slices.ContainsFunc(messageFormats, func(m format) bool { return m.name == f.name }) {
		return "" // the forms of messages are read together
	}
	var messages []raw
	switch members := value.fields(); f.name {
	case "a list of Anthropic messages", "a Cline task", "a list of OpenAI Responses items":
		if isMessage(members) {
			messages = []raw{value}
		}
	case "a conversation of Anthropic messages":
		messages = members["messages"].elems()
	}
	if _, chat := formsOf(messages); messages != nil && !chat {
		return ""
	}
	return other.name
}

// kindOf is equal for values with the same members, of the same kinds, and the same type and role.
func kindOf(value raw) string {
	if value.kind() == canon.KindArray {
		value = firstOf(value)
	}
	members := value.fields()
	names := slices.Sorted(maps.Keys(members))
	for i, name := range names {
		kind := byte(members[name].kind()) << 1
		if members[name].empty() {
			kind++
		}
		names[i] += string([]byte{0, kind})
	}
	return strings.Join(append(names, members.text("type"), members.text("role")), "\x00")
}

var (
	anthropicList = format{"a list of Anthropic messages", isAnthropicList, readAnthropicList, noMessage, "", lacksSetup,
		countAnthropic}
	anthropicObjects = format{"a conversation of Anthropic messages", isAnthropicObject, readAnthropicObjects, noMessage, "",
		lacksTools, countAnthropic}
)

// lateFormats are those that a later line of many messages may tell.
var lateFormats = []format{anthropicList, anthropicObjects}

// requests is the format of bodies of requests, and of objects that hold one.
var requests = format{"a log of requests", isRequests, readRequests,
	"it holds no request to one of the four APIs", "", nil, nil}

// Detect names the format of a file, with its article; "" if it is none that
// Read knows. data must be text; see [Text].
func Detect(data []byte) string {
	if f, _ := formatOf(data); f != nil {
		return f.name
	}
	return ""
}

// maxForeignLines is how many lines Read looks at for the first one that a format has: some programs
// begin a log with lines about themselves, and a line may be damaged.
const maxForeignLines = 8

// formatOf returns the format of a file, nil for none. byLine says that its lines told it one by one.
func formatOf(data []byte) (whole *format, byLine bool) {
	at, number := 0, 0
	goesOn := false // the first value goes on behind its line, unless that is damaged
	for n := 0; n < maxForeignLines || talk(data, at); n++ {
		var text []byte
		if text, number, at = canon.NextLine(data, at, number); text == nil {
			break
		}
		of, looked := lookedAt(n, data[at-len(text):])
		s := canon.Scanner{Data: looked}
		first := s.Value()
		if n == 0 && len(first) > len(text) {
			whole, goesOn = formatOfValue(formats, first), true
		}
		pieces := []canon.Piece{{Text: first, Value: true}}
		if len(first) != len(bytes.TrimSpace(text)) {
			pieces = canon.Salvage(text)
		}
		for _, p := range pieces {
			f := formatOfValue(of, p.Text)
			if !p.Value || f == nil {
				continue
			}
			if goesOn && (text[0] == ' ' || text[0] == '\t' || bytes.TrimSpace(data)[0] == '[') {
				continue // an element of the first value, which is damaged elsewhere
			}
			if goesOn {
				if _, err := canon.Parse(data); err == nil {
					return whole, false
				}
			}
			return f, goesOn || n > 0 || len(pieces) > 1
		}
	}
	if whole == nil {
		return messageFormatOf(data)
	}
	return whole, false
}

// lookedAt returns the formats that the n-th line may tell, and where the end of its value is looked for: of a late line
// nowhere, because to look for the end of each would cost the rest of the file.
func lookedAt(n int, rest []byte) (of []format, in []byte) {
	if n >= maxForeignLines {
		return lateFormats, nil
	}
	return formats, rest
}

// talk reports whether the next line may be one of many messages whose form a later one tells.
func talk(data []byte, at int) bool {
	text, _, _ := canon.NextLine(data, at, 0)
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t"), []byte(`{"role"`)) || bytes.HasPrefix(bytes.TrimLeft(text, " \t"), []byte(`{"messages"`))
}

// ofLines are formats of lines. Programs put the lines into a list, as they do with the values of ofEachValue.
var ofLines = []string{"a " + ClaudeCode, "a Gemini CLI session", "a Gemini CLI stream", codexRollout, "an OTLP export"}

// formatOfValue returns the format of a value of a file, nil for none.
func formatOfValue(of []format, first raw) *format {
	if first.kind() == canon.KindArray {
		s := canon.Scanner{Data: first}
		s.Open('[')
		for n := 0; n < maxForeignLines && s.Peek() == '{'; n++ {
			line := raw(s.Value())
			for i := range of {
				if (slices.Contains(ofLines, of[i].name) || slices.Contains(ofEachValue, of[i].name)) && of[i].is(line) {
					return &of[i]
				}
			}
			s.Next()
		}
	}
	for i := range of {
		if of[i].is(first) {
			return &of[i]
		}
	}
	return nil
}

// formatNames lists the formats for people, each with its article.
func formatNames() string {
	var names []string
	for _, f := range slices.Concat(formats, messageFormats) {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}
