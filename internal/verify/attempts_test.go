package verify

import (
	"reflect"
	"testing"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/store"
)

// TestAttemptsOfASnapshotCountOnce tells what the attempts of one cycle say of the
// thread "a".
func TestAttemptsOfASnapshotCountOnce(t *testing.T) {
	sent := func(thread string, status store.AttemptStatus) store.Attempt {
		return store.Attempt{Thread: thread, Status: status}
	}
	cases := map[string]struct {
		attempts                                []store.Attempt
		matching, differing, incomplete, erased int
	}{
		"as sent":            {[]store.Attempt{sent("a", store.Completed)}, 1, 0, 0, 0},
		"the second as sent": {[]store.Attempt{sent("b", store.Completed), sent("a", store.Completed)}, 1, 0, 0, 0},
		"as sent, erased too": {[]store.Attempt{sent(store.NoThread, store.Completed), sent("a", store.Completed)}, 1, 0, 0,
			0},
		"other bytes":    {[]store.Attempt{sent("b", store.Completed)}, 0, 1, 0, 0},
		"failed as sent": {[]store.Attempt{sent("a", store.Failed), sent("a", store.Running)}, 0, 0, 1, 0},
		"erased": {[]store.Attempt{sent(store.NoThread, store.Completed), sent("b", store.Completed)}, 0, 0, 0,
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
