package server_test

import (
	"net/http"
	"os"
	"reflect"
	"testing"

	"github.com/contexttree/pact/server"
)

func TestAnExportImportsToTheSameContext(t *testing.T) {
	r := start(t, server.Options{})
	c := weather(t, r)
	for _, form := range []string{"snapshots", "compact"} {
		history := r.must(nil, "GET", "/v1/contexts/weather/export?form="+form, "").body
		var made struct{ Contexts []contextInfo }
		r.must(&made, "POST", "/v1/import?form=history&name="+form, string(history))
		first, last := c.Info().First, c.Info().Cycle
		if got := made.Contexts[0]; got.Name != form || got.First != first || got.Last != last {
			t.Errorf("%s: %+v", form, got)
		}
		if copied := r.must(nil, "GET", "/v1/contexts/"+form+"/export?form="+form, "").body; string(copied) != string(history) {
			t.Errorf("%s: the copy exports other bytes", form)
		}
		var again struct{ Contexts []contextInfo }
		if r.must(&again, "POST", "/v1/import?form=history&name="+form, string(history)); !reflect.DeepEqual(again, made) {
			t.Errorf("%s: the same history again makes %+v of %+v", form, again, made)
		}
		r.call("POST", "/v1/import?name="+form, `[{"role":"user","content":"other"},{"role":"assistant","content":"a"}]`).
			refused(t, http.StatusConflict, "E_CONFLICT")
	}
	document := r.must(nil, "GET", "/v1/contexts/weather/export?form=document", "").body
	r.must(nil, "POST", "/v1/import?form=document&name=one", string(document))
	data, err := os.ReadFile("../examples/conversations/support.jsonl")
	must(t, err)
	r.must(nil, "POST", "/v1/import?form=log&name=support", string(data))
	r.call("POST", "/v1/import?form=log&name=none", "no conversation").
		refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
	r.call("POST", "/v1/import?form=history&name=none", "{").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
	r.call("GET", "/v1/contexts/none", "").refused(t, http.StatusNotFound, "E_CONTEXT_NOT_FOUND")
}
