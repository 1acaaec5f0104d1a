package calllog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// What stands among requests and is none of them.
const (
	askChat    = `{"model":"m","messages":[{"role":"user","content":"%d"}]}`
	askWrapped = `{"custom_id":"c%d","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"hi"}]}}`
	askClaude  = `{"model":"claude-1","max_tokens":9,"system":"s","messages":[{"role":"user","content":"%d"}]}`
	notSent    = `{"messages":[{"role":"user","content":"hi"}],"error":"no model"}`
	bare       = `{"messages":[{"role":"user","content":"hi"}]}`
	answered   = `{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}`
	claudeSaid = `{"model":"claude-1","system":"s","messages":[{"role":"user","content":"hi"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}]}`
	oneMessage = `{"role":"user","content":"hi"}`
	noted      = `{"level":"info"}`
)

// TestAnOddLineDoesNotRefuseALogOfRequests puts what only formats of messages claim at each place of a log of requests:
// it is left out with its line, and each request is read, by the reader of large files too.
func TestAnOddLineDoesNotRefuseALogOfRequests(t *testing.T) {
	for _, request := range []string{askChat, askWrapped, askClaude} {
		for _, odd := range []string{notSent, bare, answered, claudeSaid, oneMessage, noted} {
			for at := range 3 {
				lines := []string{fmt.Sprintf(request, 1), fmt.Sprintf(request, 2)}
				text := []byte(strings.Join(slices.Insert(lines, at, odd), "\n") + "\n")
				inMemory, err := readWhole(text)
				file, fileErr := readFile(t, text)
				if err != nil || fileErr != nil {
					t.Errorf("%s: %v, %v", text, err, fileErr)
					continue
				}
				for _, log := range []*Log{inMemory, file} {
					if log == nil && at == 0 && strings.Contains(odd, "role") {
						continue // of a large file the first line has to be a request
					}
					said := fmt.Sprint(log.Findings)
					if len(log.Sessions) != 1 || len(log.Sessions[0].Calls) != 2 || !strings.Contains(said, fmt.Sprintf("line %d: ", at+1)) {
						t.Errorf("%s: %d sessions, %s", text, len(log.Sessions), said)
					}
					if log.Sums == nil || log.Sums.Records.File != 3 {
						t.Errorf("%s: the sums are %+v", text, log.Sums)
					}
				}
			}
		}
	}
}

