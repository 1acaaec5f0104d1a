package storetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
)

var must = testrun.Must

func refused(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrRefused) {
		t.Fatalf("the batch was not refused: %v", err)
	}
}

func write(t *testing.T, s store.Store, b store.Batch) {
	t.Helper()
	must(t, s.Write(t.Context(), &b))
}

func key(space store.Space, name string) store.Key { return store.Key{Space: space, Name: name} }

func pair(space store.Space, name, value string) store.Pair {
	return store.Pair{Key: key(space, name), Value: []byte(value)}
}

func record(space store.Space, number int64, value string) store.Record {
	return store.Record{Space: space, Number: number, Value: []byte(value)}
}

// value returns the value of a key, "-" for none.
func value(t *testing.T, r store.Reader, k store.Key) string {
	t.Helper()
	v, err := r.Get(t.Context(), k)
	must(t, err)
	if v == nil {
		return "-"
	}
	return string(v)
}

// pairs returns the pairs of a span as "name=value name=value".
func pairs(t *testing.T, r store.Reader, of store.Span, o store.Order) string {
	t.Helper()
	var list []string
	for p, err := range r.Range(t.Context(), of, o) {
		must(t, err)
		if p.Space != of.Space || p.Value == nil {
			t.Fatalf("a pair of %+v is %+v", of, p)
		}
		list = append(list, p.Name+"="+string(p.Value))
	}
	return strings.Join(list, " ")
}

// records returns the values of a cut.
func records(t *testing.T, r store.Reader, of store.Cut, o store.Order) string {
	t.Helper()
	var list []string
	for x, err := range r.Log(t.Context(), of, o) {
		must(t, err)
		if x.Space != of.Space || x.Number < of.First || x.Number > of.Last {
			t.Fatalf("a record of %+v is %+v", of, x)
		}
		list = append(list, string(x.Value)+string(x.Rest))
	}
	return strings.Join(list, " ")
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: %q, want %q", what, got, want)
	}
}

// all is a span of every name that a test uses.
func all(space store.Space) store.Span { return store.Span{Space: space, To: "\xff\xff\xff\xff"} }
