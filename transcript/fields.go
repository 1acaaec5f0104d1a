package transcript

import (
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// fields are the members of an object under construction. The last of two equal
// names counts; a field without a value is left out.
type fields []field

type field struct {
	name  string
	value canon.Value
}

func (f *fields) set(name string, v canon.Value) { *f = append(*f, field{name, v}) }

// setAll sets the members of an object.
func (f *fields) setAll(object canon.Any) {
	for _, m := range object.Members {
		f.set(m.Name, m.Value.Value())
	}
}

// appendTo appends the object in canonical form.
func (f fields) appendTo(dst []byte) []byte {
	slices.SortStableFunc(f, func(a, b field) int { return strings.Compare(a.name, b.name) })
	dst = append(dst, '{')
	first := true
	for i, x := range f {
		if x.value == "" || i+1 < len(f) && f[i+1].name == x.name {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(canon.AppendString(dst, x.name), ':')
		dst = append(dst, x.value...)
	}
	return append(dst, '}')
}

// object returns the object in canonical form.
func (f fields) object() canon.Value { return canon.Value(f.appendTo(nil)) }

func array(values []canon.Value) canon.Value {
	dst := []byte{'['}
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, v...)
	}
	return canon.Value(append(dst, ']'))
}
