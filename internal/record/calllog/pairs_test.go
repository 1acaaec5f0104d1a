package calllog

import (
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/canon"
)

// inLines returns a file as JSON Lines: as it is, or its one value on a line.
func inLines(t *testing.T, data []byte) []byte {
	t.Helper()
	if value, err := canon.ParseAny(data); err == nil {
		data = []byte(value.Value())
	}
	return append(slices.Clone(data), '\n')
}

// TestNoFormatIsTakenForAnother: of each pair of formats, the records of the second behind those of the first are read
// as what they are, left out with a finding, or the file is refused. The reader of the first never takes them without a
// word. Lists of chat messages, of which there are several shapes, are one format here.
func TestNoFormatIsTakenForAnother(t *testing.T) {
	all := samples(t)
	shape := func(name string) string {
		form := Detect(all[name])
		if slices.ContainsFunc(messageFormats, func(f format) bool { return f.name == form }) {
			return "chat"
		}
		return form
	}
	for first := range all {
		alone, err := Read(inLines(t, all[first]))
		if err != nil {
			t.Errorf("%s: %v", first, err)
			continue
		}
		for second := range all {
			if shape(first) == shape(second) {
				continue
			}
			both, err := Read(slices.Concat(inLines(t, all[first]), inLines(t, all[second])))
			if err != nil {
				if one, other := Detect(all[first]), Detect(all[second]); !strings.Contains(err.Error(), one) || !strings.Contains(err.Error(), other) {
					t.Errorf("%s (%s) before %s (%s): %v", first, one, second, other, err)
				}
				continue
			}
			if _, form, _ := strings.Cut(Detect(all[second]), " "); both.Format != alone.Format && both.Format != form {
				t.Errorf("%s before %s is taken for a %s", first, second, both.Format)
			}
			if len(both.Findings) <= len(alone.Findings) {
				t.Errorf("%s before %s: a %s with %d sessions, and nothing is said of the second", first, second, both.Format, len(both.Sessions))
			}
		}
	}
}
