package calllog

import (
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/record/provider"
)

// said says of each call of the first session its model, tokens, and the last part that it was sent, and what it
// answered.
func said(t *testing.T, log *Log) (list []string) {
	for i := range log.Sessions[0].Calls {
		c := &log.Sessions[0].Calls[i]
		a, parts := answerOf(c)
		sent := requestOf(t, c).Parts
		list = append(list, a.Model+" "+tokensOf(a.Usage)+" "+words(sent[len(sent)-1:])+" -> "+words(parts))
	}
	return list
}

func tokensOf(u provider.Usage) string {
	var list []string
	for _, n := range []*int64{u.In, u.Out, u.Cached, u.Written, u.Reasoning} {
		if n == nil {
			list = append(list, "-")
			continue
		}
		list = append(list, text64(*n))
	}
	return strings.Join(list, "/")
}

// A session of Gemini CLI that was set back and compacted: each answer is one call, also the one that went, and the
// call after the compaction goes on with the summary.
func TestASessionOfGeminiCLI(t *testing.T) {
	log := sampleLog(t, "gemini-cli-session.jsonl")
	want := []string{
		`gemini-2.5-pro 310/20/256/-/8 user image -> assistant thinking {"text":"**A cover** It looks like Momo.","thought":true}` +
			` | assistant call find_book-1 find_book {"functionCall":{"args":{"title":"Momo"},"id":"find_book-1","name":"find_book"}}`,
		`gemini-2.5-pro 350/9/310/-/0 tool result find_book-1 find_book failed {"functionResponse":{"id":"find_book-1","name":` +
			`"find_book","response":{"error":"the catalogue is closed"}}} -> assistant text I cannot look now.`,
		`gemini-2.5-pro 360/10/350/-/0 user text Try it again. -> assistant call find_book-2 find_book ` +
			`{"functionCall":{"args":{"title":"Momo"},"id":"find_book-2","name":"find_book"}}`,
		`gemini-2.5-pro 380/8/360/-/0 tool result find_book-2 find_book {"functionResponse":{"id":"find_book-2","name":"find_book",` +
			`"response":{"output":"shelf 4"}}} -> assistant text Momo stands on shelf 4.`,
		`gemini-2.5-flash 60/4/0/-/0 user text Who wrote it? -> assistant text Michael Ende.`,
	}
	if got := said(t, log); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the calls are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	s := log.Sessions[0]
	if last := s.Calls[len(s.Calls)-1]; !last.Rewrites || s.Calls[1].Rewrites || len(requestOf(t, &last).Parts) != 3 {
		t.Errorf("after the compaction %v: %s", last.Rewrites, words(requestOf(t, &last).Parts))
	}
}

// The object of earlier versions says the same as the records of later ones.
func TestEarlierSessionsOfGeminiCLI(t *testing.T) {
	const user, answer = `{"id":"1","timestamp":"2026-05-04T09:00:00Z","type":"user","content":"Is Momo here?"}`,
		`{"id":"2","timestamp":"2026-05-04T09:00:02Z","type":"gemini","content":"It is.","tokens":{"input":10,"output":2,"cached":0},"model":"g"}`
	object, err := readWhole([]byte(`{"sessionId":"s","projectHash":"h","messages":[` + "\n" + user + ",\n" + answer + "]}"))
	must(t, err)
	records, err := readWhole([]byte(`{"sessionId":"s","projectHash":"h"}` + "\n" + user + "\n" + answer + "\n"))
	must(t, err)
	if a, b := strings.Join(callLines(t, object), "\n"), strings.Join(callLines(t, records), "\n"); a != b || len(object.Sessions[0].Calls) != 1 {
		t.Errorf("the object gives\n%s\nthe records\n%s", a, b)
	}
	if line := object.Sessions[0].Calls[0].Line; line != 3 {
		t.Errorf("the call stands in line %d, want 3", line)
	}
}

