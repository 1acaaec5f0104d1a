package verify

import (
	"reflect"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
)

// TestAttemptsOfASnapshotCountOnce tells what the attempts of one cycle say of the
// thread "a".
func TestAttemptsOfASnapshotCountOnce(t *testing.T) {
	sent := func(thread string, status history.AttemptStatus) history.Attempt {
		return history.Attempt{Thread: thread, Status: status}
	}
	cases := map[string]struct {
		attempts                                []history.Attempt
		matching, differing, incomplete, erased int
	}{
		"as sent":            {[]history.Attempt{sent("a", history.Completed)}, 1, 0, 0, 0},
		"the second as sent": {[]history.Attempt{sent("b", history.Completed), sent("a", history.Completed)}, 1, 0, 0, 0},
		"as sent, erased too": {[]history.Attempt{sent(history.NoThread, history.Completed), sent("a", history.Completed)}, 1, 0, 0,
			0},
		"other bytes":    {[]history.Attempt{sent("b", history.Completed)}, 0, 1, 0, 0},
		"failed as sent": {[]history.Attempt{sent("a", history.Failed), sent("a", history.Running)}, 0, 0, 1, 0},
		"erased": {[]history.Attempt{sent(history.NoThread, history.Completed), sent("b", history.Completed)}, 0, 0, 0,
			1},
	}
	for name, c := range cases {
		var got inspect.AttemptCounts
		countAttempts(&got, 3, "a", c.attempts)
		want := inspect.AttemptCounts{Matching: c.matching, Incomplete: c.incomplete, Erased: c.erased}
		for range c.differing {
			want.Differing = append(want.Differing, 3)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}