// TestAVerdictOnALineDoesNotDependOnItsNeighbours judges lines with the same members, of which one has a format and
// another has none.
func TestAVerdictOnALineDoesNotDependOnItsNeighbours(t *testing.T) {
	nothing := `{"id":"1","conversations":[]}`
	shared := `{"id":"1","conversations":[{"from":"human","value":"hi"}]}`
	for _, before := range []string{"", nothing + "\n"} {
		text := []byte(fmt.Sprintf(askChat, 1) + "\n" + before + shared + "\n" + fmt.Sprintf(askChat, 2) + "\n")
		_, inMemory := readWhole(text)
		_, file := readFile(t, text)
		for _, err := range []error{inMemory, file} {
			if fault.CodeOf(err) != fault.DocumentInvalid || !strings.Contains(fmt.Sprint(err), "conversations of ShareGPT") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// TestAConversationThatNobodyAnsweredIsNoRequest: of several conversations one may lack its answer, and then nothing
// tells it from a request; the file is refused rather than read as what the others are not.
func TestAConversationThatNobodyAnsweredIsNoRequest(t *testing.T) {
	unanswered := `{"model":"claude-1","system":"s","messages":[{"role":"user","content":"hi"}]}`
	if log, err := readWhole([]byte(claudeSaid + "\n" + unanswered + "\n")); err == nil || !strings.Contains(err.Error(), "a log of requests") {
		t.Errorf("%v, %v", log, err)
	}
	streamed := strings.Replace(claudeSaid, `{"model"`, `{"stream":true,"model"`, 1)
	if got := Detect([]byte(streamed + "\n" + unanswered + "\n")); got != requests.name {
		t.Errorf("a request that says how its answer begins is taken for %s", got)
	}
}

// TestAnAnswerInAnotherFormIsRead: programs log the answer in the form of another API than the request, as gateways
// convert it. What the model said and the provider counted is read, and a finding says so; a request that may be of
// either API is of that of its answer.
func TestAnAnswerInAnotherFormIsRead(t *testing.T) {
	const (
		plain     = `{"model":"claude-1","messages":[{"role":"user","content":"hi"}]}`
		withMax   = `{"model":"claude-1","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`
		anthropic = `{"model":"claude-1","max_tokens":9,"system":"s","messages":[{"role":"user","content":"hi"}]}`
		chat      = `{"model":"gpt-1","tools":[{"type":"function","function":{"name":"f"}}],"messages":[{"role":"user","content":"hi"}]}`
		said      = `{"id":"a","type":"message","role":"assistant","model":"claude-1","content":[{"type":"text","text":"ho"},` +
			`{"type":"tool_use","id":"t","name":"f","input":{"x":1}}],"stop_reason":"tool_use","usage":{"input_tokens":7,"output_tokens":3}}`
		chosen = `{"id":"a","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"ho",` +
			`"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]},"finish_reason":"tool_calls"}],` +
			`"usage":{"prompt_tokens":7,"completion_tokens":3}}`
		candidate = `{"candidates":[{"content":{"role":"model","parts":[{"text":"ho"},{"functionCall":{"id":"t","name":"f","args":{"x":1}}}]},` +
			`"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}}`
		stream = `"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"a\",\"type\":\"message\",\"role\":\"assistant\",` +
			`\"content\":[],\"usage\":{\"input_tokens\":7,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",` +
			`\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"ho\"}}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",` +
			`\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":3}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"`
		items = `{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"ho"}]}]}`
	)
	for _, c := range []struct{ request, answer, url, want string }{
		{plain, said, "", "anthropic.messages /v1/messages ho+f 7/3 "},
		{plain, stream, "", "anthropic.messages /v1/messages ho 7/3 "},
		{plain, chosen, "", "openai.chat /v1/chat/completions ho+f 7/3 "},
		{withMax, chosen, "", "openai.chat /v1/chat/completions ho+f 7/3 "},
		{withMax, chosen, "/v1/messages", "anthropic.messages /v1/messages ho+f 7/3 line 1: its answer is in the form of openai, and"},
		{anthropic, chosen, "", "anthropic.messages /v1/messages ho+f 7/3 line 1: its answer is in the form of openai, and"},
		{anthropic, candidate, "", "anthropic.messages /v1/messages ho+f 7/3 line 1: its answer is in the form of gemini, and"},
		{chat, said, "", "openai.chat /v1/chat/completions ho+f 7/3 line 1: its answer is in the form of anthropic, and"},
		{chat, stream, "", "openai.chat /v1/chat/completions ho 7/3 line 1: its answer is in the form of anthropic, and"},
		{plain, `{"words":"ho","tokens":3}`, "", "openai.chat /v1/chat/completions  0/0 line 1: its answer has no form that is known, so it was left out"},
		{plain, `null`, "", "openai.chat /v1/chat/completions  0/0 "},
		{plain, `{"status_code":500}`, "", "openai.chat /v1/chat/completions  0/0 "},
		{chat, items, "", "openai.chat /v1/chat/completions  0/0 line 1: its answer is in the form of responses, so it was left out"},
	} {
		log, err := readWhole([]byte(fmt.Sprintf(`{"url":%q,"request":%s,"response":%s}`, c.url, c.request, c.answer)))
		if err != nil {
			t.Errorf("%s: %v", c.answer, err)
			continue
		}
		call := log.Sessions[0].Calls[0]
		answer, parts := answerOf(&call)
		var words []string
		for _, p := range parts {
			words = append(words, p.Content.Text+p.Name)
		}
		in, out := int64(0), int64(0)
		if answer.Usage.In != nil {
			in, out = *answer.Usage.In, *answer.Usage.Out
		}
		said := ""
		if len(log.Findings) > 0 {
			said = log.Findings[0].Message
		}
		got := fmt.Sprintf("%s %s %s %d/%d %s", call.API, call.Path, strings.Join(words, "+"), in, out, said)
		if !strings.HasPrefix(got, c.want) || len(log.Findings) > 1 || (said == "") != strings.HasSuffix(c.want, " ") {
			t.Errorf("%s answered by %s: %s, want %s", c.request, c.answer, got, c.want)
		}
	}
}

// TestAnAnswerWrittenAnewSaysTheSame: an answer that is written anew in the form of the request has all of it: the side that
// speaks, thoughts as thoughts, a refusal, arguments as an object, why it ended, and what was counted.
func TestAnAnswerWrittenAnewSaysTheSame(t *testing.T) {
	const (
		gemini = `{"url":"/v1beta/models/g:generateContent","request":{"contents":[{"role":"user","parts":[{"text":"hi"}]}]},"response":%s}`
		claude = `{"url":"/v1/messages","request":{"model":"c","max_tokens":9,"messages":[{"role":"user","content":"hi"}]},"response":%s}`
		chat   = `{"url":"/v1/chat/completions","request":{"model":"c","messages":[{"role":"user","content":"hi"}]},"response":%s}`
		chosen = `{"choices":[{"message":%s,"finish_reason":%q}],"usage":{"prompt_tokens":7,"completion_tokens":3%s}}`
		gave   = `{"candidates":[{"content":{"role":"model","parts":[%s]},"finishReason":%q}]}`
	)
	called := func(arguments string) string {
		return fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":%q}}]}`,
			arguments)
	}
	tokens := `"usageMetadata":{"cachedContentTokenCount":%s,"candidatesTokenCount":3,"promptTokenCount":7}}`
	for _, c := range []struct{ log, answer, want string }{
		{gemini, fmt.Sprintf(chosen, `{"role":"assistant","content":"ho"}`, "stop", ""),
			`{"candidates":[{"content":{"parts":[{"text":"ho"}],"role":"model"},"finishReason":"STOP"}],` + fmt.Sprintf(tokens, "null")},
		{gemini, fmt.Sprintf(chosen, called(`{"x":1}`), "tool_calls", `,"prompt_tokens_details":{"cached_tokens":5}`),
			`{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"x":1},"id":"t","name":"f"}}],"role":"model"},` +
				`"finishReason":"STOP"}],` + fmt.Sprintf(tokens, "5")},
		{gemini, fmt.Sprintf(chosen, called(""), "length", ""),
			`{"candidates":[{"content":{"parts":[{"functionCall":{"args":{},"id":"t","name":"f"}}],"role":"model"},` +
				`"finishReason":"MAX_TOKENS"}],` + fmt.Sprintf(tokens, "null")},
		{claude, fmt.Sprintf(gave, `{"text":"hm","thought":true},{"text":"ho"}`, "STOP"), `{"content":[{"thinking":"hm","type":"thinking"},` +
			`{"text":"ho","type":"text"}],"role":"assistant","stop_reason":"end_turn","type":"message"}`},
		{claude, fmt.Sprintf(gave, `{"functionCall":{"name":"f","args":{}}}`, "STOP"), `{"content":[{"input":{},"name":"f",` +
			`"type":"tool_use"}],"role":"assistant","stop_reason":"tool_use","type":"message"}`},
		{claude, fmt.Sprintf(chosen, `{"role":"assistant","content":null,"refusal":"no"}`, "content_filter", ""),
			`{"content":[{"text":"no","type":"text"}],"role":"assistant","stop_reason":"refusal","type":"message",` +
				`"usage":{"input_tokens":7,"output_tokens":3}}`},
		{chat, fmt.Sprintf(gave, `{"text":"ho"}`, "LANGUAGE"), `{"choices":[{"finish_reason":"LANGUAGE","index":0,` +
			`"message":{"content":"ho","role":"assistant"}}],"object":"chat.completion"}`},
	} {
		log, err := readWhole([]byte(fmt.Sprintf(c.log, c.answer)))
		if err != nil {
			t.Errorf("%s: %v", c.answer, err)
			continue
		}
		if got := string(log.Sessions[0].Calls[0].Answer); got != c.want {
			t.Errorf("%s became\n%s\nwant\n%s", c.answer, got, c.want)
		}
	}
}

// TestAnAnswerWrittenAnewThatBrokeOffIsNotWhole: a stream that ends early is a part of an answer in any form.
func TestAnAnswerWrittenAnewThatBrokeOffIsNotWhole(t *testing.T) {
	const stream = `"data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"half of\"}}]}\n\n"`
	for _, request := range []string{
		`"url":"/v1/messages","request":{"model":"c","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`,
		`"url":"/v1beta/models/g:generateContent","request":{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
		`"url":"/v1/chat/completions","request":{"model":"c","messages":[{"role":"user","content":"hi"}]}`,
	} {
		answered := stream
		if strings.Contains(request, "/chat/") {
			answered = `"data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"half of\"}]}}]}\n\n"`
		}
		log, err := readWhole([]byte("{" + request + `,"response":` + answered + "}"))
		must(t, err)
		if answer, said := answerOf(&log.Sessions[0].Calls[0]); answer.Failure == "" || len(said) != 1 || said[0].Content.Text != "half of" {
			t.Errorf("%s: failed with %q, said %v", request, answer.Failure, said)
		}
	}
}

// TestALineMayWrapRequests: an export puts its calls into an object or a list, and a program puts exports behind one another.
func TestALineMayWrapRequests(t *testing.T) {
	one, two, three := fmt.Sprintf(askChat, 1), fmt.Sprintf(askClaude, 2), fmt.Sprintf(askWrapped, 3)
	for _, text := range []string{
		`{"data":[` + one + `,` + two + `]}` + "\n" + three + "\n",
		three + "\n" + `[` + one + `,` + two + "]\n",
		`[` + one + "]\n[]\n" + `{"requests":[` + two + "]}\n" + three + "\n",
	} {
		inMemory, err := readWhole([]byte(text))
		file, fileErr := readFile(t, []byte(text))
		if err != nil || fileErr != nil || file != nil || len(inMemory.Sessions[0].Calls) != 3 {
			t.Errorf("%s: %v, %v, %v, %v", text, inMemory, err, file, fileErr)
		}
	}
}
