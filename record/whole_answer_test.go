package record_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// unended serves a script of streams, but the end of each body only when released is closed, or
// never: with reset the connection breaks instead.
func unended(t *testing.T, released <-chan struct{}, reset, http2 bool) *httptest.Server {
	p := providertest.New(providertest.Turn{Text: "the last answer"})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.ServeHTTP(w, r)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-released:
		case <-r.Context().Done():
		}
		if reset {
			panic(http.ErrAbortHandler)
		}
	}))
	server.EnableHTTP2 = http2
	if http2 {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server
}

// readToLastEvent reads an answer up to its last event, not to its end.
func readToLastEvent(t *testing.T, name provider.API, body io.Reader) {
	t.Helper()
	last := map[provider.API]string{provider.Chat: "[DONE]", provider.Responses: `"response.completed"`,
		provider.Messages: `"message_stop"`, provider.Gemini: `"finishReason":"STOP"`}[name]
	var text []byte
	for piece := make([]byte, 512); ; {
		n, err := body.Read(piece)
		text = append(text, piece[:n]...)
		if at := bytes.Index(text, []byte(last)); at >= 0 && bytes.Contains(text[at:], []byte("\n\n")) {
			return
		}
		must(t, err)
	}
}

// An answer that came up to its last event is an answer, although the end of the body is late:
// the client closes the answer or cancels the request then (Codex does), the provider or the
// connection breaks, or the recorder ends.
func TestAnAnswerIsWholeAtItsLastEvent(t *testing.T) {
	for _, way := range []string{"closed", "canceled", "reset", "reset of HTTP/2", "recorder closed"} {
		for _, name := range []provider.API{provider.Chat, provider.Responses, provider.Messages, provider.Gemini} {
			t.Run(way+"/"+string(name), func(t *testing.T) {
				released := make(chan struct{})
				server := unended(t, released, strings.HasPrefix(way, "reset"), strings.HasSuffix(way, "HTTP/2"))
				s := pact.NewDB(store.NewMemory())
				rec := recorder(t, s, record.Options{Context: "chat"})
				a := newAgent(t, name, server.URL, rec.Transport(server.Client().Transport), true)
				a.ask("Hello?")
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				resp := a.open(ctx)
				readToLastEvent(t, name, resp.Body)
				switch way {
				case "canceled":
					cancel()
					_, err := io.Copy(io.Discard, resp.Body)
					if !errors.Is(err, context.Canceled) {
						t.Errorf("the client reads %v", err)
					}
				case "reset", "reset of HTTP/2":
					close(released)
					if _, err := io.Copy(io.Discard, resp.Body); err == nil {
						t.Error("nothing broke")
					}
				case "recorder closed":
					rec.Close()
				}
				must(t, resp.Body.Close())
				rec.Close()
				c := opened(t, s, "chat")
				attempts, err := c.Attempts(t.Context(), 1, 1)
				must(t, err)
				if len(attempts) != 1 || attempts[0].Status != history.Completed || attempts[0].TokenIn == nil {
					t.Fatalf("%+v", attempts)
				}
				if got := blocks(t, c.Working()); !strings.Contains(got, "the last answer") {
					t.Errorf("the answer is not in the history:\n%s", got)
				}
				if stats := rec.Stats(); stats.NotRecorded != 0 {
					t.Errorf("%+v", stats)
				}
			})
		}
	}
}

// The event after which nothing comes is recorded before the client reads it: with Strict it is
// on the disk then, and a client that neither reads on nor closes the answer loses nothing.
func TestTheLastEventIsRecordedBeforeTheClientHasIt(t *testing.T) {
	for _, name := range []provider.API{provider.Chat, provider.Responses, provider.Messages} {
		server := unended(t, nil, false, false)
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat", Strict: true})
		a := newAgent(t, name, server.URL, rec.Transport(nil), true)
		a.ask("Hello?")
		resp := a.open(t.Context())
		readToLastEvent(t, name, resp.Body)
		if got := blocks(t, opened(t, s, "chat").Working()); !strings.Contains(got, "the last answer") {
			t.Errorf("%s: the client has its answer, the store has\n%s", name, got)
		}
		must(t, resp.Body.Close())
	}
}

// What has no last event when the recorder ends is a call that was given up, not one that runs.
func TestTheEndOfARecorderEndsItsCalls(t *testing.T) {
	for _, what := range []string{"half an answer", "no answer"} {
		begun, stop := make(chan struct{}), make(chan struct{})
		url := serving(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // the recorder has no request before it has come
			if what == "half an answer" {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"role":"assistant","content":"one "}}]}`+"\n\n")
				_ = http.NewResponseController(w).Flush()
			}
			close(begun)
			<-stop
		})
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat"})
		a := newAgent(t, provider.Chat, url, rec.Transport(nil), true)
		a.ask("Hello?")
		var resp *http.Response
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			resp = a.open(t.Context())
		}()
		<-begun
		if what == "half an answer" {
			<-answered
			piece := make([]byte, 16)
			_, err := io.ReadFull(resp.Body, piece)
			must(t, err)
		}
		rec.Close()
		close(stop)
		<-answered
		_, _ = io.Copy(io.Discard, resp.Body)
		must(t, resp.Body.Close())
		attempts, err := opened(t, s, "chat").Attempts(t.Context(), 1, 1)
		must(t, err)
		if len(attempts) != 1 || attempts[0].Status != history.Canceled ||
			!strings.Contains(attempts[0].Error, "the recorder was closed") || rec.Stats().NotRecorded != 0 {
			t.Errorf("%s: %+v, %+v", what, attempts, rec.Stats())
		}
	}
}

// A refusal is an error with its status, although the client does not read why.
func TestARefusalThatNobodyReads(t *testing.T) {
	url := serving(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat"})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), true)
	a.ask("Hello?")
	for _, cancels := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		resp := a.open(ctx)
		if cancels {
			cancel()
		}
		must(t, resp.Body.Close())
		cancel()
	}
	rec.Close()
	attempts, err := opened(t, s, "chat").Attempts(t.Context(), 1, 1)
	must(t, err)
	for _, at := range attempts {
		if at.Status != history.Failed || at.Error != "HTTP 500" {
			t.Errorf("%+v", at)
		}
	}
	if len(attempts) != 2 {
		t.Errorf("%d attempts", len(attempts))
	}
}
