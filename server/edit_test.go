package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/server"
)

type edited struct {
	Revision int64
	Digest   string
	IDs      []string
	Repeated bool
}

type committed struct {
	Cycle         int64
	Digest        string
	Blocks, Bytes int64
	IDs           []string
	Repeated      bool
}

const hello = `{"op":"add","into":"^ah","node":{"role":"user","kind":"text","content":"Hello 1.00"}}`

// TestANodeIsReadInTheWordsInWhichItIsWritten: each member of an added node, but its content, is read under its name.
func TestANodeIsReadInTheWordsInWhichItIsWritten(t *testing.T) {
	r := start(t, server.Options{})
	var api struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	r.must(&api, "GET", "/openapi.json", "")
	r.must(nil, "POST", "/v1/contexts", `{"name":"a","edition":"1.0"}`)
	written := map[string]any{"id": "n", "nodeType": "cont", "offset": -2.0, "priority": 3.0, "ttl": 4.0, "cad": 5.0, "role": "user",
		"kind": "note", "key": "k", "provenance": "p", "mime": "text/plain", "encoding": "utf-8", "tags": []any{"b", "a"},
		"refs": []any{"m"}, "removable": true, "pinned": true, "attrs": map[string]any{"data_x": []any{1.0, "y"}}, "content": "said"}
	if members := api.Components.Schemas["NewNode"].Properties; len(members) != len(written) {
		t.Fatalf("a new node has the members %v, this test writes %v", members, written)
	}
	node, err := json.Marshal(written)
	must(t, err)
	r.must(nil, "POST", "/v1/contexts/a/edits", `{"cycle":0,"edits":[{"op":"add","into":"^ah","node":{"id":"m"}},
		{"op":"add","into":"^ah","node":`+string(node)+`}]}`)
	var read map[string]any
	r.must(&read, "GET", "/v1/contexts/a/nodes/n?at=working", "")
	read["content"] = read["text"]
	for name, want := range written {
		if !reflect.DeepEqual(read[name], want) {
			t.Errorf("%s is written as %v and read as %v", name, want, read[name])
		}
	}
}

func TestEditsAndCommitsAreWhatTheLibraryStores(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	var e edited
	r.must(&e, "POST", "/v1/contexts/a/edits", `{"cycle":0,"actor":"anna","message":"why","edits":[`+hello+`,
		{"op":"add","at":"(d0, end)","node":{"id":"note","kind":"note","content":{"n":10000000000000000000001}}},
		{"op":"update","id":"note","set":{"priority":3,"kind":null}}]}`)
	if len(e.IDs) != 3 || e.IDs[1] != "note" || e.IDs[2] != "note" || e.Revision != 2 {
		t.Fatalf("the edit answered %+v", e)
	}
	var made committed
	r.must(&made, "POST", "/v1/contexts/a/commits", `{"cycle":0,"edits":[{"op":"remove","id":"note"}],"actor":"bert"}`)
	c, err := pact.Open(t.Context(), r.store, "a", nil)
	must(t, err)
	s, err := c.At(t.Context(), pact.Cycle(1))
	must(t, err)
	blocks, bytes := s.ThreadSize()
	want := committed{1, s.Digest(), int64(blocks), bytes, []string{"note"}, false}
	if fmt.Sprint(made) != fmt.Sprint(want) || blocks != 1 {
		t.Errorf("the commit answered %+v, want %+v", made, want)
	}
	var actors []string
	for entry, err := range c.Log(t.Context(), 0) {
		must(t, err)
		actors = append(actors, string(entry.Kind)+" "+entry.Actor+" "+entry.Message)
		if entry.Revision == 2 && entry.Digest != e.Digest {
			t.Errorf("the edit answered the digest %s, the log has %s", e.Digest, entry.Digest)
		}
	}
	if got := strings.Join(actors, ", "); got != "create  , edit anna why, commit bert " {
		t.Errorf("the log: %s", got)
	}
}

