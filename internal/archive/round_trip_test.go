package archive_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/archive"
	"github.com/contexttree/pact/store"
)

// A history that reads but does not come back as it was: the first byte that
// differs is named with its line and cycle.
func TestReplayFindsTheFirstByte(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	for range 5 {
		_, err := c.Commit(background, &pact.CommitOptions{Edit: say("hello")})
		must(t, err)
	}
	var snapshots bytes.Buffer
	must(t, c.ExportSnapshots(background, &snapshots, pact.Cycle(1), "latest"))
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
		r, err := archive.RoundTrip(background, strings.NewReader(c.file), archive.Options{})
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
	if _, err := archive.RoundTrip(background, strings.NewReader("{"), archive.Options{}); !errors.Is(err, fault.DocumentInvalid) {
		t.Errorf("no history: %v", err)
	}
}
