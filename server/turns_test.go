package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/server"
)

// beside serves the store of a server a second time, as another process on the store does.
func (r *running) beside(t *testing.T) *running {
	t.Helper()
	s := server.New(r.store, server.Options{Token: r.Token()})
	listening := httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		listening.Close()
	})
	return &running{Server: s, t: t, store: r.store, url: listening.URL}
}

func TestAKeyThatComesWithAnotherRequestIsRefused(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	for cycle := range 3 {
		r.must(nil, "POST", "/v1/contexts/a/commits", fmt.Sprintf(`{"cycle":%d,"edits":[%s]}`, cycle, hello))
	}
	other := strings.Replace(hello, "Hello", "Bye", 1)
	for i, asks := range [][3]string{
		{"/edits", `{"cycle":3,"edits":[` + hello + `]}`, `{"cycle":3,"edits":[` + other + `]}`},
		{"/edits", `{"cycle":3,"edits":[` + hello + `]}`, `{"cycle":3,"edits":[` + hello + `],"message":"why"}`},
		{"/commits", `{"cycle":3}`, `{"cycle":3,"edits":[` + hello + `]}`},
		{"/commits", `{"cycle":4}`, `{"cycle":5}`},
		{"/fork", `{"name":"b"}`, `{"name":"c"}`},
		{"/undo", `{}`, `{"message":"why"}`},
	} {
		key := []string{"Idempotency-Key", fmt.Sprint("key-", i)}
		var first, again edited
		r.must(&first, "POST", "/v1/contexts/a"+asks[0], asks[1], key...)
		r.call("POST", "/v1/contexts/a"+asks[0], asks[2], key...).
			refused(t, http.StatusUnprocessableEntity, "E_KEY_REUSED")
		r.must(&again, "POST", "/v1/contexts/a"+asks[0], asks[1], key...)
		if (asks[0] == "/edits" || asks[0] == "/commits") && (first.Repeated || !again.Repeated ||
			again.Revision != first.Revision || again.Digest != first.Digest) {
			t.Errorf("%s: first %+v, then %+v", asks[0], first, again)
		}
	}
	r.call("POST", "/v1/contexts/a/edits", `{"cycle":3,"edits":[]}`, "Idempotency-Key", "key-2").
		refused(t, http.StatusUnprocessableEntity, "E_KEY_REUSED")
	// What the log tells of the first request holds for another process too.
	again := r.beside(t)
	again.call("POST", "/v1/contexts/a/edits", `{"cycle":4,"edits":[`+other+`]}`, "Idempotency-Key", "key-0").
		refused(t, http.StatusUnprocessableEntity, "E_KEY_REUSED")
	again.must(nil, "POST", "/v1/contexts/a/edits", `{"cycle":3,"edits":[`+hello+`]}`, "Idempotency-Key", "key-0")
	var list struct{ Items []struct{ Name string } }
	if r.must(&list, "GET", "/v1/contexts", ""); fmt.Sprint(list.Items) != "[{a} {a~c5} {b}]" {
		t.Errorf("the contexts %v", list.Items)
	}
}

// TestAKeyInParallelGetsTheFirstAnswer sends each change many times at once, to two servers of one
// store: it is made once, and everybody is told of that.
func TestAKeyInParallelGetsTheFirstAnswer(t *testing.T) {
	r := start(t, server.Options{})
	servers := []*running{r, r.beside(t)}
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	for cycle := range 2 {
		r.must(nil, "POST", "/v1/contexts/a/commits", fmt.Sprintf(`{"cycle":%d,"edits":[%s]}`, cycle, hello))
	}
	for round, asks := range [][2]string{
		{"/edits", `{"cycle":2,"edits":[` + hello + `]}`}, {"/edits", `{"cycle":2,"edits":[` + hello + `]}`},
		{"/commits", `{"cycle":2,"edits":[` + hello + `]}`}, {"/fork", `{"name":"b"}`}, {"/undo", `{}`},
	} {
		var mu sync.Mutex
		answers := map[string]int{}
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				got := servers[i%2].call("POST", "/v1/contexts/a"+asks[0], asks[1], "Idempotency-Key", fmt.Sprint("key-", round))
				var said map[string]any
				if got.StatusCode >= 300 || json.Unmarshal(got.body, &said) != nil {
					t.Errorf("%s: %s %s", asks[0], got.Status, got.body)
					return
				}
				delete(said, "repeated")
				delete(said, "ids")
				text, _ := json.Marshal(said)
				mu.Lock()
				answers[string(text)]++
				mu.Unlock()
			})
		}
		all.Wait()
		if len(answers) != 1 {
			t.Errorf("%s: the answers are %v", asks[0], answers)
		}
	}
	var c contextInfo // the fork of @c1 that the undo made, and its name
	if r.must(&c, "GET", "/v1/contexts/a", ""); c.Last != 2 || c.Revision != 4 {
		t.Errorf("the context has %+v", c)
	}
}

// Edits of one context that come at the same time without keys, to two servers of one store, are made one after the other.
func TestParallelEditsAreMadeOneAfterTheOther(t *testing.T) {
	r := start(t, server.Options{})
	servers := []*running{r, r.beside(t)}
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if got := servers[i%2].call("POST", "/v1/contexts/a/edits", `{"cycle":0,"edits":[`+hello+`]}`); got.StatusCode != http.StatusOK {
				t.Errorf("%s %s", got.Status, got.body)
			}
		})
	}
	all.Wait()
	var found struct{ Total int }
	if r.must(&found, "GET", "/v1/contexts/a/blocks?at=working", ""); found.Total != 20 {
		t.Errorf("%d edits are there", found.Total)
	}
}
