package transcript

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
)

// The shapes of files. Nodes made from a file carry its shape as their
// provenance.
const (
	ShapeOpenAI   = "openai"
	ShapeTauBench = "tau-bench"
	ShapeSWESmith = "swe-smith"
)

// Conversation is one conversation of a file: the messages that each model call was sent.
type Conversation struct {
	Name  string // "" if the file holds one, else its index in the file: "0", "1" …
	Shape string // one of the shapes above

	calls [][]*message // the messages that each call was sent
	final []*message   // all messages at the end
	rest  canon.Any    // an object: the conversation's own fields, if any
	steps int          // how many steps of a run came without a call to the model
	lost  int          // how many steps of a run have an answer that its messages lack

	joined int          // how many messages of the assistant follow another one: they are part of its answer
	damage canon.Damage // to the lines of the file, in its first conversation
}

// Damage returns the error of the first damaged line of the file, nil if there is none or if this is not the first
// conversation of the file. [Read] reads the rest all the same.
func (c *Conversation) Damage() error { return cmp.Or(c.damage.First, c.damage.Cut) }

// Calls returns the number of model calls, which equals the number of cycles.
func (c *Conversation) Calls() int { return len(c.calls) }

// Messages returns the number of messages at the end of the conversation.
func (c *Conversation) Messages() int { return len(c.final) }

// Findings names the roles that no provider has, with the first message of each. Their
// messages count as other (01 §2) and keep the word as an attribute. It also names the first message
// that speaks in an unknown form, damaged lines of the file, and says why a conversation makes no cycle. Cost: the messages.
func (c *Conversation) Findings() []inspect.Finding {
	var found []inspect.Finding
	of := ""
	if c.Name != "" {
		of = "conversation " + c.Name + ": "
	}
	c.damage.Say(func(line int, what string) {
		found = append(found, inspect.Finding{Code: fault.DocumentInvalid, Message: "line " + strconv.Itoa(line) + ": " + what})
	})
	known := map[string]bool{}
	for n, m := range c.final {
		if _, is := canonicalRoles[m.original]; is || known[m.original] {
			continue
		}
		known[m.original] = true
		found = append(found, inspect.Finding{Code: fault.DocumentInvalid, Message: of + "message " + strconv.Itoa(n) +
			" has the role " + quote(canon.Text(m.original)) + ", which no provider knows; it counts as other"})
	}
	unread := func(m *message) bool {
		_, otherwise := m.speaks()
		return otherwise
	}
	if n := slices.IndexFunc(c.final, unread); n >= 0 {
		found = append(found, inspect.Finding{Code: fault.DocumentInvalid, Message: of + "message " + strconv.Itoa(n) +
			" has no content and calls nothing; it is imported as an empty one, with its other fields"})
	}
	if c.joined > 0 {
		found = append(found, inspect.Finding{Code: fault.DocumentInvalid, Message: of +
			"messages of the assistant that no request separates from the one before are part of its answer: " + strconv.Itoa(c.joined)})
	}
	if c.steps > 0 {
		found = append(found, inspect.Finding{Code: fault.DocumentInvalid, Message: of +
			"steps that sent nothing to the model are no calls: " + strconv.Itoa(c.steps)})
	}
	if c.lost > 0 {
		found = append(found, inspect.Finding{Code: fault.DocumentInvalid, Message: of +
			"steps with an answer that the history lacks were left out: " + strconv.Itoa(c.lost)})
	}
	why := ""
	switch {
	case len(c.final) == 0:
		why = "there are no messages, so there is no cycle"
	case len(c.calls) == 0:
		why = "no message is an answer of the model, so there is no cycle yet: the messages wait in the working state " +
			"for a commit"
	}
	if why != "" {
		found = append(found, inspect.Finding{Code: fault.DocumentInvalid, Message: of + why})
	}
	return found
}

// attrs returns the custom attributes of the root.
func (c *Conversation) attrs() map[string]any {
	if c.rest.Kind != canon.KindObject || len(c.rest.Members) == 0 {
		return nil
	}
	return map[string]any{c.Shape + ":conversation": c.rest}
}
