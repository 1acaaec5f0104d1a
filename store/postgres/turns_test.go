package postgres_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
)

// put makes a commit of a turn with a text, and a request token where one is
// given.
func put(t testing.TB, c *pact.Context, token, text string) (*pact.Sealed, error) {
	return c.Commit(t.Context(), &pact.CommitOptions{
		Note: pact.Note{Request: token},
		Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: text})
			return b.Err()
		},
	})
}

func commit(t testing.TB, c *pact.Context, token string, turn int) {
	t.Helper()
	_, err := put(t, c, token, fmt.Sprint("turn ", turn))
	must(t, err)
}

var must = testrun.Must

// databaseName is the last part of an address.
func databaseName(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	return u.Path[1:]
}

// segments returns the rows of a database that describe joined cycles.
func segments(t *testing.T, address string) [][]string {
	t.Helper()
	return postgrestest.Exec(t, address, `SELECT space FROM pair WHERE space > 0 AND name >= 's' AND name < 't'`)
}
