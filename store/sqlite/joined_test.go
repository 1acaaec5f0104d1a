package sqlite_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/contexttree/pact/history"
)

// TestJoiningHidesNoDamage changes a record before a process joins it that did not write it: it
// stays in the log, and Check finds it as before.
func TestJoiningHidesNoDamage(t *testing.T) {
	const second = " WHERE id = (1 << 36) + 3" // the first is the empty context
	for _, statement := range []string{
		"UPDATE log SET value = CAST(substr(value, 1, 30) || x'0909' || substr(value, 33) AS BLOB)" + second,
		"UPDATE log SET value = CAST(substr(value, 1, length(value) - 1) || x'09' AS BLOB)" + second,
		"UPDATE log SET value = (SELECT value FROM log WHERE id = (1 << 36) + 2)" + second,
	} {
		path := filepath.Join(t.TempDir(), "pact.db")
		w := &turns{store: open(t, path)}
		must(t, w.create(t.Context()))
		for range 4 {
			w.next(t, "a turn")
		}
		raw(t, path, statement).Close()
		err := open(t, path).(*file).SettleAll(t.Context())
		var damage *history.Damage
		if !errors.As(err, &damage) || segmentsIn(t, path) > 0 {
			t.Errorf("%s: %v, and %d segments", statement, err, segmentsIn(t, path))
		}
		if damage, err := w.store.Check(t.Context(), 1); err != nil || damage == nil {
			t.Errorf("%s: %+v, %v", statement, damage, err)
		}
	}
}
