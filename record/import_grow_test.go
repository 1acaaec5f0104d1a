package record_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/calllog"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// A log that is imported after each of its lines gives the contexts of the whole
// log, and no other: what waits for an answer stands in the context of the answer.
func TestALogImportedLineByLine(t *testing.T) {
	for _, sample := range []string{"claude-code.jsonl", "chat-requests.jsonl", "gemini-cli-stream.jsonl",
		"codex-rollout.jsonl"} {
		t.Run(sample, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(logs, sample))
			must(t, err)
			add := func(s *pact.DB, data []byte) (names []string) {
				log, err := calllog.Read(data)
				if err != nil {
					return nil // no message yet
				}
				i, err := record.NewImporter(t.Context(), s, record.ImportOptions{Context: "run"})
				must(t, err)
				session := log.Sessions[0]
				for _, p := range past(t, session) {
					_, err := i.Add(t.Context(), p)
					must(t, err)
				}
				if session.HasUnsent() {
					body, err := session.UnsentBody()
					must(t, err)
					_, err = i.AddUnsent(t.Context(), string(session.API), body)
					must(t, err)
				}
				return i.Contexts()
			}
			whole, grown := pact.NewDB(store.NewMemory()), pact.NewDB(store.NewMemory())
			want := add(whole, data)
			var got []string
			var read []byte
			for line := range bytes.Lines(data) {
				read = append(read, line...)
				got = add(grown, read)
				if len(got) > len(want) {
					t.Fatalf("after this line there are the contexts %q, not %q:\n%s", got, want, line)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("the contexts are %q, not %q", got, want)
			}
			for _, name := range want {
				if a, b := ownBodies(t, grown, name), ownBodies(t, whole, name); !slices.Equal(a, b) {
					t.Errorf("%s has the requests\n%s\nnot\n%s", name, a, b)
				}
			}
		})
	}
}
