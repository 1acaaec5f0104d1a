package calllog

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

func TestMessagesAreRecognized(t *testing.T) {
	const chat, tau, swe = "a list of chat messages", "a tau-bench result", "a run of SWE-agent"
	tests := []struct{ file, want string }{
		{`[{"role":"user","content":"x"}]`, chat},
		{`{"messages":[]}`, chat},
		{`{"x":{"root":[1,"]"]},"messages":[{"role":"user"}]}`, chat},
		{"\n{\"role\":\"user\"}\n{\"role\":\"assistant\"}\n", chat},
		{`{"\u0072ole":"user"}`, chat},
		{`[]`, chat},
		{`[[{"role":"user"}]]`, chat},
		{`[{"task_id":1,"traj":[]}]`, tau},
		{`{"traj":[]}`, tau},
		{`{"trajectory":[],"history":[]}`, swe},
		{`{"history":[]}`, swe},
		{`{"root":{},"messages":[]}`, ""},
		{`{"messages":[],"root":{}}`, ""},
		{`{"pact_history":1}` + "\n" + `{"role":"user"}`, ""},
		{`{"role":1}`, ""},
		{`{"messages":"x"}`, ""},
		{`{}`, ""}, {`[1]`, ""}, {`"x"`, ""}, {``, ""}, {`{`, ""}, {`{"role"`, ""}, {`{"role":`, ""}, {`{"a\`, ""}, {`]`, ""},
		{`{"a"}`, ""},
	}
	for _, test := range tests {
		if got := Detect([]byte(test.file)); got != test.want {
			t.Errorf("%s: detected as %q, want %q", test.file, got, test.want)
		}
	}
}

func TestReadSeveral(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"one list", `[{"role":"user"}]`, "openai::1"},
		{"an empty list", `[]`, "openai::0"},
		{"an empty object", `{"messages":[]}`, "openai::0"},
		{"one message", `{"role":"user"}`, "openai::1"},
		{"lines of messages", "\n{\"role\":\"user\"}\r\n\r\n {\"role\":\"user\"}", "openai::2"},
		{"lines of conversations", "{\"messages\":[]}\n\n[{\"role\":\"user\"}]\n{\"traj\":[]}",
			"openai:0:0 openai:1:1 tau-bench:2:0"},
		{"a list of conversations", `[{"messages":[{"role":"user"}]},{"messages":[]}]`, "openai:0:1 openai:1:0"},
		{"one tau-bench conversation", `[{"traj":[{"role":"user"}]}]`, "tau-bench::1"},
		{"an empty run", `{"trajectory":[]}`, "swe-smith::0"},
	}
	for _, test := range tests {
		log, err := readWhole([]byte(test.file))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for _, s := range log.Sessions {
			got = append(got, s.Replay.Shape+":"+s.Name+":"+strconv.Itoa(len(finalOf(&s))))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	tests := []struct {
		name, file   string
		line, offset int // -1 where there is none
		says         string
	}{
		{"empty", "", 0, -1, "the file is empty"},
		{"no JSON", "hello", 0, -1, "no known format"},
		{"broken list", "[\n {\"role\": \"user\"},\n {\"role\" \"user\"}\n]", 3, 30, "expected :"},
		{"PACT document", `{"root":{}}`, 0, -1, "no known format of logs"},
		{"another object", `{"a":1}`, 0, -1, "no known format of logs"},
		{"a number", `1`, 0, -1, "no known format of logs"},
		{"junk among messages", `[{"role":"user"},5]`, 1, -1, "message 1 is not an object"},
		{"no role", `{"messages":[{"role":"user"},{"content":"x"}]}`, 1, -1, "message 1 has no role"},
		{"role of another type", `[{"role":"user"},{"role":null}]`, 1, -1, "message 1 has no role"},
		{"junk among lines", "{\"role\":\"user\"}\n\n[]\n", 3, -1, "message 1 is not an object"},
		{"junk in a conversation", `[{"traj":[]},{"traj":[{"role":"user"},null]}]`, 1, -1,
			"conversation 1: message 1 is not an object"},
		{"a message among conversations", `[{"traj":[]},{"role":"user"}]`, 1, -1,
			"conversation 1: this is not a conversation"},
		{"a message among lines of conversations", "{\"messages\":[]}\n{\"role\":\"user\"}", 2, -1,
			"conversation 1: this is not a conversation"},
		{"a bad conversation on a line", "{\"messages\":[]}\n{\"messages\":[7]}", 2, -1, "conversation 1: message 0 is not"},
		{"step without messages", `{"trajectory":[{"messages":[]},{"action":"` + strings.Repeat("x", 99) + `"}]}`, 1, -1,
			"step 1 of the trajectory has neither a query nor a list"},
		{"junk in a step", `{"trajectory":[{"messages":[1]}]}`, 1, -1, "step 0: message 0 is not an object"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list, err := readWhole([]byte(test.file))
			var e *fault.Error
			if !errors.As(err, &e) || e.Code != fault.DocumentInvalid {
				t.Fatalf("got %v and %v", list, err)
			}
			if e.Line != test.line || e.Offset != test.offset || !strings.Contains(e.Message, test.says) {
				t.Errorf("line %d, offset %d: %v", e.Line, e.Offset, e)
			}
		})
	}
}

// TestALineOfADocumentIsNoMessage: what stands alone on a line of another value decides nothing.
func TestALineOfADocumentIsNoMessage(t *testing.T) {
	for _, text := range []string{"{\n\"root\":{\"children\":[\n{\"role\":\"user\",\"content\":\"x\"}\n]}}",
		"{\n\"root\":[\n{\"messages\":[]},\n{\"role\":\"user\"}\n]}"} {
		if name := Detect([]byte(text)); name != "" {
			t.Errorf("%s is taken for %s", text, name)
		}
	}
}

// TestDamagedLinesOfMessages: every whole message is read, a finding names line and bytes of the rest, and the file
// says what a strict import refuses.
func TestDamagedLinesOfMessages(t *testing.T) {
	const ask, answer = `{"role":"user","content":"Where?"}`, `{"role":"assistant","content":"Here."}`
	for _, c := range []struct {
		file, finding string
		messages      int
	}{
		{ask + "\n\n{\"role\":\n" + answer, "line 3: 8 bytes from byte ", 2},
		{ask + answer + "\n" + ask, "line 1: 2 records stand in one line", 3},
		{ask[:9] + "\n" + ask + "\n" + answer, "line 1: 9 bytes from byte 0 ", 2},
		{ask + "\n" + answer + "\n\x00\x00\x00", "line 3: 3 bytes from byte ", 2},
		{ask + "\n" + answer + "\n\x00", "line 3: 1 byte from byte 74 of the file on is zero, as a power failure leaves them, and was left out", 2},
		{"x\n" + ask + "\n" + answer, "line 1: 1 byte from byte 0 of the file on is a damaged record, no JSON, and was left out", 2},
		{ask + "\n" + answer + "\n" + ask[:9], "line 3: it is cut short", 2},
	} {
		log, err := readWhole([]byte(c.file))
		if err != nil || Detect([]byte(c.file)) != "a list of chat messages" {
			t.Errorf("%q: %v, detected as %q", c.file, err, Detect([]byte(c.file)))
			continue
		}
		if n := len(finalOf(&log.Sessions[0])); n != c.messages || (log.Damage == nil) != strings.Contains(c.finding, "cut short") || !strings.Contains(fmt.Sprint(log.Findings), c.finding) {
			t.Errorf("%q: %d messages, %v, %v", c.file, n, log.Damage, log.Findings)
		}
	}
}

// finalOf returns all messages of a session of messages.
func finalOf(s *Session) []canon.Any {
	list, _ := s.Unsent.Get("messages")
	return list.Elems
}

// A rebuilt request is not said to lack what it has.
func TestWhatIsThereIsNotMissing(t *testing.T) {
	const talk = `"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":"a"}]}]`
	const tools = `"tools":[{"name":"ls","input_schema":{"type":"object"}}]`
	system := `{"role":"system","content":"S"},`
	for text, want := range map[string]string{
		`{"system":"S",` + tools + `,` + talk + `}`:                                            "parameters",
		`{"system":"S",` + talk + `}`:                                                          "tool definitions, parameters",
		`{` + tools + `,` + talk + `}` + "\n" + `{` + talk + `}`:                               "parameters; tool definitions, parameters",
		`[` + system + strings.TrimPrefix(strings.TrimSuffix(talk, "]"), `"messages":[`) + `]`: "tool definitions, parameters",
	} {
		log, err := readWhole([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var list []string
		for _, s := range log.Sessions {
			list = append(list, strings.Join(s.Missing, ", "))
		}
		if got := strings.Join(list, "; "); got != want {
			t.Errorf("%s: it lacks %s, want %s", text, got, want)
		}
	}
}