// A message without tokens right after an answer belongs to it: one answer is one call.
func TestOneAnswerOfGeminiCLIInTwoRecords(t *testing.T) {
	log, err := readWhole([]byte(`{"sessionId":"s","projectHash":"h"}
{"id":"1","type":"user","content":"Is Momo here?"}
{"id":"2","type":"gemini","content":"I look.","tokens":{"input":10,"output":2,"cached":0},"model":"g"}
{"id":"3","type":"gemini","content":"","toolCalls":[{"id":"c","name":"find","args":{},"status":"success","result":"shelf 4"}],"model":"g"}
{"id":"4","type":"gemini","content":"It is.","tokens":{"input":20,"output":3,"cached":0},"model":"g"}
`))
	must(t, err)
	if got := strings.Join(said(t, log), "\n"); got != `g 10/2/0/-/- user text Is Momo here? -> assistant text I look. | assistant call c find `+
		`{"functionCall":{"args":{},"id":"c","name":"find"}}`+"\n"+`g 20/3/0/-/- tool result c find {"functionResponse":{"id":"c",`+
		`"name":"find","response":{"output":"shelf 4"}}} -> assistant text It is.` {
		t.Errorf("the calls are\n%s", got)
	}
}

// What Gemini CLI streams is cut into calls at the results of tools; the tokens of all calls are no call's.
func TestAStreamOfGeminiCLI(t *testing.T) {
	log := sampleLog(t, "gemini-cli-stream.jsonl")
	calls := log.Sessions[0].Calls
	if got := strings.Join(said(t, log), "\n"); len(calls) != 2 || !strings.Contains(got, "tool result find_shelf-1 find_shelf failed") ||
		!strings.HasPrefix(got, "gemini-3-pro-preview -/-/-/-/- user text Is Momo here? -> assistant text I look for it. | assistant call find_book-1") {
		t.Errorf("%d calls:\n%s", len(calls), got)
	}
	if usage := string(calls[1].attribute("usage").Value()); !strings.Contains(usage, `"input_tokens":680`) {
		t.Errorf("the tokens of all calls are %s", usage)
	}
}

// What a stream says altogether is held against its models and its calls of tools, over all runs of the file.
func TestTheTotalsOfAStreamAreHeldAgainstTheFile(t *testing.T) {
	run := func(in, ofModel string, calls int) string {
		return `{"type":"init","timestamp":"2026-05-04T09:00:00Z","session_id":"s","model":"g"}
{"type":"message","timestamp":"2026-05-04T09:00:01Z","role":"user","content":"q"}
{"type":"tool_use","timestamp":"2026-05-04T09:00:02Z","tool_name":"f","tool_id":"` + in + `","parameters":{}}
{"type":"tool_result","timestamp":"2026-05-04T09:00:03Z","tool_id":"` + in + `","status":"success","output":"r"}
{"type":"result","timestamp":"2026-05-04T09:00:04Z","status":"success","stats":{"input_tokens":` + in +
			`,"output_tokens":2,"tool_calls":` + strconv.Itoa(calls) + `,"models":{"g":{"input_tokens":` + ofModel + `,"output_tokens":2}}}}
`
	}
	for text, want := range map[string][]string{
		run("90", "90", 1):                      nil,
		run("90", "90", 1) + run("70", "70", 1): nil,
		run("90", "80", 1):                      {"altogether the file says 90 tokens in, its answers add up to 80"},
		run("90", "90", 3):                      {"altogether the file says 3 calls of tools, it has 1"},
		run("90", "90", 1) + run("70", "60", 2): {"says 160 tokens in, its answers add up to 150", "says 3 calls of tools, it has 2"},
	} {
		log, err := readWhole([]byte(text))
		must(t, err)
		var got []string
		for _, f := range log.Findings {
			if strings.HasPrefix(f.Message, "altogether") {
				got = append(got, f.Message)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s\n%q, want %q", text, got, want)
			continue
		}
		for _, part := range want {
			if !strings.Contains(strings.Join(got, "\n"), part) {
				t.Errorf("%q, want %q", got, part)
			}
		}
	}
}
