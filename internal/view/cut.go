package view

import (
	"strings"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
)

// DescribeCause says what happened to a node, in a word or two, and the rule that asked for it.
// edited is the word for an edit.
func DescribeCause(c diff.Cause, edited string) string {
	text := causeWords[c.Kind]
	if c.Kind == diff.ByEdit {
		text = edited
	}
	switch {
	case strings.HasPrefix(c.Rule, "rule "):
		text = "left by " + c.Rule
	case c.Rule == "named":
		text += " by name"
	case c.Rule != "":
		text += " for " + c.Rule
	}
	if c.Inferred {
		text = "probably " + text
	}
	return text
}

// causeWords are the words for all causes but an edit.
var causeWords = map[diff.Kind]string{
	diff.ByExpiry: "expired", diff.ByPruning: "pruned", diff.ByCascade: "went with the last child of its group",
	diff.BySeal: "sealed", diff.ByTTL: "its ttl ran down", diff.BySelection: "the same on both sides, selected on one",
	diff.ByInsertion: "inserted", diff.ByReordering: "moved",
}

// Author says who did something, and with what message.
func Author(a diff.Author) string {
	who := Visible(a.Actor)
	if a.Message != "" {
		who = strings.TrimSpace(who + " (" + Visible(a.Message) + ")")
	}
	return who
}

// ByAuthor returns what follows a deed: its author, if known, and the message.
func ByAuthor(a diff.Author) string {
	switch who := Author(a); {
	case who == "":
		return ""
	case a.Actor == "":
		return " " + who
	default:
		return " by " + who
	}
}

// editedWord is the word for what an edit did to the node of a break.
func editedWord(b *inspect.Break) string {
	if b.New == nil {
		return "removed"
	}
	return "edited"
}

// Reused returns the share of the thread before, and its bytes, that a cycle repeats, and
// whether it repeats all of it. If the cycle has recorded calls, requests are compared by the
// rules of their provider. The cycle must not be the first one.
func Reused(p *inspect.Prefix) (share float64, of int64, complete bool) {
	if p.Call == nil || p.Call.Shared == nil {
		return p.Shared.Share(), p.Shared.OfBytes, p.Shared.Complete
	}
	s := p.Call.Shared
	if p.Call.Cut == nil || s.OfBytes == 0 {
		return 1, s.OfBytes, p.Call.Cut == nil
	}
	return float64(s.Bytes) / float64(s.OfBytes), s.OfBytes, false
}
