package engine_test

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/store"
)

// A program that reads format 3 looks for attempts in a row each, and would list only those that were not joined: it is to
// refuse the store, as it refuses every number but its own in the row of a context.
func TestAProgramThatKnowsNoJoinedAttemptsRefusesTheStore(t *testing.T) {
	m := store.NewMemory()
	w := begin(t, engine.Open(m), "new")
	row, err := m.Get(background, store.Key{Space: store.Space(w.key), Name: "i"})
	must(t, err)
	if row[0] <= 3 {
		t.Errorf("a context is written in format %d", row[0])
	}
}

// Attempts of format 4 have the SHA-256 of the bytes of their thread. Compared with its digest, each of them would have
// sent another thread than was committed.
func TestAStoreWhoseAttemptsHaveNoDigestOfTheThreadIsRefused(t *testing.T) {
	m := store.NewMemory()
	w := begin(t, engine.Open(m), "new")
	row, err := m.Get(background, store.Key{Space: store.Space(w.key), Name: "i"})
	must(t, err)
	if row[0] <= 4 {
		t.Errorf("a context is written in format %d", row[0])
	}
}

// A store whose contexts another version wrote is not damaged: the error says how to move them. A row
// begins with the number of its format and ends with 16 bytes of the SHA-256 of what is before them.
func TestAnotherFormatIsNoDamage(t *testing.T) {
	m := store.NewMemory()
	w := begin(t, engine.Open(m), "old")
	place := store.Key{Space: store.Space(w.key), Name: "i"}
	row, err := m.Get(background, place)
	must(t, err)
	body := append([]byte{1}, row[1:len(row)-16]...)
	sum := sha256.Sum256(body)
	must(t, m.Write(background, &store.Batch{Put: []store.Pair{{Key: place, Value: append(body, sum[:16]...)}}}))
	_, err = engine.Open(m).Load(background, w.key)
	if fault.CodeOf(err) != fault.Store || !strings.Contains(err.Error(), "another version of pact wrote") ||
		!strings.Contains(err.Error(), "export its contexts") || strings.Contains(err.Error(), "backup") {
		t.Errorf("%v", err)
	}
}
