package provider

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func header(kind string) http.Header { return http.Header{"Content-Type": {kind}} }

const eventStream = "text/event-stream; charset=utf-8"

// stream writes events as all four APIs do.
func stream(data ...string) string {
	var all strings.Builder
	for _, d := range data {
		all.WriteString("data: " + d + "\n\n")
	}
	return all.String()
}

// streams has an answer of each API as it comes in pieces.
var streams = map[API]string{
	Chat: stream(
		`{"id":"c1","model":"gpt","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null}}]}`,
		`{"id":"c1","model":"gpt","choices":[{"index":0,"delta":{"content":"Hel"}},{"index":1,"delta":{"content":"no"}}]}`,
		`{"id":"c1","model":"gpt","choices":[{"index":0,"delta":{"content":"lo"}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":""}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"cat","arguments":"{}"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"p\":"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":2}}}`,
		`[DONE]`),
	Responses: stream(
		`{"type":"response.created","response":{"id":"r1","model":"gpt","status":"in_progress","output":[]}}`,
		`{"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning","id":"rs","summary":[]}}`,
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"gA"}}`,
		`{"type":"response.output_item.added","output_index":1,"item":{"type":"message","role":"assistant","content":[]}}`,
		`{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"Hel"}`,
		`{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"lo"}`,
		`{"type":"response.output_item.done","output_index":1,"item":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello","annotations":[]}]}}`,
		`{"type":"response.completed","response":{"id":"r1","model":"gpt","status":"completed","output":[],"usage":{"input_tokens":10,"output_tokens":5,"input_tokens_details":{"cached_tokens":4},"output_tokens_details":{"reasoning_tokens":2}}}}`),
	Messages: stream(
		`{"type":"message_start","message":{"id":"m1","model":"claude","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":3,"cache_read_input_tokens":4,"cache_creation_input_tokens":3,"cache_creation":{"ephemeral_5m_input_tokens":1,"ephemeral_1h_input_tokens":2},"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"ping"}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"h"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"m"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"ls","input":{}}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"p\":"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"1}"}}`,
		`{"type":"content_block_stop","index":1}`,
		`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":5}}`,
		`{"type":"message_stop"}`),
	Gemini: stream(
		`{"responseId":"g1","modelVersion":"gemini","candidates":[{"content":{"role":"model","parts":[{"text":"h","thought":true}]}}]}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"text":"m","thought":true},{"text":"Hel"}]}}]}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"text":"lo"},{"functionCall":{"name":"ls","args":{}},"thoughtSignature":"s"}]}}]}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":3,"thoughtsTokenCount":2,"cachedContentTokenCount":4}}`),
}

// contents are those of the streams above.
var contents = map[API]string{
	Chat: `{"content":"Hello","refusal":null,"role":"assistant","tool_calls":[` +
		`{"function":{"arguments":"{\"p\":1}","name":"ls"},"id":"a","type":"function"},` +
		`{"function":{"arguments":"{}","name":"cat"},"id":"b","type":"function"}]}`,
	Responses: `[{"encrypted_content":"gA","id":"rs","summary":[],"type":"reasoning"},` +
		`{"content":[{"annotations":[],"text":"Hello","type":"output_text"}],"role":"assistant","type":"message"}]`,
	Messages: `[{"signature":"c2ln","thinking":"hm","type":"thinking"},` +
		`{"id":"t1","input":{"p":1},"name":"ls","type":"tool_use"}]`,
	Gemini: `{"parts":[{"text":"hm","thought":true},{"text":"Hello"},` +
		`{"functionCall":{"args":{},"name":"ls"},"thoughtSignature":"s"},{"text":""}],"role":"model"}`,
}

func assembled(name API, status int, h http.Header, broken error, pieces ...string) Answer {
	a := NewAssembler(name, status, h)
	for _, piece := range pieces {
		if n, err := a.Write([]byte(piece)); n != len(piece) || err != nil {
			panic("an assembler did not take everything")
		}
	}
	return a.Close(broken)
}

