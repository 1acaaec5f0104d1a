package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// TestDamagedToken changes the row of a token behind the back of the store: it opens nothing
// then, and checking the store names it.
func TestDamagedToken(t *testing.T) {
	for _, statement := range []string{"UPDATE access_token SET pattern = '*'", "UPDATE access_token SET write = 1",
		"UPDATE access_token SET hash = zeroblob(32)", "UPDATE access_token SET hash = zeroblob(40)",
		"UPDATE access_token SET name = 'b'"} {
		path := filepath.Join(t.TempDir(), "pact.db")
		s := open(t, path)
		must(t, s.AddToken(t.Context(), store.AccessToken{Name: "a", Pattern: "mine", Hash: [32]byte{1}}))
		raw(t, path, statement).Close()
		if list, err := s.Tokens(t.Context()); fault.CodeOf(err) != fault.Store || list != nil {
			t.Errorf("%s: %+v, %v", statement, list, err)
		}
		if damage, err := s.CheckAll(t.Context()); err != nil || damage == nil {
			t.Errorf("%s: %+v, %v", statement, damage, err)
		}
	}
}
