package wire

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/testrun"
)

// bodiesOf returns the bodies of requests that a real agent sent.
func bodiesOf(t testing.TB, path string) (bodies [][]byte) {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var line struct{ Body json.RawMessage }
		must(t, json.Unmarshal(lines.Bytes(), &line))
		bodies = append(bodies, line.Body)
	}
	must(t, lines.Err())
	return bodies
}

// Ways of writing JSON, made from compact text by changing the text alone.
var ways = map[string]func([]byte) []byte{
	"compact": func(body []byte) []byte { return body },
	"newline": func(body []byte) []byte { return append(bytes.Clone(body), '\n') },
	"python":  func(body []byte) []byte { return toASCII(spaced(body)) },
	"spaced":  spaced,
	"ascii":   toASCII,
	"go": func(body []byte) []byte {
		var b bytes.Buffer
		json.HTMLEscape(&b, body)
		return b.Bytes()
	},
	"reversed": func(body []byte) []byte { return reversed(body) },
}

func spaced(body []byte) (out []byte) {
	quoted := false
	for i, c := range body {
		out = append(out, c)
		if c == '"' && !escapedAt(body, i) {
			quoted = !quoted
		}
		if !quoted && (c == ',' || c == ':') {
			out = append(out, ' ')
		}
	}
	return out
}

