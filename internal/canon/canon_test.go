package canon

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
)

func TestParseErrors(t *testing.T) {
	long := strings.Repeat("1", maxNumber+1)
	for _, c := range []struct {
		in     string
		code   fault.Code
		offset int
		token  string
	}{
		{"", fault.DocumentInvalid, 0, ""},
		{"  ", fault.DocumentInvalid, 2, ""},
		{"\ufeff{}", fault.DocumentInvalid, 0, "\ufeff"},
		{"nul", fault.DocumentInvalid, 0, "nul"},
		{"[truth]", fault.DocumentInvalid, 1, "truth"},
		{"nan", fault.DocumentInvalid, 0, "nan"},
		{"-NaN", fault.DocumentInvalid, 1, "NaN"},
		{"-Inf", fault.DocumentInvalid, 0, "-"},
		{"truer", fault.DocumentInvalid, 4, "r"},
		{"1 2", fault.DocumentInvalid, 2, "2"},
		{"é", fault.DocumentInvalid, 0, "é"},
		{"\x00", fault.DocumentInvalid, 0, "\x00"},
		{"\v1", fault.DocumentInvalid, 0, "\v"},
		{"01", fault.DocumentInvalid, 1, "1"},
		{"-", fault.DocumentInvalid, 1, ""},
		{"+1", fault.DocumentInvalid, 0, "+"},
		{".5", fault.DocumentInvalid, 0, "."},
		{"1.", fault.DocumentInvalid, 2, ""},
		{"1.e5", fault.DocumentInvalid, 2, "e"},
		{"1e", fault.DocumentInvalid, 2, ""},
		{"1e+x", fault.DocumentInvalid, 3, "x"},
		{"[1,]", fault.DocumentInvalid, 3, "]"},
		{"[,1]", fault.DocumentInvalid, 1, ","},
		{"[1 2]", fault.DocumentInvalid, 3, "2"},
		{"[1", fault.DocumentInvalid, 2, ""},
		{"[1}", fault.DocumentInvalid, 2, "}"},
		{"[", fault.DocumentInvalid, 1, ""},
		{"{", fault.DocumentInvalid, 1, ""},
		{"{a:1}", fault.DocumentInvalid, 1, "a"},
		{`{"a"}`, fault.DocumentInvalid, 4, "}"},
		{`{"a":}`, fault.DocumentInvalid, 5, "}"},
		{`{"a":1,}`, fault.DocumentInvalid, 7, "}"},
		{`{"a":1 "b":2}`, fault.DocumentInvalid, 7, `"`},
		{`{"a":1`, fault.DocumentInvalid, 6, ""},
		{`{"a`, fault.DocumentInvalid, 3, ""},
		{`"a`, fault.DocumentInvalid, 2, ""},
		{`"a\`, fault.DocumentInvalid, 3, ""},
		{`"a\x"`, fault.DocumentInvalid, 2, `\x`},
		{`"\u12"`, fault.DocumentInvalid, 1, `\u`},
		{`"\u12g4"`, fault.DocumentInvalid, 1, `\u`},
		{`"\ud83d\u12"`, fault.DocumentInvalid, 7, `\u`},
		{"\"a\nb\"", fault.DocumentInvalid, 2, "\n"},
		{"\"ab\xffc\"", fault.DocumentInvalid, 3, "0xFF"},
		{"\"\xc3", fault.DocumentInvalid, 1, "0xC3"},
		{"\"\xed\xa0\x80\"", fault.DocumentInvalid, 1, "0xED"},
		{"[\xff]", fault.DocumentInvalid, 1, "0xFF"},
		{strings.Repeat("x", 99), fault.DocumentInvalid, 0, strings.Repeat("x", tokenMax)},
		{"[" + long + "]", fault.Limit, 1, long[:tokenMax] + "…"},
		{"-" + long, fault.Limit, 0, "-" + long[:tokenMax-1] + "…"},
		{"0." + long, fault.Limit, 0, "0." + long[:tokenMax-2] + "…"},
		{strings.Repeat("[", maxDepth+1), fault.Limit, maxDepth, "["},
		{strings.Repeat(`{"":`, 1_000_000), fault.Limit, 4 * maxDepth, "{"},
	} {
		v, err := Parse([]byte(c.in))
		var e *fault.Error
		if !errors.As(err, &e) || v != "" {
			t.Errorf("Parse(%.40q) = %q, %v, want a fault", c.in, v, err)
			continue
		}
		if e.Code != c.code || e.Offset != c.offset || e.Token != c.token {
			t.Errorf("Parse(%.40q) fails with %s at %d on %q, want %s at %d on %q",
				c.in, e.Code, e.Offset, e.Token, c.code, c.offset, c.token)
		}
	}
}

func TestValueReading(t *testing.T) {
	for _, c := range []struct {
		v           Value
		kind        Kind
		integer     bool
		expressible bool
	}{
		{"", KindAbsent, false, true},
		{Null, KindNull, false, true},
		{True, KindBool, false, true},
		{Bool(false), KindBool, false, true},
		{Int(-7), KindNumber, true, true},
		{"-", KindNumber, false, true},
		{fromFloat(7), KindNumber, false, true},
		{fromFloat(1e99), KindNumber, false, true},
		{fromFloat(math.NaN()), KindNumber, false, false},
		{fromFloat(math.Inf(-1)), KindNumber, false, false},
		{String(`N "I" \`), KindString, false, true},
		{Strings([]string{"NaN", `\`, `"Infinity`}), KindArray, false, true},
		{`["\"",Infinity]`, KindArray, false, false},
		{`{"a":{"b":-Infinity}}`, KindObject, false, false},
	} {
		if c.v.Kind() != c.kind || c.v.IsInteger() != c.integer || c.v.Expressible() != c.expressible {
			t.Errorf("%q reads as kind %d, integer %v, expressible %v", c.v, c.v.Kind(), c.v.IsInteger(), c.v.Expressible())
		}
	}
	for v, want := range map[Value]string{`""`: "", `"a b"`: "a b", `"\u00e9\n\\"`: "é\n\\", `"\ud83d\ude00"`: "😀",
		`"\ud83d"`: "\xed\xa0\xbd"} {
		if got, ok := v.Text(); !ok || got != want || String(got) != v {
			t.Errorf("%s.Text() = %q, %v, want %q", v, got, ok, want)
		}
	}
	if _, ok := Int(1).Text(); ok {
		t.Error("a number has no text")
	}
	for v, want := range map[Value]bool{"0": true, "-9223372036854775808": true, "9223372036854775808": false,
		"1.0": false, `"1"`: false} {
		if n, ok := v.Int64(); ok != want || ok && Int(n) != v {
			t.Errorf("%s.Int64() = %d, %v", v, n, ok)
		}
	}
	if a := Value("{").Any(); a.Kind != KindAbsent {
		t.Errorf("broken value walks as %v", a)
	}
}

func TestTextChecks(t *testing.T) {
	for _, c := range []struct {
		s             string
		valid, stored bool
		out           Value
	}{
		{"", true, true, `""`},
		{"aé😀\x7f", true, true, `"a\u00e9\ud83d\ude00\u007f"`},
		{"\ufffd", true, true, `"\ufffd"`},
		{"\xed\xa0\xbdx", false, true, `"\ud83dx"`},
		{"\xed\xb8\x80\xed\xa0\xbd", false, true, `"\ude00\ud83d"`},
		{"\xed\xa0\xbd\xed\xb8\x80", false, false, `"\ud83d\ude00"`},
		{"a\xffb", false, false, `"a\ufffdb"`},
		{"\xed\xa0", false, false, `"\ufffd\ufffd"`},
		{"\xed\xa0\xff", false, false, `"\ufffd\ufffd\ufffd"`},
	} {
		if ValidText(c.s) != c.valid || (badByte(c.s) < 0) != c.stored || String(c.s) != c.out {
			t.Errorf("%q: valid %v, stored %v, %s", c.s, ValidText(c.s), badByte(c.s) < 0, String(c.s))
		}
	}
}

func TestAny(t *testing.T) {
	one := Value("1").Any()
	o := Object(Member{"b", one}, Member{"a", one}, Member{"gone", Any{}}, Member{"b", ArrayOf(one, Any{})},
		Member{"\xed\xa0\xbd\xed\xb8\x80", one}, Member{"😀", String("x").Any()})
	if got, want := o.Value(), Value(`{"a":1,"b":[1,null],"\ud83d\ude00":"x"}`); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if b, ok := o.Get("b"); !ok || b.Kind != KindArray {
		t.Errorf("Get(b) = %v, %v", b, ok)
	}
	if _, ok := o.Get("c"); ok {
		t.Error("found a member that is not there")
	}
	if v := (Any{}).Value(); v != "" {
		t.Errorf("no value prints as %q", v)
	}
}

func TestEncode(t *testing.T) {
	type record struct {
		Name string `json:"name"`
		Age  int    `json:"age,omitempty"`
	}
	huge := new(big.Int).Lsh(big.NewInt(1), 70)
	for _, c := range []struct {
		in   any
		want Value
	}{
		{nil, Null}, {true, True}, {"é<", `"\u00e9<"`},
		{int(-1), "-1"}, {int8(-8), "-8"}, {int16(16), "16"}, {int32(32), "32"},
		{int64(math.MinInt64), "-9223372036854775808"},
		{uint(1), "1"}, {uint8(8), "8"}, {uint16(16), "16"}, {uint32(32), "32"},
		{uint64(math.MaxUint64), "18446744073709551615"},
		{float32(0.5), "0.5"}, {2.0, "2.0"}, {math.Inf(1), "Infinity"},
		{huge, "1180591620717411303424"}, {(*big.Int)(nil), Null},
		{json.Number("1E2"), "100.0"}, {json.Number("-0"), "0"}, {json.Number("NaN"), "NaN"},
		{[]any(nil), "[]"}, {[]any{1, "a", nil, Value(""), Value("[]"), Any{}}, `[1,"a",null,null,[],null]`},
		{[]string{"a", "\n"}, `["a","\n"]`}, {map[string]any(nil), "{}"},
		{map[string]any{"b": []string(nil), "a": map[string]any{"😀": 1, "\uffff": 2}},
			`{"a":{"\uffff":2,"\ud83d\ude00":1},"b":[]}`},
		{Value(""), ""}, {Value("[1]"), "[1]"}, {Any{}, ""}, {ArrayOf(Any{}), "[null]"},
		{record{"x", 0}, `{"name":"x"}`}, {[]record{{"y<", 1}}, `[{"age":1,"name":"y<"}]`},
		{json.RawMessage(` {"b":1.50,"a":"\ud800"} `), `{"a":"\ud800","b":1.5}`}, {map[string]int{"b": 1, "a": 2},
			`{"a":2,"b":1}`},
	} {
		if got, err := Encode(c.in); err != nil || got != c.want {
			t.Errorf("Encode(%#v) = %s, %v, want %s", c.in, got, err, c.want)
		}
	}
}

func TestEncodeErrors(t *testing.T) {
	loop := []any{nil}
	loop[0] = loop
	ring := map[string]any{}
	ring["r"] = ring
	full := Value(strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth))
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(maxNumber), nil)
	for name, c := range map[string]struct {
		in   any
		code fault.Code
	}{
		"bytes":          {[]byte("x"), fault.DocumentInvalid},
		"channel":        {make(chan int), fault.DocumentInvalid},
		"bad string":     {"a\xff", fault.DocumentInvalid},
		"bad element":    {[]string{"\xff"}, fault.DocumentInvalid},
		"bad name":       {map[string]any{"\xff": 1}, fault.DocumentInvalid},
		"bad member":     {map[string]any{"a": []byte{}}, fault.DocumentInvalid},
		"bad number":     {json.Number("1x"), fault.DocumentInvalid},
		"no number":      {json.Number(""), fault.DocumentInvalid},
		"loop":           {loop, fault.Limit},
		"ring":           {ring, fault.Limit},
		"deep value":     {[]any{full}, fault.Limit},
		"deep any":       {ArrayOf(full.Any()), fault.Limit},
		"deep marshaler": {[]any{json.RawMessage(full)}, fault.Limit},
		"big":            {ten, fault.Limit},
		"bigger":         {new(big.Int).Lsh(ten, 99), fault.Limit},
	} {
		if v, err := Encode(c.in); fault.CodeOf(err) != c.code || v != "" {
			t.Errorf("%s: got %.40q, %v, want %s", name, v, err, c.code)
		}
	}
	if v, err := Encode(ten.Sub(big.NewInt(1), ten)); err != nil || len(v) != maxNumber+1 {
		t.Errorf("the longest negative integer: %d bytes, %v", len(v), err)
	}
}

