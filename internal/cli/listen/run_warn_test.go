package listen

import (
	"testing"
	"time"
)

// A run warns once if no call came in time, and not after a call or when it has ended.
func TestARunWarnsAfterATimeWithoutACall(t *testing.T) {
	warned := make(chan bool, 9)
	warn := func() { warned <- true }
	called := warnWithout(func() int { return 1 }, time.Nanosecond, warn)
	ended := warnWithout(func() int { return 0 }, time.Hour, warn)
	if !ended() {
		t.Error("the one that ended had warned before")
	}
	warnWithout(func() int { return 0 }, time.Nanosecond, warn)
	<-warned // else the test does not end
	called()
	if len(warned) > 0 {
		t.Error("a run with calls was warned of")
	}
}
