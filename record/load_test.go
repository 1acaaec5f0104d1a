package record_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
)

// talkOf is a request whose conversation has these messages, of the user and the model by turns.
func talkOf(messages ...string) string {
	body := `{"model":"m","messages":[{"role":"system","content":"You classify."}`
	for i, text := range messages {
		body += fmt.Sprintf(`,{"role":%q,"content":%q}`, []string{"user", "assistant"}[i%2], text)
	}
	return body + "]}"
}

// post sends a request through a recorder to a provider that answers "ok" at once.
func post(t *testing.T, rec *record.Recorder, body, group string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://provider/v1/chat/completions", strings.NewReader(body))
	must(t, err)
	if group != "" {
		req.Header.Set("X-Session-Id", group)
	}
	wholeOf(t)(rec.Transport(answersAtOnce{}).RoundTrip(req))
}

// Idle conversations hold no memory but what tells a request that continues them, and each goes on in its own context:
// also after a restart, and also those that the next recorder does not open when it begins, however many have one size.
func TestIdleConversationsGoOn(t *testing.T) {
	record.SetMostOpen(t, 0)
	t.Run("of many sizes", func(t *testing.T) {
		testIdle(t, func(i int) string { return fmt.Sprint("text ", strings.Repeat("x", i), " ", i) })
	})
	t.Run("of one size", func(t *testing.T) {
		record.SetMostLookedAt(t, 4)
		testIdle(t, func(i int) string { return fmt.Sprintf("text %03d", i) })
	})
}

func testIdle(t *testing.T, first func(i int) string) {
	db := pact.NewDB(store.NewMemory())
	const conversations = 100
	group := func(i int) string {
		if i%2 == 1 {
			return fmt.Sprint("session ", i)
		}
		return ""
	}
	ask := func(rec *record.Recorder, i int, messages ...string) {
		post(t, rec, talkOf(append([]string{first(i)}, messages...)...), group(i))
	}
	rec := recorder(t, db, record.Options{Context: "chat"})
	for i := range conversations {
		ask(rec, i)
	}
	for i := range conversations {
		ask(rec, i, "ok", "And now?")
	}
	rec.Close()
	if n, _ := record.Open(rec); n > 1 {
		t.Errorf("%d contexts are open", n)
	}
	again := recorder(t, db, record.Options{Context: "chat"})
	for i := range conversations {
		ask(again, i, "ok", "And now?", "ok", "And then?")
	}
	again.Close()
	list, err := pact.List(t.Context(), db)
	must(t, err)
	if len(list) != conversations {
		t.Errorf("there are %d contexts", len(list))
	}
	for _, i := range list {
		if i.Cycle != 3 {
			t.Errorf("%s has %d calls", i.Name, i.Cycle)
		}
	}
}

// A new conversation is compared with no more recordings where there are many that begin alike, and the next recorder reads
// no more for its first call.
func TestALookUpCostsTheSameAmongMany(t *testing.T) {
	compared, reads := map[int]int{}, map[int]int64{}
	for _, n := range []int{80, 400} {
		s := &dbtest.Failing{Store: store.NewMemory()}
		ask := func(i int) string { return talkOf("An example.", "ok", fmt.Sprint("text ", i)) }
		rec := recorder(t, pact.NewDB(s), record.Options{})
		for i := range n {
			post(t, rec, ask(i), "")
		}
		rec.Close()
		compared[n] = record.Compared(rec, ask(n))
		s.From.Store(math.MaxInt64)
		next := recorder(t, pact.NewDB(s), record.Options{Strict: true})
		post(t, next, talkOf("Good day."), "")
		reads[n] = s.Reads()
		next.Close()
	}
	if compared[400] > compared[80] || reads[400] > reads[80]+reads[80]/5 {
		t.Errorf("by the number of conversations it is compared with %v, and the next recorder reads %v times", compared, reads)
	}
}

