package proxy_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/proxy"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

var must = testrun.Must

// serve runs a proxy to upstreams and returns its address.
func serve(t *testing.T, rec *record.Recorder, upstreams map[string]string) string {
	t.Helper()
	o := proxy.Options{Upstreams: map[string]*url.URL{}, Recorder: rec}
	for name, address := range upstreams {
		u, err := proxy.ParseUpstream(address)
		must(t, err)
		o.Upstreams[name] = u
	}
	server := httptest.NewServer(proxy.New(o))
	t.Cleanup(server.Close)
	return server.URL
}

func post(t *testing.T, address, body string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	must(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer sk-0123456789")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp, string(text)
}

const (
	chatBody     = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`
	messagesBody = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"stream":true}`
)

// The answer through the proxy is that of the provider, and the provider gets
// the bytes that the client sent; the call is recorded.
func TestWhatPassesIsWhatWasSent(t *testing.T) {
	p, other := providertest.New(), httptest.NewServer(providertest.New())
	provider := httptest.NewServer(p)
	defer provider.Close()
	defer other.Close()
	s := pact.NewDB(store.NewMemory())
	rec := record.New(s, record.Options{Context: "chat"})
	address := serve(t, rec, map[string]string{"anthropic": provider.URL})
	_, want := post(t, other.URL+"/v1/messages", messagesBody, "Anthropic-Version", "2023-06-01")
	resp, got := post(t, address+"/anthropic/v1/messages", messagesBody, "Anthropic-Version", "2023-06-01",
		"X-Pact-Context", "mine")
	if got != want || resp.StatusCode != http.StatusOK || !strings.Contains(got, "message_stop") {
		t.Errorf("the provider answers %q, through the proxy %q", want, got)
	}
	received := p.Received()[0]
	if string(received.Body) != messagesBody || received.Path != "/v1/messages" {
		t.Errorf("the provider got %s %s", received.Path, received.Body)
	}
	for _, name := range []string{"X-Pact-Context", "X-Forwarded-For", "Forwarded"} {
		if value := received.Header.Get(name); value != "" {
			t.Errorf("the provider got the header %s: %s", name, value)
		}
	}
	rec.Close()
	c, err := pact.Open(t.Context(), s, "chat", nil)
	must(t, err)
	body, err := record.Request(t.Context(), c, 1, 0)
	must(t, err)
	if string(body.Bytes) != messagesBody {
		t.Errorf("recorded is %s", body.Bytes)
	}
}

func TestPathsWithAndWithoutAVersion(t *testing.T) {
	p := providertest.New()
	provider := httptest.NewServer(p)
	defer provider.Close()
	rec := record.New(pact.NewDB(store.NewMemory()), record.Options{})
	defer rec.Close()
	for _, c := range []struct{ upstream, path, want string }{
		{"", "/v1/chat/completions", "/v1/chat/completions"},
		{"/v1", "/v1/chat/completions", "/v1/chat/completions"},
		{"/v1/", "/chat/completions", "/v1/chat/completions"},
		{"", "/chat/completions", "/v1/chat/completions"},
		{"/openai/v1", "/v1/chat/completions", "/openai/v1/chat/completions"},
		{"/gateway", "/chat/completions", "/gateway/chat/completions"},
		{"", "/models", "/models"},
	} {
		address := serve(t, rec, map[string]string{"": provider.URL + c.upstream})
		post(t, address+c.path, chatBody)
		all := p.Received()
		if got := all[len(all)-1].Path; got != c.want {
			t.Errorf("%s behind %q was asked for as %s, want %s", c.path, c.upstream, got, c.want)
		}
	}
}

// A path with an escaped slash is asked for as it came.
func TestAnEscapedPathStaysSo(t *testing.T) {
	var asked []string
	provider := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = append(asked, r.RequestURI) }))
	defer provider.Close()
	rec := record.New(pact.NewDB(store.NewMemory()), record.Options{})
	defer rec.Close()
	const path = "/team%2Fa/v1/models/mine%2Fbig%3A1?x=%2F"
	for upstream, before := range map[string]string{"openai": "/openai", "": ""} {
		post(t, serve(t, rec, map[string]string{upstream: provider.URL})+before+path, `{}`)
	}
	if len(asked) != 2 || asked[0] != path || asked[1] != path {
		t.Errorf("%q was asked for as %q", path, asked)
	}
}

