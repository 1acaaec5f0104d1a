package commit

import (
	"strings"
	"testing"
)

// A rule that shortened what a model has just recalled would have it recall the same again, without end.
func TestWhatWasRecalledIsNotShaped(t *testing.T) {
	long := strings.Repeat("0123456789", 100)
	if text, cut := shaped(Recalled+long, 10, 10, "block:1-0"); cut || text != Recalled+long {
		t.Errorf("a recalled text became %s", text)
	}
	if _, cut := shaped(long+Recalled, 10, 10, "block:1-0"); !cut {
		t.Error("a text that only mentions it is whole")
	}
}