func TestAChangeThatDoesNotKnowTheLatestCycleIsAConflict(t *testing.T) {
	r := start(t, server.Options{})
	tag := r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`).Header.Get("ETag")
	r.must(nil, "POST", "/v1/contexts/a/commits", `{"cycle":0,"edits":[`+hello+`],"actor":"anna"}`)
	for _, path := range []string{"edits", "commits"} {
		f := r.call("POST", "/v1/contexts/a/"+path, `{"cycle":0,"edits":[`+hello+`]}`).
			refused(t, http.StatusConflict, "E_CONFLICT")
		if got := fmt.Sprint(f.Meanwhile); got != "[{2 commit 1 anna}]" {
			t.Errorf("meanwhile %s", got)
		}
		r.call("POST", "/v1/contexts/a/"+path, `{"cycle":1,"edits":[`+hello+`]}`, "If-Match", tag).
			refused(t, http.StatusPreconditionFailed, "E_PRECONDITION")
	}
	var c contextInfo
	if r.must(&c, "GET", "/v1/contexts/a", ""); c.Revision != 2 {
		t.Errorf("refused requests changed the context: %+v", c)
	}
}

func TestCommitsFollowTheKeptPolicyUnlessTheyHaveOne(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	r.must(nil, "POST", "/v1/contexts/a/edits", `{"cycle":0,"edits":[{"op":"policy","policy":{"max_turns":1}}]}`)
	commit := func(rest string, blocks int64) {
		t.Helper()
		var made committed
		var c contextInfo
		r.must(&c, "GET", "/v1/contexts/a", "")
		r.must(&made, "POST", "/v1/contexts/a/commits", fmt.Sprintf(`{"cycle":%d,"edits":[%s]%s}`, c.Last, hello, rest))
		if made.Blocks != blocks {
			t.Errorf("a commit with %q leaves %d blocks, want %d", rest, made.Blocks, blocks)
		}
	}
	commit("", 1)
	commit("", 1)
	commit(`,"pruning":{}`, 1)
	commit(`,"pruning":{"policy":{}}`, 2)
	commit(`,"pruning":{"policy":{"max_turns":3}}`, 3)
	commit(`,"pruning":{"policy":"chat"}`, 4)
	var plan struct{ After struct{ Turns int } }
	keeps := func() *lifecycle.Policy {
		var of struct{ Kept *lifecycle.Policy }
		r.must(&of, "GET", "/v1/policies?context=a", "")
		return of.Kept
	}
	if kept := keeps(); kept == nil || kept.MaxTurns != 1 {
		t.Errorf("the context keeps %+v", kept)
	}
	if r.must(&plan, "POST", "/v1/contexts/a/plan", `{}`); plan.After.Turns != 1 {
		t.Errorf("a plan under the kept policy leaves %d turns", plan.After.Turns)
	}
	r.must(nil, "POST", "/v1/contexts/a/edits", `{"cycle":6,"edits":[{"op":"policy"}]}`)
	if kept := keeps(); kept != nil {
		t.Errorf("the context keeps %+v", kept)
	}
	commit("", 5)
	r.call("POST", "/v1/contexts/a/edits", `{"cycle":7,"edits":[{"op":"policy","policy":{"max_turns":-1}}]}`).
		refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
}

func TestEditsThatTheRulesForbidAreRefused(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	r.must(nil, "POST", "/v1/contexts/a/commits", `{"cycle":0,"edits":[
		{"op":"add","into":"^ah","node":{"id":"said","content":"x"}}]}`)
	for edit, want := range map[string]string{
		`{"op":"add","into":"said","node":{"content":"x"}}`:      "422 E_PLACEMENT_INVALID",
		`{"op":"remove","id":"said"}`:                            "422 E_SEALED",
		`{"op":"add","into":"^ah","node":{"id":"said"}}`:         "422 E_NODE_DUPLICATE",
		`{"op":"remove","id":"nobody"}`:                          "404 E_NODE_NOT_FOUND",
		`{"op":"add","at":"(d0, nowhere)","node":{}}`:            "400 E_SELECTOR_INVALID",
		`{"op":"add","into":"^ah","node":{"attrs":{"plain":1}}}`: "400 E_DOCUMENT_INVALID",
		`{"op":"add","into":"^ah","node":{"id":".."}}`:           "400 E_DOCUMENT_INVALID",
	} {
		var status int
		var code string
		_, err := fmt.Sscan(want, &status, &code)
		must(t, err)
		r.call("POST", "/v1/contexts/a/edits", `{"cycle":1,"edits":[`+hello+","+edit+`]}`).refused(t, status, code)
	}
	var c contextInfo
	if r.must(&c, "GET", "/v1/contexts/a", ""); c.Revision != 2 {
		t.Errorf("refused requests changed the context: %+v", c)
	}
}
