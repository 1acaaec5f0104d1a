package record_test

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"

	"github.com/contexttree/pact/store/sqlite"
)

// A recorder that was killed leaves an attempt under way. When the line goes on, it ends as broken,
// and what it sent can still be had, also if the client sends something else then.
func TestWhatAKilledRecorderLeftUnderWay(t *testing.T) {
	for _, again := range []bool{true, false} {
		stop := make(chan struct{})
		calls := 0
		url := serving(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if calls++; calls == 2 {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"role":"assistant","content":"one "}}]}`+"\n\n")
				_ = http.NewResponseController(w).Flush()
				<-stop
				return
			}
			_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`)
		})
		path := filepath.Join(t.TempDir(), "pact.db")
		s, err := dbtest.Open(sqlite.Open(t.Context(), path))
		must(t, err)
		killed := recorder(t, s, record.Options{Context: "chat", Strict: true})
		a := newAgent(t, provider.Chat, url, killed.Transport(nil), true)
		a.ask("Hello?")
		a.call()
		a.ask("And now?")
		resp := a.open(t.Context())
		left := a.lastBody
		must(t, s.Close()) // nothing of the recorder reaches the file from here on
		close(stop)
		_, _ = io.Copy(io.Discard, resp.Body)
		must(t, resp.Body.Close())

		s, err = dbtest.Open(sqlite.Open(t.Context(), path))
		must(t, err)
		defer s.Close()
		rec := recorder(t, s, record.Options{Context: "chat", Strict: true})
		a.client.Transport = rec.Transport(nil)
		if !again {
			a.ask("Are you there?")
		}
		a.call()
		rec.Close()
		if names := rec.Contexts(); len(names) != 1 || names[0] != "chat" {
			t.Fatalf("the line went on as %v", names)
		}
		c := opened(t, s, "chat")
		attempts, err := c.Attempts(t.Context(), 1, 9)
		must(t, err)
		if len(attempts) != 3 || attempts[1].Status != history.Failed || !strings.Contains(attempts[1].Error, "ended before") ||
			attempts[2].Status != history.Completed {
			t.Fatalf("again %t: %+v", again, attempts)
		}
		_, number, _, _ := history.ParseAttemptID(attempts[1].ID)
		body, err := record.Request(t.Context(), c, 2, number)
		must(t, err)
		last, err := record.Request(t.Context(), c, attempts[2].Cycle, 0)
		must(t, err)
		if !bytes.Equal(body.Bytes, left) || !bytes.Equal(last.Bytes, a.lastBody) {
			t.Errorf("again %t: %s\n%s", again, body.Bytes, last.Bytes)
		}
	}
}