func TestWhatTheProxyRefuses(t *testing.T) {
	provider := httptest.NewServer(providertest.New())
	defer provider.Close()
	down := httptest.NewServer(nil)
	down.Close()
	rec := record.New(pact.NewDB(store.NewMemory()), record.Options{})
	defer rec.Close()
	address := serve(t, rec, map[string]string{"": provider.URL, "down": down.URL})
	only := serve(t, rec, map[string]string{"openai": provider.URL})
	closed := pact.NewDB(store.NewMemory())
	must(t, closed.Close())
	strict := record.New(closed, record.Options{Strict: true})
	defer strict.Close()
	unrecorded := serve(t, strict, map[string]string{"": provider.URL})
	for _, c := range []struct {
		address string
		header  []string
		status  int
		says    string
	}{
		{address + "/v1/chat/completions", []string{"Host", "evil.example"}, 403, "not a loopback address"},
		{address + "/v1/responses", []string{"Connection", "Upgrade", "Upgrade", "websocket"}, 426, "use HTTP"},
		{address + "/down/v1/chat/completions", nil, 502, "cannot be reached"},
		{unrecorded + "/v1/chat/completions", nil, 502, ""},
		{only + "/other/v1/chat/completions", nil, 404, "no provider"},
	} {
		resp, text := post(t, c.address, chatBody, c.header...)
		if resp.StatusCode != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %s %s", c.address, resp.Status, text)
		}
	}
	for _, bad := range []string{"", "api.openai.com", "ftp://x", "https://u:p@x", "https://x?y=1"} {
		if _, err := proxy.ParseUpstream(bad); !errors.Is(err, fault.DocumentInvalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, secret := range []string{"http://user:hunter2@host/v1", "https://host/v1?key=hunter2", "http://user:hunter2@[", "hunter2",
		"mailto:hunter2", "http:hunter2@host"} {
		if _, err := proxy.ParseUpstream(secret); err == nil || secret != "hunter2" && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", secret, err)
		}
	}
	for _, bad := range []string{"0.0.0.0:0", ":8080", "192.168.0.1:80", "127.0.0.1"} {
		if _, err := proxy.Listen(bad); !errors.Is(err, fault.DocumentInvalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// A request that is refused for its headers reaches no provider, and its client is told why in an error of the kind that
// it shows.
func TestARequestThatIsRefusedReachesNobody(t *testing.T) {
	p := providertest.New()
	provider := httptest.NewServer(p)
	defer provider.Close()
	to, err := url.Parse(provider.URL)
	must(t, err)
	rec := record.New(pact.NewDB(store.NewMemory()), record.Options{})
	defer rec.Close()
	server := httptest.NewServer(proxy.New(proxy.Options{Upstreams: map[string]*url.URL{"": to}, Recorder: rec,
		Refuse: func(h http.Header) string { return h.Get("X-Why") }}))
	defer server.Close()
	resp, text := post(t, server.URL+"/v1/chat/completions", chatBody, "X-Why", "start it otherwise")
	if resp.StatusCode != http.StatusForbidden || !strings.Contains(text, "pact_proxy_error") ||
		!strings.Contains(text, "start it otherwise") || len(p.Received()) > 0 {
		t.Errorf("%s %s, and the provider got %d", resp.Status, text, len(p.Received()))
	}
	if resp, text = post(t, server.URL+"/v1/chat/completions", chatBody); resp.StatusCode != http.StatusOK || len(p.Received()) != 1 {
		t.Errorf("%s %s", resp.Status, text)
	}
}

// A client that takes several encodings is answered in gzip, which the recorder
// can read; the client gets the bytes that the provider sent.
func TestCompressedAnswers(t *testing.T) {
	const answer = `{"id":"x","choices":[{"message":{"role":"assistant","content":"zipped"},"finish_reason":"stop"}]}`
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := w.Write([]byte(answer))
	must(t, err)
	must(t, w.Close())
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Accept-Encoding"); got != "gzip" {
			t.Errorf("the provider is asked for %q", got)
		}
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(zipped.Bytes())
	}))
	defer provider.Close()
	s := pact.NewDB(store.NewMemory())
	rec := record.New(s, record.Options{Context: "chat"})
	address := serve(t, rec, map[string]string{"": provider.URL})
	resp, text := post(t, address+"/v1/chat/completions", chatBody, "Accept-Encoding", "gzip, deflate, br, zstd")
	if resp.Header.Get("Content-Encoding") != "gzip" || text != zipped.String() {
		t.Errorf("the client got %q in %q", text, resp.Header.Get("Content-Encoding"))
	}
	rec.Close()
	c, err := pact.Open(t.Context(), s, "chat", nil)
	must(t, err)
	found, err := c.Working().Find(t.Context(), "[role='assistant']", nil)
	must(t, err)
	if len(found) != 1 {
		t.Fatalf("%d answers were recorded", len(found))
	}
}

