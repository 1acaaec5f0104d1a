// Package canon holds JSON values in their canonical form and computes the
// content hash over it (08 §2.1).
//
// The canonical form is byte for byte what Python prints for
//
//	json.dumps(v, sort_keys=True, separators=(',', ':'), ensure_ascii=True)
//
// because the normative hash of chapter 08 §2.1 is defined through that call
// and the bytes of a snapshot (05 §2.2) are kept in the same form. One form for
// comparing, hashing and storing means that two values are equal exactly when
// their bytes are.
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

// Kind tells the sorts of value apart.
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

// Kind returns the sort of v, read off its first byte: the canonical form has
// no white space in front.
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

// Text returns the decoded string when v is one. A lone surrogate, which JSON
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

// IsInteger reports whether v is a number written without fraction and
// exponent; like Python, the canonical form keeps 1 and 1.0 apart.
func (v Value) IsInteger() bool {
	digits := strings.TrimPrefix(string(v), "-")
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return digits != ""
}

// Int64 returns v when it is an integer that fits.
func (v Value) Int64() (int64, bool) {
	if !v.IsInteger() {
		return 0, false
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil
}

// Expressible reports whether JSON proper can express v. It cannot when v holds
// NaN, Infinity or -Infinity, which Python reads and prints nevertheless; such
// content is invalid for the content hash (08 §8.2).
func (v Value) Expressible() bool {
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			i = stringEnd(v, i)
		case 'N', 'I': // no other capital stands outside a string
			return false
		}
	}
	return true
}

// Any returns v parsed, to walk. It cannot fail on a valid Value; of anything
// else it returns the zero Any.
func (v Value) Any() Any {
	a, err := parse(string(v), unlimited)
	if err != nil {
		return Any{}
	}
	return a
}

// CheckDepth refuses a value whose containers nest deeper than Parse reads, with
// E_LIMIT. Whatever takes values in by another way than Parse holds them to it,
// so that what was taken in can always be read again.
func (v Value) CheckDepth() error {
	if kind := v.Kind(); (kind == KindArray || kind == KindObject) && v.depth() > maxDepth {
		return tooDeep(fault.NoOffset, string(v[:1]), maxDepth)
	}
	return nil
}

// depth returns how many containers of v lie inside one another at most.
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
	i := open + 1
	for i < len(v) && v[i] != '"' {
		if v[i] == '\\' {
			i++
		}
		i++
	}
	return i
}
