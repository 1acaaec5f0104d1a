package transcript

import (
	"slices"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/calllog"
)

// Conversation is one conversation of a file: the messages that each model call was sent. Its Name is "" if the file
// holds one, else its index in the file: "0", "1" …
type Conversation struct {
	*calllog.Session
	log *calllog.Log // of the first conversation of the file, nil for any other
}

// Read reads the conversations of a file: chat messages, results of tau-bench, runs of SWE-agent and SWE-smith. A list
// or JSON Lines of messages is one conversation; a list or JSON Lines of conversations
// is as many. E_DOCUMENT_INVALID with line and offset if the file is not JSON
// or has an unknown shape, and with the number of the message, counted from 0,
// if a message is invalid or if no message of the file has a known role.
//
// From a run of SWE-agent or SWE-smith Read takes what each step says that the model was sent, of older ones the
// history, and the fields of the run. It drops the other fields of the steps (action, thought, execution_time,
// state, extra_info), what repeats the last list, and the fields of a run if they exceed 64 KiB in total. Each
// attempt of a run with several is a conversation.
func Read(data []byte) ([]*Conversation, error) {
	log, err := calllog.ReadMessages(data)
	if err != nil {
		return nil, err
	}
	list := make([]*Conversation, len(log.Sessions))
	for i := range list {
		list[i] = &Conversation{Session: &log.Sessions[i]}
	}
	list[0].log = log
	return list, nil
}

// Shape returns the shape of the file: openai, tau-bench or swe-smith. Nodes carry it as their provenance.
func (c *Conversation) Shape() string { return c.Replay.Shape }

// Findings returns what is odd about the file, of the first of its conversations: roles that no provider has, whose
// messages count as other (01 §2) and keep the word as an attribute, messages in an unknown form, damaged lines, and
// why a conversation makes no cycle.
func (c *Conversation) Findings() []inspect.Finding {
	if c.log == nil {
		return nil
	}
	return slices.Clone(c.log.Findings)
}

// Calls returns the number of model calls, which equals the number of cycles.
func (c *Conversation) Calls() int { return len(c.Session.Calls) }

// Messages returns the number of messages at the end of the conversation.
func (c *Conversation) Messages() int { return len(messagesIn(c.Unsent)) }

// messagesIn returns the messages of a request.
func messagesIn(request canon.Any) []canon.Any {
	list, _ := request.Get("messages")
	return list.Elems
}

// lists returns the messages that each call was sent, and all of them. Lists share a message that the file has once.
func (c *Conversation) lists() (calls [][]*message, final []*message) {
	known := map[*canon.Member]*message{}
	read := func(list []canon.Any) []*message {
		all := make([]*message, len(list))
		for i, v := range list {
			if known[&v.Members[0]] == nil {
				known[&v.Members[0]] = newMessage(v)
			}
			all[i] = known[&v.Members[0]]
		}
		return all
	}
	whole := messagesIn(c.Unsent)
	final = read(whole)
	for i := range c.Session.Calls {
		sent := messagesIn(c.Session.Calls[i].Request)
		if n := len(sent); n <= len(whole) && (n == 0 || &sent[0] == &whole[0]) {
			calls = append(calls, final[:n:n])
			continue
		}
		calls = append(calls, read(sent))
	}
	return calls, final
}

// attrs returns the custom attributes of the root.
func (c *Conversation) attrs() map[string]any {
	if len(c.Replay.Fields.Members) == 0 {
		return nil
	}
	return map[string]any{c.Replay.Shape + ":conversation": c.Replay.Fields}
}
