package content_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/differ/content"
	"github.com/contexttree/pact/internal/testrun"
	jsonpatch "github.com/evanphx/json-patch/v5"
)

func compare(older, newer string, mode diff.Mode, context int) diff.ContentDiff {
	side := func(label, s string) content.Side { return content.Side{Value: canon.String(s), Label: label} }
	return content.Compare(side("older(@t-1)/x", older), side("newer(@t0)/x", newer), mode, context)
}

func TestUnified(t *testing.T) {
	older := "a\nb\nc\nd\ne\nf\ng\nh\n"
	newer := "a\nb\nC\nd\ne\nf\ng\nh\ni"
	want := `--- older(@t-1)/x
+++ newer(@t0)/x
@@ -2,3 +2,3 @@
 b
-c
+C
 d
@@ -8 +8,2 @@
 h
+i
\ No newline at end of file
`
	d := compare(older, newer, diff.Unified, 1)
	if *d.Diff != want {
		t.Errorf("got\n%s\nwant\n%s", *d.Diff, want)
	}
	if d.Summary != (diff.ContentSummary{BytesNewer: 17, BytesOlder: 16}) {
		t.Errorf("summary: got %+v", d.Summary)
	}
	if all := compare(older, newer, diff.Unified, math.MaxInt); !strings.Contains(*all.Diff,
		"@@ -1,8 +1,9 @@\n a\n b\n-c\n") {
		t.Errorf("with all of it around: got\n%s", *all.Diff)
	}
	if d := compare("a", "a", diff.Unified, 3); *d.Diff != "" || !d.Summary.Identical {
		t.Errorf("equal texts: got %+v", d)
	}
	if d := compare("", "a\n", diff.Unified, 3); !strings.Contains(*d.Diff, "@@ -0,0 +1 @@\n+a\n") {
		t.Errorf("from nothing: got %q", *d.Diff)
	}
	if d := compare("a\n", "b\n", diff.Unified, 0); !strings.Contains(*d.Diff, "@@ -1 +1 @@\n-a\n+b\n") {
		t.Errorf("without context: got %q", *d.Diff)
	}
}

// lines makes a text of few different lines, so that much of it is common.
func lines(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(40) {
		fmt.Fprintf(&b, "line %d\n", r.IntN(8))
	}
	if r.IntN(3) == 0 {
		fmt.Fprintf(&b, "end %d", r.IntN(2))
	}
	return b.String()
}

// large puts a text, some of its lines, and what is long and in order around and
// between.
func large(r *rand.Rand, s string) string {
	var b strings.Builder
	for i := range 3 {
		fmt.Fprintf(&b, "part %d\n%s", i, s)
		for k := range 3_000 + r.IntN(3) {
			fmt.Fprintf(&b, "%d of %d\n", k, i)
		}
	}
	return b.String() + s
}

// mutate changes a few lines of a text.
func mutate(r *rand.Rand, s string) string {
	list := strings.SplitAfter(s, "\n")
	for range r.IntN(4) {
		i := r.IntN(len(list))
		switch r.IntN(3) {
		case 0:
			list = append(list[:i:i], list[i+1:]...)
			if len(list) == 0 {
				return ""
			}
		case 1:
			list = append(list[:i:i], append([]string{"new\n"}, list[i:]...)...)
		default:
			list[i] = "other\n"
		}
	}
	return strings.Join(list, "")
}

// The unified diff of two texts, applied by patch(1) to the older, gives the
// newer.
func TestPatchAppliesUnifiedDiffs(t *testing.T) {
	program, err := exec.LookPath("patch")
	if err != nil {
		if os.Getenv("PACT_REQUIRE_PATCH") != "" {
			t.Fatal(err)
		}
		t.Skip("left out: patch(1) is not installed")
	}
	r := rand.New(rand.NewPCG(1, 2))
	file := filepath.Join(t.TempDir(), "text")
	for i := range 300 {
		older := lines(r)
		newer := lines(r)
		if r.IntN(2) == 0 {
			newer = mutate(r, older)
		}
		if i%30 == 0 { // more than is compared line by line
			older, newer = large(r, older), large(r, newer)
		}
		if older == newer || older == "" || newer == "" { // patch(1) makes and removes files there
			continue
		}
		context := r.IntN(5)
		must(t, os.WriteFile(file, []byte(older), 0o600))
		cmd := exec.Command(program, "--quiet", "--fuzz=0", file)
		cmd.Stdin = strings.NewReader(*compare(older, newer, diff.Unified, context).Diff)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\nfrom %q to %q", err, out, older, newer)
		}
		if got, _ := os.ReadFile(file); string(got) != newer {
			t.Fatalf("context %d: got %q, want %q", context, got, newer)
		}
	}
}

