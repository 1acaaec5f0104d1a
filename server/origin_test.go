package server_test

import (
	"net/http"
	"testing"

	"github.com/contexttree/pact/server"
)

func TestNamedOriginsReadAnswersAndNoOthers(t *testing.T) {
	const friend = "https://app.example.org"
	r := start(t, server.Options{Origins: []string{friend}})
	got := r.must(nil, "GET", "/v1/contexts", "", "Origin", friend, "Sec-Fetch-Site", "cross-site")
	if h := got.Header; h.Get("Access-Control-Allow-Origin") != friend || h.Get("Vary") != "Origin" ||
		h.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%v", h)
	}
	cookie := r.must(nil, "POST", "/v1/session", `{"token":"`+r.Token()+`"}`).Cookies()[0]
	r.call("GET", "/v1/contexts", "", "Authorization", "-", "Origin", friend, "Cookie", cookie.String()).
		refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
	ask := []string{"Authorization", "-", "Origin", friend, "Access-Control-Request-Method", "POST"}
	got = r.call("OPTIONS", "/v1/contexts", "", ask...)
	if got.StatusCode != http.StatusNoContent || got.Header.Get("Access-Control-Allow-Headers") == "" {
		t.Errorf("the leave: %s %v", got.Status, got.Header)
	}
	got = r.call("GET", "/v1/contexts", "", "Origin", friend, "Authorization", "-")
	got.refused(t, http.StatusUnauthorized, "E_UNAUTHORIZED")
	if got.Header.Get("Access-Control-Allow-Origin") != friend {
		t.Error("the page cannot read why it was refused")
	}
	for _, other := range []string{"http://app.example.org", friend + ":8443", friend + ".evil.example", "null", "*"} {
		for _, method := range []string{"GET", "OPTIONS"} {
			got := r.call(method, "/v1/contexts", "", "Origin", other, "Access-Control-Request-Method", "GET")
			got.refused(t, http.StatusForbidden, "E_ORIGIN")
			if got.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s may read the answer", other)
			}
		}
	}
	r.call("OPTIONS", "/v1/contexts", "").refused(t, http.StatusMethodNotAllowed, "E_ROUTE")
}

func TestNamedHostsAreAnswered(t *testing.T) {
	r := start(t, server.Options{Hosts: []string{"pact.example.org", "other.example.org:8443"}})
	for host, want := range map[string]int{"pact.example.org": 200, "pact.example.org:99": 200,
		"other.example.org:8443": 200,
		"other.example.org":      421, "other.example.org:1": 421, "x.pact.example.org": 421, "PACT.example.org": 200} {
		if got := r.call("GET", "/v1/contexts", "", "Host", host); got.StatusCode != want {
			t.Errorf("%s: %s, want %d", host, got.Status, want)
		}
	}
	r.must(nil, "GET", "/v1/contexts", "", "Host", "pact.example.org", "Origin", "https://pact.example.org")
}
