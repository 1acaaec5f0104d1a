package record

import (
	"context"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/tree"
)

// Tail says which messages the working state of a recorded or imported run has beyond its snapshots.
type Tail string

// The tails.
const (
	NoTail     Tail = ""           // none
	Unsent     Tail = "unsent"     // the last answer, which no call has sent back yet
	Unanswered Tail = "unanswered" // a request that has no answer yet
)

// InWords puts a tail into words, for a block of a role.
func (t Tail) InWords(role string) string {
	switch {
	case t == Unanswered:
		return "sent, no answer yet"
	case t == Unsent && role == "assistant":
		return "answered, not sent yet"
	case t == Unsent:
		return "not sent yet"
	}
	return ""
}

// TailOf returns the tail of a run. Cost: the attempts of the current cycle, and the nodes outside sealed turns.
func TailOf(ctx context.Context, c *pact.Context) (_ Tail, err error) {
	last := c.Info().Cycle
	w := c.Working()
	if Recorded(w) {
		attempts, err := c.Attempts(ctx, last+1, last+1)
		if err != nil {
			return NoTail, err
		}
		if len(attempts) > 0 {
			return Unanswered, nil
		}
	}
	tail := NoTail
	for e, err := range tree.Of(w).Region(tree.Head).Children().All() {
		if err != nil {
			return "", err
		}
		if n := e.Node(); n.Cycle > last && n.Role == "assistant" && (n.Has(attrAnswer) || n.Has(attrFrame) || n.Has(attrPart)) {
			tail = Unsent
		}
	}
	return tail, nil
}
