// Package sample is measured by the tests.
package sample

import "strings"

// Thing has a comment, and one of its fields does.
type Thing struct {
	Named   string // says what it is
	Silent  int
	private int
	strings.Builder
}

type Bare struct{ A, B int }

// Grouped constants share their comment.
const (
	One = 1
	Two = 2
)

var Loose, hidden = 3, 4

var Behind = 5 // a comment behind it counts

func (t *Thing) Method() int { return t.private + helper() }

// Of is generic.
type Of[T any] struct{ value T }

// Value is documented.
func (o *Of[T]) Value() T { return o.value }
