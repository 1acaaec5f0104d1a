package record_test

import (
	"testing"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"

	"github.com/contexttree/pact/transcript"
)

// The working state of a run holds the last answer, or a request without one.
func TestWhatTheWorkingStateOfARunHas(t *testing.T) {
	want := func(s *pact.DB, name string, tail record.Tail) {
		t.Helper()
		got, err := record.TailOf(t.Context(), opened(t, s, name))
		if err != nil || got != tail {
			t.Errorf("%s has %q, want %q; %v", name, got, tail, err)
		}
	}
	tk := newTalk(t, provider.Chat)
	tk.turn("a")
	want(tk.store, "chat", record.Unsent)
	tk.ask("b")
	url := tk.url
	tk.url = "http://127.0.0.1:1/v1/chat/completions"
	if _, _, err := tk.send(t.Context()); err == nil {
		t.Fatal("nobody listens, and a request was answered")
	}
	want(tk.store, "chat", record.Unanswered)
	tk.url = url
	tk.call()
	want(tk.store, "chat", record.Unsent)

	read, err := transcript.Read([]byte(`[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]`))
	must(t, err)
	_, err = transcript.Import(t.Context(), tk.store, "imported", read[0], nil)
	must(t, err)
	want(tk.store, "imported", record.Unsent)

	mine, err := pact.Create(t.Context(), tk.store, "mine", nil)
	must(t, err)
	must(t, mine.Edit(t.Context(), func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Role: "assistant", Content: "a draft"})
		return nil
	}, nil))
	want(tk.store, "mine", record.NoTail)
}
