package fault

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestErrorIsOneLine has causes of several lines, as drivers, resolvers and errors.Join make them.
func TestErrorIsOneLine(t *testing.T) {
	for cause, want := range map[string]string{
		"refused":                          "refused",
		"tried:\n\t[::1]: no\n\t127: no\n": "tried: [::1]: no; 127: no",
		"one\n\n two ":                     "one; two",
		"":                                 "",
	} {
		e := Wrap(Store, errors.New(cause), "cannot open x", "try again")
		if e.Cause() != want {
			t.Errorf("%q has the cause %q, want %q", cause, e.Cause(), want)
		}
		if text := e.Error(); strings.Contains(text, "\n") || !strings.HasSuffix(text, " (try again)") {
			t.Errorf("%q reads %q", cause, text)
		}
	}
	if e := New(Store, "no", ""); e.Cause() != "" || e.Error() != "E_STORE: no" {
		t.Errorf("%q, %q", e.Cause(), e)
	}
	if e := Wrap(Store, errors.Join(io.EOF, io.ErrNoProgress), "no", ""); !errors.Is(e, io.ErrNoProgress) {
		t.Error("the cause is gone")
	}
}
