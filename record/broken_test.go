package record_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"

	"github.com/klauspost/compress/zstd"
)

// serving serves one handler and returns its address.
func serving(t *testing.T, h http.HandlerFunc) string {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// recorded sends one chat request to a provider and returns what the client got
// and what was recorded.
func recorded(t *testing.T, url string, body []byte, header ...string) (got string, a history.Attempt,
	broken []record.Broken, s *pact.DB, err error) {
	t.Helper()
	s = pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat", Zstd: unzstd})
	client := &http.Client{Transport: rec.Transport(&http.Transport{DisableCompression: true}), Timeout: time.Minute}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if slices.Contains(header, "waits for nothing") {
		ctx, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", bytes.NewReader(body))
	must(t, err)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(req)
	if err == nil {
		body := io.Reader(resp.Body)
		if slices.Contains(header, "leaves") { // as soon as it has something
			first := make([]byte, 1<<10)
			n, _ := resp.Body.Read(first)
			body = io.MultiReader(bytes.NewReader(first[:n]), body)
			cancel()
		}
		var text []byte
		text, err = io.ReadAll(body)
		got, err = string(text), errors.Join(err, resp.Body.Close())
	}
	rec.Close()
	if stats := rec.Stats(); stats.Calls != 1 || stats.NotRecorded != 0 {
		t.Fatalf("%+v", stats)
	}
	c := opened(t, s, "chat")
	attempts, failed := c.Attempts(t.Context(), 1, 1)
	must(t, failed)
	if len(attempts) != 1 {
		t.Fatalf("%d attempts", len(attempts))
	}
	broken, failed = record.BrokenAnswers(t.Context(), c, 1)
	must(t, failed)
	return got, attempts[0], broken, s, err
}

func unzstd(r io.Reader) (io.ReadCloser, error) {
	d, err := zstd.NewReader(r)
	if err != nil {
		return nil, err
	}
	return d.IOReadCloser(), nil
}

const plainChat = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`

// Whatever becomes of an answer, the client gets what came, and the attempt says
// how it ended and keeps what had come.
func TestAnswersThatComeToNothing(t *testing.T) {
	const one = `data: {"choices":[{"delta":{"role":"assistant","content":"one "}}]}` + "\n\n"
	const two = `data: {"choices":[{"delta":{"content":"two`
	stream := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := io.WriteString(w, one+strings.Repeat(": a comment\n", 5000))
	must(t, err)
	must(t, w.Close())
	for name, c := range map[string]struct {
		serve  http.HandlerFunc
		status history.AttemptStatus
		says   string // the attempt
		came   string // of the answer
		client string // how long it waits
	}{
		"cut in an event": {func(w http.ResponseWriter, _ *http.Request) {
			stream(w, one+two)
			panic(http.ErrAbortHandler)
		}, history.Failed, "the answer broke off", `{"content":"one ","role":"assistant"}`, ""},
		"ended in an event": {func(w http.ResponseWriter, _ *http.Request) { stream(w, one+two) },
			history.Failed, "ended before it was whole", `{"content":"one ","role":"assistant"}`, ""},
		"silent": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, history.Canceled, "deadline", "", "waits for nothing"},
		"silent in mid-stream": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			stream(w, one)
			<-r.Context().Done()
		}, history.Canceled, "broke off", `{"content":"one ","role":"assistant"}`, "leaves"},
		"gzip cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			stream(w, zipped.String()[:zipped.Len()-12])
		}, history.Failed, "cannot be decompressed", `{"content":"one ","role":"assistant"}`, ""},
		"not gzip": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			stream(w, one)
		}, history.Failed, "cannot be decompressed", "", ""},
		"another encoding": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			stream(w, one)
		}, history.Failed, "in a way that is not read: br", "", ""},
		"a page": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>Sign in</html>") },
			history.Failed, "not JSON", "", ""},
		"nothing": {func(http.ResponseWriter, *http.Request) {}, history.Failed, "before it was whole", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var sent bytes.Buffer
			url := serving(t, func(w http.ResponseWriter, r *http.Request) { c.serve(copying{w, &sent}, r) })
			got, a, broken, s, _ := recorded(t, url, []byte(plainChat), "Client", c.client)
			if got != sent.String() {
				t.Errorf("the provider sent %q, the client got %q", sent.String(), got)
			}
			if a.Status != c.status || !strings.Contains(a.Error, c.says) {
				t.Errorf("the attempt ended as %s: %s", a.Status, a.Error)
			}
			if c.came == "" && len(broken) > 0 || c.came != "" && (len(broken) != 1 || string(broken[0].Content) != c.came) {
				t.Errorf("what came is %+v, want %s", broken, c.came)
			}
			body, err := record.Request(t.Context(), opened(t, s, "chat"), 1, 0)
			must(t, err)
			if string(body.Bytes) != plainChat {
				t.Errorf("the request is %s", body.Bytes)
			}
		})
	}
}

