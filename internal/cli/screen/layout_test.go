package screen

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/contexttree/pact/internal/testrun"
)

// A table on a terminal fits it, or 120 columns on a wider one, and keeps every
// word; elsewhere each row is one line, with the columns that have a value in some row.
func TestTablesFitTheTerminal(t *testing.T) {
	testrun.OneGoroutine(t)
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		rows := make([][]string, 1+r.IntN(5))
		for i := range rows {
			words := make([]string, r.IntN(40))
			for n := range words {
				words[n] = strings.Repeat("w", 1+r.IntN(9))
			}
			rows[i] = []string{fmt.Sprint("@c", i), fmt.Sprint(r.IntN(1000)), strings.Join(words, " "), "end"}
			if r.IntN(3) == 0 {
				rows[i][3] = ""
			}
		}
		head := []string{"cycle", ">n", "what", "last"}
		width := 40 + r.IntN(200)
		print := func(terminal bool) string {
			var out bytes.Buffer
			a := &Screen{Out: &output{W: &out}, OutTerminal: terminal, Width: width}
			copied := make([][]string, len(rows))
			for i := range rows {
				copied[i] = append([]string{}, rows[i]...)
			}
			a.Table(head, copied)
			must(t, a.Out.Flush())
			return out.String()
		}
		drawn := print(true)
		for line := range strings.Lines(drawn) {
			if w := lipgloss.Width(strings.TrimSuffix(line, "\n")); w > min(width, widest) {
				t.Fatalf("%d columns at a width of %d:\n%s", w, width, drawn)
			}
		}
		for _, row := range rows {
			if strings.Count(drawn, "w") < strings.Count(row[2], "w") {
				t.Fatalf("letters are lost:\n%s", drawn)
			}
		}
		piped := print(false)
		lines := strings.Split(strings.TrimSuffix(piped, "\n"), "\n")
		if len(lines) != len(rows)+1 {
			t.Fatalf("%d rows on %d lines:\n%s", len(rows), len(lines), piped)
		}
		for i, row := range rows {
			what := row[2]
			has := func(column int) bool {
				return slices.ContainsFunc(rows, func(row []string) bool { return row[column] != "" })
			}
			if what == "" && has(2) && has(3) { // the last column of a table has no -
				what = "-"
			}
			want := strings.Join(strings.Fields(row[0]+" "+row[1]+" "+what+" "+row[3]), " ")
			if got := strings.Join(strings.Fields(lines[i+1]), " "); got != want {
				t.Fatalf("row %q is printed as %q", want, got)
			}
		}
	}
}

// Where the locale has no UTF-8, a terminal gets ASCII alone, in as many columns.
func TestATerminalWithoutUTF8GetsASCII(t *testing.T) {
	for env, want := range map[string]bool{"LANG=C": false, "LANG=de_DE.UTF-8": true, "LC_ALL=POSIX": false, "": true,
		"LC_CTYPE=en_US.utf8": true} {
		name, value, _ := strings.Cut(env, "=")
		if got := showsUnicode(map[string]string{name: value}); got != want {
			t.Errorf("%q shows Unicode: %v", env, got)
		}
	}
	if showsUnicode(map[string]string{"LC_ALL": "C", "LANG": "C.UTF-8"}) {
		t.Error("LC_ALL does not come first")
	}
	for glyph := range glyphs {
		if got := inASCII([]byte(string(glyph))); len(got) != 1 || got[0] >= 0x80 || lipgloss.Width(string(glyph)) != 1 {
			t.Errorf("%q becomes %q", glyph, got)
		}
	}
	if got := string(inASCII([]byte("├─ é … a\n"))); got != "+- ? ~ a\n" {
		t.Errorf("got %q", got)
	}
}

// The pager gets what was printed, with LESS set; without one, or with an empty
// PAGER, the output goes out directly.
func TestThePagerGetsTheOutput(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "pager")
	must(t, os.WriteFile(script, []byte("#!/bin/sh\necho paged $LESS $1\ncat\n"), 0o700))
	for pager, want := range map[string]string{script + " -x": "paged FRX -x\nhello\n", "/no/such/pager": "hello\n"} {
		var out bytes.Buffer
		a := New(&out, &out, []string{"PAGER=" + pager, "PATH=" + os.Getenv("PATH")})
		a.Paged, a.Out.Hold = true, true
		a.Printf("hello\n")
		if err := a.Finish(); err != nil || out.String() != want {
			t.Errorf("PAGER=%s gives %q, %v", pager, &out, err)
		}
	}
	for _, pager := range []string{"", "cat"} {
		a := New(nil, nil, []string{"PAGER=" + pager})
		if words := a.PagerCommand(); len(words) > 0 {
			t.Errorf("PAGER=%q runs %q", pager, words)
		}
	}
}

var must = testrun.Must
