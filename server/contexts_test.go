package server_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/server"
)

// TestTheOpenAPIDocumentIsTheOneInTheRepository compares the document of the running
// server with docs/openapi.json. UPDATE_OPENAPI=1 writes the file.
func TestTheOpenAPIDocumentIsTheOneInTheRepository(t *testing.T) {
	r := start(t, server.Options{})
	got := r.must(nil, "GET", "/openapi.json", "").body
	const file = "../docs/openapi.json"
	if os.Getenv("UPDATE_OPENAPI") != "" {
		must(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if string(got) != string(want) {
		t.Error("the document has changed: UPDATE_OPENAPI=1 go test ./server -run OpenAPI writes it")
	}
	for types, writes := range map[string]string{
		"typescript/src/schema.ts":    "node clients/typescript/generate.mjs",
		"python/src/pactctx/types.py": "python3 clients/python/tools/generate.py",
	} {
		made, err := os.ReadFile("../clients/" + types)
		must(t, err)
		if !strings.Contains(string(made), fmt.Sprintf("SHA-256 is %x", sha256.Sum256(want))) {
			t.Errorf("clients/%s has the types of another document: %s writes them", types, writes)
		}
	}
}

type contextInfo struct {
	Name     string
	Edition  string
	First    int64 `json:"first_cycle"`
	Last     int64 `json:"last_cycle"`
	Cycles   int64
	Revision int64
}

func TestContextsAreListedInPages(t *testing.T) {
	r := start(t, server.Options{})
	for _, name := range []string{"b", "a/1", "c", "ü"} {
		r.must(nil, "POST", "/v1/contexts", `{"name":"`+name+`"}`)
	}
	var names []string
	for after := ""; ; {
		var page struct {
			Items []contextInfo
			Next  string
		}
		r.must(&page, "GET", "/v1/contexts?limit=2&after="+after, "")
		for _, c := range page.Items {
			names = append(names, c.Name)
		}
		if after = page.Next; after == "" {
			break
		}
	}
	if fmt.Sprint(names) != "[a/1 b c ü]" {
		t.Errorf("the pages have %v", names)
	}
}

func TestAContextIsMadeRenamedAndDeleted(t *testing.T) {
	r := start(t, server.Options{})
	var made contextInfo
	got := r.must(&made, "POST", "/v1/contexts", `{"name":"a/1","edition":"v0.1"}`)
	if made != (contextInfo{"a/1", "v0.1", 1, 0, 0, 1}) || got.StatusCode != http.StatusCreated ||
		got.Header.Get("ETag") != `"r1"` {
		t.Errorf("%v, %s, %s", made, got.Status, got.Header.Get("ETag"))
	}
	r.call("POST", "/v1/contexts", `{"name":"a/1"}`).refused(t, http.StatusConflict, "E_CONFLICT")
	r.must(&made, "PATCH", "/v1/contexts/a%2F1", `{"name":"b"}`)
	if made.Name != "b" {
		t.Errorf("the new name is %q", made.Name)
	}
	r.call("GET", "/v1/contexts/a%2F1", "").refused(t, http.StatusNotFound, "E_CONTEXT_NOT_FOUND")
	if got := r.must(nil, "DELETE", "/v1/contexts/b", ""); got.StatusCode != http.StatusNoContent {
		t.Error(got.Status)
	}
	r.call("DELETE", "/v1/contexts/b", "").refused(t, http.StatusNotFound, "E_CONTEXT_NOT_FOUND")
}

func TestQuestionsAsideAreFolded(t *testing.T) {
	r := start(t, server.Options{})
	for _, name := range []string{"line", "line/summary-1", "line/title-1", "line-2"} {
		r.must(nil, "POST", "/v1/contexts", `{"name":"`+name+`"}`)
	}
	for query, want := range map[string]string{"": "line:2 line-2:0 ", "?all=true": "line:0 line-2:0 line/summary-1:0 line/title-1:0 ",
		"?limit=1": "line:2 ", "?after=line": "line-2:0 "} {
		var page struct {
			Items []struct {
				Name  string
				Aside int
			}
		}
		r.must(&page, "GET", "/v1/contexts"+query, "")
		got := ""
		for _, c := range page.Items {
			got += c.Name + ":" + strconv.Itoa(c.Aside) + " "
		}
		if got != want {
			t.Errorf("%q lists %s, want %s", query, got, want)
		}
	}
	r.must(nil, "GET", "/v1/contexts/line%2Fsummary-1", "")
}
