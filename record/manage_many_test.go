package record_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// held keeps each write that adds to the originals waiting while stop is locked, and says on came that one waits.
type held struct {
	engine.Contexts
	stop  sync.Mutex
	armed atomic.Bool
	came  chan bool
	lose  atomic.Bool // the next write is durable, and reported as failed
}

func holding() *held { return &held{Contexts: engine.InMemory(), came: make(chan bool, 100)} }

func (s *held) originals(ctx context.Context) history.Key {
	info, _ := s.Find(ctx, "chat/originals")
	return info.Key
}

func (s *held) Apply(ctx context.Context, key history.Key, g engine.Guard, changes ...engine.Change) error {
	if s.armed.Load() && s.originals(ctx) == key {
		s.came <- true
		s.stop.Lock()
		defer s.stop.Unlock()
	}
	err := s.Contexts.Apply(ctx, key, g, changes...)
	if err == nil && s.originals(ctx) == key && s.lose.CompareAndSwap(true, false) {
		return errors.New("the connection broke")
	}
	return err
}

// decidedAs says what a later process finds about the result of a call: "" for sent as it came, and "new" for nothing.
func decidedAs(t *testing.T, s engine.Contexts, call, text string) string {
	t.Helper()
	return decidedIn(t, dbtest.Of(s), call, text)
}

// decidedIn is decidedAs for a database.
func decidedIn(t *testing.T, s *pact.DB, call, text string) string {
	t.Helper()
	content, err := canon.Encode(text)
	must(t, err)
	c := opened(t, s, "chat/originals")
	raw, as := false, "new"
	for n, err := range c.Working().Nodes() {
		must(t, err)
		if of, _ := n.Attrs["wire:decided"].(string); of == record.KeyOf(call, string(content)) {
			said, err := n.JSON(t.Context())
			must(t, err)
			raw = raw || n.Kind == "raw"
			if n.Attrs["wire:what"] != nil {
				as = string(said)
			}
		}
	}
	if raw {
		return ""
	}
	return as
}

// A store that stalls holds up the request whose decision it is making durable, and no other.
func TestManageWaitsForNoOtherDecision(t *testing.T) {
	_, url := startProvider(t, callTurns(6)...)
	s := holding()
	rec := recorder(t, dbtest.Of(s), record.Options{Context: "chat", Policy: capped(t, ""), Manage: true})
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.ask("Look.")
	a.call()
	works(a, 0, 1)
	b := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	b.said = append(b.said, a.said[:3]...) // the result is known, and nothing is new
	s.stop.Lock()
	release := sync.OnceFunc(s.stop.Unlock)
	t.Cleanup(release)
	s.armed.Store(true)
	ended := make(chan bool)
	go func() {
		defer close(ended)
		works(a, 1, 2)
	}()
	<-s.came
	b.call()
	select {
	case <-ended:
		t.Error("a request did not wait until its decision was durable")
	default:
	}
	s.armed.Store(false)
	release()
	<-ended
	rec.Close()
	if got := rec.Stats().Managed; got.Shaped != 2 || got.Open != 0 {
		t.Errorf("%+v", got)
	}
}

// A conversation that another process shaped goes on with the same bytes, although the store is busy with a decision of
// this one when it comes: the request waits until it can look what was decided.
func TestManageSendsAgainWhatAnotherProcessSent(t *testing.T) {
	script := append(callTurns(3), providertest.Turn{Text: "done"}, providertest.Turn{Text: "done"}, providertest.Turn{Text: "done"})
	p, url := startProvider(t, script...)
	s := holding()
	options := record.Options{Context: "chat", Policy: capped(t, ""), Manage: true}
	rec := recorder(t, dbtest.Of(s), options)
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.ask("Look.")
	a.call()
	works(a, 0, 1)
	s.stop.Lock()
	release := sync.OnceFunc(s.stop.Unlock)
	t.Cleanup(release)
	s.armed.Store(true)
	var calls sync.WaitGroup
	calls.Go(func() { works(a, 1, 2) })
	<-s.came
	there := recorder(t, dbtest.Of(s.Contexts), options)
	b := newAgent(t, provider.Messages, url, there.Transport(nil), false)
	b.ask("Look elsewhere.")
	b.call()
	works(b, 2, 3)
	there.Close()
	b.ask("Go on.")
	b.client.Transport = rec.Transport(nil)
	calls.Go(func() { b.call() })
	time.Sleep(50 * time.Millisecond) // long enough for a request that does not wait
	s.armed.Store(false)
	release()
	calls.Wait()
	rec.Close()
	all := p.Received()
	at := slices.IndexFunc(all, func(r providertest.Received) bool { return bytes.Contains(r.Body, []byte("Go on.")) })
	if !bytes.Contains(all[3].Body, []byte("are left out here")) || at < 4 {
		t.Fatalf("request %d, after %s", at, all[3].Body)
	}
	repeats(t, provider.Messages, []providertest.Received{all[2], all[3], all[at]})
}

