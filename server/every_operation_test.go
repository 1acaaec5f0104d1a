package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/server"
)

// tried is a request that succeeds if the token opens all the names.
type tried struct {
	method, path, body string
	names              []string
}

// triedOf returns requests of an operation about a context with two cycles and a block "said".
func triedOf(operation, name string) []tried {
	at := "/v1/contexts/" + url.PathEscape(name)
	get := func(rest string) []tried { return []tried{{"GET", at + rest, "", []string{name}}} }
	post := func(rest, body string, names ...string) []tried {
		return []tried{{"POST", at + rest, body, append(names, name)}}
	}
	switch operation {
	case "list-contexts":
		return []tried{{"GET", "/v1/contexts?details=true", "", nil}, {"GET", "/v1/contexts?family=" + name, "", []string{name}}}
	case "grep":
		return []tried{{"GET", "/v1/grep?q=hello", "", nil}, {"GET", "/v1/grep?q=hello&context=" + name, "", []string{name}}}
	case "create-context":
		return []tried{{"POST", "/v1/contexts", `{"name":"` + name + `new"}`, []string{name + "new"}},
			{"POST", "/v1/contexts", `{"name":"` + name + `copy","copy":"` + name + `"}`, []string{name, name + "copy"}},
			{"POST", "/v1/contexts", `{"name":"away","copy":"` + name + `"}`, []string{name, "away"}}}
	case "import":
		session := `{"model":"m","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"` // and other words
		said := `[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]`
		return []tried{
			{"POST", "/v1/import?name=" + name + "t", said, []string{name + "t"}},
			{"POST", "/v1/import?name=" + name + "s", session + `a"}]}` + "\n" + session + `b"}]}` + "\n",
				[]string{name + "s/0", name + "s/1"}},
			{"POST", "/v1/import?form=history&name=" + name + "h", exported, []string{name + "h"}},
			{"POST", "/v1/import?form=log&name=" + name + "l", calls, []string{name + "l", name + "l-2", name + "l-3"}},
		}
	case "list-blocks", "diff":
		path := map[string]string{"list-blocks": "/blocks?vs=", "diff": "/diff?from="}[operation]
		return []tried{get(path + "@c1")[0], {"GET", at + path + "mine@c1", "", []string{name, "mine"}}}
	case "get-context":
		return append(get(""), get("?at=working")...)
	case "rename-context":
		return []tried{{"PATCH", at, `{"name":"` + name + `-renamed"}`, []string{name, name + "-renamed"}},
			{"PATCH", at, `{"name":"away"}`, []string{name, "away"}}}
	case "delete-context":
		return []tried{{"DELETE", at, "", []string{name}}}
	case "fork-context":
		return slices.Concat(post("/fork", `{"name":"`+name+`fork"}`, name+"fork"), post("/fork", `{"name":"away"}`, "away"))
	case "erase": // which no token with a pattern opens
		return post("/erase", `{"ids":["said"],"reason":"asked for"}`, "")
	case "list-policies":
		return []tried{{"GET", "/v1/policies", "", nil}, {"GET", "/v1/policies?context=" + name, "", []string{name}}}
	case "simulate":
		return post("/simulation", `{"policies":[{"name":"agent"}],"calls":true}`)
	case "undo-commit":
		return post("/undo", `{}`, name+"~c2")
	case "edit":
		return post("/edits", `{"cycle":2,"edits":[`+hello+`]}`)
	case "commit":
		return post("/commits", `{"cycle":2,"edits":[`+hello+`]}`)
	case "plan-pruning":
		return post("/plan", `{}`)
	case "get-node":
		return get("/nodes/said")
	case "get-content":
		return get("/nodes/said/content")
	case "life":
		return get("/nodes/said/life")
	case "export":
		return slices.Concat(get("/export"), get("/export?form=document"), get("/export?form=page"))
	case "events":
		return []tried{{"GET", "/v1/events?context=" + name, "", []string{name}}}
	}
	if rest := map[string]string{"select": "/select?q=.block", "get-thread": "/thread",
		"verify": "/verify", "list-tree": "/tree", "list-names": "/names", "list-calls": "/calls",
		"strata": "/strata", "list-attempts": "/attempts", "log": "/log",
		"list-findings": "/findings"}[operation]; rest != "" {
		return get(rest)
	}
	return nil
}

// exported is a history, and calls the log of three sessions that begin alike and then
// part, so that an import makes a context of each.
var exported, calls string

