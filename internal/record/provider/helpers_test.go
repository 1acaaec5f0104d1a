package provider

import (
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
)

var must = testrun.Must

// read reads the body of a request as the rules of a provider do.
func read(t testing.TB, d *CacheRules, name API, body string) *Prompt {
	t.Helper()
	r, ok := ReadRequest(name, parsed(t, body))
	if !ok {
		t.Fatalf("not read: %s", body)
	}
	return d.Read(r, "")
}

func parsed(t testing.TB, text string) canon.Any {
	t.Helper()
	v, err := canon.ParseAny([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
