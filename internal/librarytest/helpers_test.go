package librarytest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
)

var (
	background = context.Background()

	create     = dbtest.Create
	say        = dbtest.Say
	steps      = dbtest.Steps
	must       = testrun.Must
	ids        = dbtest.IDs
	documentOf = dbtest.Document
	exported   = dbtest.Exported
	published  = dbtest.Published
	verdicts   = dbtest.Verdicts
	logOf      = dbtest.LogOf
	chance     = dbtest.Chance
	erasure    = dbtest.Erasure
	turnsOf    = dbtest.Turns
	start      = dbtest.Start
)

var providerCall = pact.ProviderCall{Provider: "openai", Model: "gpt-5"}

// sha is the SHA-256 of a text, in hexadecimal.
func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// attemptCounts returns Verify's counts of the attempts of a context that holds.
func attemptCounts(t testing.TB, db *pact.DB, name string) *inspect.AttemptCounts {
	t.Helper()
	r, err := pact.Verify(background, db, name, nil)
	must(t, err)
	if r.Defect != nil {
		t.Fatalf("broken: %+v", r.Defect)
	}
	return r.Attempts
}

// wantAttemptCounts compares what Verify counts of attempts, as JSON.
func wantAttemptCounts(t testing.TB, db *pact.DB, name, want string) {
	t.Helper()
	got, err := json.Marshal(attemptCounts(t, db, name))
	must(t, err)
	if string(got) != want {
		t.Errorf("verify says %s, want %s", got, want)
	}
}

// textOf is all that can be read of a snapshot: its document and its thread.
func textOf(t *testing.T, s *pact.Snapshot) string {
	t.Helper()
	b, err := documentOf(background, s)
	must(t, err)
	thread, err := s.Thread(background)
	must(t, err)
	return string(b) + string(thread)
}

// thread is the canonical thread at an address.
func thread(t testing.TB, c *pact.Context, at pact.Address) string {
	t.Helper()
	s, err := c.At(background, at)
	must(t, err)
	text, err := s.Thread(background)
	must(t, err)
	return string(text)
}

// choose draws one of a list.
func choose[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func jsonText(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return string(b)
}

func snapshotAt(t *testing.T, c *pact.Context, a pact.Address) *pact.Snapshot {
	t.Helper()
	s, err := c.At(background, a)
	must(t, err)
	return s
}