func escapedAt(body []byte, at int) bool {
	n := 0
	for at-n > 0 && body[at-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

func toASCII(body []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(body) {
		switch hi, lo := utf16.EncodeRune(r); {
		case r < 0x7F:
			b.WriteRune(r)
		case hi != '\uFFFD':
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}

// reversed writes the members of every object the other way round.
func reversed(body []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return reversedValue(d)
}

func reversedValue(d *json.Decoder) []byte {
	token, err := d.Token()
	if err != nil {
		panic(err)
	}
	open, ok := token.(json.Delim)
	if !ok {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(token); err != nil {
			panic(err)
		}
		return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	}
	var list [][]byte
	for d.More() {
		item := reversedValue(d)
		if open == '{' {
			item = append(append(item, ':'), reversedValue(d)...)
			list = append([][]byte{item}, list...)
		} else {
			list = append(list, item)
		}
	}
	if _, err := d.Token(); err != nil {
		panic(err)
	}
	close := map[json.Delim]byte{'{': '}', '[': ']'}[open]
	return append(append([]byte{byte(open)}, bytes.Join(list, []byte(","))...), close)
}

func TestRequestsOfRealAgentsComeBackFromValueAndNotes(t *testing.T) {
	for _, name := range testrun.Shared(t, "data", "agents/wire/*.jsonl") {
		for i, sent := range bodiesOf(t, name) {
			for way, write := range ways {
				body := write(sent)
				kept, err := Read(body)
				must(t, err)
				again, err := stored(t, kept).Bytes()
				if err != nil || sha256.Sum256(again) != sha256.Sum256(body) {
					t.Fatalf("%s, request %d, %s: another body came back, %v", name, i, way, err)
				}
				if kept.Notes.Raw != nil {
					t.Errorf("%s, request %d, %s: kept raw", name, i, way)
				}
				if original, _ := Read(sent); kept.Value.Value() != original.Value.Value() {
					t.Errorf("%s, request %d, %s: another value", name, i, way)
				}
			}
		}
	}
}

// stored is a body as it comes back from where it is kept: the value as
// canonical text, the notes as JSON.
func stored(t testing.TB, b Body) Body {
	t.Helper()
	text, err := json.Marshal(b.Notes)
	must(t, err)
	var again Body
	must(t, json.Unmarshal(text, &again.Notes))
	if b.Value.Kind != canon.KindAbsent {
		if again.Value, err = canon.ParseAny([]byte(b.Value.Value())); err != nil {
			t.Fatal(err)
		}
	}
	return again
}

func TestNotesNameOnlyWhatDiffers(t *testing.T) {
	for _, c := range []struct {
		body  string
		notes string
	}{
		{`{"a":1,"b":"é<\n"}`, `{}`},
		{`{"a": 1, "b": [true, null]}` + "\n", `{"spaced":true,"after":"\n"}`},
		{`["\u00e9\ud83d\ude00","é"]`, `{"spelled":[{"as":"\"\\u00e9\\ud83d\\ude00\""}]}`},
		{`["\u00e9","\u00ea","é"]`, `{"escapes":"ascii","spelled":[{"skip":2,"as":"\"é\""}]}`},
		{`["\u003cb\u003e & \/"]`, `{"spelled":[{"as":"\"\\u003cb\\u003e \u0026 \\/\""}]}`},
		{`["\u003cb\u003e"]`, `{"escapes":"html"}`},
		{`[1.50,1e2,-0,9007199254740993,0.1]`,
			`{"spelled":[{"as":"1.50"},{"as":"1e2"},{"as":"-0"}]}`},
		// Pass over no object; two members, that of the second name first. The
		// second object has the same names and costs nothing, the third does.
		{`[{"b":1,"a":2},{"b":3,"a":4},{"a":5,"b":6}]`, `{"order":"AAIBAAEA"}`},
	} {
		kept, err := Read([]byte(c.body))
		must(t, err)
		notes, err := json.Marshal(kept.Notes)
		if err != nil || string(notes) != c.notes {
			t.Errorf("%s: notes are %s, want %s (%v)", c.body, notes, c.notes, err)
		}
		if again, err := stored(t, kept).Bytes(); err != nil || string(again) != c.body {
			t.Errorf("%s came back as %s, %v", c.body, again, err)
		}
	}
}

func TestWhatCannotBeRebuiltIsKeptRaw(t *testing.T) {
	deep := strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1)
	for body, value := range map[string]string{
		"":                     "",
		"not JSON":             "",
		"{}{}":                 "",
		`{"a":1,}`:             "",
		`{"a"=1}`:              "",
		"[1 2]":                "",
		"[01]":                 "",
		"[NaN]":                "",
		"[1e999]":              "",
		"[-]":                  "",
		"tru":                  "",
		"\"a\xff\"":            "",
		"\"a\nb\"":             "",
		`"\x"`:                 "",
		`"\u12"`:               "",
		`"open`:                "",
		"\uFEFF{}":             "",
		deep:                   "",
		`{"a":1,"b":2,"a":3}`:  `{"a":3,"b":2}`,
		"{\n  \"a\": 1\n}":     `{"a":1}`,
		`{"a":1, "b":2}`:       `{"a":1,"b":2}`,
		`[ ]`:                  `[]`,
		`{"a" :1}`:             `{"a":1}`,
		strings.Repeat("9", 5): "99999",
	} {
		kept, err := Read([]byte(body))
		must(t, err)
		if got := string(kept.Value.Value()); got != value {
			t.Errorf("%.40q: its value is %s, want %s", body, got, value)
		}
		if raw := body != "99999"; (kept.Notes.Raw != nil) != raw {
			t.Errorf("%.40q: kept raw is %v", body, !raw)
		}
		if again, err := stored(t, kept).Bytes(); err != nil || string(again) != body {
			t.Errorf("%.40q came back as %.40q, %v", body, again, err)
		}
	}
	if _, err := Read(make([]byte, MaxBody+1)); !errors.Is(err, fault.Limit) {
		t.Errorf("a body that is too long: %v", err)
	}
	wide := []byte("[" + strings.Repeat("0,", maxValues) + "0]")
	kept, err := Read(wide)
	if err != nil || kept.Notes.Raw == nil || kept.Value.Kind != canon.KindAbsent {
		t.Errorf("a body of more values than are taken apart is not kept raw: %v", err)
	}
	if again, err := kept.Bytes(); err != nil || !bytes.Equal(again, wide) {
		t.Errorf("it did not come back: %v", err)
	}
}

func TestNotesOfAnotherBodyAreRefused(t *testing.T) {
	value, err := canon.ParseAny([]byte(`{"a":1,"b":[2,"x"]}`))
	must(t, err)
	for _, notes := range []Notes{
		{Order: []byte{0, 3, 0, 1, 2}}, {Order: []byte{0, 2, 1, 1}}, {Order: []byte{0, 2, 1, 2}}, {Order: []byte{0, 2, 1}},
		{Order: []byte{1, 0}}, {Order: []byte{0xFF}}, {Spelled: []Spelling{{Skip: 9, Literal: "1"}}}, {Raw: []byte("x")},
		{Raw: []byte{}},
	} {
		if body, err := (Body{Value: value, Notes: notes}).Bytes(); !errors.Is(err, fault.DocumentInvalid) {
			t.Errorf("%+v gave %s, %v", notes, body, err)
		}
	}
	if _, err := (Body{}).Bytes(); !errors.Is(err, fault.DocumentInvalid) {
		t.Errorf("a body without a value: %v", err)
	}
}

// A value drawn at random and written at random comes back; what a client with
// one habit writes is never kept raw.
func TestRandomBodiesComeBack(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 1))
	for range 500 {
		body := drawn(random, 4)
		for way, write := range ways {
			written := write([]byte(body))
			kept, err := Read(written)
			must(t, err)
			again, err := stored(t, kept).Bytes()
			if err != nil || !bytes.Equal(again, written) {
				t.Fatalf("%s: %s came back as %s, %v", way, written, again, err)
			}
			if kept.Notes.Raw != nil {
				t.Fatalf("%s: %s was kept raw", way, written)
			}
		}
	}
}

// drawn draws compact JSON. Names of an object differ.
func drawn(random *rand.Rand, depth int) string {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	switch kind := random.IntN(6); {
	case kind < 2 && depth > 0:
		var members []string
		for _, name := range random.Perm(5)[:random.IntN(5)] {
			members = append(members, fmt.Sprintf(`"%c%s":%s`, 'a'+name, pick("", "é", "\u2028", `\n`), drawn(random, depth-1)))
		}
		return "{" + strings.Join(members, ",") + "}"
	case kind == 2 && depth > 0:
		var list []string
		for range random.IntN(4) {
			list = append(list, drawn(random, depth-1))
		}
		return "[" + strings.Join(list, ",") + "]"
	case kind == 3:
		return pick("0", "-1", "1.5", "1.0", "12345678901234567890", "0.001", "true", "false", "null")
	}
	return `"` + pick("", "x", "é", "😀", `\n`, `\\`, `\"`, "<b>", "\x7f", "\u2029", `\u0001`, "a b: c, d") +
		pick("", "y", "\u2028", "&") + `"`
}

func FuzzBody(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"b":1,"a":[1.50,"\u00e9",{"z":0,"y":1}]}`, `[1, 2]`, " 1 ", `"\ud800"`,
		`"\ud83d\ude00\/"`, `{"a":1,"a":2}`, "\xff", `["\u003c","<"]`, `{"":{"":""}}`, "[-0,1E5]", `"\uD83D\uDE00"`,
		`{"a\n\u00e9\n":"\u00e9\t\/"}`} {
		f.Add([]byte(seed), []byte{})
	}
	f.Fuzz(func(t *testing.T, body, order []byte) {
		kept, err := Read(body)
		must(t, err)
		again, err := stored(t, kept).Bytes()
		if err != nil || !bytes.Equal(again, body) {
			t.Fatalf("%q came back as %q, %v", body, again, err)
		}
		want, failed := canon.Parse(body)
		if kept.Value.Kind != canon.KindAbsent && (failed != nil || kept.Value.Value() != want) {
			t.Fatalf("%q: the value is %s, package canon reads %s, %v", body, kept.Value.Value(), want, failed)
		}
		if failed == nil && want.Expressible() && kept.Value.Kind == canon.KindAbsent {
			t.Fatalf("%q is JSON and has no value", body)
		}
		if is, err := IsObject(body); err != nil || is != (kept.Value.Kind == canon.KindObject) {
			t.Fatalf("%q is an object: %v, %v", body, is, err)
		}
		kept.Notes.Order, kept.Notes.Raw = order, nil // of somebody else: refused or not, but no panic
		_, _ = kept.Bytes()
	})
}

var must = testrun.Must
