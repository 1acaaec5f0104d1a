package canon

import (
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
)

// Value is a JSON value as its canonical bytes. It is immutable and comparable
// with ==. The empty Value means that there is no value, which is not null.
type Value string

// The values that have one spelling only.
const (
	Null  Value = "null"
	True  Value = "true"
	False Value = "false"
)

// Kind is the JSON type of a value.
type Kind uint8

// The kinds of value. KindAbsent is the kind of the empty Value.
const (
	KindAbsent Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// Kind returns the kind of v. Its first byte tells, because the canonical form has
// no leading white space.
func (v Value) Kind() Kind {
	if v == "" {
		return KindAbsent
	}
	switch v[0] {
	case 'n':
		return KindNull
	case 't', 'f':
		return KindBool
	case '"':
		return KindString
	case '[':
		return KindArray
	case '{':
		return KindObject
	}
	return KindNumber
}

// Text returns the decoded string if v is a string. A lone surrogate, which JSON
// can write but UTF-8 cannot hold, comes out as its three-byte WTF-8 sequence.
func (v Value) Text() (string, bool) {
	if v.Kind() != KindString {
		return "", false
	}
	if inner := string(v[1 : len(v)-1]); strings.IndexByte(inner, '\\') < 0 {
		return inner, true
	}
	return v.Any().Text, true
}

// Texts returns the strings of an array of strings, nil for any other value.
func (v Value) Texts() []string {
	if v.Kind() != KindArray {
		return nil
	}
	elems := v.Any().Elems
	list := make([]string, 0, len(elems))
	for _, e := range elems {
		if e.Kind != KindString {
			return nil
		}
		list = append(list, e.Text)
	}
	return list
}

// MarshalJSON returns the value itself, so that one inside a list or a map stays what it is; null for no value.
// encoding/json refuses NaN and infinities.
func (v Value) MarshalJSON() ([]byte, error) {
	if v == "" {
		v = Null
	}
	return []byte(v), nil
}

// IsInteger reports whether v is a number without fraction and exponent. Like
// Python, the canonical form keeps 1 and 1.0 apart.
func (v Value) IsInteger() bool {
	digits := strings.TrimPrefix(string(v), "-")
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return digits != ""
}

// Int64 returns v if it is an integer of 64 bits.
func (v Value) Int64() (int64, bool) {
	if !v.IsInteger() {
		return 0, false
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil
}

// Expressible reports whether standard JSON can express v. It cannot if v holds
// NaN, Infinity or -Infinity, although Python reads and prints these; such
// content is invalid for the content hash (08 §8.2).
func (v Value) Expressible() bool {
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			i = stringEnd(v, i)
		case 'N', 'I': // outside of strings only NaN and Infinity have capitals
			return false
		}
	}
	return true
}

// Any returns v parsed, to walk. It returns the zero Any if v is not valid.
func (v Value) Any() Any {
	a, err := parse(string(v), unlimited)
	if err != nil {
		return Any{}
	}
	return a
}

// CheckDepth refuses, with E_LIMIT, a value whose containers nest deeper than
// Parse reads. Code that accepts values without Parse calls it, so that Parse can
// read back every accepted value.
func (v Value) CheckDepth() error {
	if kind := v.Kind(); (kind == KindArray || kind == KindObject) && v.depth() > maxDepth {
		return tooDeep(fault.NoOffset, string(v[:1]), maxDepth)
	}
	return nil
}

// depth returns how deep the containers of v nest.
func (v Value) depth() int {
	now, most := 0, 0
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			i = stringEnd(v, i)
		case '[', '{':
			now++
			most = max(most, now)
		case ']', '}':
			now--
		}
	}
	return most
}

// stringEnd returns the index of the quote that closes the string opened at
// index open.
func stringEnd(v Value, open int) int {
	for i := open + 1; ; i++ {
		if i = min(PlainEnd(v, i), len(v)); i == len(v) || v[i] == '"' {
			return i
		}
		if v[i] == '\\' {
			i++
		}
	}
}
