package address

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/selector"
)

func TestAddressesInEditions(t *testing.T) {
	for _, x := range []struct {
		edition    selector.Edition
		text, want string
	}{
		{selector.V1, "@t0", "working"}, {selector.V1, "@t-1", "latest"}, {selector.V1, "@t-3", "latest-2"},
		{selector.V1, "@c4", "@c4"}, {selector.V1, "latest-2", "latest-2"}, {selector.V1, "working", "working"},
		{selector.Canonical, "@t0", "latest"}, {selector.Canonical, "@t-3", "latest-3"},
		{selector.V01, "working", "working"}, {selector.Depth, "latest", "latest"},
	} {
		got, err := ParseIn(x.text, x.edition)
		if err != nil || got != x.want {
			t.Errorf("%s in %s: %q, %v", x.text, x.edition, got, err)
		}
		if text := Text(x.want, x.edition); strings.HasPrefix(x.text, "@") && text != x.text {
			t.Errorf("%q in %s is written %s, want %s", x.want, x.edition, text, x.text)
		}
		if again, err := ParseIn(Text(x.want, x.edition), x.edition); err != nil || again != x.want {
			t.Errorf("%q in %s is read back as %q, %v", x.want, x.edition, again, err)
		}
	}
}

// Of a context with the snapshots @c3 to @c7.
func TestAnAddressNamesOneCycle(t *testing.T) {
	i := history.Info{First: 3, Cycle: 7}
	for text, want := range map[string]int64{"@t0": 7, "latest": 7, "latest-4": 3, "@t-4": 3, "@c3": 3, "@c7": 7, "@c07": 7} {
		if got, err := Snapshot(text, i); err != nil || got != want {
			t.Errorf("%s is cycle %d, %v, want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]fault.Code{"@t-5": fault.SnapshotNotFound, "@c2": fault.SnapshotNotFound,
		"@c8": fault.SnapshotNotFound, "@t1": fault.SnapshotNotFound, "working": fault.SnapshotNotFound, "": fault.SelectorInvalid,
		"@t-1..@t0": fault.SelectorInvalid, "@t0 .block": fault.SelectorInvalid} {
		if _, err := Snapshot(text, i); fault.CodeOf(err) != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if first, last, err := Snapshots(i, "latest", "@c4"); err != nil || first != 4 || last != 7 {
		t.Errorf("from the latest back to @c4 are %d to %d, %v", first, last, err)
	}
}

// A range that has no snapshot at all is refused, with its place in the selector.
func TestRangesWithoutASnapshot(t *testing.T) {
	i := history.Info{First: 3, Cycle: 7}
	for text, e := range map[string]selector.Edition{"@c1..@c2 .a": "canonical", "@c8..@c9 .a": "canonical",
		"@t-9..@t-5 .a": "canonical", "@c9..@c8 .a": "1.0", "@t-8..@t-6 .a": "1.0"} {
		q, err := selector.Parse(text, e)
		if err != nil {
			t.Fatal(err)
		}
		address, _, _ := strings.Cut(text, " ")
		_, _, _, err = Range(q, i)
		if f := new(fault.Error); !errors.As(err, &f) || f.Code != fault.SnapshotNotFound || f.Token != address || f.Offset != 0 {
			t.Errorf("%s in %s: %v", text, e, err)
		}
	}
	q, err := selector.Parse("@c2..@c3 .a", "canonical")
	if err != nil {
		t.Fatal(err)
	}
	if first, last, _, err := Range(q, i); err != nil || first != 3 || last != 3 {
		t.Errorf("a range that ends with the oldest snapshot is %d to %d, %v", first, last, err)
	}
}

// What a range leaves out is said with addresses that exist.
func TestClampedRanges(t *testing.T) {
	for _, c := range []struct {
		edition     selector.Edition
		latest      int64
		query       string
		first, last int64
		want        []string
	}{
		{selector.V1, 0, "@t0..@t-1 .block", 1, 1, []string{"the range begins before the oldest snapshot: clamped to @t0"}},
		{selector.V1, 1, "@t0..@t-9 .block", 1, 2, []string{"the range begins before the oldest snapshot: clamped to @c1"}},
		{selector.V1, 1, "@t2..@t-1 .block", 1, 2, []string{"the range ends after the working state: clamped to @t0"}},
		{selector.V1, 1, "@t0..@t-1 .block", 1, 2, nil},
		{selector.V1, 1, "@c1..@c2 .block", 1, 1, []string{"the range ends after the latest snapshot: clamped to @c1"}},
		{selector.Canonical, 4, "@t0..@t-2 .block", 2, 4, nil},
		{selector.Canonical, 4, "@c0..@c9 .block", 1, 4, []string{"the range begins before the oldest snapshot: clamped to @c1",
			"the range ends after the latest snapshot: clamped to @c4"}},
	} {
		q, err := selector.Parse(c.query, c.edition)
		if err != nil {
			t.Fatal(err)
		}
		first, last, warnings, err := Range(q, history.Info{First: 1, Cycle: c.latest, Edition: c.edition})
		if err != nil || first != c.first || last != c.last || !slices.Equal(warnings, c.want) {
			t.Errorf("%s after %d commits is %d to %d, %v, and warns %q", c.query, c.latest, first, last, err, warnings)
		}
	}
}