func anyJSON(r *rand.Rand, depth int) any {
	switch n := r.IntN(8); {
	case n < 2 && depth > 0:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, anyJSON(r, depth-1))
		}
		return list
	case n < 5 && depth > 0:
		object := map[string]any{}
		for range r.IntN(4) {
			object[[]string{"a", "b/c", "d~e", "-", "ü"}[r.IntN(5)]] = anyJSON(r, depth-1)
		}
		return object
	case n == 5:
		return int64(1)<<53 + r.Int64N(3)
	case n == 6:
		return r.IntN(2) == 0
	case n == 7:
		return nil
	}
	return []string{"x", "<y>", ""}[r.IntN(3)]
}

// The patch turns the older content into the newer.
func TestJSONPatchApplies(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	patched := 0
	for range 3000 {
		older, _ := canon.Encode(map[string]any{"v": anyJSON(r, 3), "w": anyJSON(r, 2)})
		newer, _ := canon.Encode(map[string]any{"v": anyJSON(r, 3), "w": anyJSON(r, 2)})
		d := content.Compare(content.Side{Value: older}, content.Side{Value: newer}, diff.JSONPatch, 3)
		if d.Mode != diff.JSONPatch {
			t.Fatalf("from %s to %s: mode %s", older, newer, d.Mode)
		}
		p, err := jsonpatch.DecodePatch(d.Patch)
		must(t, err)
		got, err := p.Apply([]byte(older))
		if err != nil {
			t.Fatalf("%s to %s: %v", d.Patch, older, err)
		}
		if again, err := canon.Parse(got); err != nil || again != newer {
			t.Fatalf("%s applied to %s gives %s, want %s", d.Patch, older, got, newer)
		}
		if older != newer {
			patched++
		}
	}
	if patched < 1000 {
		t.Errorf("only %d pairs differed", patched)
	}
}

// The library that applies patches above does not find empty names, which RFC
// 6901 allows.
func TestPatchOfAnEmptyName(t *testing.T) {
	d := content.Compare(content.Side{Value: `{"":{"a":1}}`}, content.Side{Value: `{"":{"a":2}}`}, diff.JSONPatch, 3)
	var ops []struct{ Op, Path string }
	if err := json.Unmarshal(d.Patch, &ops); err != nil || len(ops) != 1 || ops[0].Op != "replace" ||
		ops[0].Path != "//a" {
		t.Errorf("got %s, %v", d.Patch, err)
	}
}

func TestTextIsNotPatched(t *testing.T) {
	for _, pair := range [][2]canon.Value{{canon.String("a"), canon.Int(1)}, {canon.Int(1), canon.String("a")},
		{"", canon.Int(1)}} {
		if d := content.Compare(content.Side{Value: pair[0]}, content.Side{Value: pair[1]}, diff.JSONPatch,
			3); d.Mode != diff.Unified || d.Diff == nil || d.Patch != nil {
			t.Errorf("%v: got %+v", pair, d)
		}
	}
}

