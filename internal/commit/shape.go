package commit

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// originalAttr is the attribute of a shaped block with the content that it had.
const originalAttr = "pact:original"

// Original returns the content that a block had before a rule shaped it, and whether one did. A
// block that became a reference has its content in the block that it refers to, and none here.
func Original(n *tree.Node) (canon.Value, bool) {
	v := n.Header(originalAttr)
	return v, v != ""
}

// OnlyPact ends every text that stands for something left out. A model that sees it is told that
// no tool wrote it.
const OnlyPact = "Only pact writes such notes.]"

// Notes returns the lines of a text that stand for something left out.
func Notes(text string) string {
	var notes strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasSuffix(strings.TrimSuffix(line, "\n"), OnlyPact) {
			notes.WriteString(line)
		}
	}
	return notes.String()
}

// Recalled begins every text with which pact answers a model that asked for what was left out. No rule
// shortens it: the model would ask again, and never get the whole.
const Recalled = "From pact: "

// shaped cuts a text to its first head and last tail bytes, at the borders of characters, with a
// note between them that names where the whole text is. It returns false if the text would not
// become shorter, or was recalled.
func shaped(text string, head, tail int, where string) (string, bool) {
	if head+tail >= len(text) || strings.HasPrefix(text, Recalled) {
		return text, false
	}
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	from := len(text) - tail
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	note := "\n[" + strconv.Itoa(from-head) + " bytes are left out here; " + where + " has them. " + OnlyPact + "\n"
	if head+len(note)+len(text)-from >= len(text) {
		return text, false
	}
	return text[:head] + note + text[from:], true
}

// Same is the text that stands for a block equal to an earlier one.
func Same(earlier string) string { return "[The same as " + earlier + " above. " + OnlyPact }

// Shaped returns a content with each text in it cut by a rule, and whether one became shorter: the content
// itself, or the texts of its parts. where names the whole text.
func Shaped(content canon.Any, r *lifecycle.Rule, where string) (canon.Any, bool) {
	switch content.Kind {
	case canon.KindString:
		text, cut := shaped(content.Text, r.Head, r.Tail, where)
		content.Text = text
		return content, cut
	case canon.KindArray:
		some := false
		elems := make([]canon.Any, len(content.Elems))
		for i, e := range content.Elems {
			elems[i] = e
			if text, has := e.Get("text"); has && text.Kind == canon.KindString {
				if t, cut := Shaped(text, r, where); cut {
					some = true
					members := make([]canon.Member, len(e.Members))
					for k, m := range e.Members {
						if members[k] = m; m.Name == "text" {
							members[k].Value = t
						}
					}
					elems[i] = canon.Object(members...)
				}
			}
		}
		return canon.ArrayOf(elems...), some
	}
	return content, false
}

// earlierEqual returns the first block before n, in document order, that has or had the content of
// n, nil if there is none. Cost: the blocks of its kind.
func earlierEqual(ctx context.Context, t *tree.Tree, n *tree.Node) (found *tree.Node, err error) {
	content, err := n.Content.Value(ctx)
	if err != nil || content == "" {
		return nil, err
	}
	want := tree.Marks{}
	if n.Kind != "" {
		want.Kinds = tree.Mark(n.Kind)
	}
	var look func(e *tree.Entry) (more bool, err error)
	look = func(e *tree.Entry) (bool, error) {
		if m := e.Node(); e.Class() == tree.Block {
			if m.ID == n.ID {
				return false, nil
			}
			if m.Kind == n.Kind && m.Role == n.Role && (m.SameContent(n) || m.Header(originalAttr) == content) {
				found = m
			}
			return found == nil, nil
		}
		kids := e.Children()
		for k, err := range kids.Visit(0, kids.Len(), func(s *tree.Summary) bool { return s.Marks.May(want) }) {
			if err != nil {
				return false, err
			}
			if more, err := look(k); !more || err != nil {
				return false, err
			}
		}
		return true, nil
	}
	_, err = look(t.Root())
	return found, err
}