// What was sent as it came stays so for a later process, whatever became of the decision: Close waits until that is durable.
func TestManageTakesBackBeforeClose(t *testing.T) {
	for _, how := range []string{"the store stalls", "the store reports as failed what it did"} {
		t.Run(how, func(t *testing.T) {
			p, url := startProvider(t, callTurns(3)...)
			s := holding()
			rec := recorder(t, dbtest.Of(s), record.Options{Context: "chat", Policy: capped(t, ""), Manage: true})
			a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
			a.ask("Look.")
			a.call()
			works(a, 0, 1)
			if how == "the store stalls" {
				record.SetPatience(10 * time.Millisecond)
				record.SetMostPatience(20 * time.Millisecond)
				defer record.SetMostPatience(5 * time.Second)
				s.stop.Lock()
				release := sync.OnceFunc(s.stop.Unlock)
				t.Cleanup(release)
				s.armed.Store(true)
				works(a, 1, 2)
				s.armed.Store(false)
				time.AfterFunc(50*time.Millisecond, release)
			} else {
				s.lose.Store(true)
				works(a, 1, 2)
			}
			rec.Close()
			if !bytes.Contains(p.Received()[2].Body, []byte(`\u003cx\u003e`)) && bytes.Count(p.Received()[2].Body, []byte("<x>")) < 100 {
				t.Fatalf("sent %s", p.Received()[2].Body)
			}
			if got := rec.Stats().Managed; got.Shaped != 1 || got.Open != 1 {
				t.Errorf("%+v", got)
			}
			if got := decidedAs(t, s, "c1", long(101)); got != "" {
				t.Errorf("a later process sends %q", got)
			}
			if got := decidedAs(t, s, "c0", long(100)); got == "" || got == "new" {
				t.Errorf("a later process sends %q for what was sent shaped", got)
			}
		})
	}
}

// unloaded fails to load contexts a number of times.
type unloaded struct {
	engine.Contexts
	times atomic.Int64
}

func (s *unloaded) Load(ctx context.Context, key history.Key) (*engine.State, error) {
	if s.times.Add(-1) >= 0 {
		return nil, errors.New("the connection broke")
	}
	return s.Contexts.Load(ctx, key)
}

// What was sent shaped is sent so again although the store fails to load it at first.
func TestManageLoadsAgain(t *testing.T) {
	p, url := startProvider(t, callTurns(3)...)
	s := &unloaded{Contexts: engine.InMemory()}
	options := record.Options{Context: "chat", Policy: capped(t, ""), Manage: true}
	rec := recorder(t, dbtest.Of(s), options)
	a := newAgent(t, provider.Messages, url, rec.Transport(nil), false)
	a.ask("Look.")
	a.call()
	works(a, 0, 1)
	rec.Close()
	s.times.Store(2)
	later := recorder(t, dbtest.Of(s), options)
	for s.times.Load() == 2 {
		time.Sleep(time.Millisecond) // it begins with the originals
	}
	a.client.Transport = later.Transport(nil)
	works(a, 1, 2)
	later.Close()
	repeats(t, provider.Messages, p.Received())
	if got := later.Stats().Managed; got.Shaped != 1 || got.Open != 0 {
		t.Errorf("%+v", got)
	}
}

// Observing promises nothing for a request that managing leaves alone because it is compressed.
func TestObservingLeavesCompressedRequestsAlone(t *testing.T) {
	for encoding, want := range map[string]int{"gzip": 0, "identity": 1} {
		for _, manage := range []bool{false, true} {
			_, url := startProvider(t, callTurns(1)...)
			s := pact.NewDB(store.NewMemory())
			rec := recorder(t, s, record.Options{Context: "chat", Policy: capped(t, ""), Manage: manage})
			body := []byte(`{"model":"m","tools":[{"type":"function"}],"messages":[{"role":"user","content":"q"},` +
				`{"role":"tool","tool_call_id":"c0","content":"` + strings.Repeat("word ", 200) + `"}]}`)
			if encoding == "gzip" {
				var zipped bytes.Buffer
				w := gzip.NewWriter(&zipped)
				_, err := w.Write(body)
				must(t, err)
				must(t, w.Close())
				body = zipped.Bytes()
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/chat/completions", bytes.NewReader(body))
			must(t, err)
			req.Header.Set("Content-Encoding", encoding)
			resp, err := (&http.Client{Transport: rec.Transport(nil)}).Do(req)
			must(t, err)
			must(t, resp.Body.Close())
			rec.Close()
			if got := rec.Stats().Managed.Shaped; got != want {
				t.Errorf("%s, managing %v: %d results", encoding, manage, got)
			}
		}
	}
}

func second(_ *provider.Answer, _ int, err error) error { return err }

// OpenAI's clients may put the result of a call before the next call of the same answer: it is new nevertheless.
func TestManageShapesBetweenCallsOfAnAnswer(t *testing.T) {
	for _, order := range [][]string{{"c0", "r0", "c1", "r1"}, {"c0", "c1", "r0", "r1"}} {
		p, url := startProvider(t, providertest.Turn{Calls: []providertest.Call{{ID: "c0", Name: "ls", Arguments: "{}"},
			{ID: "c1", Name: "ls", Arguments: "{}"}}}, providertest.Turn{Text: "done"})
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat", Policy: capped(t, ""), Manage: true, Strict: true})
		a := newAgent(t, provider.Responses, url, rec.Transport(nil), false)
		a.ask("Look.")
		a.call()
		calls := slices.Clone(a.said[len(a.said)-2:])
		a.said = a.said[:len(a.said)-2]
		for _, what := range order {
			n := int(what[1] - '0')
			if what[0] == 'c' {
				a.said = append(a.said, calls[n])
			} else {
				a.result(fmt.Sprint("c", n), "ls", long(100+n))
			}
		}
		a.call()
		rec.Close()
		if got := rec.Stats().Managed; got.Shaped != 2 || got.Open != 0 {
			t.Errorf("%v: %+v: %s", order, got, p.Received()[1].Body)
		}
	}
}
