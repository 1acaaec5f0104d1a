package engine

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
)

// An erasure says why, and neither its reason nor who asked for it names what goes.
func TestErasuresThatAreRefused(t *testing.T) {
	erase := func(change func(e *Erase)) *Erase {
		e := &Erase{Salt: make([]byte, SaltSize), Texts: []string{"Jane"}, Entry: history.Entry{Message: "asked for", Actor: "officer"}}
		change(e)
		return e
	}
	for name, x := range map[string]struct {
		change  func(e *Erase)
		refused bool
	}{
		"as it should be":          {func(e *Erase) {}, false},
		"a salt that is too short": {func(e *Erase) { e.Salt = e.Salt[1:] }, true},
		"no reason":                {func(e *Erase) { e.Entry.Message = " \n" }, true},
		"a look without both":      {func(e *Erase) { e.DryRun, e.Salt, e.Entry.Message = true, nil, "" }, false},
		"an empty text":            {func(e *Erase) { e.Texts = []string{"Jane", ""} }, true},
		"a text that is none":      {func(e *Erase) { e.Texts = []string{"\xff"} }, true},
		"the text in the reason":   {func(e *Erase) { e.Entry.Message = "Jane asked for it" }, true},
		"the text in the actor":    {func(e *Erase) { e.Entry.Actor = "Jane" }, true},
	} {
		if err := erase(x.change).check(); errors.Is(err, fault.DocumentInvalid) != x.refused || err != nil && !x.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// untouched returns a text of so many bytes, of which the system needs to give none.
func untouched(n int) string { return unsafe.String(unsafe.SliceData(make([]byte, n)), n) }

// An attempt is of a size that a log can have, and says what it must.
func TestAttemptsThatAreRefused(t *testing.T) {
	digest := strings.Repeat("a", 64)
	for name, x := range map[string]struct {
		change func(a *history.Attempt)
		code   fault.Code
	}{
		"that starts":              {func(a *history.Attempt) {}, ""},
		"that ends":                {func(a *history.Attempt) { *a = history.Attempt{ID: "x", Status: history.Completed} }, ""},
		"that starts with an id":   {func(a *history.Attempt) { a.ID = "x" }, fault.DocumentInvalid},
		"that ends without one":    {func(a *history.Attempt) { a.Status = history.Failed }, fault.DocumentInvalid},
		"of an unknown status":     {func(a *history.Attempt) { a.Status = "odd" }, fault.DocumentInvalid},
		"with no tokens":           {func(a *history.Attempt) { a.TokenIn, a.TokenOut = new(int64), new(int64) }, ""},
		"with fewer than none":     {func(a *history.Attempt) { a.TokenIn = new(int64(-1)) }, fault.DocumentInvalid},
		"with as many as it may":   {func(a *history.Attempt) { a.TokenOut = new(int64(history.MaxTokens)) }, ""},
		"with more":                {func(a *history.Attempt) { a.TokenOut = new(int64(history.MaxTokens + 1)) }, fault.DocumentInvalid},
		"of the longest request":   {func(a *history.Attempt) { a.Request = untouched(history.MaxRequest) }, ""},
		"of a longer one":          {func(a *history.Attempt) { a.Request = untouched(history.MaxRequest + 1) }, fault.Limit},
		"with the longest error":   {func(a *history.Attempt) { a.Error = strings.Repeat("e", history.MaxAttemptError) }, ""},
		"with a longer one":        {func(a *history.Attempt) { a.Error = strings.Repeat("e", history.MaxAttemptError+1) }, fault.Limit},
		"with an error of no text": {func(a *history.Attempt) { a.Error = "\x00" }, fault.DocumentInvalid},
		"without a model":          {func(a *history.Attempt) { a.Model = "" }, fault.DocumentInvalid},
		"without a provider":       {func(a *history.Attempt) { a.Provider = "" }, fault.DocumentInvalid},
		"of a long provider":       {func(a *history.Attempt) { a.Provider = strings.Repeat("p", history.MaxProvider+1) }, fault.Limit},
		"of a long model":          {func(a *history.Attempt) { a.Model = strings.Repeat("p", history.MaxProvider+1) }, fault.Limit},
		"with a short digest":      {func(a *history.Attempt) { a.Params = digest[2:] }, fault.DocumentInvalid},
		"with a digest of letters": {func(a *history.Attempt) { a.Thread = "x" + digest[1:] }, fault.DocumentInvalid},
	} {
		a := &history.Attempt{Status: history.Running, Provider: "p", Model: "m", Params: digest, Thread: digest}
		x.change(a)
		if err := CheckAttempt(a); fault.CodeOf(err) != x.code {
			t.Errorf("an attempt %s: %v, want %q", name, err, x.code)
		}
	}
}
