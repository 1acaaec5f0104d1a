package splice

import (
	"bytes"
	"slices"

	"github.com/contexttree/pact/internal/canon"
)

// Value is a value at its place in a body. The zero Value stands for a missing one.
type Value struct {
	Kind    canon.Kind
	Start   int    // offset of Raw in the body
	Raw     []byte // the bytes of the value, in the memory of the body
	Elems   []Value
	Members []Member
}

// Member is a member of an object.
type Member struct {
	Name  string
	Start int // offset of the name, its quote included
	Value Value
}

// End returns the offset after the value.
func (v Value) End() int { return v.Start + len(v.Raw) }

// Is reports whether the value is there.
func (v Value) Is() bool { return v.Kind != canon.KindAbsent }

// Get follows names of members; it returns a missing Value where one lacks.
func (v Value) Get(path ...string) Value {
	for _, name := range path {
		at := v.index(name)
		if at < 0 {
			return Value{}
		}
		v = v.Members[at].Value
	}
	return v
}

func (v Value) index(name string) int { return indexOf(v.Members, name) }

func indexOf(members []Member, name string) int {
	for i := range members {
		if members[i].Name == name {
			return i
		}
	}
	return -1
}

// Text returns what a string says, "" for every other value. Cost: its length.
func (v Value) Text() string {
	if v.Kind != canon.KindString {
		return ""
	}
	inside := v.Raw[1 : len(v.Raw)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return string(inside)
	}
	read, err := canon.ParseAny(v.Raw)
	if err != nil {
		return ""
	}
	return read.Text
}

// True reports whether the value is true.
func (v Value) True() bool { return string(v.Raw) == "true" }

// Canon returns the value without its spelling. Cost: linear in its bytes.
func (v Value) Canon() (canon.Any, error) { return canon.ParseAny(v.Raw) }

// Own returns the value in memory of its own, at the same place.
func (v Value) Own() Value { return v.in(bytes.Clone(v.Raw), v.Start) }

// in returns the value whose bytes are also in some memory, which begins at a place of the body.
func (v Value) in(memory []byte, begin int) Value {
	v.Raw = memory[v.Start-begin : v.End()-begin : v.End()-begin]
	v.Elems, v.Members = slices.Clone(v.Elems), slices.Clone(v.Members)
	for i := range v.Elems {
		v.Elems[i] = v.Elems[i].in(memory, begin)
	}
	for i := range v.Members {
		v.Members[i].Value = v.Members[i].Value.in(memory, begin)
	}
	return v
}
