package recall_test

import (
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/recall"
)

// A context with originals gives ids of its own to what it keeps beside them: the id of a block that the conversation has,
// or had, is that of the conversation.
func TestAnIDIsFirstOfAllThatOfTheConversation(t *testing.T) {
	db := memory(t)
	c := begin(t, db, "chat", "")
	first := say(t, c, pact.Spec{Role: "user", Content: "said in the conversation"})
	commit(t, c, 1)
	kept := begin(t, db, "chat/originals", "")
	if also := say(t, kept, pact.Spec{Role: "assistant", Kind: "call", Content: "kept beside it"}); also != first {
		t.Fatalf("%s and %s", first, also)
	}
	say(t, kept, pact.Spec{ID: "note1", Role: "tool", Kind: "result", Content: "the whole text"})
	commit(t, kept, 1)
	s := connect(t, db, recall.Options{})
	for id, want := range map[string]string{first: "said in the conversation", "note1": "the whole text"} {
		for _, context := range []string{"", "chat"} {
			text, failed := ask(t, s, "recall", map[string]any{"id": id, "context": context})
			if failed {
				t.Error(text)
			}
			has(t, text, want)
		}
	}
}