func number(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

func (u Usage) String() string {
	var words []string
	for _, n := range []*int64{u.In, u.Out, u.Cached, u.Written, u.Written5m, u.Written1h, u.Reasoning} {
		words = append(words, number(n))
	}
	return strings.Join(words, " ")
}

func TestStreamsOfEachAPI(t *testing.T) {
	want := map[API][]string{ // id, model, finish, usage
		Chat:      {"c1", "gpt", "tool_calls", "10 5 4 - - - 2"},
		Responses: {"r1", "gpt", "completed", "10 5 4 - - - 2"},
		Messages:  {"m1", "claude", "tool_use", "10 5 4 3 1 2 -"},
		Gemini:    {"g1", "gemini", "STOP", "10 5 4 - - - 2"},
	}
	for name, text := range streams {
		h := header(eventStream)
		h.Set("X-Request-Id", "req_1")
		a := assembled(name, 200, h, nil, text)
		if a.Failure != "" || a.RequestID != "req_1" || string(a.Content.Value()) != contents[name] {
			t.Errorf("%s: %+v\n%s, want\n%s", name, a, a.Content.Value(), contents[name])
		}
		if got := []string{a.ID, a.Model, a.Finish, a.Usage.String()}; !reflect.DeepEqual(got, want[name]) {
			t.Errorf("%s: %q, want %q", name, got, want[name])
		}
		if len(AnswerParts(name, a.Content)) < 2 {
			t.Errorf("%s: AnswerParts finds no parts in the answer", name)
		}
	}
}

// The same answers, not streamed.
func TestAnswersThatComeAtOnce(t *testing.T) {
	for name, body := range map[API]string{
		Chat: `{"id":"c1","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":
			{"role":"assistant","content":null,"refusal":"I will not"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`,
		Responses: `{"id":"r1","object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},
			"error":null,"output":[{"type":"message","content":[{"type":"refusal","refusal":"I will not"}]}],
			"usage":{"input_tokens":1,"output_tokens":2}}`,
		Messages: `{"type":"message","id":"m1","role":"assistant","content":[{"type":"text","text":"No."}],
			"stop_reason":"refusal","usage":{"input_tokens":1,"output_tokens":2}}`,
		Gemini: `{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2}}`,
	} {
		a := assembled(name, 200, header("application/json"), nil, body[:9], body[9:])
		if a.Failure != "" || a.Refusal == "" || number(a.Usage.In) != "1" || number(a.Usage.Out) != "2" {
			t.Errorf("%s: %+v", name, a)
		}
		if (a.Content.Kind == 0) != (name == Gemini) {
			t.Errorf("%s: content is %s", name, a.Content.Value())
		}
	}
	list := `[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},` + "\r\n" +
		`{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}]`
	a := assembled(Gemini, 200, header("application/json"), nil, list)
	if got := string(a.Content.Value()); a.Failure != "" || got != `{"parts":[{"text":"ab"}],"role":"model"}` {
		t.Errorf("a list of chunks: %s, %s", got, a.Failure)
	}
}

// The terms of an answer are told, and counts that contradict each other or lack a part are none.
func TestTermsAndCountsOfAnswers(t *testing.T) {
	const chat, message = `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1%s}%s}`, `{"type":"message","usage":{"input_tokens":9,"output_tokens":1%s}%s}`
	for _, c := range []struct {
		api               API
		body, usage, rest string
		in, terms         string
	}{
		{Chat, chat, ``, `,"service_tier":"flex"`, "9", "flex"},
		{Chat, chat, ``, `,"service_tier":"default"`, "9", ""},
		{Chat, chat, `,"prompt_tokens_details":{"cached_tokens":10}`, ``, "-", ""},
		{Chat, chat, `,"prompt_tokens_details":{"cached_tokens":9}`, ``, "9", ""},
		{Responses, `{"output":[],"usage":{"input_tokens":9,"output_tokens":1%s}%s}`, ``, `,"service_tier":"priority"`, "9", "priority"},
		{Gemini, `{"usageMetadata":{"promptTokenCount":9%s}%s}`, `,"trafficType":"ON_DEMAND_FLEX"`, ``, "9", "ON_DEMAND_FLEX"},
		{Messages, message, `,"speed":"fast"`, ``, "9", "fast"},
		{Messages, message, `,"speed":"standard","service_tier":"batch"`, ``, "9", "batch"},
		{Messages, message, `,"service_tier":"standard","inference_geo":"us"`, ``, "9", "us"},
		{Messages, message, `,"server_tool_use":{"web_search_requests":2}`, ``, "9", "web_search"},
		{Messages, message, `,"server_tool_use":{"web_search_requests":0},"inference_geo":"global"`, ``, "9", ""},
		{Messages, message, `,"iterations":[{"type":"message"},{"type":"advisor_message"}]`, ``, "9", "advisor_message"},
		{Messages, message, `,"cache_read_input_tokens":-1`, ``, "-", ""},
		{Messages, message, `,"cache_read_input_tokens":4,"input_tokens":9e18`, ``, "-", ""},
		{Messages, message, `,"cache_read_input_tokens":null,"cache_creation_input_tokens":4`, ``, "13", ""},
	} {
		a := assembled(c.api, 200, header("application/json"), nil, fmt.Sprintf(c.body, c.usage, c.rest))
		if number(a.Usage.In) != c.in || a.Usage.Terms != c.terms || a.Contradicts && c.in != "-" {
			t.Errorf("%s%s%s: %s tokens on the terms %q", c.api, c.usage, c.rest, number(a.Usage.In), a.Usage.Terms)
		}
	}
}

func TestAnswersThatFail(t *testing.T) {
	broken := errors.New("connection reset")
	events, body := header(eventStream), header("application/json")
	zipped := http.Header{"Content-Type": {eventStream}, "Content-Encoding": {"gzip"}}
	for _, c := range []struct {
		name    string
		api     API
		status  int
		header  http.Header
		broken  error
		answer  string
		failure string // what it has to say
		content string
	}{
		{"cut between events", Messages, 200, events, broken,
			until(streams[Messages], `{"type":"content_block_stop","index":0}`),
			"the answer broke off: connection reset", `[{"signature":"c2ln","thinking":"hm","type":"thinking"}]`},
		{"cut in an event", Messages, 200, events, io.ErrUnexpectedEOF, until(streams[Messages], `c2ln`),
			"broke off: unexpected EOF", `[{"signature":"","thinking":"hm","type":"thinking"}]`},
		{"input cut", Messages, 200, events, nil, until(streams[Messages], `"1}"`), "before it was whole",
			`[{"signature":"c2ln","thinking":"hm","type":"thinking"},{"id":"t1","input":"{\"p\":","name":"ls","type":"tool_use"}]`},
		{"item cut", Responses, 200, events, nil, until(streams[Responses],
			`{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"lo"}`), "before it was whole",
			`[{"encrypted_content":"gA","id":"rs","summary":[],"type":"reasoning"},` +
				`{"content":[{"text":"Hel","type":"output_text"}],"role":"assistant","type":"message"}]`},
		{"overload in mid-stream", Messages, 200, events, nil,
			stream(`{"type":"message_start","message":{"id":"m"}}`,
				`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), "overloaded_error: Overloaded", ""},
		{"error of an event", Responses, 200, events, nil,
			stream(`{"type":"error","code":"server_error","message":"Oops"}`),
			"server_error: Oops", ""},
		{"failed response", Responses, 200, events, nil,
			stream(`{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Slow"}}}`),
			"rate_limit_exceeded: Slow", ""},
		{"error in a chunk", Chat, 200, events, nil, stream(`{"error":{"message":"bad","code":502}}`), "bad", ""},
		{"429", Messages, 429, body, nil, `{"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}}`,
			"rate_limit_error: Slow down", ""},
		{"401 of Gemini", Gemini, 401, body, nil, `{"error":{"code":401,"status":"UNAUTHENTICATED","message":"No key"}}`,
			"UNAUTHENTICATED: No key", ""},
		{"no JSON", Chat, 502, header("text/html"), nil, "<html>", "not JSON", ""},
		{"nothing", Chat, 503, header(""), nil, "", "HTTP 503", ""},
		{"nothing, but well", Gemini, 200, header(""), nil, "", "before it was whole", ""},
		{"an event that is not JSON", Chat, 200, events, nil, stream("oops"), "not JSON", ""},
		{"gzip cut", Chat, 200, zipped, nil, zip(streams[Chat])[:150], "cannot be decompressed", "?"},
		{"no gzip", Chat, 200, zipped, nil, streams[Chat], "cannot be decompressed", ""},
		{"brotli", Chat, 200, http.Header{"Content-Encoding": {"br"}}, nil, "x", "not read: br", ""},
	} {
		a := assembled(c.api, c.status, c.header, c.broken, c.answer)
		if !strings.Contains(a.Failure, c.failure) {
			t.Errorf("%s: %q, want %q", c.name, a.Failure, c.failure)
		}
		if got := string(a.Content.Value()); c.content != "?" && got != c.content {
			t.Errorf("%s: content is %s, want %s", c.name, got, c.content)
		}
	}
}

// until returns a text up to the end of a mark in it.
func until(text, mark string) string { return text[:strings.Index(text, mark)] }

func zip(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// However a stream is written, it says the same.
func TestWaysOfWritingAStream(t *testing.T) {
	for name, text := range streams {
		want := assembled(name, 200, header(eventStream), nil, text)
		for way, written := range map[string]string{
			"CRLF":               strings.ReplaceAll(text, "\n", "\r\n"),
			"CR":                 strings.ReplaceAll(text, "\n", "\r"),
			"comments":           ": hello\n\n" + strings.ReplaceAll(text, "data:", ": ping\nevent: x\nid: 1\ndata:"),
			"no blank":           strings.ReplaceAll(text, "data: ", "data:"),
			"mark":               "\uFEFF" + text,
			"data in two lines":  strings.ReplaceAll(text, `,"`, ",\ndata: \""),
			"a field of no name": "nonsense\n" + text,
		} {
			if way == "data in two lines" && name == Chat {
				continue // here the strings have commas too
			}
			if got := assembled(name, 200, header(eventStream), nil, written); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: %+v, want %+v", name, way, got, want)
			}
		}
		zipped := http.Header{"Content-Type": {eventStream}, "Content-Encoding": {"gzip"}}
		if got := assembled(name, 200, zipped, nil, zip(text)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s, gzip: %+v, want %+v", name, got, want)
		}
	}
}

func TestALongEvent(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	text := stream(`{"choices":[{"delta":{"content":"`+long+`"}}]}`, `{"choices":[{"delta":{},"finish_reason":"stop"}]}`)
	a := assembled(Chat, 200, header(eventStream), nil, text[:1<<20], text[1<<20:])
	if said := AnswerParts(Chat, a.Content); a.Failure != "" || len(said) != 1 || said[0].Content.Text != long {
		t.Errorf("%d parts, %s", len(said), a.Failure)
	}
}

func TestAnAnswerThatIsTooLong(t *testing.T) {
	a := NewAssembler(Chat, 200, header(eventStream))
	line := []byte(": " + strings.Repeat("x", 1<<20) + "\n")
	for range MaxAnswer/len(line) + 1 {
		if n, err := a.Write(line); n != len(line) || err != nil {
			t.Fatal("it was not taken")
		}
	}
	if got := a.Close(nil); !strings.Contains(got.Failure, "more than 67108864 bytes") {
		t.Errorf("it ends as %q", got.Failure)
	}
}

// Text that comes a few characters at a time costs what it holds, not its square.
func TestSmallPiecesCostWhatTheyHold(t *testing.T) {
	var took [2]uint64
	for i, n := range []int{1000, 8000} {
		text := []byte(strings.Repeat(stream(`{"choices":[{"delta":{"content":"0123456789"}}]}`), n))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a := NewAssembler(Chat, 200, header(eventStream))
		_, _ = a.Write(text)
		a.Close(nil)
		runtime.ReadMemStats(&after)
		took[i] = after.TotalAlloc - before.TotalAlloc
	}
	if took[1] > 12*took[0] {
		t.Errorf("8 times the pieces take %d bytes, not %d", took[1], took[0])
	}
}

func FuzzAnySplitGivesTheSame(f *testing.F) {
	for _, text := range streams {
		f.Add([]byte(text), uint64(1), false)
		f.Add([]byte(strings.ReplaceAll(text, "\n", "\r\n")), uint64(2), false)
		f.Add([]byte(zip(text)), uint64(3), true)
	}
	f.Add([]byte(`[{"candidates":[{}]},{"error":{"message":"x"}}]`), uint64(4), false)
	f.Fuzz(func(t *testing.T, data []byte, seed uint64, zipped bool) {
		for _, name := range []API{Chat, Responses, Messages, Gemini} {
			for _, kind := range []string{eventStream, "application/json"} {
				h := header(kind)
				if zipped {
					h.Set("Content-Encoding", "gzip")
				}
				want := assembled(name, 200, h, nil, string(data))
				random := rand.New(rand.NewPCG(seed, 7))
				var pieces []string
				for rest := string(data); rest != ""; {
					n := 1 + random.IntN(min(len(rest), 1+random.IntN(40)))
					pieces, rest = append(pieces, rest[:n]), rest[n:]
				}
				if got := assembled(name, 200, h, nil, pieces...); !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: in pieces %+v, at once %+v", name, got, want)
				}
			}
		}
	})
}

// A count that cannot be true is none: no request is empty, and sums of others would become negative.
func TestACountThatCannotBeTrueIsNone(t *testing.T) {
	for text, want := range map[string]string{"12": "12", "0": "none", "-1": "none", "1.5": "none", "9223372036854775807": "none",
		"1099511627776": "1099511627776", "1099511627777": "none", "1e30": "none", `"9223372036854775807"`: "none"} {
		body := `{"id":"x","model":"m","choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":` + text + `}}`
		a := assembled(Chat, 200, header("application/json"), nil, body)
		got := "none"
		if a.Usage.In != nil {
			got = strconv.FormatInt(*a.Usage.In, 10)
		}
		if a.Failure != "" || got != want {
			t.Errorf("%s: %s, %q", text, got, a.Failure)
		}
	}
}
