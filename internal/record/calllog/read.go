package calllog

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
)

// format is a format that the first value of a file tells.
type format struct {
	name string // with its article, for people
	is   func(first raw) bool
	read func(data []byte) (*Log, error)
}

// formats are in the order in which they are tried: the last one fits most.
var formats = []format{
	{"a Claude Code transcript", isClaudeCode, readClaudeCode},
	{"an opencode export", isOpencode, readOpencode},
	{"a HAR", isHAR, readHAR},
	{"a Codex rollout", isCodex, readCodex},
	{"an Inspect log", isInspect, readInspect},
	{"a ChatGPT export", isChatGPT, readChatGPT},
	{"a list of Vercel AI messages", isUIMessages, readUIMessages},
	{"an ADK session", isADK, readADK},
	{"a list of Pydantic AI messages", isPydantic, readPydantic},
	{"a list of LangChain messages", isLangChain, readLangChain},
	{"a trace of the OpenAI Agents SDK", isSpans, readSpans},
	{"a list of OpenAI Responses items", isItems, readItems},
	{"a list of Anthropic messages", isAnthropicList, readAnthropicList},
	{"a list of Gemini contents", isGeminiList, readGeminiList},
	{"a log of requests", isRequests, readRequests},
}

// Known lists the formats for people, each with its article.
func Known() []string {
	names := make([]string, len(formats))
	for i := range formats {
		names[i] = formats[i].name
	}
	return names
}

// Detect names the format of a file, with its article; "" if it is none that
// Read knows. data must be text; see [Text].
func Detect(data []byte) string {
	if f := formatOf(data); f != nil {
		return f.name
	}
	return ""
}

// maxForeignLines is how many lines Read looks at for the first one that a format has: some programs
// begin a log with lines about themselves.
const maxForeignLines = 8

func formatOf(data []byte) *format {
	at, number := 0, 0
	for range maxForeignLines {
		var text []byte
		if text, number, at = nextLine(data, at, number); text == nil {
			return nil
		}
		s := canon.Scanner{Data: data[at-len(text):]}
		first := s.Value()
		for i := range formats {
			if formats[i].is(first) {
				return &formats[i]
			}
		}
		if len(first) > len(text) {
			return nil // the value goes on after its line: there are no lines to try
		}
	}
	return nil
}

// Read reads a log. E_DOCUMENT_INVALID with line and offset if it is damaged, or in no known format.
// Time and memory are linear in the log and in the requests that it stands for.
func Read(data []byte) (*Log, error) {
	data, err := Text(data)
	if err != nil {
		return nil, err
	}
	f := formatOf(data)
	if f == nil {
		return nil, fault.New(fault.DocumentInvalid, "the file is in no known format of logs",
			"known are "+strings.Join(Known(), ", "))
	}
	log, err := f.read(data)
	if err != nil {
		return nil, within(err, f.name)
	}
	for i := range log.Sessions {
		ownIDs(log.Sessions[i].Calls)
	}
	says := func(s Session) bool { return len(s.Calls) > 0 || s.Unsent.Kind != canon.KindAbsent }
	if !slices.ContainsFunc(log.Sessions, says) {
		return nil, within(fault.New(fault.DocumentInvalid, "nothing in it was said to a model or by one", ""), f.name)
	}
	log.Findings = append(log.Findings, withoutCalls(log.Sessions)...)
	return log, nil
}

// withoutCalls says why a session makes no cycle: a call is there with its answer.
func withoutCalls(sessions []Session) (list []inspect.Finding) {
	for i := range sessions {
		if s := &sessions[i]; len(s.Calls) == 0 {
			why := "the model has answered nothing, so there is no cycle yet: what was said waits in the working state"
			if s.Unsent.Kind == canon.KindAbsent {
				why = "nothing was said to a model, so there is nothing to import"
			}
			if s.Name != "" {
				why = s.Name + ": " + why
			}
			list = append(list, inspect.Finding{Code: fault.DocumentInvalid, Message: why})
		}
	}
	return list
}

// ownIDs gives a call whose id another call of the session has a number behind it.
func ownIDs(calls []Call) {
	taken, next := map[string]bool{}, map[string]int{}
	for i := range calls {
		taken[calls[i].ID] = true
	}
	for i := range calls {
		id := calls[i].ID
		if next[id] == 0 {
			next[id] = 2 // the first keeps its id
			continue
		}
		for taken[calls[i].ID] {
			calls[i].ID = id + "#" + strconv.Itoa(next[id])
			next[id]++
		}
		taken[calls[i].ID] = true
	}
}

// within names the format in the message of an error.
func within(err error, format string) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	in := *e
	in.Message = format
	if e.Line > 0 {
		in.Message += ", line " + strconv.Itoa(e.Line)
	}
	in.Message += ": " + e.Message
	return &in
}

// Text returns the text of a file without a byte order mark. E_DOCUMENT_INVALID with the kind of the
// file if it is no UTF-8 text.
func Text(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if kind, remedy := binaryKind(data); kind != "" {
		return nil, fault.New(fault.DocumentInvalid, "the file is "+kind+", not a text", remedy)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fault.New(fault.DocumentInvalid, "the file is empty", "")
	}
	return data, nil
}

// binaryKinds are the kinds of files that people take for logs, by how they begin.
var binaryKinds = []struct{ begins, kind, remedy string }{
	{"PK\x03\x04", "a zip archive", "unpack it first"},
	{"SQLite format 3\x00", "an SQLite database", "export its rows as JSON"},
	{"\x1f\x8b", "compressed with gzip", "decompress it: gunzip"},
	{"\x28\xb5\x2f\xfd", "compressed with Zstandard", "decompress it: zstd -d"},
	{"BZh", "compressed with bzip2", "decompress it: bunzip2"},
	{"\xfd7zXZ\x00", "compressed with xz", "decompress it: unxz"},
	{"\xff\xfe", "UTF-16", "save it as UTF-8"},
	{"\xfe\xff", "UTF-16", "save it as UTF-8"},
	{"%PDF-", "a PDF", ""},
	{"\x89PNG", "a PNG image", ""},
	{"\xff\xd8\xff", "a JPEG image", ""},
	{"\x7fELF", "a program", ""},
	{"PAR1", "a Parquet table", "export its rows as JSON Lines"},
}

// binaryKind names the kind of a file that is not UTF-8 text; "" for a text.
func binaryKind(data []byte) (kind, remedy string) {
	for _, k := range binaryKinds {
		if bytes.HasPrefix(data, []byte(k.begins)) {
			return k.kind, k.remedy
		}
	}
	const looked = 4 << 10
	head := data[:min(len(data), looked)]
	zeros := bytes.Count(head, []byte{0})
	switch {
	case zeros > 0 && zeros >= len(head)/3 && bytes.IndexByte(head, '{')+bytes.IndexByte(head, '[') > -2:
		return "UTF-16", "save it as UTF-8"
	case zeros > 0:
		return "a binary file", ""
	}
	for i := 0; i < len(head); {
		r, size := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && size == 1 && (len(data) == len(head) || i < len(head)-utf8.UTFMax) {
			if i < 16 {
				return "a binary file", "" // no text begins so
			}
			break // the parser says where it is
		}
		i += size
	}
	return "", ""
}
