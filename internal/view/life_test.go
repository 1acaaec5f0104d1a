package view_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/view"
)

// A node that went when its agent compacted the conversation was removed by that, as with any other rewriting; any other edit is one.
func TestALifeNamesACompaction(t *testing.T) {
	for message, by := range map[string]string{"the log says that the agent compacted the conversation": "by a compaction",
		"the agent rewrote the conversation: it quotes the last answer": "as the agent rewrote", "by hand": "by an edit"} {
		cause := &diff.Cause{Kind: diff.ByEdit, Author: diff.Author{Message: message}}
		if says := view.EventInWords(inspect.Event{Kind: inspect.EventRemoved, Cause: cause}); !strings.HasPrefix(says, "removed "+by) {
			t.Errorf("%s: %s", message, says)
		}
	}
}
