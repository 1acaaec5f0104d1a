package operations

import (
	"errors"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

// TestAnOperationWithoutOpIsToldWhatIsMissing: what a line has in place of op is named, and what may have been meant.
func TestAnOperationWithoutOpIsToldWhatIsMissing(t *testing.T) {
	for line, want := range map[string]string{
		`{"opp":"add","into":"^ah","node":{}}`: `"op" of the operation is missing|"opp" is none of its members; did you mean op?`,
		`{"into":"^ah","node":{}}`:             `"op" of the operation is missing|add it`,
		`{"op":5}`:                             `"op" of the operation must be a string|write it in quotes`,
		`{"op":"ad","into":"^ah","node":{}}`:   `there is no operation "ad"|did you mean add?`,
		`{"op":"result"}`:                      `there is no operation "result"|write config, add,`,
	} {
		err := New().Line(t.Context(), []byte(line))
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.DocumentInvalid {
			t.Errorf("%s: %v", line, err)
			continue
		}
		says, remedy, _ := strings.Cut(want, "|")
		if !strings.Contains(f.Error(), says) || !strings.HasPrefix(f.Remedy, remedy) {
			t.Errorf("%s: %v; %s", line, err, f.Remedy)
		}
	}
}
