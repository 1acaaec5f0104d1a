package pact_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/store"
)

// Histories that other tools wrote: what is wrong with them is mended and said.
func TestForeignHistories(t *testing.T) {
	snapshot := func(cycle, root, seq string, turns ...string) string {
		return `{` + cycle + `"root":{` + root + `"children":[{"nodeType":"^seq"` + seq + `,"children":[` + strings.Join(turns, ",") + `]}]}}`
	}
	a := `{"id":"mt:a","nodeType":"mt","children":[]}`
	b := `{"id":"mt:b","nodeType":"mt","children":[]}`
	for _, c := range []struct {
		name     string
		lines    []string
		cycles   [2]int64
		findings []string
	}{
		{"in order", []string{snapshot(`"cycle":4,`, ``, ``, a), snapshot(`"cycle":5,`, ``, ``, a, b)}, [2]int64{4, 5}, nil},
		{"gaps", []string{snapshot(`"cycle":4,`, ``, ``, a), snapshot(`"cycle":9,`, ``, ``, a, b)}, [2]int64{4, 5}, []string{"cycle 9 follows cycle 4"}},
		{"no cycles", []string{snapshot(``, ``, ``, a), ``, snapshot(``, ``, ``, a, b)}, [2]int64{0, 1}, []string{"no cycle follows cycle 0"}},
		{"newest first", []string{snapshot(`"cycle":5,`, ``, ``, a, b), snapshot(`"cycle":4,`, ``, ``, a)}, [2]int64{4, 5}, []string{"newest first"}},
		{"other ids", []string{snapshot(``, `"id":"r1",`, `,"id":"s1"`, a), snapshot(`"cycle":1,`, `"id":"r2",`, `,"id":"s2"`, a, b)}, [2]int64{0, 1},
			[]string{"the root was called r2", "^seq was called s2"}},
	} {
		text := strings.Join(c.lines, "\n") + "\n"
		got, findings, err := pact.ImportHistory(background, store.NewMemory(), "c", strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		first, last := got.Cycles()
		if [2]int64{first, last} != c.cycles || !slices.Equal(ids(t, got, "@t-1 .mt"), []string{"mt:a"}) || !slices.Equal(ids(t, got, "@t0 .mt"), []string{"mt:a", "mt:b"}) {
			t.Errorf("%s: cycles %d to %d, %q, %q", c.name, first, last, ids(t, got, "@t-1 .mt"), ids(t, got, "@t0 .mt"))
		}
		if len(findings) != len(c.findings) {
			t.Errorf("%s: findings %v, want %v", c.name, findings, c.findings)
		}
		for i, f := range findings {
			if i < len(c.findings) && !strings.Contains(f.Message, c.findings[i]) {
				t.Errorf("%s: finding %q, want %q", c.name, f.Message, c.findings[i])
			}
		}
		_, _, err = pact.ImportHistory(background, store.NewMemory(), "c", strings.NewReader(text), pact.Strict())
		if (err == nil) != (len(c.findings) == 0) {
			t.Errorf("%s, strictly: %v", c.name, err)
		}
		// What was mended is a history like any other.
		var out, again bytes.Buffer
		must(t, got.ExportHistory(background, &out, pact.Cycle(first), pact.Cycle(last)))
		strict, _, err := pact.ImportHistory(background, store.NewMemory(), "d", bytes.NewReader(out.Bytes()), pact.Strict())
		must(t, err)
		must(t, strict.ExportHistory(background, &again, pact.Cycle(first), pact.Cycle(last)))
		if out.String() != again.String() {
			t.Errorf("%s: the export comes back as\n%s\nwant\n%s", c.name, again.String(), out.String())
		}
	}
}
