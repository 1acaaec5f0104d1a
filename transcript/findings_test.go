package transcript_test

import (
	"slices"
	"testing"

	"github.com/contexttree/pact/transcript"
)

// A role that no provider has is named once, with its first message; the roles of
// old and new chat completions are known.
func TestUnknownRolesAreFound(t *testing.T) {
	list, err := transcript.Read([]byte(`[{"role":"developer","content":"a"},{"role":"User","content":"b"},` +
		`{"role":"assistant","content":"c"},{"role":"User","content":"d"},{"role":"","content":"e"}]`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list[0].Findings() {
		got = append(got, f.Message)
	}
	want := []string{`message 1 has the role "User", which no provider knows; it counts as other`,
		`message 4 has the role "", which no provider knows; it counts as other`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
