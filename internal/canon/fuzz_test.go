package canon

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "null", `{"a":[1,-0,1.50,1e400,NaN],"a":"\u00e9\ud83d"}`, ` [ true , false ] `, "-Infinity", "\xff",
		`{"é":{"😀":1,"\uffff":2}}`, "[[[[", `{"b":"x","a":{"b":[1],"a":{}},"a":0,"":1,"":[{"z":{},"\u0079":[]}]}`,
		`{"\ud800":1,"\udfff":2,"\ue000":3,"\ud7ff":4,"\ud83d\ude00":5,"\"":6,"a\\":7,"a":8,"a\u0000":9}`,
		`{"a":{"content":1},"b":"\u0041"} `, `"\ud83d\ude00\/"`, "1e-5", "01",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data)
		walked, failed := ParseAny(data)
		if walked.Value() != v || fmt.Sprint(failed) != fmt.Sprint(err) {
			t.Fatalf("read at once as %s, %v; walked as %s, %v", v, err, walked.Value(), failed)
		}
		if held, failed := (&Outline{Walk: []string{"a"}, Hold: []string{"b"}}).Parse(data); err == nil &&
			(failed != nil || held.Value() != v) {
			t.Fatalf("read at once as %s; by an outline as %s, %v", v, held.Value(), failed)
		}
		if Value(data).Canonical() != (err == nil && string(v) == string(data)) {
			t.Fatalf("%s: Canonical is %v", data, Value(data).Canonical())
		}
		if err != nil {
			if v != "" || fault.CodeOf(err) == "" {
				t.Fatalf("refused with %q, %v", v, err)
			}
			if json.Valid(data) && utf8.Valid(data) && fault.CodeOf(err) != fault.Limit {
				t.Fatalf("JSON refused: %v", err)
			}
			return
		}
		again, err := Parse([]byte(v))
		if err != nil || again != v {
			t.Fatalf("%q reads back as %q, %v", v, again, err)
		}
		if strings.Contains(strings.ToLower(string(data)), `\ud`) {
			return // encoding/json cannot hold a lone surrogate
		}
		var want any
		dec := json.NewDecoder(strings.NewReader(string(data)))
		dec.UseNumber()
		if json.Valid(data) && dec.Decode(&want) == nil && !same(v.Any(), want) {
			t.Fatalf("read %q, encoding/json %#v", v, want)
		}
		if json.Valid([]byte(v)) != v.Expressible() {
			t.Fatalf("%q: Expressible is %v", v, v.Expressible())
		}
	})
}

// same compares a parsed value with the reading of encoding/json.
func same(a Any, v any) bool {
	switch v := v.(type) {
	case nil:
		return a.Kind == KindNull
	case bool:
		return a.Kind == KindBool && a.Text == strconv.FormatBool(v)
	case string:
		return a.Kind == KindString && a.Text == v
	case json.Number:
		if !strings.ContainsAny(string(v), ".eE") {
			return a.Kind == KindNumber && (a.Text == string(v) || v == "-0" && a.Text == "0")
		}
		f, _ := strconv.ParseFloat(string(v), 64)
		g, err := strconv.ParseFloat(a.Text, 64)
		return a.Kind == KindNumber && err == nil && f == g
	case []any:
		if a.Kind != KindArray || len(a.Elems) != len(v) {
			return false
		}
		for i := range v {
			if !same(a.Elems[i], v[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		if a.Kind != KindObject || len(a.Members) != len(v) {
			return false
		}
		for name, want := range v {
			if got, ok := a.Get(name); !ok || !same(got, want) {
				return false
			}
		}
		return true
	}
	return false
}

func FuzzAppendString(f *testing.F) {
	for _, seed := range []string{"", "plain", "\x00\x7f\"\\", "é😀", "\xed\xa0\xbd", "\xed\xa0\xbd\xed\xb8\x80",
		"\xff\xc3", "\ufffd"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := string(AppendString([]byte("x"), s))[1:]
		if Value(out) != String(s) {
			t.Fatalf("AppendString gives %s, String %s", out, String(s))
		}
		v, err := Parse([]byte(out))
		if err != nil || string(v) != out {
			t.Fatalf("%s reads back as %s, %v", out, v, err)
		}
		text, ok := v.Text()
		if !ok || badByte(text) >= 0 || badByte(s) < 0 && text != s || text != settled(s) {
			t.Fatalf("%q came back as %q", s, text)
		}
		if ValidText(s) {
			var want string
			if err := json.Unmarshal([]byte(out), &want); err != nil || want != s {
				t.Fatalf("encoding/json reads %q from %s: %v", want, out, err)
			}
		}
	})
}