func TestTokens(t *testing.T) {
	d := compare("Where is my parcel?", "Where was my green parcel?", diff.Tokens, 3)
	changed := map[string]string{}
	for _, h := range d.Hunks {
		changed[h.Op] += strings.TrimSpace(h.Text) + "|" // the space may go with the word before or behind it
	}
	if changed["del"] != "is|" || changed["ins"] != "was|green|" {
		t.Errorf("got %v", d.Hunks)
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("a b c", "a x c")
	f.Add("\xff ü", "")
	f.Fuzz(func(t *testing.T, older, newer string) {
		if !json.Valid([]byte(canon.String(older))) || !json.Valid([]byte(canon.String(newer))) {
			return
		}
		var a, b bytes.Buffer
		for _, h := range compare(older, newer, diff.Tokens, 0).Hunks {
			if h.Op != "ins" {
				a.WriteString(h.Text)
			}
			if h.Op != "del" {
				b.WriteString(h.Text)
			}
		}
		wantA, _ := canon.String(older).Text()
		wantB, _ := canon.String(newer).Text()
		if a.String() != wantA || b.String() != wantB {
			t.Fatalf("%q to %q: the hunks give %q and %q", older, newer, a.String(), b.String())
		}
	})
}

// Texts with lone surrogates come through as JSON: read back, what leads from
// one to the other is all there.
func TestLoneSurrogates(t *testing.T) {
	older, newer := canon.Value(`"a \ud800 <b>"`), canon.Value(`"a \udfff <b>"`)
	from, to := content.Side{Value: older, Label: "older"}, content.Side{Value: newer, Label: "newer"}
	read := func(mode diff.Mode) canon.Any {
		data, err := json.Marshal(content.Compare(from, to, mode, 3))
		must(t, err)
		v, err := canon.Parse(data)
		must(t, err)
		return v.Any()
	}
	a, _ := older.Text()
	b, _ := newer.Text()
	unified, _ := read(diff.Unified).Get("diff")
	if want := "--- older\n+++ newer\n@@ -1 +1 @@\n-" + a + "\n\\ No newline at end of file\n+" + b +
		"\n\\ No newline at end of file\n"; unified.Text != want {
		t.Errorf("unified: %q, want %q", unified.Text, want)
	}
	hunks, _ := read(diff.Tokens).Get("hunks")
	was, is := "", ""
	for _, h := range hunks.Elems {
		op, _ := h.Get("op")
		text, _ := h.Get("text")
		if op.Text != "ins" {
			was += text.Text
		}
		if op.Text != "del" {
			is += text.Text
		}
	}
	if was != a || is != b {
		t.Errorf("the hunks give %q and %q, want %q and %q", was, is, a, b)
	}
	// Two readers take a patch of them for different things.
	for _, v := range []canon.Value{`{"a":"\ud800"}`, `{"\ud800":1}`, `["\ud800"]`} {
		if d := content.Compare(content.Side{Value: v}, content.Side{Value: `{"a":1}`}, diff.JSONPatch,
			3); d.Mode != diff.Unified || d.Patch != nil {
			t.Errorf("%s: got %+v", v, d)
		}
	}
}

// A few changes in a large text are shown as such, however far apart.
func TestFewChangesOfALargeText(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	list := make([]string, 30_000)
	for i := range list {
		list[i] = fmt.Sprintf("line %d\n", i)
		if i%3 == 0 {
			list[i] = "}\n" // which is no anchor
		}
	}
	older := strings.Join(list, "")
	changed := slices.Clone(list)
	for range 40 {
		i := r.IntN(len(changed))
		switch r.IntN(3) {
		case 0:
			changed = slices.Delete(changed, i, i+1)
		case 1:
			changed = slices.Insert(changed, i, "new\n", "}\n")
		default:
			changed[i] = "other\n"
		}
	}
	newer := strings.Join(changed, "")
	if n := len(*compare(older, newer, diff.Unified, 0).Diff); n > 40*80 {
		t.Errorf("40 changes take %d bytes", n)
	}
	hunks := compare(older, newer, diff.Tokens, 0).Hunks
	was, is := "", ""
	for i, h := range hunks {
		if i > 0 && h.Op == hunks[i-1].Op {
			t.Errorf("two hunks of %s side by side", h.Op)
		}
		if h.Op != "ins" {
			was += h.Text
		}
		if h.Op != "del" {
			is += h.Text
		}
	}
	if was != older || is != newer {
		t.Error("the hunks do not give the texts")
	}
	if len(hunks) > 400 {
		t.Errorf("%d hunks of words", len(hunks))
	}
}

// What is compared line by line is bounded, however many parts a text falls
// into: of ten parts one is compared, the others are replaced.
func TestPartsShareTheBound(t *testing.T) {
	text := func(name string) string {
		var b strings.Builder
		for part := range 10 {
			fmt.Fprintf(&b, "part %d\n", part)
			for i := range 1_500 {
				fmt.Fprintf(&b, "%s %d of %d\n}\n", name, i, part)
			}
		}
		return b.String()
	}
	if n := strings.Count(*compare(text("older"), text("newer"), diff.Unified, 0).Diff, "\n@@ "); n != 1_500+9 {
		t.Errorf("%d hunks, want 1,500 of the part that is compared and one of each other", n)
	}
}

// Texts with nothing in common cost no more than their length once they are
// large: the middle is replaced as a whole.
func TestLargeTextsAreReplacedAsAWhole(t *testing.T) {
	var a, b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&a, "a%d\n", i)
		fmt.Fprintf(&b, "b%d\n", i)
	}
	// A megabyte of one hunk is put together once, and not once for every word.
	if n := testing.AllocsPerRun(1, func() { compare(a.String(), a.String()+"x", diff.Tokens, 0) }); n > 1000 {
		t.Errorf("words of a large text: %.0f allocations", n)
	}
	d := compare("same\n"+a.String()+"end\n", "same\n"+b.String()+"end\n", diff.Unified, 1)
	if !strings.Contains(*d.Diff, "@@ -1,50002 +1,50002 @@\n same\n-a0\n") || !strings.HasSuffix(*d.Diff,
		"+b49999\n end\n") {
		t.Errorf("got %.80q…", *d.Diff)
	}
}

var must = testrun.Must