// TestEveryOperationWithEveryKindOfToken tries each operation of the document on a context that the
// token opens, on one that it does not and on one that does not exist, and looks what it changed.
func TestEveryOperationWithEveryKindOfToken(t *testing.T) {
	testrun.OneGoroutine(t) // one request after the other
	r := start(t, server.Options{Counter: counted})
	began, err := os.ReadFile("../examples/conversations/repair.jsonl")
	must(t, err)
	exported = string(began)
	for _, way := range []string{"a", "b", "c"} {
		calls += `{"model":"m","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"x"},` +
			`{"role":"user","content":"` + way + `"}]}` + "\n"
	}
	operations := r.operations(t)
	for id := range operations {
		if triedOf(id, "x") == nil && id != "create-session" && id != "delete-session" {
			t.Errorf("no request of the operation %s is tried here", id)
		}
	}
	state := r.family(t)
	kinds := []struct {
		name    string
		write   bool
		opens   func(name string) bool
		headers []string
	}{
		{"nobody", false, nil, []string{"Authorization", "-"}},
		{"the token of the run", true, everything, nil},
		{"a reader", false, everything, r.token("reader", false, "")},
		{"a writer", true, everything, r.token("writer", true, "")},
		{"a reader of some", false, beginsWith("mine"), r.token("some-reader", false, "mine*")},
		{"a writer of some", true, beginsWith("mine"), r.token("some-writer", true, "mine*")},
		{"a writer of one", true, func(n string) bool { return n == "mine" }, r.token("one", true, "mine")},
		{"a writer of an end", true, func(n string) bool { return strings.HasSuffix(n, "2") }, r.token("end", true, "*2")},
	}
	for _, kind := range kinds {
		for id, writes := range operations {
			for _, name := range []string{"mine", "theirs", "nobody", "theirs2"} {
				for _, ask := range triedOf(id, name) {
					what := fmt.Sprintf("%s: %s %s %.60s", kind.name, ask.method, ask.path, ask.body)
					header := kind.headers
					if strings.HasPrefix(ask.path, "/v1/import") {
						header = append([]string{"Content-Type", "application/octet-stream"}, header...)
					}
					got := r.try(ask, header)
					now := r.revisions(t)
					switch want := ask.names; {
					case kind.opens == nil:
						got.refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
					case writes && !kind.write, slices.ContainsFunc(want, func(n string) bool { return !kind.opens(n) }):
						got.refused(t, http.StatusForbidden, "E_FORBIDDEN")
					case name == "nobody" && slices.Contains(want, name):
						got.refused(t, http.StatusNotFound, "E_CONTEXT_NOT_FOUND")
					case got.StatusCode >= 300:
						t.Errorf("%s: %s %s", what, got.Status, got.body)
					case !kind.opens("theirs") && id != "export" && strings.Contains(strings.ReplaceAll(string(got.body),
						"theirs2", ""), "theirs"):
						t.Errorf("%s tells of a context that it does not open: %s", what, got.body)
					}
					if got.StatusCode >= 400 && now != state {
						t.Errorf("%s: %s, and the contexts were\n%s and are\n%s", what, got.Status, state, now)
					}
					if t.Failed() {
						t.Fatal(what)
					}
					if now != state {
						state = r.family(t)
					}
				}
			}
		}
	}
}

func everything(string) bool { return true }

func beginsWith(start string) func(string) bool {
	return func(name string) bool { return strings.HasPrefix(name, start) }
}

// operations returns the operations of the document, and which of them change contexts.
func (r *running) operations(t *testing.T) map[string]bool {
	t.Helper()
	text, err := r.OpenAPI()
	must(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		}
	}
	must(t, json.Unmarshal(text, &document))
	all := make(map[string]bool)
	for _, methods := range document.Paths {
		for method, operation := range methods {
			all[operation.OperationID] = method != "get" && !slices.Contains([]string{"plan-pruning", "simulate"},
				operation.OperationID)
		}
	}
	return all
}

// family makes the contexts anew: mine is a fork of theirs.
func (r *running) family(t *testing.T) (state string) {
	t.Helper()
	list, err := pact.List(t.Context(), r.store)
	must(t, err)
	for _, i := range list {
		must(t, pact.Delete(t.Context(), r.store, i.Name))
	}
	r.must(nil, "POST", "/v1/contexts", `{"name":"theirs"}`)
	r.must(nil, "POST", "/v1/contexts/theirs/commits",
		`{"cycle":0,"edits":[{"op":"add","into":"^ah","node":{"id":"said","content":"hello"}}]}`)
	for _, fork := range []string{"mine", "theirs2"} {
		r.must(nil, "POST", "/v1/contexts/theirs/fork", `{"name":"`+fork+`"}`)
		r.must(nil, "POST", "/v1/contexts/"+fork+"/commits", `{"cycle":1}`)
	}
	r.must(nil, "POST", "/v1/contexts/theirs/commits", `{"cycle":1}`)
	return r.revisions(t)
}

// revisions says which contexts there are, and their revisions.
func (r *running) revisions(t *testing.T) string {
	t.Helper()
	list, err := pact.List(t.Context(), r.store)
	must(t, err)
	var all strings.Builder
	for _, i := range list {
		fmt.Fprintln(&all, i.Name, i.Key, i.Revision)
	}
	return all.String()
}

// try sends a request. Of a stream of events it takes the first bytes alone.
func (r *running) try(ask tried, header []string) reply {
	r.t.Helper()
	if !strings.HasPrefix(ask.path, "/v1/events") {
		return r.call(ask.method, ask.path, ask.body, header...)
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, ask.method, r.url+ask.path, nil)
	must(r.t, err)
	req.Header.Set("Authorization", "Bearer "+r.Token())
	for i := 0; i < len(header); i += 2 {
		if req.Header.Set(header[i], header[i+1]); header[i+1] == "-" {
			req.Header.Del(header[i])
		}
	}
	res, err := http.DefaultClient.Do(req)
	must(r.t, err)
	defer res.Body.Close()
	first := make([]byte, 4096)
	n, err := res.Body.Read(first)
	if err != nil && err != io.EOF {
		r.t.Fatal(err)
	}
	return reply{res, first[:n]}
}
