package postgres_test

import (
	"testing"
	"unicode/utf8"

	"github.com/contexttree/pact/store/postgres"
)

// FuzzText writes any text as one that the database takes, and reads it back.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "plain é \U0001F600", "\x00", "a\x00b", "\xff\xfe", "\ufdd0", "\ufdd000",
		"\xed\xa0\x80", "\ufdd0\x00\ufdd0", "\ufdd0ef"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b := postgres.Escape(s)
		if !utf8.Valid(b) {
			t.Errorf("%q is written as %q, which is no UTF-8", s, b)
		}
		for _, c := range b {
			if c == 0 {
				t.Errorf("%q is written with a NUL", s)
			}
		}
		if back := postgres.Unescape(b); back != s {
			t.Errorf("%q is read as %q", s, back)
		}
	})
}
