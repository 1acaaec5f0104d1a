package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/selector"
	"github.com/contexttree/pact/store"
)

// Histories that other tools wrote: what is wrong with them is mended and said.
// Cycles that do not follow one another are refused, or counted anew on request.
func TestHistoriesOfOtherToolsAreMended(t *testing.T) {
	snapshot := func(cycle, root, seq string, turns ...string) string {
		return `{` + cycle + `"root":{` + root + `"children":[{"nodeType":"^seq"` + seq + `,"children":[` +
			strings.Join(turns, ",") + `]}]}}`
	}
	a := `{"id":"mt:a","nodeType":"mt","children":[]}`
	b := `{"id":"mt:b","nodeType":"mt","children":[]}`
	for _, c := range []struct {
		name     string
		lines    []string
		cycles   [2]int64
		findings []string
		gap      int // the line whose cycle does not follow, 0 where they all do
	}{
		{"in order", []string{snapshot(`"cycle":4,`, ``, ``, a), snapshot(`"cycle":5,`, ``, ``, a, b)}, [2]int64{4, 5}, nil,
			0},
		{"gaps", []string{snapshot(`"cycle":4,`, ``, ``, a), snapshot(`"cycle":9,`, ``, ``, a, b)}, [2]int64{4, 5},
			[]string{"cycle 9 follows cycle 4: read as cycle 5"}, 2},
		{"a gap behind cycle 14", []string{snapshot(`"cycle":14,`, ``, ``, a), snapshot(`"cycle":20,`, ``, ``, a, b)}, [2]int64{14, 15},
			[]string{"cycle 20 follows cycle 14: read as cycle 15"}, 2},
		{"no cycles", []string{snapshot(``, ``, ``, a), ``, snapshot(``, ``, ``, a, b)}, [2]int64{0, 1},
			[]string{"no cycle follows cycle 0: read as cycle 1"}, 3},
		{"the same cycle again", []string{snapshot(`"cycle":4,`, ``, ``, a), snapshot(`"cycle":4,`, ``, ``, a, b)},
			[2]int64{4, 5}, []string{"cycle 4 follows cycle 4: read as cycle 5"}, 2},
		{"a cycle in words", []string{snapshot(`"cycle":4,`, ``, ``, a), snapshot(`"cycle":"5",`, ``, ``, a, b)},
			[2]int64{4, 5}, []string{`cycle "5" follows cycle 4: read as cycle 5`}, 2},
		{"newest first", []string{snapshot(`"cycle":5,`, ``, ``, a, b), snapshot(`"cycle":4,`, ``, ``, a)}, [2]int64{4, 5},
			[]string{"newest first"}, 0},
		{"newest first, with a gap", []string{snapshot(`"cycle":7,`, ``, ``, a, b), snapshot(`"cycle":4,`, ``, ``, a)},
			[2]int64{4, 5}, []string{"newest first", "cycle 7 follows cycle 4: read as cycle 5"}, 1},
		{"other ids", []string{snapshot(``, `"id":"r1",`, `,"id":"s1"`, a), snapshot(`"cycle":1,`, `"id":"r2",`, `,"id":"s2"`,
			a, b)}, [2]int64{0, 1},
			[]string{"the root was called r2", "^seq was called s2"}, 0},
	} {
		text := strings.Join(c.lines, "\n") + "\n"
		if _, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "c", strings.NewReader(text), nil); c.gap == 0 &&
			err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if f := new(fault.Error); c.gap > 0 && (!errors.As(err, &f) || f.Code != fault.DocumentInvalid ||
			f.Line != c.gap || !strings.Contains(f.Remedy, "Renumber")) {
			t.Errorf("%s, not to be renumbered: got %v, want a refusal on line %d", c.name, err, c.gap)
		}
		got, findings, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "c", strings.NewReader(text),
			&pact.ImportOptions{Renumber: true})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		first, last := got.Info().First, got.Info().Cycle
		if [2]int64{first, last} != c.cycles || !slices.Equal(ids(t, got, "@t-1 .mt"), []string{"mt:a"}) ||
			!slices.Equal(ids(t, got, "@t0 .mt"), []string{"mt:a", "mt:b"}) {
			t.Errorf("%s: cycles %d to %d, %q, %q", c.name, first, last, ids(t, got, "@t-1 .mt"), ids(t, got, "@t0 .mt"))
		}
		findings = aboutHistories(findings)
		if len(findings) != len(c.findings) {
			t.Errorf("%s: findings %v, want %v", c.name, findings, c.findings)
		}
		for i, f := range findings {
			if i < len(c.findings) && !strings.Contains(f.Message, c.findings[i]) {
				t.Errorf("%s: finding %q, want %q", c.name, f.Message, c.findings[i])
			}
		}
		_, _, err = pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "c", strings.NewReader(text),
			&pact.ImportOptions{Strict: true})
		if (err == nil) != (len(c.findings) == 0) {
			t.Errorf("%s, strictly: %v", c.name, err)
		}
		// What was mended is a history like any other.
		var out, again bytes.Buffer
		must(t, got.ExportSnapshots(background, &out, pact.Cycle(first), pact.Cycle(last)))
		strict, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "d", bytes.NewReader(out.Bytes()),
			&pact.ImportOptions{Strict: true})
		must(t, err)
		must(t, strict.ExportSnapshots(background, &again, pact.Cycle(first), pact.Cycle(last)))
		if out.String() != again.String() {
			t.Errorf("%s: the export comes back as\n%s\nwant\n%s", c.name, again.String(), out.String())
		}
	}
}

