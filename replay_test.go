package pact_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
)

func TestReplay(t *testing.T) {
	for seed := range uint64(6) {
		s := tell(t, seed, 5)
		var compact, snapshots bytes.Buffer
		must(t, s.context.Backup(background, &compact))
		must(t, s.context.ExportHistory(background, &snapshots, pact.Cycle(1), pact.Latest))
		for form, data := range map[string][]byte{"compact": compact.Bytes(), "snapshots": snapshots.Bytes()} {
			r, err := pact.Replay(background, bytes.NewReader(data))
			must(t, err)
			want := &pact.Replayed{Form: form, Edition: pact.V01, First: 1, Last: 5, Bytes: int64(len(data)), Same: true, Findings: []pact.Finding{}}
			if !reflect.DeepEqual(r, want) {
				t.Errorf("seed %d: %+v, want %+v", seed, r, want)
			}
		}
	}
}

// A history that reads but does not come back as it was: the first byte that
// differs is named with its line and cycle.
func TestReplayFindsTheFirstByte(t *testing.T) {
	s := tell(t, 1, 5)
	var snapshots bytes.Buffer
	must(t, s.context.ExportHistory(background, &snapshots, pact.Cycle(1), pact.Latest))
	whole := snapshots.String()
	lines := strings.SplitAfter(whole, "\n")
	third := len(lines[0]) + len(lines[1])
	cases := map[string]struct {
		file string
		want pact.Unlike
	}{
		"a space": {strings.Replace(whole, "\n{\"cycle\":3", "\n{ \"cycle\":3", 1),
			pact.Unlike{Line: 3, What: "snapshot", Cycle: 3, Byte: int64(third) + 1, In: 1, Was: ` "cycle":3`, Comes: `"cycle":3`}},
		"no last line feed": {strings.TrimSuffix(whole, "\n"),
			pact.Unlike{Line: 5, What: "snapshot", Cycle: 5, Byte: int64(len(whole)) - 1, In: int64(len(lines[4])) - 1}},
		"an empty line more": {whole + "\n",
			pact.Unlike{Line: 6, What: "snapshot", Cycle: 5, Byte: int64(len(whole))}},
	}
	for name, c := range cases {
		r, err := pact.Replay(background, strings.NewReader(c.file))
		must(t, err)
		if r.Same || r.Difference == nil || r.Bytes != c.want.Byte {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		got := *r.Difference
		if !strings.HasPrefix(got.Was, c.want.Was) || !strings.HasPrefix(got.Comes, c.want.Comes) {
			t.Errorf("%s: %q where %q comes", name, got.Was, got.Comes)
		}
		got.Was, got.Comes = c.want.Was, c.want.Comes
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if _, err := pact.Replay(background, strings.NewReader("{")); !errors.Is(err, fault.DocumentInvalid) {
		t.Errorf("no history: %v", err)
	}
}
