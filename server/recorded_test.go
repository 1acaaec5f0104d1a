package server_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/server"
)

// TestRecordedCallsAreToldAsTheLibraryDoes imports the log of real requests and asks what the
// provider cached of them, and for their bytes.
func TestRecordedCallsAreToldAsTheLibraryDoes(t *testing.T) {
	r := start(t, server.Options{})
	data, err := os.ReadFile("../internal/calllog/testdata/anthropic-requests.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var made struct{ Contexts []contextInfo }
	r.must(&made, "POST", "/v1/import?name=run", string(data))
	path := "/v1/contexts/" + made.Contexts[0].Name + "/"
	c, err := pact.Open(t.Context(), r.store, made.Contexts[0].Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, dialect := range []string{"", "other"} {
		calls := map[int64]*inspect.CallPrefix{}
		for p, err := range record.Prefixes(t.Context(), c, dialect) {
			if err != nil {
				t.Fatal(err)
			}
			calls[p.Cycle] = &p
		}
		if len(calls) < 2 {
			t.Fatalf("%d recorded calls", len(calls))
		}
		var want []inspect.Prefix
		for p, err := range c.Prefixes(t.Context(), pact.Cycle(1), pact.Latest) {
			if err != nil {
				t.Fatal(err)
			}
			p.Call = calls[p.Cycle]
			want = append(want, p)
		}
		text, err := json.Marshal(map[string]any{"cycles": want})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.must(nil, "GET", path+"prefix?dialect="+dialect, "").body; plain(t, got) != plain(t, text) {
			t.Errorf("%q:\n%s\nwant\n%s", dialect, got, text)
		}
	}
	r.call("GET", path+"prefix?dialect=nobody", "").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")

	var list struct{ Forms []string }
	r.must(&list, "GET", path+"forms", "")
	body, err := record.Request(t.Context(), c, made.Contexts[0].Last)
	if err != nil || !slices.Contains(list.Forms, "verbatim") {
		t.Fatalf("%v, %v", list, err)
	}
	if got := r.must(nil, "GET", path+"thread?as=verbatim", "").body; !bytes.Equal(got, body.Bytes) {
		t.Errorf("%s\nwant\n%s", got, body.Bytes)
	}
}