// aboutHistories leaves out what is found in each snapshot alone: turns without stamps, and without a core.
func aboutHistories(findings []inspect.Finding) []inspect.Finding {
	return slices.DeleteFunc(append([]inspect.Finding{}, findings...), func(f inspect.Finding) bool {
		return f.Code == fault.PlacementInvalid || strings.HasPrefix(f.Message, "no turn has")
	})
}

// What no context can have done is taken as it is and said, and refused on
// request.
func TestHistoriesThatNoContextHasAreReported(t *testing.T) {
	block := func(id, more string) string { return `{"id":"` + id + `","nodeType":"cb"` + more + `}` }
	turn := func(id string, kids ...string) string {
		return `{"id":"` + id + `","nodeType":"mt","children":[` + strings.Join(kids, ",") + `]}`
	}
	core := func(kids ...string) string {
		return `{"id":"core","nodeType":"mc","children":[` + strings.Join(kids, ",") + `]}`
	}
	snapshot := func(cycle int, more string, turns ...string) string {
		return fmt.Sprintf(`{"cycle":%d,%s"root":{"children":[{"nodeType":"^sys","children":[]},{"nodeType":"^seq","children":[%s]}]}}`, cycle, more, strings.Join(turns, ","))
	}
	hi, note := block("hi", `,"content":"hi","ttl":null`), block("note", `,"offset":1`)
	a := turn("mt:a", hi)
	for _, c := range []struct {
		name     string
		lines    []string
		node     string
		findings string // "" where nothing is wrong
	}{
		{"turns that stay", []string{snapshot(1, ``, a), snapshot(2, ``, a, turn("mt:b"))}, "", ""},
		{"a note is attached and goes", []string{snapshot(1, ``, a), snapshot(2, ``, turn("mt:a", hi, note)),
			snapshot(3, ``, a)}, "", ""},
		{"time passes", []string{snapshot(1, ``, turn("mt:a", block("hi", `,"ttl":2`))),
			snapshot(2, ``, turn("mt:a", block("hi", `,"ttl":1`))), snapshot(3, ``, turn("mt:a"))}, "", ""},
		{"a core is rewritten", []string{snapshot(1, ``, a), snapshot(2, ``, turn("mt:a", block("hi", `,"content":"ho"`)))},
			"hi", "cycle 2 changes what was sealed"},
		{"a note is rewritten", []string{snapshot(1, ``, turn("mt:a", hi, note)),
			snapshot(2, ``, turn("mt:a", hi, block("note", `,"offset":1,"priority":2`)))}, "note",
			"cycle 2 changes what was sealed"},
		{"two are", []string{snapshot(1, ``, turn("mt:a", hi, note)),
			snapshot(2, ``, turn("mt:a", block("hi", `,"content":"ho"`), block("note", `,"offset":2`)))}, "hi",
			"cycle 2 changes what was sealed, 2 nodes in all"},
		{"a block moves on", []string{snapshot(1, ``, a, turn("mt:b")), snapshot(2, ``, turn("mt:a"), turn("mt:b", hi))},
			"hi", "cycle 2 changes what was sealed"},
		{"a core loses a block", []string{snapshot(1, ``, a), snapshot(2, ``, turn("mt:a"))}, "hi",
			"cycle 2 takes out of a sealed core what does not expire"},
		{"a written core does", []string{snapshot(1, ``, turn("mt:a", core(hi))), snapshot(2, ``, turn("mt:a", core()))},
			"hi", "cycle 2 takes out of a sealed core what does not expire"},
		{"a group that is left empty goes",
			[]string{snapshot(1, ``, turn("mt:a", core(`{"id":"g","nodeType":"mc","removable":true,"children":[`+
				block("x", `,"ttl":1`)+`]}`))), snapshot(2, ``, turn("mt:a", core()))}, "", ""},
		{"a core gets a block", []string{snapshot(1, ``, a), snapshot(2, ``, turn("mt:a", hi, block("ho", ``)))}, "ho",
			"cycle 2 puts something into a sealed core"},
		{"a turn comes back", []string{snapshot(1, ``, a), snapshot(2, ``), snapshot(3, ``, a)}, "mt:a",
			"cycle 3 brings back what was gone: an id belongs to one node, 2 nodes in all"},
		{"one edition", []string{snapshot(1, `"edition":"depth",`, a), snapshot(2, `"edition":"depth",`, a)}, "", ""},
		{"two editions", []string{snapshot(1, `"edition":"depth",`, a), snapshot(2, `"edition":"canonical",`, a)}, "",
			"the snapshot is of edition canonical, the first is of depth"},
	} {
		text := strings.Join(c.lines, "\n") + "\n"
		got, findings, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "c", strings.NewReader(text), nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if first, last := got.Info().First, got.Info().Cycle; first != 1 || int(last) != len(c.lines) {
			t.Errorf("%s: cycles %d to %d", c.name, first, last)
		}
		want := []inspect.Finding{}
		if c.findings != "" {
			want = []inspect.Finding{{Code: fault.DocumentInvalid, Node: c.node, Message: c.findings}}
		}
		if findings = aboutHistories(findings); !slices.Equal(findings, want) {
			t.Errorf("%s: %v, want %v", c.name, findings, want)
		}
		_, _, err = pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "c", strings.NewReader(text),
			&pact.ImportOptions{Strict: true})
		if (err == nil) != (c.findings == "") || err != nil && !errors.Is(err, fault.DocumentInvalid) {
			t.Errorf("%s, strictly: %v", c.name, err)
		}
	}
	// A node that says no cycle does not come anew with every snapshot.
	for _, strict := range []bool{false, true} {
		got, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "c", strings.NewReader(snapshot(4, ``, a)+"\n"+
			snapshot(5, ``, a, turn("mt:b"))+"\n"),
			&pact.ImportOptions{Strict: strict})
		must(t, err)
		d, err := got.Diff(background, "latest-1", "latest", nil)
		must(t, err)
		for _, c := range d.Changed {
			// which is another one in every snapshot
			if c.ID != "ah" || !slices.Equal(c.Fields, []string{"creation_index", "cycle"}) {
				t.Errorf("%s changes in %q", c.ID, c.Fields)
			}
		}
		if !slices.Equal(d.Added, []string{"mt:b"}) {
			t.Errorf("%q were added", d.Added)
		}
	}
	// The word of the caller counts for every line.
	two := snapshot(1, `"edition":"depth",`, a) + "\n" + snapshot(2, `"edition":"canonical",`, a) + "\n"
	got, findings, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "c", strings.NewReader(two),
		&pact.ImportOptions{Edition: selector.V01, Strict: true})
	if err != nil || len(findings) > 0 || got.Info().Edition != selector.V01 {
		t.Errorf("with an edition: %v, %v", findings, err)
	}
}
