package view

import (
	"context"
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// Occurrence is a content that matches a pattern, and the snapshots that have it.
type Occurrence struct {
	ID      string `json:"id"`
	Role    string `json:"role,omitempty"`
	Kind    string `json:"kind,omitempty"`
	First   int64  `json:"first"`           // cycle of the first searched snapshot with this content
	Last    int64  `json:"last"`            // cycle of the last one
	State   string `json:"state,omitempty"` // the word for the working state that Grep was given, if no snapshot has it
	Matches []Line `json:"matches"`

	Shown Kind `json:"-"` // the kind in which a list shows the block
}

// Line is a line of a content that matches.
type Line struct {
	Line int    `json:"line"` // from 1
	Text string `json:"text"`

	Start, End int `json:"-"` // of the first match in Text, as Grep finds it
}

// Pattern compiles a regular expression, or with fixed a plain text; with fold upper and lower case
// are the same. Matching takes time proportional to the length of the pattern times that of the
// contents; the engine does not backtrack.
func Pattern(text string, fixed, fold bool) (*regexp.Regexp, error) {
	pattern := text
	if fixed {
		pattern = regexp.QuoteMeta(pattern)
	}
	if fold {
		pattern = "(?i)" + pattern
	}
	compiled, err := regexp.Compile(pattern)
	if err == nil {
		return compiled, nil
	}
	reason := err.Error()
	if e := (*syntax.Error)(nil); errors.As(err, &e) {
		reason = e.Code.String() + ": " + e.Expr
	}
	return nil, fault.At(fault.SelectorInvalid, fault.NoOffset, text, "this is not a regular expression: "+reason,
		"write it as Go does, or search for it as a plain text")
}

// Grep finds each content that matches a pattern in the snapshots between two addresses, in the
// order in which the contents came. If working is not "", Grep searches the working state as well,
// also alone, and marks what only this has with the given word. While it searches it calls at with cycles.
// Cost: that of [pact.Context.Occurrences].
func Grep(ctx context.Context, c *pact.Context, from, to pact.Address, working string, pattern *regexp.Regexp,
	at func(cycle int64)) ([]*Occurrence, error) {
	g := grep{pattern: pattern, needle: needleOf(pattern)}
	var lines [][]Line
	found, err := c.Occurrences(ctx, from, to, working != "", func(cycle int64, content string) bool {
		at(cycle)
		here := g.matchingLines(content)
		if here != nil {
			lines = append(lines, here)
		}
		return here != nil
	})
	if err != nil {
		return nil, err
	}
	list := make([]*Occurrence, len(found))
	for i, f := range found {
		list[i] = &Occurrence{ID: f.ID, Role: f.Role, Kind: f.Kind, First: f.First, Last: f.Last, Matches: lines[i],
			Shown: kindOf(f.Erased, f.Shown, f.Kind)}
		switch {
		case f.Sealed:
			list[i].State = "working"
		case f.Working:
			list[i].State = working
		}
	}
	return list, nil
}

// grep searches contents.
type grep struct {
	pattern *regexp.Regexp
	needle  string // every content that matches has it, in its JSON too
}

// needleOf returns a text that stands in the JSON of every content that matches a pattern, "" if there is
// none that is easily found: what people read has other quotes, ends of lines and white space between the
// values than JSON.
func needleOf(pattern *regexp.Regexp) string {
	needle, _ := pattern.LiteralPrefix()
	if at := strings.IndexFunc(needle, func(r rune) bool {
		return unicode.IsControl(r) || strings.ContainsRune("\"\\:,{}[]\ufffd", r)
	}); at >= 0 {
		needle = needle[:at]
	}
	quoted := canon.String(strings.TrimSpace(needle))
	return string(quoted[1 : len(quoted)-1])
}

// matchingLines returns the lines of a content that match.
func (g *grep) matchingLines(content string) []Line {
	v := canon.Value(content)
	if g.needle != "" && !strings.Contains(content, g.needle) {
		return nil
	}
	text, readable := Readable(v)
	var lines []Line
	if readable {
		lines = g.matches(text)
	}
	if _, plain := v.Text(); !plain && lines == nil { // the fields beside the text of a part are searched as well
		lines = g.matches(indented([]byte(content)))
	}
	return lines
}

// matches returns the lines of a text that match.
func (g *grep) matches(text string) (list []Line) {
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		line = strings.TrimSuffix(line, "\r")
		if at := g.pattern.FindStringIndex(line); at != nil {
			list = append(list, Line{number, line, at[0], at[1]})
		}
	}
	return list
}

// around is how many bytes of a long line are shown on either side of a match.
const around = 100

// Part returns a line, or the part of a long line around a place.
func Part(line string, at, size int) string {
	from, to := max(0, at-around), min(len(line), at+size+around)
	text := strings.ToValidUTF8(line[from:to], "")
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}
