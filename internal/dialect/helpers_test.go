package dialect

import (
	"testing"

	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// read reads the body of a request as a dialect does.
func read(t testing.TB, d *Dialect, name api.Name, body string) *Prompt {
	t.Helper()
	v, err := canon.ParseAny([]byte(body))
	must(t, err)
	r, ok := api.Read(name, v)
	if !ok {
		t.Fatalf("not read: %s", body)
	}
	return d.Read(r, "", []byte(body))
}
