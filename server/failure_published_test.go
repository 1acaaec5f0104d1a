package server_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"github.com/contexttree/pact/server"
)

// Contexts of edition 1.0 answer with the body and the statuses of its error model, all others as before.
//
// Specification: 1.0 04 §11.
func TestFailuresOfEdition1(t *testing.T) {
	r := start(t, server.Options{})
	edits := func(list string) string { return `{"cycle":0,"edits":[` + list + `]}` }
	for _, edition := range []string{"1.0", "canonical"} {
		r.call("POST", "/v1/contexts", `{"name":"`+edition+`","edition":"`+edition+`"}`)
		made := r.call("POST", "/v1/contexts/"+edition+"/edits", edits(`{"op":"add","into":"^ah","node":{"id":"core","nodeType":"cont"}},
			{"op":"add","into":"core","node":{"id":"b","content":"x","key":"K"}},{"op":"add","into":"core","node":{"id":"g","nodeType":"cont"}}`))
		if made.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", edition, made.body)
		}
	}
	add := func(node string) string { return edits(`{"op":"add","into":"^ah","node":` + node + `}`) }
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
		details            map[string]any
		plain              int // the status of the other editions
	}{
		{"GET", "/select?q=(d1..", "", 400, "INVALID_SELECTOR", map[string]any{"pos": 4., "token": "..", "field": "selector"}, 400},
		{"GET", "/select?q=%40t-1..%40c1+.block", "", 400, "INVALID_SELECTOR", map[string]any{"field": "selector"}, 400},
		{"POST", "/edits", add(`{"nodeType":"cont"}`), 409, "DUPLICATE_CONTAINER",
			map[string]any{"parent_id": "ah", "offset": 0., "reason": "DUPLICATE_CONTAINER"}, 422},
		{"POST", "/edits", edits(`{"op":"add","node":{"id":"tmp-7"}}`), 422, "PARENT_ID_MISSING",
			map[string]any{"node_temp_id": "tmp-7"}, 400},
		{"POST", "/edits", `{"cycle":3,"edits":[]}`, 409, "CONFLICTING_UPDATE",
			map[string]any{"expected_snapshot": "@c3", "found_snapshot": "@c0", "reason": "E_CONFLICT"}, 409},
		{"POST", "/edits", edits(`{"op":"move","id":"b","into":"nowhere"}`), 400, "INVALID_PLACEMENT",
			map[string]any{"reason": "INVALID_PARENT"}, 404},
		{"POST", "/edits", edits(`{"op":"move","id":"g","into":"b"}`), 400, "INVALID_PLACEMENT",
			map[string]any{"reason": "PARENT_NOT_CONTAINER"}, 422},
		{"POST", "/edits", edits(`{"op":"move","id":"core","into":"g"}`), 400, "INVALID_PLACEMENT",
			map[string]any{"reason": "CYCLE_DETECTED", "node": "core"}, 422},
		{"POST", "/edits", add(`{"ttl":-1}`), 400, "INVALID_PLACEMENT", map[string]any{"reason": "E_PLACEMENT_INVALID", "token": "-1"}, 400},
		{"POST", "/edits", edits(`{"op":"remove","id":"nobody"}`), 404, "E_NODE_NOT_FOUND", map[string]any{"node": "nobody"}, 404},
		{"GET", "/select?q=.block&limit=x", "", 400, "E_DOCUMENT_INVALID", nil, 400},
	} {
		for _, edition := range []string{"1.0", "canonical"} {
			got := r.call(c.method, "/v1/contexts/"+edition+c.path, c.body)
			want := map[string]int{"1.0": c.status, "canonical": c.plain}[edition]
			var all map[string]json.RawMessage
			var body struct {
				Error struct {
					Code, Message string
					Details       map[string]any
				}
			}
			if json.Unmarshal(got.body, &all) != nil || got.StatusCode != want {
				t.Errorf("%s %s %s: %d, want %d: %s", c.method, edition, c.path, got.StatusCode, want, got.body)
				continue
			}
			if edition != "1.0" {
				if all["error"] != nil || all["code"] == nil {
					t.Errorf("%s %s: %s", edition, c.path, got.body)
				}
				continue
			}
			_ = json.Unmarshal(got.body, &body)
			if len(all) != 1 || body.Error.Code != c.code || body.Error.Message == "" {
				t.Errorf("%s %s %s: %s", c.method, c.path, c.body, got.body)
			}
			for name, want := range c.details {
				if !reflect.DeepEqual(body.Error.Details[name], want) {
					t.Errorf("%s %s: details.%s is %v, want %v", c.path, c.body, name, body.Error.Details[name], want)
				}
			}
		}
	}
	for path, code := range map[string]string{"/v1/contexts/canonical/select?edition=1.0&q=(d1..": "INVALID_SELECTOR",
		"/v1/contexts/canonical/select?q=(d1..": ""} {
		var body struct{ Error struct{ Code string } }
		if got := r.call("GET", path, ""); json.Unmarshal(got.body, &body) != nil || body.Error.Code != code {
			t.Errorf("%s: %s", path, got.body)
		}
	}
	made := r.call("POST", "/v1/contexts/canonical/commits", `{"cycle":0}`)
	if made.StatusCode != http.StatusOK {
		t.Fatal(string(made.body))
	}
	copied := r.call("POST", "/v1/contexts", `{"name":"moved","copy":"canonical","edition":"1.0"}`)
	thread := r.call("GET", "/v1/contexts/moved/thread", "")
	if copied.StatusCode != http.StatusCreated || string(thread.body) != `[{"id":"b","content":"x"}]` {
		t.Errorf("%s, %s", copied.body, thread.body)
	}
}
