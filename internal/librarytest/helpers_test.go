package librarytest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/selector"
)

var providerCall = pact.ProviderCall{Provider: "openai", Model: "gpt-5"}

// sha is the SHA-256 of a text, in hexadecimal.
func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// start starts an attempt and returns it with what was sent.
func start(t testing.TB, c *pact.Context) (*history.Attempt, string) {
	t.Helper()
	var sent bytes.Buffer
	a, err := c.StartAttempt(background, providerCall, &sent, nil)
	must(t, err)
	return a, sent.String()
}

// attemptCounts returns Verify's counts of the attempts of a context that holds.
func attemptCounts(t testing.TB, c *pact.Context) *inspect.AttemptCounts {
	t.Helper()
	r, err := pact.Verify(background, c, nil)
	must(t, err)
	if r.Defect != nil {
		t.Fatalf("broken: %+v", r.Defect)
	}
	return r.Attempts
}

// wantAttemptCounts compares what Verify counts of attempts, as JSON.
func wantAttemptCounts(t testing.TB, c *pact.Context, want string) {
	t.Helper()
	got, err := json.Marshal(attemptCounts(t, c))
	must(t, err)
	if string(got) != want {
		t.Errorf("verify says %s, want %s", got, want)
	}
}

var background = context.Background()

// create makes the context c in a store: of edition v0.1 and with a clock that
// counts, unless the options say otherwise.
func create(t testing.TB, s *pact.DB, opts ...pact.CreateOptions) *pact.Context {
	t.Helper()
	var o pact.CreateOptions
	for _, given := range opts {
		o = given
	}
	o.Edition = cmp.Or(o.Edition, selector.V01)
	if o.Clock == nil {
		o.Clock = steps()
	}
	c, err := pact.Create(background, s, "c", &o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// say adds a text of the user to the active head.
func say(text string) func(*pact.Batch) error {
	return func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: text})
		return nil
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// logOf collects the log of a context.
func logOf(c *pact.Context) (list []history.Entry, err error) {
	for e, failed := range c.Log(background, 0) {
		if failed != nil {
			return nil, failed
		}
		list = append(list, e)
	}
	return list, nil
}

// ids are those that a selector finds.
func ids(t testing.TB, c *pact.Context, text string) []string {
	t.Helper()
	got, err := c.Select(background, text, nil)
	must(t, err)
	return got
}

// chance gives the same bytes in every test: what is random is not tested here.
func chance() io.Reader { return rand.NewChaCha8([32]byte{7}) }

// erasure is that of some nodes, with a receipt that is always the same.
func erasure(ids ...string) pact.Erasure {
	return pact.Erasure{IDs: ids, Reason: "asked for", Actor: "officer", Random: chance()}
}

// documentOf returns the canonical document of a snapshot.
func documentOf(ctx context.Context, s *pact.Snapshot) ([]byte, error) {
	var b bytes.Buffer
	err := s.Export(ctx, &b)
	return b.Bytes(), err
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

// turnsOf commits a turn for every text.
func turnsOf(t testing.TB, c *pact.Context, texts ...string) {
	t.Helper()
	for _, text := range texts {
		_, err := c.Commit(background, &pact.CommitOptions{Edit: say(text)})
		must(t, err)
	}
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

// steps is a clock that counts.
func steps() func() int64 {
	n := int64(999)
	return func() int64 { n++; return n }
}

// verdicts verifies a whole store and returns what is wrong, nothing where all of
// it holds.
func verdicts(t testing.TB, s *pact.DB) (list []string) {
	t.Helper()
	r, err := pact.VerifyAll(background, s, nil)
	if err != nil {
		if !errors.Is(err, fault.Store) {
			t.Fatal(err)
		}
		return []string{err.Error()}
	}
	if r.Defect != nil {
		list = append(list, fmt.Sprintf("%+v", *r.Defect))
	}
	for _, c := range r.Contexts {
		if c.Defect != nil {
			list = append(list, fmt.Sprintf("%+v", *c.Defect))
		}
	}
	return list
}
