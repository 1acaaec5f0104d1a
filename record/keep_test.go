package record_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/sqlite"
)

// No key, cookie or query is anywhere in the store, also where a provider or an
// agent repeats it.
func TestSecretsAreNotKept(t *testing.T) {
	everyAPI(t, func(t *testing.T, name provider.API, stream bool) {
		_, url := startProvider(t, providertest.Turn{Text: "your key is " + apiKey})
		path := filepath.Join(t.TempDir(), "pact.db")
		s, err := dbtest.Open(sqlite.Open(t.Context(), path))
		must(t, err)
		rec := recorder(t, s, record.Options{Context: "chat", Redact: []*regexp.Regexp{regexp.MustCompile(`card \d+`)}})
		a := newAgent(t, name, url, rec.Transport(nil), stream)
		a.ask("my key is " + apiKey + " and my card 12345678")
		a.call()
		rec.Close()
		if got := rec.Stats(); got.Calls != 1 || got.NotRecorded != 0 {
			t.Fatalf("%+v", got)
		}
		body, err := record.Request(t.Context(), opened(t, s, "chat"), 1, 0)
		must(t, err)
		if body.Redacted != 2 || !strings.Contains(string(body.Bytes), "my key is [redacted] and my [redacted]") {
			t.Errorf("%d redacted: %s", body.Redacted, body.Bytes)
		}
		must(t, s.Close())
		files, err := filepath.Glob(path + "*")
		must(t, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			must(t, err)
			for _, secret := range []string{apiKey, "cookie-0123456789", "12345678"} {
				if bytes.Contains(data, []byte(secret)) && secret != "12345678" || bytes.Contains(data, []byte("card "+secret)) {
					t.Errorf("%s is in %s", secret, file)
				}
			}
		}
	})
}

// failing is a store that has no room for a call.
type failing struct {
	engine.Contexts
}

func (f failing) Apply(context.Context, history.Key, engine.Guard, ...engine.Change) error {
	return fault.New(fault.Store, "the disk is full", "")
}

func (f failing) PutAttempt(context.Context, history.Key, history.Attempt) (history.Attempt, error) {
	return history.Attempt{}, fault.New(fault.Store, "the disk is full", "")
}

func TestAStoreThatFailsStopsNobody(t *testing.T) {
	p, url := startProvider(t)
	rec := recorder(t, dbtest.Of(failing{engine.InMemory()}), record.Options{})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), true)
	a.ask("Hello?")
	a.call()
	rec.Close()
	got := rec.Stats()
	if got.NotRecorded != 1 || got.Calls != 0 || !errors.Is(got.LastError, fault.Store) || len(p.Received()) != 1 {
		t.Errorf("%+v", got)
	}
	a.ask("And now?")
	a.call() // the recorder is closed
	if got := rec.Stats(); got.NotRecorded != 2 {
		t.Errorf("%+v", got)
	}
}

func TestStrictSendsNothingThatIsNotRecorded(t *testing.T) {
	p, url := startProvider(t)
	rec := recorder(t, dbtest.Of(failing{engine.InMemory()}), record.Options{Strict: true})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), true)
	a.ask("Hello?")
	if _, _, err := a.send(t.Context()); !errors.Is(err, fault.Store) {
		t.Errorf("the call ended as %v", err)
	}
	if len(p.Received()) != 0 {
		t.Error("a request was sent all the same")
	}
	s := pact.NewDB(store.NewMemory())
	strict := recorder(t, s, record.Options{Context: "chat", Strict: true})
	a = newAgent(t, provider.Messages, url, strict.Transport(nil), true)
	a.ask("Hello?")
	a.call()
	if c := opened(t, s, "chat"); c.Working().Len() < 5 { // without waiting for anything
		t.Error("the answer was read to its end before it was recorded")
	}
}

// A recorder goes on with what one before it recorded.
func TestALaterRecorderGoesOn(t *testing.T) {
	p, url := startProvider(t)
	s := pact.NewDB(store.NewMemory())
	a := newAgent(t, provider.Responses, url, nil, false)
	for i := range 3 {
		rec := recorder(t, s, record.Options{Context: "chat"})
		a.client.Transport = rec.Transport(nil)
		a.ask(fmt.Sprint("question ", i))
		a.call()
		rec.Close()
	}
	sentAsReceived(t, opened(t, s, "chat"), p)
	rec := recorder(t, s, record.Options{Context: "chat"})
	other := newAgent(t, provider.Chat, url, rec.Transport(nil), false)
	other.ask("another question")
	other.call()
	rec.Close()
	if names := rec.Contexts(); len(names) != 1 || names[0] != "chat-2" {
		t.Errorf("another conversation went to %v", names)
	}
	_, err := pact.Create(t.Context(), s, "mine", nil)
	must(t, err)
	rec = recorder(t, s, record.Options{Context: "mine"})
	a.client.Transport = rec.Transport(nil)
	a.call()
	rec.Close()
	if got := rec.Stats(); got.NotRecorded != 1 || !errors.Is(got.LastError, fault.Conflict) {
		t.Errorf("%+v", got)
	}
}

// A client that changes the parameters for a retry sends two bodies in one cycle; a retry of the same body shares what is kept of it.
func TestEachAttemptGivesItsBodyBack(t *testing.T) {
	var received [][]byte
	url := serving(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if received = append(received, body); len(received) < 3 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`)
	})
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat", Strict: true})
	client := &http.Client{Transport: rec.Transport(nil)}
	same := `{"messages":[{"role":"user","content":"hi"}],"model":"m","note":"` + strings.Repeat("0123456789abcdef, ", 20) + `","seed":1}`
	for _, body := range []string{same, same, strings.Replace(same, `"seed":1`, `"seed":2`, 1)} {
		wholeOf(t)(client.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body)))
	}
	rec.Close()
	c := opened(t, s, "chat")
	attempts, err := c.Attempts(t.Context(), 1, 1)
	must(t, err)
	if first := attempts[0].Request; len(attempts[1].Request)*2 > len(first) {
		t.Errorf("the retry takes %d bytes, the first attempt %d", len(attempts[1].Request), len(first))
	}
	for i, sent := range received {
		body, err := record.Request(t.Context(), c, 1, int64(i+1))
		must(t, err)
		seen, err := record.SeenByModel(t.Context(), c, body.Attempt)
		if err != nil || !bytes.Equal(body.Bytes, sent) || body.Attempt.ID != history.AttemptID(1, int64(i+1), 0) ||
			seen.State != inspect.SeenWhole {
			t.Errorf("attempt %d sent %s, and %s as %+v %v comes back", i+1, sent, body.Bytes, seen, err)
		}
	}
	_, err = record.Request(t.Context(), c, 1, 4)
	if !errors.Is(err, fault.AttemptNotFound) || !strings.Contains(err.Error(), "attempt 4 of cycle 1") {
		t.Errorf("an attempt that was not made is %v", err)
	}
}
