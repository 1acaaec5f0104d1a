package clients

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRequestsOfAnyFormAreAnsweredAsTheDocumentSays has schemathesis make requests from the
// document, fitting ones and others, and look at each answer: none is a failure of the
// server, and all have a status, a media type and a form that the document names. Requests
// that build on each other are among them.
//
// It leaves out event streams, which do not end, and the exchange of the token for a cookie.
// What the document forbids may be taken where a parameter is empty, which is as good as
// none, so whether all else is refused is not looked at here. That an erasure in a new context
// answers 404 for a node that was never in it is no loss of the context: see schemathesis.toml.
func TestRequestsOfAnyFormAreAnsweredAsTheDocumentSays(t *testing.T) {
	dir, err := filepath.Abs(tools(t))
	if err != nil {
		t.Fatal(err)
	}
	from, err := filepath.Abs(document)
	if err != nil {
		t.Fatal(err)
	}
	config, err := filepath.Abs("schemathesis.toml")
	if err != nil {
		t.Fatal(err)
	}
	server, token := serve(t)
	curl := []string{"--fail-with-body", "-sS", "-H", "Authorization: Bearer " + token}
	run(t, "../..", nil, "curl", append(curl, "--data-binary", "@examples/conversations/repair.jsonl",
		server+"/v1/import?name=repair&form=history")...)
	said := run(t, t.TempDir(), []string{"NO_COLOR=1"}, filepath.Join(dir, "python", "bin", "schemathesis"), "--config-file", config, "run", from,
		"--url", server, "-H", "Authorization: Bearer "+token, "-n", "15", "--seed", "15",
		"--exclude-operation-id", "events", "--exclude-operation-id", "create-session",
		"--exclude-checks", "negative_data_rejection,positive_data_acceptance,missing_required_header,unsupported_method",
		"--phases", "examples,coverage,fuzzing,stateful", "--request-timeout", "20", "--generation-database", "none")
	if !regexp.MustCompile(`\d{4} generated, \d{4} passed`).MatchString(said) {
		t.Errorf("schemathesis says\n%s", said)
	}
	// The server still answers, and nothing of what was there before is gone.
	if got := run(t, ".", nil, "curl", append(curl, server+"/v1/policies")...); !strings.Contains(got, "agent") {
		t.Errorf("afterwards the server says %s", got)
	}
}