// What a recorder holds does not grow with the conversations that it recorded, nor does a restart take it up again.
func TestMemoryComesBack(t *testing.T) {
	testrun.Long(t, "fills a file")
	conversations := testrun.Size(t, 400, 400, 10_000)
	path := filepath.Join(t.TempDir(), "pact.db")
	text := strings.Repeat("All of a file, and more of it. ", 6500) // 200 kB
	db, err := dbtest.Open(sqlite.Open(t.Context(), path))
	must(t, err)
	defer func() { must(t, db.Close()) }()
	before := heap()
	rec := recorder(t, db, record.Options{Strict: true})
	for i := range conversations {
		post(t, rec, talkOf(fmt.Sprint(i, " ", text)), "")
	}
	grown := heap() - before
	t.Logf("%d conversations of 200 kB hold %d kB", conversations, grown>>10)
	if grown > 100<<20 {
		t.Errorf("%d conversations hold %d bytes", conversations, grown)
	}
	rec.Close()
	must(t, db.Close())
	db, err = dbtest.Open(sqlite.Open(t.Context(), path))
	must(t, err)
	before = heap()
	rec = recorder(t, db, record.Options{Strict: true})
	post(t, rec, talkOf("Another text."), "")
	grown = heap() - before
	t.Logf("after a restart they hold %d kB", grown>>10)
	if grown > 100<<20 {
		t.Errorf("after a restart they hold %d bytes", grown)
	}
	rec.Close()
	if _, bytes := record.Open(rec); bytes > 24<<20 {
		t.Errorf("the open contexts hold %d bytes", bytes)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// stopped is a store that is slow until somebody lets it go on.
type stopped struct {
	engine.Contexts
	goes chan struct{}
}

func (s stopped) Create(ctx context.Context, g engine.Creation) (*engine.State, error) {
	<-s.goes
	return s.Contexts.Create(ctx, g)
}

// A call is recorded or lost. What waits is bounded; a call that has begun is not lost because others wait.
func TestACallIsRecordedOrLost(t *testing.T) {
	for most, lost := range map[int]bool{64 << 10: true, 64 << 20: false} {
		record.SetMaxQueued(t, most)
		s := stopped{engine.InMemory(), make(chan struct{})}
		db := dbtest.Of(s)
		rec := recorder(t, db, record.Options{})
		const calls = 200
		for i := range calls {
			post(t, rec, talkOf(fmt.Sprint("text ", i)), "")
		}
		close(s.goes)
		rec.Close()
		got := rec.Stats()
		if got.Calls+got.NotRecorded != calls || (got.NotRecorded > 0) != lost {
			t.Errorf("%d recorded, %d lost", got.Calls, got.NotRecorded)
		}
		list, err := pact.List(t.Context(), db)
		must(t, err)
		if len(list) != got.Calls {
			t.Errorf("%d calls are recorded, and there are %d", got.Calls, len(list))
		}
		for _, i := range list {
			if i.Cycle != 1 {
				t.Errorf("%s has no answer", i.Name)
			}
		}
	}
}

// A call took from when the client sent it until its answer was over: the time that it waited to be recorded is none
// of it.
func TestACallTookWhatTheClientWaited(t *testing.T) {
	s := stopped{engine.InMemory(), make(chan struct{})}
	db := dbtest.Of(s)
	var ended []record.Ended
	rec := recorder(t, db, record.Options{Context: "chat", OnEnd: func(e record.Ended) { ended = append(ended, e) }})
	post(t, rec, talkOf("Hello?"), "")
	post(t, rec, talkOf("Hello?", "ok", "And now?"), "")
	close(s.goes)
	rec.Close()
	attempts, err := opened(t, db, "chat").Attempts(t.Context(), 1, 2)
	must(t, err)
	if len(attempts) != 2 || len(ended) != 2 {
		t.Fatal(attempts, ended)
	}
	for i, a := range attempts {
		took := ended[i].Over.Sub(ended[i].Started).Nanoseconds()
		if a.StartedNS != ended[i].Started.UnixNano() || a.EndedNS-a.StartedNS != took || a.Status != history.Completed {
			t.Errorf("%+v of %+v", a, ended[i])
		}
	}
}

// A recorder that asks providers about their caches remembers the answers of a bounded number of conversations.
func TestTheAnswersToAskAboutAreBounded(t *testing.T) {
	rec := recorder(t, pact.NewDB(store.NewMemory()), record.Options{Diagnose: true})
	if n := record.RememberedAnswers(rec, 1<<18); n > 1<<17 {
		t.Errorf("it remembers %d", n)
	}
}

// A policy that is no policy manages nothing, and each call says so before it is sent.
func TestAPolicyThatDoesNotCompileIsAnError(t *testing.T) {
	policy := &lifecycle.Policy{Rules: []lifecycle.Rule{{Select: ".mt:depth(", TTL: new(int64)}}}
	sent := false
	provider := func(*http.Request) (*http.Response, error) {
		sent = true
		return nil, io.ErrUnexpectedEOF
	}
	rec := recorder(t, pact.NewDB(store.NewMemory()), record.Options{Policy: policy, Manage: true})
	req, err := http.NewRequest(http.MethodPost, "http://provider/v1/chat/completions", strings.NewReader(talkOf("Hello?")))
	must(t, err)
	if _, err = rec.Middleware(req, provider); fault.CodeOf(err) != fault.SelectorInvalid || sent {
		t.Errorf("%v, and it was sent: %t", err, sent)
	}
}