// TestContentHashNotExpressible covers invalid content (08 §8.2) and that a
// refused hash leaves nothing behind for the next one.
func TestContentHashNotExpressible(t *testing.T) {
	nan := fromFloat(math.NaN())
	attr := func(name string, v Value) func(func(string, Value) bool) {
		return func(yield func(string, Value) bool) { yield(name, v) }
	}
	want, ok := ContentHash(String("x"), "", "", nil)
	if !ok {
		t.Fatal("plain content has no hash")
	}
	for name, got := range map[string]func() ([32]byte, bool){
		"content": func() ([32]byte, bool) { return ContentHash(`[NaN]`, "", "", nil) },
		"role":    func() ([32]byte, bool) { return ContentHash("", nan, "", nil) },
		"kind":    func() ([32]byte, bool) { return ContentHash("", "", nan, nil) },
		"attr":    func() ([32]byte, bool) { return ContentHash("", "", "", attr("data_x", nan)) },
	} {
		if digest, ok := got(); ok || digest != [32]byte{} {
			t.Errorf("%s: got %x, %v", name, digest, ok)
		}
		if again, ok := ContentHash(String("x"), "", "", nil); !ok || again != want {
			t.Errorf("after %s the hash changed", name)
		}
	}
	if digest, ok := ContentHash(String("x"), "", "", attr("other", nan)); !ok || digest != want {
		t.Error("an attribute outside the content changed the hash")
	}
}
