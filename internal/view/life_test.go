package view_test

import (
	"strings"
	"testing"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/view"
)

// A node that went when its agent compacted the conversation was removed by that, and any other edit is one.
func TestALifeNamesACompaction(t *testing.T) {
	for message, by := range map[string]string{"the log says that the agent compacted the conversation": "a compaction", "by hand": "an edit"} {
		cause := &diff.Cause{Kind: diff.ByEdit, Author: diff.Author{Message: message}}
		if says := view.EventInWords(inspect.Event{Kind: inspect.EventRemoved, Cause: cause}); !strings.HasPrefix(says, "removed by "+by) {
			t.Errorf("%s: %s", message, says)
		}
	}
}
