package archive_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/internal/tree"
)

// snapshotsWithOneOdd is snapshots of which each brings a turn. odd stands in the second turn
// of the snapshots from..to alone.
func snapshotsWithOneOdd(t *testing.T, snapshots, from, to int, odd string) []*pact.Snapshot {
	t.Helper()
	var list []*pact.Snapshot
	for cycle := 1; cycle <= snapshots; cycle++ {
		var turns []string
		for i := range cycle {
			turn := fmt.Sprintf(`{"id":"t%d","nodeType":"seg","created_at_ns":%d,"children":[
				{"id":"c%d","nodeType":"cont","children":[{"id":"b%d","nodeType":"block","content":"x"}]}ODD]}`, i, i+1, i, i)
			more := ""
			if i == 1 && cycle >= from && cycle <= to {
				more = "," + odd
			}
			turns = append(turns, strings.Replace(turn, "ODD", more, 1))
		}
		doc := fmt.Sprintf(`{"cycle":%d,"edition":"canonical","root":{"id":"root","nodeType":"^root","children":[
			{"id":"sys","nodeType":"^sys"},{"id":"seq","nodeType":"^seq","children":[%s]},{"id":"ah","nodeType":"^ah"}]}}`, cycle, strings.Join(turns, ","))
		s, _, err := pact.ReadSnapshot([]byte(doc), "")
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// What is wrong in the middle of a history, and was mended before its end, is
// found where it stood.
func TestEverySnapshotIsReadBack(t *testing.T) {
	for what, odd := range map[string]string{
		"nothing":            ``,
		"a late note":        `{"id":"n","nodeType":"block","offset":1,"ttl":9}`,
		"a second core":      `{"id":"n","nodeType":"cont","created_at_ns":5}`,
		"a block beside it":  `{"id":"n","nodeType":"block"}`,
		"a turn in a turn":   `{"id":"n","nodeType":"seg","offset":1}`,
		"a block with block": `{"id":"n","nodeType":"block","offset":1,"children":[{"id":"m","nodeType":"block"}]}`,
	} {
		legal := what == "nothing" || what == "a late note"
		from, to := 4, 6
		if odd == "" {
			from, to = 1, 0
		}
		var r archive.ReadBack
		refused := 0
		for i, s := range snapshotsWithOneOdd(t, 9, from, to, odd) {
			_, err := r.Next(context.Background(), tree.Of(s), s.Edition(), i == 8)
			_, whole := new(archive.ReadBack).Next(context.Background(), tree.Of(s), s.Edition(), true)
			if (whole != nil) != (!legal && i+1 >= from && i+1 <= to) {
				t.Fatalf("%s, snapshot %d, whole: %v", what, i+1, whole)
			}
			if err != nil && refused == 0 {
				refused = i + 1 // a run ends there
			}
		}
		if want := map[bool]int{true: 0, false: from}[legal]; refused != want {
			t.Errorf("%s: snapshot %d is refused, want %d", what, refused, want)
		}
	}
}
