package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/contexttree/pact/server"
)

// TestABodyThatDoesNotFitIsToldWhere asks with members that no object has and with values of
// another type; the refusal says which one, of what, and what may have been meant.
func TestABodyThatDoesNotFitIsToldWhere(t *testing.T) {
	r := start(t, server.Options{})
	r.must(nil, "POST", "/v1/contexts", `{"name":"a"}`)
	for body, want := range map[string]string{
		`{"cycle":0,"edits":[{"op":"add","into":"^ah","node":{"tll":3}}]}`: "tll is no member of a node|did you mean ttl?",
		`{"cycle":0,"edits":[{"opp":"add"}]}`:                              "opp is no member of an edit|did you mean op?",
		`{"cycle":0,"pruning":{"policy":{"max_token":1}}}`:                 "max_token is no member of a policy|did you mean max_tokens?",
		`{"cycle":0,"pruning":{"policy":{"rules":[{"selekt":"*"}]}}}`:      "selekt is no member of a rule of a policy|did you mean",
		`{"cycles":0}`: "cycles is no member of the body|did you mean cycle?",
		`{"cycle":0,"pruning":{"nothing like it":1}}`:                         "nothing like it is no member of a pruning|/openapi.json",
		`{"cycle":0,"pruning":{"policy":3}}`:                                  "pruning.policy must be an object or the name of a policy|",
		`{"cycle":0,"pruning":{"policy":{"max_turns":"3"}}}`:                  "pruning.policy.max_turns must be a number|",
		`{"cycle":0,"pruning":{"policy":"agnet"}}`:                            `there is no ready policy "agnet"|agent`,
		`{"cycle":0,"edits":{}}`:                                              "edits must be an array|",
		`{"cycle":0,"edits":[{"op":"add","into":"^ah","node":{"pinned":1}}]}`: "pinned must be true or false|",
	} {
		f := r.call("POST", "/v1/contexts/a/commits", body).refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
		detail, remedy, _ := strings.Cut(want, "|")
		if !strings.Contains(f.Detail, detail) || !strings.Contains(f.Remedy, remedy) {
			t.Errorf("%s: %s; %s", body, f.Detail, f.Remedy)
		}
	}
	for body, want := range map[string]string{
		`{"policies":[{"name":"x","policy":{"max_token":1}}]}`: "max_token is no member of a policy",
		`{"policies":[{"nam":"x"}]}`:                           "nam is no member of a policy with its name",
		`{"prices":{"dates":"2026-01-01"}}`:                    "dates is no member of a list of prices",
		`{"prices":{"models":[{"modell":"m"}]}}`:               "modell is no member of the price of a model",
	} {
		f := r.call("POST", "/v1/contexts/a/simulation", body).refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
		if f.Detail != want {
			t.Errorf("%s: %q instead of %q", body, f.Detail, want)
		}
	}
	for query, remedy := range map[string]string{"selectr=x": "/openapi.json says which", "limt=1": "did you mean limit?"} {
		f := r.call("GET", "/v1/contexts/a/select?q=*&"+query, "").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
		if !strings.Contains(f.Remedy, remedy) {
			t.Errorf("%s: %s", query, f.Remedy)
		}
	}
	for _, query := range []string{"calls?unit=byts", "calls?last=few", "thread?as=opnai"} {
		f := r.call("GET", "/v1/contexts/a/"+query, "").refused(t, http.StatusBadRequest, "E_DOCUMENT_INVALID")
		if strings.Contains(f.Remedy, "did you mean") {
			t.Errorf("%s: %s", query, f.Remedy)
		}
	}
}
