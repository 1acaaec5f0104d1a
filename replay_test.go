package pact_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/selector"
)

// Both forms of a history come back byte for byte, in all editions. What a snapshot holds besides,
// TestBackupKeepsDigests compares.
func TestReplayGivesTheSameBytes(t *testing.T) {
	var all []*pact.Context
	for seed := range uint64(6) {
		all = append(all, genRecordedHistory(t, seed, 5).context)
	}
	for _, edition := range []selector.Edition{selector.V01, selector.Depth, selector.Canonical, selector.V1} {
		all = append(all, shortConversation(t, edition))
	}
	for i, c := range all {
		var compact, snapshots bytes.Buffer
		must(t, c.Export(background, &compact))
		must(t, c.ExportSnapshots(background, &snapshots, pact.Cycle(1), pact.Latest()))
		for form, data := range map[string][]byte{"compact": compact.Bytes(), "snapshots": snapshots.Bytes()} {
			r, err := pact.Replay(background, bytes.NewReader(data), nil)
			must(t, err)
			first, last := c.Cycles()
			want := &inspect.Replay{Form: form, Edition: c.Edition(), First: first, Last: last, Bytes: int64(len(data)), Same: true,
				Findings: []inspect.Finding{}}
			if !reflect.DeepEqual(r, want) {
				t.Errorf("context %d: %+v, want %+v", i, r, want)
			}
		}
	}
}

// A history that reads but does not come back as it was: the first byte that
// differs is named with its line and cycle.
func TestReplayFindsTheFirstByte(t *testing.T) {
	s := genRecordedHistory(t, 1, 5)
	var snapshots bytes.Buffer
	must(t, s.context.ExportSnapshots(background, &snapshots, pact.Cycle(1), pact.Latest()))
	whole := snapshots.String()
	lines := strings.SplitAfter(whole, "\n")
	third := len(lines[0]) + len(lines[1])
	cases := map[string]struct {
		file string
		want inspect.Difference
	}{
		"a space": {strings.Replace(whole, "\n{\"cycle\":3", "\n{ \"cycle\":3", 1),
			inspect.Difference{Line: 3, Kind: "snapshot", Cycle: 3, Byte: int64(third) + 1, LineByte: 1, Original: ` "cycle":3`,
				Export: `"cycle":3`}},
		"no last line feed": {strings.TrimSuffix(whole, "\n"),
			inspect.Difference{Line: 5, Kind: "snapshot", Cycle: 5, Byte: int64(len(whole)) - 1,
				LineByte: int64(len(lines[4])) - 1}},
		"an empty line more": {whole + "\n",
			inspect.Difference{Line: 6, Kind: "snapshot", Cycle: 5, Byte: int64(len(whole))}},
	}
	for name, c := range cases {
		r, err := pact.Replay(background, strings.NewReader(c.file), nil)
		must(t, err)
		if r.Same || r.Difference == nil || r.Bytes != c.want.Byte {
			t.Errorf("%s: %+v", name, r)
			continue
		}
		got := *r.Difference
		if !strings.HasPrefix(got.Original, c.want.Original) || !strings.HasPrefix(got.Export, c.want.Export) {
			t.Errorf("%s: %q where %q comes", name, got.Original, got.Export)
		}
		got.Original, got.Export = c.want.Original, c.want.Export
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if _, err := pact.Replay(background, strings.NewReader("{"), nil); !errors.Is(err, fault.DocumentInvalid) {
		t.Errorf("no history: %v", err)
	}
}
