package transcript

import "github.com/contexttree/pact/internal/canon"

// The memory that an import holds until it is over, in bytes: measured on conversations of many short
// messages, with some room.
const (
	memoryOfBlock = 2 << 10
	memoryOfCall  = 12 << 10
)

// Memory returns about how many bytes [Import] holds beside the conversation until it is done. Cost: the
// values of the conversation.
func (c *Conversation) Memory() int64 {
	n := int64(c.Calls()) * memoryOfCall
	for _, m := range messagesIn(c.Unsent) {
		content, _ := m.Get("content")
		calls, _ := m.Get("tool_calls")
		n += int64(max(1, len(content.Elems))+len(calls.Elems))*memoryOfBlock + 2*lengthOf(m)
	}
	return n
}

// lengthOf returns how many bytes the texts of a value have.
func lengthOf(v canon.Any) int64 {
	n := int64(len(v.Text))
	for i := range v.Elems {
		n += lengthOf(v.Elems[i])
	}
	for i := range v.Members {
		n += lengthOf(v.Members[i].Value)
	}
	return n
}
