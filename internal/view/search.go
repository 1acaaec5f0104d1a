package view

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// Match is a content that has a text.
type Match struct {
	Node  string `json:"node"`
	Place int    `json:"place" doc:"Of a block: how many blocks stand before it; else -1"`
	Kind  string `json:"kind,omitempty"`
	Role  string `json:"role,omitempty"`
	Lines []Line `json:"lines" nullable:"false" doc:"The first lines that have the text"`
	Count int    `json:"count" doc:"How many lines have it"`
}

// Line is a line of a content that matches.
type Line struct {
	Line int    `json:"line" doc:"From 1"`
	Text string `json:"text" doc:"The line, or the part of a long line around the text"`

	Start, End int `json:"-"` // of the first match in Text, as Grep finds it
}

// MatchPage is a page of the matches of a search, in document order.
type MatchPage struct {
	Items []Match `json:"items" nullable:"false"`
	Next  int     `json:"next,omitempty" doc:"Value of after for the next page; absent on the last page"`
}

// Limits of a match.
const (
	linesShown = 5
	around     = 100 // bytes of a long line on either side of the text
)

// Search finds the nodes of a state whose content has a text; upper and lower case are the
// same. It skips the first after of them and returns up to limit. Cost: reading all contents up
// to the end of the page.
func (v *State) Search(ctx context.Context, text string, after, limit int) (p *MatchPage, err error) {
	p = &MatchPage{Items: []Match{}}
	t := tree.Of(v.Snapshot)
	folded := strings.ToLower(text)
	region, found := tree.Root, 0
	for e, err := range t.All() {
		if err != nil {
			return nil, err
		}
		if e.Class().Region() {
			region = e.Class()
		}
		n := e.Node()
		if n.Content.Size() < len(text) {
			continue
		}
		value, err := n.Content.Value(ctx)
		if err != nil {
			return nil, err
		}
		m := matchIn(value, folded)
		if m == nil {
			continue
		}
		if found++; found <= after {
			continue
		}
		if len(p.Items) == limit {
			p.Next = after + limit
			break
		}
		m.Node, m.Place = n.ID, -1
		if e.Class() == tree.Block {
			m.Role = n.RoleIn(region)
			m.Kind = KindOfNode(n, m.Role).String()
			m.Place, _, _, err = t.ThreadPlace(n.ID)
			if err != nil {
				return nil, err
			}
		}
		p.Items = append(p.Items, *m)
	}
	return p, ctx.Err()
}

// matchIn searches a content, nil if it does not have the text. It searches JSON without its
// escapes.
func matchIn(content canon.Value, folded string) *Match {
	text, isText := content.Text()
	if text = characters(text); !isText {
		text = indented([]byte(content))
	}
	if !strings.Contains(strings.ToLower(text), folded) {
		return nil
	}
	m := &Match{Lines: []Line{}}
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		at := strings.Index(strings.ToLower(line), folded)
		if at < 0 {
			continue
		}
		if m.Count++; m.Count <= linesShown {
			m.Lines = append(m.Lines, Line{Line: number, Text: Part(line, unfolded(line, at), len(folded))})
		}
	}
	return m
}

// unfolded returns the place in a line of a byte of the line in small letters, which may have other lengths.
func unfolded(line string, at int) int {
	for i, r := range line {
		if at <= 0 {
			return i
		}
		at -= utf8.RuneLen(unicode.ToLower(r))
	}
	return len(line)
}

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