// copying keeps a copy of what is written.
type copying struct {
	http.ResponseWriter
	to *bytes.Buffer
}

func (c copying) Write(p []byte) (int, error) {
	c.to.Write(p)
	return c.ResponseWriter.Write(p)
}

func (c copying) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// A provider that is not there is an attempt that failed.
func TestAProviderThatIsDown(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, listener.Close())
	_, a, _, _, err := recorded(t, "http://"+listener.Addr().String(), []byte(plainChat))
	if err == nil || a.Status != history.Failed || !strings.Contains(a.Error, "refused") {
		t.Errorf("%v; %+v", err, a)
	}
}

// Bodies that a client compressed reach the provider as they were sent, and are
// recorded as what they say.
func TestCompressedRequests(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := io.WriteString(w, plainChat)
	must(t, err)
	must(t, w.Close())
	z, err := zstd.NewWriter(nil)
	must(t, err)
	for encoding, body := range map[string][]byte{"gzip": zipped.Bytes(), "zstd": z.EncodeAll([]byte(plainChat), nil)} {
		var received []byte
		url := serving(t, func(w http.ResponseWriter, r *http.Request) {
			received, _ = io.ReadAll(r.Body)
			_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`)
		})
		_, a, _, s, err := recorded(t, url, body, "Content-Encoding", encoding)
		must(t, err)
		again, err := record.Request(t.Context(), opened(t, s, "chat"), 1, 0)
		must(t, err)
		if !bytes.Equal(received, body) || string(again.Bytes) != plainChat || again.Encoding != encoding ||
			a.Status != history.Completed {
			t.Errorf("%s: the provider got %q, recorded are %s in %q, %s", encoding, received, again.Bytes, again.Encoding,
				a.Status)
		}
	}
	for what, c := range map[string]struct {
		encoding string
		body     []byte
		lost     int
	}{
		"unknown":  {"br", []byte("x"), 0},
		"no gzip":  {"gzip", []byte(plainChat), 0},
		"no zstd":  {"zstd", []byte(plainChat), 0},
		"cut":      {"gzip", zipped.Bytes()[:zipped.Len()-9], 0},
		"a bomb":   {"zstd", z.EncodeAll(make([]byte, 65<<20), nil), 1},
		"not JSON": {"", []byte("hello"), 0},
		"nothing":  {"", []byte{}, 0},
	} {
		rec := recorder(t, pact.NewDB(store.NewMemory()), record.Options{Zstd: unzstd})
		req, err := http.NewRequest(http.MethodPost, answering(t), bytes.NewReader(c.body))
		must(t, err)
		req.Header.Set("Content-Encoding", c.encoding)
		resp, err := (&http.Client{Transport: rec.Transport(nil)}).Do(req)
		must(t, err)
		must(t, resp.Body.Close())
		rec.Close()
		if got := rec.Stats(); got.Calls != 0 || got.Unread != 1-c.lost || got.NotRecorded != c.lost || resp.StatusCode != 200 {
			t.Errorf("%s: %s, %+v", what, resp.Status, got)
		}
	}
}

// Bodies that no client of good sense sends pass, and come back as they were.
func TestOddBodiesComeBack(t *testing.T) {
	user := func(text string) string { return `{"model":"m","messages":[{"role":"user","content":` + text + `}]}` }
	const call = `{"id":"same","type":"function","function":{"name":"f","arguments":"{}"}}`
	const result = `{"role":"tool","tool_call_id":"same","content":"r"}`
	for name, body := range map[string]string{
		"4 MB":              user(`"` + strings.Repeat("0123456789abcdef", 1<<18) + `"`),
		"10,000 messages":   `{"messages":[` + strings.Repeat(`{"role":"user","content":"1"},`, 10_000) + `{"role":"user","content":"2"}]}`,
		"duplicate members": `{"model":"a","model":"b","messages":[{"role":"user","content":"x","content":"y"}]}`,
		"lone surrogates":   user(`"\ud800 and \udc00\ud800"`),
		"numbers past 2^53": `{"seed":9007199254740993,"top_p":1.000,"n":1e2,"messages":[{"role":"user","content":"x"}]}`,
		"indented":          "{\n  \"messages\": [\n    {\"role\": \"user\", \"content\": \"x\"}\n  ]\n}\n",
		"no messages":       `{"model":"m"}`,
		"odd messages":      `{"messages":[null,1,"x",{},{"role":1},{"role":"user","content":[null,[],{"type":"text"}]}]}`,
		"duplicate call ids": `{"messages":[{"role":"assistant","tool_calls":[` + call + `,` + call + `]},` + result + `,` +
			result + `]}`,
		"a result before its call": `{"messages":[` + result + `,{"role":"assistant","tool_calls":[` + call + `]}]}`,
		"deep":                     user(strings.Repeat("[", 400) + strings.Repeat("]", 400)),
		"names like holes":         `{"@":"@","messages":[{"role":"@","content":"@","x":"@[]"}]}`,
	} {
		_, _, _, s, err := recorded(t, strings.TrimSuffix(answering(t), "/v1/chat/completions"), []byte(body))
		must(t, err)
		again, err := record.Request(t.Context(), opened(t, s, "chat"), 1, 0)
		if err != nil || string(again.Bytes) != body {
			t.Errorf("%s: %.300s came back as %.300s, %v", name, body, again.Bytes, err)
		}
	}
}

// A clock that goes back does not stop a recorder, nor do attempts end before
// they began.
func TestAClockThatGoesBack(t *testing.T) {
	_, url := startProvider(t)
	s := pact.NewDB(store.NewMemory())
	now := int64(1_000_000_000)
	rec := record.New(s, record.Options{Context: "chat", Strict: true, Clock: func() int64 {
		now -= 1_000_000
		return now
	}})
	a := newAgent(t, provider.Chat, url, rec.Transport(nil), true)
	for i := range 3 {
		a.ask(fmt.Sprint("question ", i))
		a.call()
	}
	rec.Close()
	attempts, err := opened(t, s, "chat").Attempts(t.Context(), 1, 3)
	must(t, err)
	for _, at := range attempts {
		if at.EndedNS < at.StartedNS || at.Status != history.Completed {
			t.Errorf("%+v", at)
		}
	}
	if len(attempts) != 3 || rec.Stats().NotRecorded > 0 {
		t.Errorf("%d attempts, %+v", len(attempts), rec.Stats())
	}
}

// answering serves one answer to every chat request.
func answering(t *testing.T) string {
	return serving(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, shortAnswer)
	}) + "/v1/chat/completions"
}

// After a compaction an agent counts its calls from the beginning again.
func TestIdsOfCallsThatAreUsedAgain(t *testing.T) {
	call := func(text string) providertest.Turn {
		return providertest.Turn{Text: text, Calls: []providertest.Call{{ID: "call_0", Name: "ls", Arguments: "{}"}}}
	}
	p, url := startProvider(t, call("Let me look at all of it."), call("This is the summary of all."), call("Again."))
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat"})
	a := newAgent(t, provider.Chat, url, rec.Transport(nil), false)
	a.ask("What is here?")
	a.call()
	a.result("call_0", "ls", "a.txt")
	a.call()
	a.said = a.said[:1]
	a.ask("This was said before: This is the summary of all.")
	a.call()
	a.result("call_0", "ls", "b.txt")
	a.call()
	rec.Close()
	if names := rec.Contexts(); len(names) != 1 {
		t.Fatalf("contexts are %v: %s", names, logOf(t, s, "chat"))
	}
	sentAsReceived(t, opened(t, s, "chat"), p)
}
