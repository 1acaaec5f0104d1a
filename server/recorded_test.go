package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/server"
)

// TestEachAttemptGivesItsBodyBack records a call that fails and is repeated with another seed.
func TestEachAttemptGivesItsBodyBack(t *testing.T) {
	r := start(t, server.Options{})
	var sent []string
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, got *http.Request) {
		body, _ := io.ReadAll(got.Body)
		if sent = append(sent, string(body)); len(sent) == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}`)
	}))
	defer provider.Close()
	rec := record.New(r.store, record.Options{Context: "run", Strict: true})
	client := &http.Client{Transport: rec.Transport(nil)}
	for _, seed := range []string{"1", "2"} {
		resp, err := client.Post(provider.URL+"/v1/chat/completions", "application/json",
			strings.NewReader(`{"seed":`+seed+`,"model":"m","messages":[{"role":"user","content":"hi"}]}`))
		must(t, err)
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.Body.Close() != nil {
			t.Fatal(err)
		}
	}
	rec.Close()
	var list struct{ Recorded, Forms []string }
	r.must(&list, "GET", "/v1/contexts/run/attempts", "")
	if !slices.Equal(list.Recorded, []string{"attempt:1-1", "attempt:1-2"}) || len(list.Forms) != 7 {
		t.Fatalf("%+v", list)
	}
	for _, form := range list.Forms {
		r.must(nil, "GET", "/v1/contexts/run/thread?as="+form, "")
	}
	r.call("GET", "/v1/contexts/run/thread?as=morse", "").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
	path := "/v1/contexts/run/thread?as=verbatim"
	for query, want := range map[string]string{"&attempt=1": sent[0], "&attempt=2": sent[1], "": sent[1]} {
		if got := string(r.must(nil, "GET", path+query, "").body); got != want {
			t.Errorf("%q is %s, want %s", query, got, want)
		}
	}
	r.call("GET", path+"&attempt=3", "").refused(t, http.StatusNotFound, "E_ATTEMPT_NOT_FOUND")
	r.call("GET", "/v1/contexts/run/thread?attempt=1", "").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
}

// TestTheCountsOfAProviderAreComparedWithItsRules imports seven calls. Of the third the provider
// says that it read nothing, though nothing was cut; of the fifth that it read all, though the
// prefix was cut; of the last that it read more than any call before it sent.
func TestTheCountsOfAProviderAreComparedWithItsRules(t *testing.T) {
	r := start(t, server.Options{})
	data, err := os.ReadFile("testdata/cached.har")
	must(t, err)
	r.must(nil, "POST", "/v1/import?name=run", string(data))
	var calls struct {
		Currency string
		Items    []struct {
			Cut      *struct{ Node string }
			Attempts struct {
				In, Cached int64
				Cost       float64
			}
			Broke *struct{ Again int64 }
		}
	}
	r.must(&calls, "GET", "/v1/contexts/run/calls", "")
	// 10 tokens of input at 3 a million, 2,290 written at 3.75, 40 of the answer at 15; then 2,290 read at 0.3, 300 written.
	for i, want := range []string{"USD 0.0092175", "USD 0.0024420"} {
		if got := fmt.Sprintf("%s %.7f", calls.Currency, calls.Items[i].Attempts.Cost); got != want {
			t.Errorf("call %d cost %s, want %s", i+1, got, want)
		}
	}
	for i, want := range []struct {
		in, cached, again int64
		cut               string
	}{
		{2300, 0, 0, ""},
		{2600, 2290, 0, ""},
		{2900, 0, 2590, ""}, // of 2,290 read and 300 written
		{3200, 2890, 0, ""},
		{3500, 3190, 0, "block:2-1"},
		{3800, 2290, 1200, "block:3-1"}, // of 3,190 and 300
		{4100, 3840, 0, ""},
	} {
		got, again := calls.Items[i].Attempts, int64(0)
		if broke := calls.Items[i].Broke; broke != nil {
			again = broke.Again
		}
		if got.In != want.in || got.Cached != want.cached || again != want.again {
			t.Errorf("call %d: %+v, %d sent again, want %+v", i+1, got, again, want)
		}
		if cut := calls.Items[i].Cut; (cut != nil) != (want.cut != "") || cut != nil && cut.Node != want.cut {
			t.Errorf("call %d is cut at %+v, want %q", i+1, cut, want.cut)
		}
	}
	var of struct {
		Sums struct {
			Calls, Broke, Priced int
			Cost                 float64
		}
	}
	r.must(nil, "POST", "/v1/contexts/run/fork", `{"at":"@c5","name":"other"}`)
	for path, want := range map[string]string{"run?since=1": "{7 2 7 ", "run?since=6": "{2 1 2 ", "run?since=8": "{0 0 0 0}", "other?since=6": "{0 0 0 0}"} {
		if r.must(&of, "GET", "/v1/contexts/"+path, ""); !strings.HasPrefix(fmt.Sprint(of.Sums), want) {
			t.Errorf("%s sums up to %v, want %s…", path, of.Sums, want)
		}
	}
	sum := 0.0
	for _, call := range calls.Items {
		sum += call.Attempts.Cost
	}
	if r.must(&of, "GET", "/v1/contexts/run?since=1", ""); of.Sums.Cost != sum {
		t.Errorf("the calls cost %v together, want %v", of.Sums.Cost, sum)
	}
	r.call("GET", "/v1/contexts/run?since=0", "").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
}
