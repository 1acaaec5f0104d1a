package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
)

// EndAttempt copies from another record how and when the attempt ended, and the packed request if the
// other record has one. The end is never before the start.
func EndAttempt(a *history.Attempt, as history.Attempt) {
	as = copyOf(as)
	a.Status, a.EndedNS, a.Error = as.Status, max(as.EndedNS, a.StartedNS), as.Error
	a.TokenIn, a.TokenOut = as.TokenIn, as.TokenOut
	if as.Request != "" {
		a.Request = as.Request
	}
}

// CheckAttempt returns an error for an attempt that PutAttempt cannot keep: E_DOCUMENT_INVALID, or
// E_LIMIT for a text that is too long.
func CheckAttempt(a *history.Attempt) error {
	switch a.Status {
	case history.Running, history.Completed, history.Canceled, history.Failed:
	default:
		return invalidAttempt(string(a.Status), "the status of an attempt is unknown",
			"write running, completed, canceled or error")
	}
	if (a.Status == history.Running) != (a.ID == "") {
		return invalidAttempt(string(a.Status), "an attempt starts as running and ends as completed, canceled or error",
			"give it an id when it ends, and none when it starts")
	}
	for _, n := range [...]*int64{a.TokenIn, a.TokenOut} {
		if n != nil && *n < 0 {
			return invalidAttempt(strconv.FormatInt(*n, 10), "a number of tokens is negative", "leave it out if it is unknown")
		}
		if n != nil && *n > history.MaxTokens {
			return invalidAttempt(strconv.FormatInt(*n, 10), "a number of tokens is above "+strconv.Itoa(history.MaxTokens),
				"leave it out if it is unknown")
		}
	}
	if len(a.Request) > history.MaxRequest {
		return attemptTooLong("request", history.MaxRequest)
	}
	if err := checkAttemptText("error", a.Error, history.MaxAttemptError); err != nil || a.ID != "" {
		return err
	}
	for _, digest := range [...]string{a.Params, a.Thread} {
		if b, err := hex.DecodeString(digest); err != nil || len(b) != sha256.Size {
			return invalidAttempt(digest, "this is not a SHA-256 in hexadecimal", "write 64 hexadecimal digits")
		}
	}
	if a.Provider == "" || a.Model == "" {
		return invalidAttempt("", "the attempt has no provider or no model", "give both")
	}
	if err := checkAttemptText("provider", a.Provider, history.MaxProvider); err != nil {
		return err
	}
	return checkAttemptText("model", a.Model, history.MaxProvider)
}

func checkAttemptText(name, text string, limit int) error {
	if len(text) > limit {
		return attemptTooLong(name, limit)
	}
	if !canon.ValidText(text) || strings.Contains(text, "\x00") {
		return invalidAttempt("", "the "+name+" of an attempt is not UTF-8, or holds a NUL",
			"take out the bytes that are none of a text")
	}
	return nil
}

func attemptTooLong(name string, limit int) error {
	return fault.New(fault.Limit, "the "+name+" of an attempt has more than "+strconv.Itoa(limit)+" bytes", "shorten it")
}

func invalidAttempt(token, message, remedy string) error {
	return fault.At(fault.DocumentInvalid, fault.NoOffset, token, message, remedy)
}
