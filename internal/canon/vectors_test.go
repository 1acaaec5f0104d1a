package canon

import (
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"
)

// The vectors were made by Python itself; testdata/make_vectors.py repeats them.

func load[T any](t *testing.T, name string) []T {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	must(t, err)
	var list []T
	must(t, json.Unmarshal(data, &list))
	if len(list) == 0 {
		t.Fatalf("%s holds no vectors", name)
	}
	return list
}

func TestValuesLikePython(t *testing.T) {
	for _, vec := range load[struct{ In, Out string }](t, "values.json") {
		got, err := Parse([]byte(vec.In))
		if err != nil {
			t.Errorf("Parse(%.80q): %v", vec.In, err)
			continue
		}
		if string(got) != vec.Out {
			t.Errorf("Parse(%.80q)\n got %.80q\nwant %.80q", vec.In, got, vec.Out)
		}
		if again := got.Any().Value(); again != got {
			t.Errorf("walking %.80q gives %.80q", got, again)
		}
	}
}

func TestFloatsLikePython(t *testing.T) {
	for _, vec := range load[struct{ Bits, Out string }](t, "floats.json") {
		bits, err := strconv.ParseUint(vec.Bits, 16, 64)
		must(t, err)
		f := math.Float64frombits(bits)
		if got := fromFloat(f); string(got) != vec.Out {
			t.Errorf("Float(%s) = %s, want %s", vec.Bits, got, vec.Out)
		}
		if got, err := Encode(f); err != nil || string(got) != vec.Out {
			t.Errorf("Encode(%s) = %s, %v, want %s", vec.Bits, got, err, vec.Out)
		}
		if got, err := Parse([]byte(vec.Out)); err != nil || string(got) != vec.Out {
			t.Errorf("Parse(%s) = %s, %v", vec.Out, got, err)
		}
	}
}

// TestContentHashLikePython holds 08 §2.1 against the normative function.
func TestContentHashLikePython(t *testing.T) {
	type vector struct {
		Node json.RawMessage // read by this package: encoding/json would lose lone surrogates
		Hash string
	}
	for _, vec := range load[vector](t, "hashes.json") {
		node, err := ParseAny(vec.Node)
		must(t, err)
		field := func(name string) Value {
			a, _ := node.Get(name)
			return a.Value()
		}
		attrs := func(yield func(string, Value) bool) {
			for _, m := range node.Members {
				if !yield(m.Name, m.Value.Value()) {
					return
				}
			}
		}
		digest, ok := ContentHash(field("content"), field("role"), field("kind"), attrs)
		if got := hex.EncodeToString(digest[:]); !ok || got != vec.Hash {
			t.Errorf("node %.200s\n got %s, %v\nwant %s", vec.Node, got, ok, vec.Hash)
		}
	}
}
