package provider

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// plainEnds has, for each API, the last events of an answer in a form that the streams of the other
// tests do not have.
var plainEnds = map[API][]string{
	Chat: {`{"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]}`,
		`{"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`},
	Responses: {`{"type":"response.created","response":{"id":"r"}}`,
		`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"response.completed"}`,
		`{"type":"response.incomplete","response":{"id":"r","incomplete_details":{"reason":"max_output_tokens"}}}`},
	Messages: {`{"type":"message_start","message":{"id":"m"}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"message_stop"}}`, `{"type":"message_stop"}`},
	Gemini: {`{"candidates":[{"index":0,"content":{"parts":[{"text":"a"}]}},{"index":1,"content":{"parts":[{"text":"b"}]}}]}`,
		`{"candidates":[{"index":0,"finishReason":"STOP"}]}`, `{"candidates":[{"index":1,"finishReason":"MAX_TOKENS"}]}`},
}

// An answer that ends behind its last event is whole, however the connection ended; one that
// ends before it is not, even if the connection ended well.
func TestTheLastEventMakesAnAnswerWhole(t *testing.T) {
	reset := errors.New("stream error: stream ID 1; INTERNAL_ERROR")
	check := func(name API, text string) {
		t.Helper()
		events := strings.SplitAfter(strings.TrimSuffix(text, "\n\n"), "\n\n")
		events[len(events)-1] += "\n\n"
		for n := range events {
			whole := n == len(events)-1
			part := strings.Join(events[:n+1], "")
			for _, broken := range []error{nil, io.ErrUnexpectedEOF, reset} {
				a := assembled(name, 200, header(eventStream), broken, part)
				if (a.Failure == "") != whole {
					t.Errorf("%s after %s, ended by %v: %q", name, events[n], broken, a.Failure)
				}
			}
			zipped := http.Header{"Content-Type": {eventStream}, "Content-Encoding": {"gzip"}}
			cut := zip(part)
			cut = cut[:len(cut)-8] // the sum at the end is missing
			if a := assembled(name, 200, zipped, reset, cut); (a.Failure == "") != whole {
				t.Errorf("%s in gzip after %s: %q", name, events[n], a.Failure)
			}
		}
	}
	for name, text := range streams {
		check(name, text)
		check(name, stream(plainEnds[name]...))
	}
	blocked := stream(`{"promptFeedback":{"blockReason":"SAFETY"}}`)
	if a := assembled(Gemini, 200, header(eventStream), reset, blocked); a.Failure != "" || a.Refusal != "SAFETY" {
		t.Errorf("a prompt that Gemini blocks: %+v", a)
	}
	body := `{"id":"r1","object":"response","status":"completed","output":[]}`
	for n, want := range map[int]string{len(body) - 1: "broke off", len(body): ""} {
		a := assembled(Responses, 200, header("application/json"), reset, body[:n])
		if (want == "") != (a.Failure == "") || !strings.Contains(a.Failure, want) {
			t.Errorf("%d bytes of %d: %q", n, len(body), a.Failure)
		}
	}
}

// An error status is the failure, not the way in which the connection ended.
func TestAnErrorKeepsItsStatus(t *testing.T) {
	broken := errors.New("the client closed it")
	for _, c := range []struct{ body, want string }{
		{"", "HTTP 500"},
		{`{"type":"error","error":{"ty`, "HTTP 500"},
		{"<html>", "HTTP 500"},
		{`{"type":"error","error":{"type":"api_error","message":"Oops"}}`, "api_error: Oops"},
	} {
		if a := assembled(Messages, 500, header("application/json"), broken, c.body); a.Failure != c.want {
			t.Errorf("%q: %q, want %q", c.body, a.Failure, c.want)
		}
	}
}

// A Watch notices the event after which nothing comes, in any pieces, and no text that looks
// like it. Gemini has no such event.
func TestAWatchNoticesTheLastEvent(t *testing.T) {
	for name, all := range plainEnds {
		if name == Chat {
			all = append(all, "[DONE]")
		}
		text := stream(all...)
		for size := 1; size <= len(text); size += 7 {
			w := NewWatch(name, header(eventStream))
			for at := 0; at < len(text); at += size {
				end := min(at+size, len(text))
				if over := w.Write([]byte(text[at:end])); over != (end == len(text) && name != Gemini) {
					t.Fatalf("%s in pieces of %d: %v after %d of %d bytes", name, size, over, end, len(text))
				}
			}
		}
		for _, h := range []http.Header{header("application/json"),
			{"Content-Type": {eventStream}, "Content-Encoding": {"gzip"}}} {
			if NewWatch(name, h).Write([]byte(text)) {
				t.Errorf("%s: a watch reads what is no plain stream", name)
			}
		}
	}
}
