package calllog

import (
	"fmt"
	"strings"
	"testing"
)

// claudeNotesOf writes a transcript from short notes: id, the id above, the second, and "user:TEXT", "result:CALL=TEXT",
// "says:TEXT", "calls:ID,ID", or more members of a line.
func claudeNotesOf(notes ...string) []byte {
	var b strings.Builder
	for _, note := range notes {
		f := strings.SplitN(note, " ", 4)
		above := `"` + f[1] + `"`
		if f[1] == "-" {
			above = "null"
		}
		fmt.Fprintf(&b, `{"uuid":"%s","parentUuid":%s,"sessionId":"s","timestamp":"2026-01-21T05:56:%sZ",`, f[0], above, f[2])
		kind, text, _ := strings.Cut(f[3], ":")
		answer := func(content string) {
			fmt.Fprintf(&b, `"type":"assistant","requestId":"r%s","message":{"id":"m%s","role":"assistant","model":"c","content":[%s],`+
				`"stop_reason":"end_turn"}}`, f[0], f[0], content)
		}
		switch kind {
		case "user":
			fmt.Fprintf(&b, `"type":"user","message":{"role":"user","content":"%s"}}`, text)
		case "summary":
			fmt.Fprintf(&b, `"type":"user","isCompactSummary":true,"message":{"role":"user","content":"%s"}}`, text)
		case "result":
			id, said, _ := strings.Cut(text, "=")
			fmt.Fprintf(&b, `"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"%s"}]}}`,
				id, said)
		case "says":
			answer(`{"type":"text","text":"` + text + `"}`)
		case "calls":
			var list []string
			for id := range strings.SplitSeq(text, ",") {
				list = append(list, `{"type":"tool_use","id":"`+id+`","name":"read","input":{"path":"`+id+`"}}`)
			}
			answer(strings.Join(list, ","))
		default:
			b.WriteString(f[3])
		}
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// TestAnswersBesideOneAnother: what each call was sent and said where several lines of the model stand below one
// message, and around a compaction that keeps messages in their place.
func TestAnswersBesideOneAnother(t *testing.T) {
	boundary := func(about string) string {
		return `cb - 30 "type":"system","subtype":"compact_boundary","compactMetadata":{` + about + `}}`
	}
	growing := func(id, above, content string) string {
		return id + " " + above + ` 01 "type":"assistant","requestId":"r","message":{"id":"m","role":"assistant","model":"c","content":[` + content + `]}}`
	}
	around := func(about string) []string {
		return []string{"u1 - 00 user:Start", "a1 u1 01 says:Ready", "u2 a1 02 user:More", "a2 u2 03 says:Here", "u3 a2 04 user:Go on",
			boundary(about), "cs cb 31 summary:So far", "a3 cs 05 says:Went on", "u4 a3 40 user:After", "a4 u4 41 says:Done"}
	}
	sent := "[Start -> Ready] [Start, Ready, More -> Here] [Start, Ready, More, Here, Go on -> Went on] " +
		"[So far, Here, Go on, Went on, After -> Done]"
	for name, c := range map[string]struct {
		notes      []string
		want, said string
	}{
		"all answers below the question": {[]string{"u1 - 00 user:set", "a1 u1 01 calls:A", "a2 u1 02 calls:A,B", "r1 a2 03 result:A=one",
			"r2 a2 04 result:B=two", "a3 u1 05 says:done"}, "[set -> A+B] [set, A+B, one+two -> done]", "line 6: it stands beside"},
		"rounds below the question": {[]string{"u1 - 00 user:set", "a1 u1 01 calls:A", "r1 a1 02 result:A=one", "a2 u1 03 calls:B",
			"r2 a2 04 result:B=two", "a3 u1 05 calls:C", "r3 a3 06 result:C=three", "a4 u1 07 says:done"},
			"[set -> A] [set, A, one -> B] [set, A, one, B, two -> C] [set, A, one, B, two, C, three -> done]", "line 4: it stands beside"},
		"calls in several lines": {[]string{"u1 - 00 user:set", "a1 u1 01 calls:A", "a2 u1 02 calls:B", "r1 a1 03 result:A=one",
			"r2 a2 04 result:B=two", "a3 u1 05 says:done"}, "[set -> A+B] [set, A+B, one+two -> done]", "line 6: it stands beside"},
		"asked again": {[]string{"u1 - 00 user:fruit", "a1 u1 01 says:APPLE", "a2 u1 02 says:PEAR", "u2 a2 03 user:why",
			"a3 u2 04 says:so"}, "[fruit -> APPLE] [fruit -> PEAR] [fruit, PEAR, why -> so]", "[]"},
		"a compaction keeps messages": {around(`"preservedMessages":{"anchorUuid":"cs","uuids":["a2","u3","a3"]}`), sent, "[]"},
		"it names the ends":           {around(`"preservedSegment":{"headUuid":"a2","anchorUuid":"cs","tailUuid":"a3"}`), sent, "[]"},
		"a session and its resumed copy": {[]string{"u1 - 00 user:ask", "a1 u1 01 says:yes", "v1 - 00 user:ask", `b1 v1 01 "type":"assistant",` +
			`"requestId":"ra1","message":{"id":"ma1","role":"assistant","model":"c","content":[{"type":"text","text":"yes"}]}}`,
			"u2 b1 02 user:more", "a2 u2 03 says:so"}, "[ask -> yes] [ask, yes, more -> so]", "line 4: it repeats a part of an answer above"},
		"results that the agent cleared": {[]string{"u1 - 00 user:set", "a1 u1 01 calls:A", "r1 a1 02 result:A=one", "a2 r1 03 says:ok",
			`s1 a2 04 "type":"system","subtype":"microcompact_boundary"}`, "u2 s1 05 user:more", "a3 u2 06 says:so"},
			"[set -> A] [set, A, one -> ok] [set, A, one, ok, more -> so] rewritten", "line 5: the agent cleared results of tools"},
		"a text that grows in its place": {[]string{"u1 - 00 user:ask", growing("a1", "u1", `{"type":"text","text":"I"}`),
			growing("a2", "u1", `{"type":"text","text":"I'll look"}`), growing("a3", "u1", `{"type":"text","text":"I'll look there."}`),
			growing("a4", "a3", `{"type":"tool_use","id":"A","name":"read","input":{}}`), "r1 a4 02 result:A=one", "a5 r1 03 says:done"},
			"[ask -> I'll look there.+A] [ask, I'll look there.+A, one -> done]", "line 2: the next line of the answer has its text and more"},
		"a text that grows under one id": {[]string{"u1 - 00 user:ask", growing("a1", "u1", `{"type":"text","text":"I"}`),
			growing("a1", "u1", `{"type":"text","text":"I see"}`), growing("a2", "a1", `{"type":"text","text":"yes"}`),
			"u2 a2 03 user:more", "a3 u2 04 says:so"}, "[ask -> I see+yes] [ask, I see+yes, more -> so]",
			"line 2: the next line of the answer has its text and more"},
		"two blocks that begin alike": {[]string{"u1 - 00 user:ask", growing("a1", "u1", `{"type":"text","text":"I"}`),
			growing("a2", "a1", `{"type":"text","text":"I will read the file."}`), growing("a3", "a2",
				`{"type":"tool_use","id":"A","name":"read","input":{}}`), "r1 a3 02 result:A=one", "a4 r1 03 says:done"},
			"[ask -> I+I will read the file.+A] [ask, I+I will read the file.+A, one -> done]", "line 2: the next line of the answer begins with its text"},
		"two that name no line above": {[]string{"u1 - 00 user:ask", growing("a1", "-", `{"type":"text","text":"I"}`),
			growing("a2", "-", `{"type":"text","text":"I see"}`), "u2 - 03 user:more", "a3 - 04 says:so"},
			"[ask -> I+I see] [ask, I+I see, more -> so]", "line 2: the next line of the answer begins with its text"},
		"texts beside each other": {[]string{"u1 - 00 user:ask", growing("a1", "u1", `{"type":"text","text":" "}`),
			growing("a2", "a1", `{"type":"text","text":" 1"}`), growing("a3", "a2", `{"type":"text","text":"2"}`), "u2 a3 03 user:more",
			"a4 u2 04 says:so"}, "[ask ->  + 1+2] [ask,  + 1+2, more -> so]", "[]"},
		"a branch without an answer": {[]string{"u1 - 00 user:ask", "a1 u1 01 says:yes", "u2 a1 02 user:dropped", "u3 a1 03 user:then",
			"a3 u3 04 says:so"}, "[ask -> yes] [ask, yes, then -> so]", "line 3: 1 of 5 messages of the file is in no request"},
	} {
		t.Run(name, func(t *testing.T) {
			log, err := readWhole(claudeNotesOf(c.notes...))
			must(t, err)
			var list []string
			for i := range log.Sessions[0].Calls {
				call := &log.Sessions[0].Calls[i]
				var messages []string
				messagesOf, _ := call.Request.Get("messages")
				for _, m := range messagesOf.Elems {
					content, _ := m.Opened().Get("content")
					messages = append(messages, claudeWords(content.AppendTo(nil)))
				}
				list = append(list, "["+strings.Join(messages, ", ")+" -> "+claudeWords(raw(call.Answer).fields()["content"])+"]")
				if call.Rewrites && name == "results that the agent cleared" {
					list = append(list, "rewritten")
				}
			}
			if got := strings.Join(list, " "); got != c.want {
				t.Errorf("the calls are\n%s, want\n%s", got, c.want)
			}
			if !strings.Contains(fmt.Sprint(log.Findings), c.said) {
				t.Errorf("the findings are %v, want %s", log.Findings, c.said)
			}
		})
	}
}

// TestTheHighestCountOfAnAnswerStands: an answer has a line for each block, each with what was counted until then; a later
// line without a count, or with an older one, takes none away.
func TestTheHighestCountOfAnAnswerStands(t *testing.T) {
	line := func(id, above, content, usage string) string {
		return id + " " + above + ` 01 "type":"assistant","requestId":"r","message":{"id":"m","role":"assistant","model":"c","content":[` +
			content + `]` + usage + `}}`
	}
	text, call := `{"type":"text","text":"x"}`, `{"type":"tool_use","id":"A","name":"read","input":{}}`
	for _, c := range []struct{ first, second, want string }{
		{`,"usage":{"input_tokens":3,"output_tokens":1}`, `,"usage":{"input_tokens":3,"output_tokens":50}`, `{"input_tokens":3,"output_tokens":50}`},
		{`,"usage":{"input_tokens":3,"output_tokens":50}`, `,"usage":{"input_tokens":3,"output_tokens":1}`, `{"input_tokens":3,"output_tokens":50}`},
		{`,"usage":{"input_tokens":3,"output_tokens":50}`, ``, `{"input_tokens":3,"output_tokens":50}`},
		{`,"usage":{"input_tokens":3,"output_tokens":50}`, `,"usage":null`, `{"input_tokens":3,"output_tokens":50}`},
		{``, `,"usage":null`, ``},
	} {
		log, err := readWhole(claudeNotesOf("u1 - 00 user:ask", line("a1", "u1", text, c.first), line("a2", "a1", call, c.second),
			"r1 a2 02 result:A=one"))
		if err != nil || len(log.Sessions[0].Calls) != 1 {
			t.Fatal(log, err)
		}
		if got := string(raw(log.Sessions[0].Calls[0].Answer).member("usage")); got != c.want || len(log.Findings) > 0 {
			t.Errorf("%s then %s: counted is %s, want %s; findings %v", c.first, c.second, got, c.want, log.Findings)
		}
	}
}

// claudeWords joins the texts, results and ids of calls of a content.
func claudeWords(content raw) string {
	var list []string
	for _, block := range content.elems() {
		list = append(list, block.fields().text("text", "content", "id"))
	}
	return strings.Join(list, "+")
}
