package record_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// body is the request to OpenAI's chat API; the seed makes each one another.
func (r *modelRequest) body(t *testing.T, seed int) string {
	messages := []any{message("system", r.system)}
	for _, block := range r.said {
		role, text, _ := strings.Cut(block, " ")
		messages = append(messages, message(role, text))
	}
	body := map[string]any{"model": "m", "seed": seed, "messages": messages}
	var tools []any
	for _, name := range r.tools {
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{"name": name}})
	}
	if tools != nil {
		body["tools"] = tools
	}
	if strings.HasPrefix(r.group, "cache key") {
		body["prompt_cache_key"] = r.group
	}
	text, err := json.Marshal(body)
	must(t, err)
	return string(text)
}

func (r *modelRequest) send(t *testing.T, client *http.Client, url, body string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url+"/v1/chat/completions", bytes.NewReader([]byte(body)))
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+apiKey)
	switch {
	case r.agent:
		req.Header.Set("X-Session-Id", r.group)
	case strings.HasPrefix(r.group, "context"):
		req.Header.Set("X-Pact-Context", r.group)
	}
	wholeOf(t)(client.Do(req))
}

// Whatever agents send, each request goes to the recording to which the rules put it, also if the contexts of all that
// are idle are closed.
func TestRecordingsAgreeWithModel(t *testing.T) {
	const steps = 40
	for seed := range uint64(24) {
		if testing.Short() && seed >= 6 {
			break
		}
		g := &genRecordings{Rand: rand.New(rand.NewPCG(seed, 13))}
		model := modelRecordings{last: map[string]int{}}
		var script []providertest.Turn
		for step := range steps {
			script = append(script, providertest.Turn{Text: fmt.Sprintf("this is the answer of step %d.", step)})
		}
		_, url := startProvider(t, script...)
		s := pact.NewDB(store.NewMemory())
		if seed%2 == 1 {
			record.SetMostOpen(t, 0)
		}
		rec := recorder(t, s, record.Options{Context: "chat"})
		client := &http.Client{Transport: rec.Transport(nil)}
		want, bodies := make([]int, steps), make([]string, steps)
		for step := range steps {
			r, talk := g.next(step)
			answer := "assistant " + script[step].Text
			want[step], bodies[step] = model.put(r, answer), r.body(t, step)
			r.send(t, client, url, bodies[step])
			g.answered(talk, r, answer)
		}
		rec.Close()
		if got := rec.Stats(); got.NotRecorded > 0 || got.Calls != steps {
			t.Fatalf("%+v", got)
		}
		for recording, name := range rec.Contexts() {
			for _, body := range ownBodies(t, s, name) {
				if step := slices.Index(bodies, body); step < 0 || want[step] != recording {
					t.Errorf("seed %d: step %d went to recording %d\n%s", seed, step, recording, logOf(t, s, name))
				} else {
					bodies[step] = ""
				}
			}
		}
		for step, body := range bodies {
			if body != "" {
				t.Errorf("seed %d: step %d did not go to recording %d: %s", seed, step, want[step], body)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// A system prompt that changed once is what the next request is compared with.
func TestAChangedSystemPromptChangesOnce(t *testing.T) {
	_, url := startProvider(t)
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat"})
	a := newAgent(t, provider.Responses, url, rec.Transport(nil), false)
	for i := range 4 {
		if i > 0 {
			a.body["instructions"] = "Be brief."
		}
		a.ask(fmt.Sprint("question ", i))
		a.call()
	}
	rec.Close()
	if log := logOf(t, s, "chat"); strings.Count(log, "it changed 1 of them") != 1 {
		t.Error(log)
	}
}

// attrOf returns an attribute of the root of a context, as JSON.
func attrOf(t *testing.T, s *pact.DB, name, attr string) string {
	t.Helper()
	return string(tree.Of(opened(t, s, name).Working()).Root().Node().Header(attr))
}

// An agent hands a task on with a call of a tool: who begins with the text of the
// task was begun by that call, whatever its group, and may itself hand on.
func TestASubAgentNamesTheCallThatBeganIt(t *testing.T) {
	everyAPI(t, func(t *testing.T, name provider.API, stream bool) {
		const task, inside = "List all the files of the project.", "Count the lines."
		_, url := startProvider(t,
			providertest.Turn{Calls: []providertest.Call{{ID: "c0", Name: "ls", Arguments: `{"p":"/"}`},
				{ID: "c1", Name: "delegate", Arguments: `{"to":"finder","task":"` + task + `"}`}}},
			providertest.Turn{Calls: []providertest.Call{{ID: "c2", Name: "delegate", Arguments: `{"task":"` + inside + `"}`}}})
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "run"})
		for _, said := range []string{"What is here?", "Your task: " + task, inside, "Something else."} {
			a := newAgent(t, name, url, rec.Transport(nil), stream)
			a.ask(said)
			a.call()
		}
		rec.Close()
		for at, want := range map[string]string{
			"run": "", "run-2": `"context":"run"`, "run-3": `"context":"run-2"`, "run-4": "",
		} {
			begun := attrOf(t, s, at, "wire:begun-by")
			if want == "" && begun != "" || !strings.Contains(begun, want) {
				t.Errorf("%s was begun by %s, want %q", at, begun, want)
			}
		}
		call := opened(t, s, "run")
		var begun struct{ Block, Call string }
		must(t, json.Unmarshal([]byte(attrOf(t, s, "run-2", "wire:begun-by")), &begun))
		n, err := call.Working().Node(begun.Block)
		must(t, err)
		if n.Attrs["wire:call"] != "c1" || begun.Call != "c1" {
			t.Errorf("%+v is %v", begun, n.Attrs)
		}
	})
}

// A message that was edited begins a fork, which shares what stands before.
func TestAnEditedMessageIsAFork(t *testing.T) {
	everyAPI(t, func(t *testing.T, name provider.API, stream bool) {
		_, url := startProvider(t)
		s := pact.NewDB(store.NewMemory())
		rec := recorder(t, s, record.Options{Context: "chat"})
		a := newAgent(t, name, url, rec.Transport(nil), stream)
		var before []any
		for i := range 4 {
			if i == 2 {
				before = slices.Clone(a.said)
			}
			a.ask(fmt.Sprint("question ", i))
			a.call()
		}
		a.said = before
		a.ask("question 2, edited")
		a.call()
		a.ask("question 3")
		a.call()
		rec.Close()
		if names := rec.Contexts(); !slices.Equal(names, []string{"chat", "chat-2"}) {
			t.Fatalf("contexts are %v", names)
		}
		fork := opened(t, s, "chat-2")
		origins, err := fork.Origins(t.Context())
		must(t, err)
		if len(origins) != 1 || origins[0].Name != "chat" || origins[0].Cycle != 3 {
			t.Errorf("the fork is of %+v", origins)
		}
		if got := len(ownBodies(t, s, "chat-2")); got != 2 {
			t.Errorf("%d calls of its own", got)
		}
		old, err := opened(t, s, "chat").At(t.Context(), pact.Cycle(3))
		must(t, err)
		now, err := fork.At(t.Context(), pact.Cycle(4))
		must(t, err)
		was, is := ids(t, old), ids(t, now)
		if last := len(was) - 1; len(is) != len(was) || !slices.Equal(was[:last], is[:last]) || was[last] == is[last] {
			t.Errorf("%v became %v", was, is)
		}
	})
}

// A request that names an answer goes on with its conversation, whatever it
// repeats; one that names an earlier answer branches off there.
func TestARequestThatNamesAnAnswer(t *testing.T) {
	_, url := startProvider(t)
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat"})
	a := newAgent(t, provider.Responses, url, rec.Transport(nil), false)
	a.ask("question 0")
	first := a.call().ID
	previous := first
	for i := range 3 {
		a.said = nil
		a.ask(fmt.Sprint("question ", i))
		a.body["previous_response_id"] = previous
		previous = a.call().ID
	}
	a.said = nil
	a.ask("question 1, asked in another way")
	a.body["previous_response_id"] = first
	a.call()
	rec.Close()
	if names := rec.Contexts(); !slices.Equal(names, []string{"chat", "chat-2"}) {
		t.Fatalf("contexts are %v", names)
	}
	if log := logOf(t, s, "chat-2"); !strings.Contains(log, "names an earlier answer of chat") {
		t.Error(log)
	}
	rec = recorder(t, s, record.Options{Context: "chat"}) // which finds the last answer in the store
	a.client.Transport = rec.Transport(nil)
	for range 2 {
		a.said = nil
		a.ask("another question")
		a.body["previous_response_id"] = previous
		a.call()
	}
	rec.Close()
	if got := len(ownBodies(t, s, "chat")); got != 6 {
		t.Errorf("%d calls: %s", got, logOf(t, s, "chat"))
	}
}

// Requests at the same time that begin alike and were not answered yet are not
// taken for one conversation that is rewritten.
func TestRequestsAtTheSameTimeThatBeginAlike(t *testing.T) {
	hold := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-hold
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`)
	}))
	defer server.Close()
	s := pact.NewDB(store.NewMemory())
	rec := recorder(t, s, record.Options{Context: "chat"})
	var wait sync.WaitGroup
	for n := range 5 {
		a := newAgent(t, provider.Chat, server.URL, rec.Transport(nil), false)
		a.said = append(a.said, message("user", "An example."), message("assistant", "Its answer."))
		a.ask(fmt.Sprint("question ", n))
		wait.Go(func() { a.call() })
	}
	for rec.Stats().Calls < 5 {
		runtime.Gosched()
	}
	close(hold)
	wait.Wait()
	rec.Close()
	if got := rec.Contexts(); len(got) != 5 {
		t.Errorf("contexts are %v", got)
	}
	for _, name := range rec.Contexts() {
		if text := blocks(t, opened(t, s, name).Working()); strings.Count(text, "ok") != 1 {
			t.Errorf("%s has no answer:\n%s", name, text)
		}
	}
}
