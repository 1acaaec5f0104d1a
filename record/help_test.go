package record_test

import (
	"testing"

	pact "github.com/contexttree/pact"
)

func mustAddress(t testing.TB, text string) pact.Address {
	t.Helper()
	a, err := pact.ParseAddress(text)
	must(t, err)
	return a
}