// Each event of a stream reaches the client before the next one is sent.
func TestAStreamPassesPieceByPiece(t *testing.T) {
	next := make(chan struct{})
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 3 {
			_, _ = io.WriteString(w, "data: {}\n\n")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			<-next
		}
	}))
	defer provider.Close()
	rec := record.New(pact.NewDB(store.NewMemory()), record.Options{})
	defer rec.Close()
	address := serve(t, rec, map[string]string{"": provider.URL})
	resp, err := http.Post(address+"/v1/chat/completions", "application/json", strings.NewReader(chatBody))
	must(t, err)
	defer resp.Body.Close()
	event := make([]byte, len("data: {}\n\n"))
	for range 3 {
		_, err := io.ReadFull(resp.Body, event) // waits for ever where an event is held back
		must(t, err)
		next <- struct{}{}
	}
}

// A recorder that does not manage passes a request on while it comes: the provider reads its beginning before the client
// sends its end. One that the provider answers before it has read it is recorded whole.
func TestARequestPassesWhileItComes(t *testing.T) {
	body := `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("words ", 40_000) + `"}]}`
	half := len(body) / 2
	for _, early := range []bool{false, true} {
		begun := make(chan struct{})
		provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, err := io.CopyN(io.Discard, r.Body, int64(half)/2)
			if err = errors.Join(err, http.NewResponseController(w).EnableFullDuplex()); err != nil {
				t.Error(err)
			}
			if close(begun); !early {
				if n, err := io.Copy(io.Discard, r.Body); err != nil || int(n) != len(body)-half/2 {
					t.Errorf("the provider received %d more bytes: %v", n, err)
				}
			}
			_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`)
		}))
		s := pact.NewDB(store.NewMemory())
		rec := record.New(s, record.Options{})
		address := serve(t, rec, map[string]string{"": provider.URL})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		from, to := io.Pipe()
		go func() {
			_, _ = io.WriteString(to, body[:half])
			select {
			case <-begun:
				_, _ = io.WriteString(to, body[half:])
			case <-ctx.Done(): // a proxy waits for all of a request
			}
			_ = to.Close()
		}()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/v1/chat/completions", from)
		must(t, err)
		req.ContentLength = int64(len(body))
		resp, err := http.DefaultClient.Do(req)
		must(t, err)
		_, err = io.Copy(io.Discard, resp.Body)
		must(t, err)
		resp.Body.Close()
		rec.Close()
		provider.Close()
		if got := rec.Stats(); got.Calls != 1 || got.NotRecorded != 0 {
			t.Errorf("%+v", got)
		}
	}
}

// A page that a person looks at can send requests to this machine. Whatever it is, nothing of it reaches the provider
// or the store, not even the question for leave that a browser asks first.
func TestNoPageReachesTheProvider(t *testing.T) {
	p := providertest.New()
	provider := httptest.NewServer(p)
	defer provider.Close()
	s := pact.NewDB(store.NewMemory())
	rec := record.New(s, record.Options{Context: "chat"})
	address := serve(t, rec, map[string]string{"": provider.URL})
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodOptions} {
		for _, header := range [][2]string{{"Origin", "http://evil.example"}, {"Origin", "null"},
			{"Origin", "http://localhost:1"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}} {
			req, err := http.NewRequestWithContext(t.Context(), method, address+"/v1/chat/completions", strings.NewReader(chatBody))
			must(t, err)
			req.Header.Set(header[0], header[1])
			resp, err := http.DefaultClient.Do(req)
			must(t, err)
			must(t, resp.Body.Close())
			if resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %s: HTTP %d", method, header, resp.StatusCode)
			}
		}
	}
	rec.Close()
	if list, err := pact.List(t.Context(), s); len(list)+len(p.Received()) > 0 || err != nil {
		t.Errorf("%d contexts, %d requests of the provider, %v", len(list), len(p.Received()), err)
	}
}
