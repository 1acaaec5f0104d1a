package runs

import (
	"cmp"
	"index/suffixarray"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/view"
)

// UserLines say which lines of the user's messages a call still sends word for word: as a line of a message of the user,
// or within what the call brought, such as a summary. Empty lines do not count.
type UserLines struct {
	Of      int `json:"of"` // that the call before sent
	Survive int `json:"survive"`
	// Surviving is filled in for a rewrite by an agent alone.
	Surviving []Line `json:"surviving,omitempty"`
	Gone      []Line `json:"gone"`
}

// Line is a line of a message of the user.
type Line struct {
	Node string `json:"node"` // the message
	Text string `json:"text"`
}

// message is one of the user that calls sent, once for all that say the same.
type message struct {
	at    int // its place among all
	node  string
	lines []string
	n     int // how many of these the last call sent
}

// userLines are the lines of the user that the last call sent.
type userLines struct {
	by    map[digest]*message
	stand map[string]int // in how many messages a line stands
	all   int            // lines of the messages
	count int            // of messages so far
}

// remove takes out what a call left out, and returns the messages that went, in their order; all for all that the call
// before sent.
func (u *userLines) remove(gone map[digest][]string, all bool) (touched []*message) {
	if all {
		touched = slices.Collect(maps.Values(u.by))
	}
	for key, ids := range gone {
		m := u.by[key]
		if m == nil {
			continue
		}
		if m.n -= len(ids); m.n > 0 {
			continue
		}
		delete(u.by, key)
		u.all -= len(m.lines)
		for _, line := range m.lines {
			if u.stand[line]--; u.stand[line] == 0 {
				delete(u.stand, line)
			}
		}
		if !all {
			touched = append(touched, m)
		}
	}
	slices.SortFunc(touched, func(a, b *message) int { return cmp.Compare(a.at, b.at) })
	return touched
}

// add adds what a call brought.
func (u *userLines) add(added []Block) {
	for i := range added {
		b := &added[i]
		if b.What != view.KindUser.String() {
			continue
		}
		if m := u.by[b.key]; m != nil {
			m.n++
			continue
		}
		m := &message{at: u.count, node: b.Node, n: 1}
		for line := range strings.Lines(b.says) {
			if line = strings.TrimSpace(line); line != "" {
				m.lines = append(m.lines, line)
				u.stand[line]++
			}
		}
		u.by[b.key] = m
		u.all, u.count = u.all+len(m.lines), u.count+1
	}
}

// compare says which lines survive a call that touched some messages and brought some blocks; of is how many there were.
// With list it also lists those that survive.
func (u *userLines) compare(of int, touched []*message, added []Block, list bool) UserLines {
	made := UserLines{Of: of, Gone: []Line{}}
	var text []byte
	var brought *suffixarray.Index
	for _, m := range touched {
		for _, line := range m.lines {
			if u.stand[line] == 0 && brought == nil {
				for i := range added {
					if added[i].What != toolcall.Call {
						text = append(append(text, added[i].says...), '\n')
					}
				}
				brought = suffixarray.New(text)
			}
			switch {
			case u.stand[line] == 0 && !standsAlone(line, text, brought.Lookup([]byte(line), mostPlaces)):
				made.Gone = append(made.Gone, Line{m.node, line})
			case list:
				made.Surviving = append(made.Surviving, Line{m.node, line})
			}
		}
	}
	made.Survive = of - len(made.Gone)
	return made
}

// mostPlaces is at how many places a line is looked at: behind these, short lines are parts of words.
const mostPlaces = 256

// standsAlone reports whether a line is not part of longer words at one of the places of a text where it is.
func standsAlone(line string, text []byte, places []int) bool {
	first, _ := utf8.DecodeRuneInString(line)
	last, _ := utf8.DecodeLastRuneInString(line)
	return slices.ContainsFunc(places, func(at int) bool {
		before, _ := utf8.DecodeLastRune(text[:at])
		after, _ := utf8.DecodeRune(text[at+len(line):])
		return !(isWordRune(first) && isWordRune(before)) && !(isWordRune(last) && isWordRune(after))
	})
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// summaryIn returns the text that an agent put in the place of what went, nil for none.
func summaryIn(added []Block) *Summary {
	var texts []*Block
	for i := range added {
		switch b := &added[i]; b.What {
		case view.KindSummary.String():
			return &Summary{inspect.SeenInBytes, b.Node, b.Begins, b.says}
		case view.KindUser.String(), view.KindAssistant.String():
			texts = append(texts, b)
		}
	}
	if n := len(texts); n > 1 && texts[n-1].What == view.KindUser.String() {
		texts = texts[:n-1] // the question
	}
	if len(texts) == 0 {
		return nil
	}
	longest := slices.MaxFunc(texts, func(a, b *Block) int { return cmp.Compare(len(a.says), len(b.says)) })
	return &Summary{inspect.Computed, longest.Node, longest.Begins, longest.says}
}
