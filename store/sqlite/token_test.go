package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
)

// TestDamagedToken changes the row of a token behind the back of the store: it opens nothing
// then, and checking the store names it.
func TestDamagedToken(t *testing.T) {
	const token = " WHERE space = 0 AND substr(name, 1, 1) = x'74'" // t
	for _, statement := range []string{"UPDATE pair SET value = CAST(x'00' || substr(value, 2) AS BLOB)" + token,
		"UPDATE pair SET value = CAST(substr(value, 1, length(value) - 1) || x'00' AS BLOB)" + token, "UPDATE pair SET value = x''" + token,
		"UPDATE pair SET value = CAST(value || x'00' AS BLOB)" + token, "UPDATE pair SET name = CAST(name || x'62' AS BLOB)" + token} {
		path := filepath.Join(t.TempDir(), "pact.db")
		s := open(t, path)
		must(t, s.AddToken(t.Context(), history.AccessToken{Name: "a", Pattern: "mine", Hash: [32]byte{1}}))
		raw(t, path, statement).Close()
		if list, err := s.Tokens(t.Context()); fault.CodeOf(err) != fault.Store || list != nil {
			t.Errorf("%s: %+v, %v", statement, list, err)
		}
		if damage, err := s.CheckAll(t.Context()); err != nil || damage == nil {
			t.Errorf("%s: %+v, %v", statement, damage, err)
		}
	}
}
