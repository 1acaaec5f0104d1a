package exports

import (
	"strings"

	"github.com/contexttree/pact/internal/view"
)

// Lost is something that a form cannot carry.
type Lost struct {
	What  string `json:"what"`            // in the singular, if it was counted
	Count int    `json:"count,omitempty"` // 0 for what the form never has
}

// notAnObject is lost of a call where a form, or the provider of an agent, wants an object.
const notAnObject = "call with arguments that are no object, and are put into one"

const fieldBeside = "field of a message beside its words"

// InWords says what was lost.
func (l Lost) InWords() string {
	if l.Count == 0 {
		return l.What
	}
	first, rest, _ := strings.Cut(l.What, " ")
	return strings.TrimSpace(view.Plural(l.Count, first) + " " + rest)
}

// losses counts what is lost, in the order in which it came up.
type losses struct{ list []Lost }

func (l *losses) add(n int, what string) {
	for i := range l.list {
		if l.list[i].What == what {
			l.list[i].Count += n
			return
		}
	}
	if n > 0 {
		l.list = append(l.list, Lost{what, n})
	}
}
