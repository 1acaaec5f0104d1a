package transcript_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/transcript"
)

// A role that no provider has is named once, with its first message; the roles of
// old and new chat completions are known.
func TestUnknownRolesAreFound(t *testing.T) {
	list, err := transcript.Read([]byte(`[{"role":"developer","content":"a"},{"role":"User","content":"b"},` +
		`{"role":"assistant","content":"c"},{"role":"User","content":"d"},{"role":"","content":"e"}]`))
	must(t, err)
	var got []string
	for _, f := range list[0].Findings() {
		got = append(got, f.Message)
	}
	want := []string{`line 1: message 1 has the role "User", which no provider knows; it counts as other`,
		`line 1: message 4 has the role "", which no provider knows; it counts as other`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A file in which no message has a known role is about something else: it is refused with the
// place of the first. One known role is enough to keep the others, whatever the shape.
func TestAFileOfUnknownRolesIsRefused(t *testing.T) {
	for text, line := range map[string]int{
		`{"role":"alien","content":"x"}`: 1,
		"{\"role\":\"alien\",\"content\":\"x\"}\n{\"role\":\"martian\",\"content\":\"y\"}\n":    1,
		"\n\n{\"role\":\"admin\",\"name\":\"Momo\"}\n{\"role\":\"guest\",\"name\":\"Jim\"}\n":   3,
		`[{"role":"alien","content":"x"}]`:                                                      1,
		`{"messages":[{"role":"alien","content":"x"}]}`:                                         1,
		"{\"messages\":[]}\n{\"messages\":[{\"role\":\"alien\",\"content\":\"x\"}]}\n":          2,
		`[{"traj":[{"role":"alien","content":"x"}]},{"traj":[{"role":"alien","content":"x"}]}]`: 1,
	} {
		_, err := transcript.Read([]byte(text))
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.DocumentInvalid || f.Line != line ||
			!strings.Contains(f.Message, "message 0 has a role that no provider knows") ||
			!strings.Contains(f.Remedy, "system, developer, user, assistant, tool") || !strings.Contains(f.Token, "a") {
			t.Errorf("%s: the error is %#v", text, err)
		}
	}
	for _, text := range []string{`[{"role":"alien","content":"x"},{"role":"user","content":"y"}]`,
		"{\"messages\":[{\"role\":\"alien\",\"content\":\"x\"}]}\n{\"messages\":[{\"role\":\"tool\",\"content\":\"x\"}]}\n",
		`[{"role":"other","content":"x"}]`} {
		if _, err := transcript.Read([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A conversation that makes no cycle has a finding that says why.
func TestNoCycleHasAReason(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                              "there are no messages, so there is no cycle",
		`{"messages":[]}`:                 "there are no messages, so there is no cycle",
		`[{"role":"user","content":"x"}]`: "the model has answered nothing, so there is no cycle yet",
		`{"role":"system","content":"x"}`: "the model has answered nothing, so there is no cycle yet",
		"{\"messages\":[]}\n{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}\n": "0: there are no " +
			"messages; 1: the model has answered nothing",
	} {
		list, err := transcript.Read([]byte(text))
		must(t, err)
		var got []string
		for _, c := range list {
			for _, f := range c.Findings() {
				got = append(got, f.Message)
			}
			if c.Calls() > 0 {
				t.Errorf("%s has calls", text)
			}
		}
		parts := strings.Split(want, "; ")
		if len(got) != len(parts) {
			t.Errorf("%s has the findings %q", text, got)
			continue
		}
		for i, part := range parts {
			if !strings.HasPrefix(got[i], part) {
				t.Errorf("%s: finding %q, want %q", text, got[i], part)
			}
		}
	}
}
