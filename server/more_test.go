package server_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/contexttree/pact/server"
)

// A transcript is replayed under limits; nothing else has calls that could be.
func TestATranscriptIsReplayedUnderLimits(t *testing.T) {
	r := start(t, server.Options{})
	var messages []string
	for i := range 10 {
		messages = append(messages, fmt.Sprintf(`{"role":"user","content":"question %d"}`, i),
			fmt.Sprintf(`{"role":"assistant","content":"answer %d"}`, i))
	}
	text := "[" + strings.Join(messages, ",") + "]"
	turns := func(name string) int {
		var found struct{ IDs []string }
		r.must(&found, "GET", "/v1/contexts/"+name+"/select?q=@t0%20.seg", "")
		return len(found.IDs)
	}
	r.must(nil, "POST", "/v1/import?name=all", text)
	r.must(nil, "POST", "/v1/import?name=few&max_turns=3", text)
	if all, few := turns("all"), turns("few"); all != 10 || few != 3 {
		t.Errorf("%d turns, and under the limit %d", all, few)
	}
	r.call("POST", "/v1/import?name=no&max_turns=3&policy=agnet", text).
		refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
	r.call("POST", "/v1/import?name=no&max_turns=-3", text).refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
	data, err := os.ReadFile("../examples/conversations/repair.jsonl")
	must(t, err)
	r.call("POST", "/v1/import?name=no&max_turns=3", string(data)).refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
}

// TestAParameterThatWouldDoNothingIsRefused: each is for another question of the same path, and says so instead of being
// ignored; those that do what they say are taken.
func TestAParameterThatWouldDoNothingIsRefused(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	for _, path := range []string{"grep?q=x&limit=100&after=a", "grep?q=x&context=a&limit=10000", "contexts?family=a&all=true"} {
		r.must(nil, "GET", "/v1/"+path, "")
	}
	for path, word := range map[string]string{
		"grep?q=x&from=@t0": "context", "grep?q=x&to=@t-2": "context", "grep?q=x&context=a&after=a": "all contexts",
		"grep?q=x&limit=101": "at most 100", "contexts?family=a&details=true": "details",
		"contexts?family=a&limit=1": "limit", "contexts?family=a&after=a": "after",
	} {
		f := r.call("GET", "/v1/"+path, "").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
		if !strings.Contains(f.Detail, word) && !strings.Contains(f.Remedy, word) {
			t.Errorf("%s: %+v does not say %q", path, f, word)
		}
	}
	r.call("POST", "/v1/contexts", `{"name":"x","force":true}`).refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
	r.call("GET", "/v1/contexts/x", "").refused(t, http.StatusNotFound, "E_CONTEXT_NOT_FOUND")
	const ranged = "/v1/contexts/a/select?q=@t-1..@t0%20.block&where=.block"
	want := r.call("GET", ranged, "").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
	if got := r.call("GET", ranged+"&explain=true", "").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("with explain %+v, without %+v", got, want)
	}
}
