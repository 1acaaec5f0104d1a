package calllog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
)

func mustRead(t *testing.T, text string) *Log {
	t.Helper()
	log, err := readWhole([]byte(text))
	if err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return log
}

func idsOf(log *Log) (ids []string) {
	for _, c := range log.Sessions[0].Calls {
		ids = append(ids, c.ID)
	}
	return ids
}

// Calls whose lines stand in a wrong order are put in the order of their times.
func TestLinesInAWrongOrder(t *testing.T) {
	line := func(id, at string) string {
		return `{"id":"` + id + `","timestamp":"` + at + `","request":{"model":"m","messages":[{"role":"user","content":"` +
			id + `"}]}}` + "\n"
	}
	log := mustRead(t, line("c", "2026-05-04T09:00:03Z")+line("a", "2026-05-04T09:00:01Z")+
		line("b", "2026-05-04T09:00:02Z"))
	if got := idsOf(log); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the order is %v", got)
	}
	log = mustRead(t, line("c", "2026-05-04T09:00:03Z")+line("a", "one of these days"))
	if got := idsOf(log); !slices.Equal(got, []string{"c", "a"}) {
		t.Errorf("without all times the order is %v", got)
	}
}

// Two calls that a program gave one id stay two.
func TestDuplicateIDs(t *testing.T) {
	message := func(kind, id, content string) string {
		return `{"type":"` + kind + `","data":{"content":"` + content + `","id":"` + id + `"}}`
	}
	log := mustRead(t, "["+strings.Join([]string{message("human", "x", "one"), message("ai", "x", "1"),
		message("human", "x", "two"), message("ai", "x", "2"), message("human", "x", "three"), message("ai", "x#2", "3")},
		",")+"]")
	if got := idsOf(log); !slices.Equal(got, []string{"x", "x#3", "x#2"}) {
		t.Errorf("the ids are %v", got)
	}
}

// A role that no API has becomes other, and a message of an unknown type is
// left out and counted.
func TestUnknownRoles(t *testing.T) {
	log := mustRead(t, `{"model":"m","messages":[{"role":"narrator","content":"Once upon a time"}]}`)
	if got := words(requestOf(t, &log.Sessions[0].Calls[0]).Parts); got != "other text Once upon a time" {
		t.Errorf("the request says %q", got)
	}
	log = mustRead(t, `[{"type":"human","data":{"content":"one"}},{"type":"oracle","data":{"content":"two"}},
		{"type":"oracle","data":{"content":"three"}},{"type":"ai","data":{"content":"four"}}]`)
	if found := fmt.Sprint(log.Findings); !strings.Contains(found, "line 1: it is no message of a known type") ||
		!strings.Contains(found, "and 1 more like it") {
		t.Errorf("the findings are %s", found)
	}
}

// longChat is a conversation of ChatGPT with so many turns.
func longChat(turns int) string {
	var nodes []string
	for n := range turns {
		role, parent := "user", fmt.Sprintf(`"n%d"`, n-1)
		if n == 0 {
			parent = "null"
		}
		if n%2 == 1 {
			role = "assistant"
		}
		nodes = append(nodes, fmt.Sprintf(`"n%d":{"parent":%s,"message":{"author":{"role":%q},"content":`+
			`{"content_type":"text","parts":["turn %d"]}}}`, n, parent, role, n))
	}
	return `[{"id":"c","mapping":{` + strings.Join(nodes, ",") + `}}]`
}

// The calls of a rebuilt conversation share their messages: twice the turns take
// about twice the allocations.
func TestRebuildingIsLinear(t *testing.T) {
	testrun.CountsAllocations(t)
	allocations := func(turns int) float64 {
		text := []byte(longChat(turns))
		return testing.AllocsPerRun(2, func() {
			_, err := readWhole(text)
			must(t, err)
		})
	}
	if small, large := allocations(400), allocations(1600); large > 5*small {
		t.Errorf("400 turns take %v allocations, 1600 take %v", small, large)
	}
}

// An exchange of an archive that got no answer is a call that failed.
func TestExchangesWithoutAnswer(t *testing.T) {
	log := mustRead(t, `{"log":{"entries":[{"startedDateTime":"2026-05-04T09:00:00Z","request":{"method":"POST",
		"url":"https://api.openai.com/v1/chat/completions","postData":{"text":"{\"model\":\"m\",\"messages\":[]}"}},
		"response":{"status":0,"content":{}},"_error":"net::ERR_ABORTED"}]}}`)
	a, _ := answerOf(&log.Sessions[0].Calls[0])
	if a.Failure != "net::ERR_ABORTED" {
		t.Errorf("the failure is %q", a.Failure)
	}
}

// A log in which the model has answered nothing yet says why it makes no cycle.
func TestLogsWithoutAnAnswer(t *testing.T) {
	const why = "the model has answered nothing, so there is no cycle yet"
	for name, text := range map[string]string{
		"Anthropic": `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"b"}]}]`,
		"Gemini":    `[{"role":"user","parts":[{"text":"x"}]}]`,
		"Responses": `[{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}]`,
		"LangChain": `[{"type":"human","data":{"content":"x"}}]`,
		"ATIF": `{"schema_version":"ATIF-v1.8","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user",` +
			`"message":"x"}]}`,
		"Claude Code": `{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","timestamp":"2026-05-04T09:00:00Z",` +
			`"message":{"role":"user","content":"x"}}`,
		"Codex": `{"timestamp":"2026-05-04T09:00:00Z","type":"session_meta","payload":{"id":"s"}}` + "\n" +
			`{"timestamp":"2026-05-04T09:00:01Z","type":"response_item","payload":{"type":"message","role":"user",` +
			`"content":[{"type":"input_text","text":"x"}]}}`,
	} {
		log := mustRead(t, text)
		if found := fmt.Sprint(log.Findings); calls(log) != 0 || strings.Count(found, why) != 1 {
			t.Errorf("%s: %d calls and the findings %s", name, calls(log), found)
		}
	}
	for name, data := range samples(t) {
		if log := mustRead(t, string(data)); strings.Contains(fmt.Sprint(log.Findings), why) {
			t.Errorf("%s: %v", name, log.Findings)
		}
	}
}
