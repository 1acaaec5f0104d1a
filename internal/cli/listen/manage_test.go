package listen

import (
	"bytes"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/cli/command"
	"github.com/contexttree/pact/record"
)

// The end says what was sent, what would have been, and nothing of what was not computed.
func TestTheEndSaysWhatManagingDid(t *testing.T) {
	computed := record.Computed{Calls: 8, Sent: 30, Unmanaged: 90, Unpriced: "llama"}
	priced := computed
	priced.Priced, priced.Paid, priced.Instead, priced.Unpriced = true, 0.25, 0.5, ""
	for _, c := range []struct {
		name      string
		m         record.Managed
		manage    bool
		says, not string // parts divided by |
	}{
		{"managed", record.Managed{Shaped: 2, Saved: 5000, Computed: computed}, true, "8 calls, 0 calls of tools asked again for what was taken; " +
			"input of 30 tokens in place of 90; no price of llama is known (computed, against the same run unmanaged)\n      shaped 2 results\n",
			"would|ended|as they came|kB"},
		{"priced", record.Managed{Shaped: 1, Again: 3, Saved: 5000, Computed: priced}, true, "8 calls, 3 calls of tools asked again for " +
			"what was taken; input of 30 tokens in place of 90; 0.2500 dollars in place of 0.5000 (computed, against the same run unmanaged)",
			"less|kB|no price"},
		{"observed", record.Managed{Shaped: 1, Saved: 5000, Computed: computed}, false, "      would have shaped 1 result\n|" +
			"it would be input of 30 tokens in place of 90", "      shaped|kB"},
		{"followed", record.Managed{Follows: true, Saved: 5000}, false, "was sent so again", "would|shaped|0 calls|in place of 0|kB"},
		{"ended", record.Managed{Ended: 1, Why: "400", Saved: 1, Computed: computed}, true, "managing ended for 1 conversation: 400", "0 requests"},
		{"undecided", record.Managed{Open: 3, Saved: 1, Computed: computed}, true, "sent as they came, for want of a decision: 3 requests", "ended"},
	} {
		var out bytes.Buffer
		managedSummary(command.New(command.Streams{Err: &out}), record.Stats{Managed: c.m}, c.manage)
		for part := range strings.SplitSeq(c.says, "|") {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%s: it does not say %q:\n%s", c.name, part, &out)
			}
		}
		for part := range strings.SplitSeq(c.not, "|") {
			if strings.Contains(out.String(), part) {
				t.Errorf("%s: it says %q:\n%s", c.name, part, &out)
			}
		}
	}
}
