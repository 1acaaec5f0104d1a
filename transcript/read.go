package transcript

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// entry is one value of a file: a message or a conversation.
type entry struct {
	canon.Any
	line int // counted from 1 in JSON Lines, 0 elsewhere
}

// Read reads the conversations of a file and detects its shape. A list or JSON
// Lines of messages is one conversation; a list or JSON Lines of conversations
// is as many. E_DOCUMENT_INVALID with line and offset if the file is not JSON
// or has an unknown shape, and with the number of the message, counted from 0,
// if a message is invalid or if no message of the file has a known role.
//
// From a run of SWE-agent or SWE-smith Read takes what each step says that the model was sent, of older ones the
// history, and the fields of the run. It drops the other fields of the steps (action, thought, execution_time,
// state, extra_info), what repeats the last list, and the fields of a run if they exceed 64 KiB in total. Each
// attempt of a run with several is a conversation.
func Read(data []byte) ([]*Conversation, error) {
	var damage canon.Damage
	list, err := entries(data, &damage)
	if err != nil {
		return nil, err
	}
	if Detect(data) == "" {
		return nil, &fault.Error{
			Code: fault.DocumentInvalid, Line: 1, Message: "the file is in no known format of conversations",
			Remedy: "give OpenAI messages (a list, an object with messages, JSON Lines), a tau-bench, SWE-agent or SWE-smith file",
		}
	}
	if len(list) == 0 || isMessage(list[0].Any) {
		messages, err := messagesOf(list)
		if err != nil {
			return nil, err
		}
		c := &Conversation{Shape: ShapeOpenAI, damage: damage}
		c.cut(messages)
		return []*Conversation{c}, readable([]*Conversation{c}, list)
	}
	var runs []entry
	for _, e := range list {
		runs = append(runs, attemptsOf(e)...)
	}
	list = runs
	conversations := make([]*Conversation, len(list))
	for i, e := range list {
		c, err := conversation(e)
		if err != nil {
			return nil, inConversation(err, i, e.line, len(list))
		}
		if len(list) > 1 {
			c.Name = strconv.Itoa(i)
		}
		conversations[i] = c
	}
	conversations[0].damage = damage
	return conversations, readable(conversations, list)
}

// readable refuses a file of which nothing can be read: no message has a known role, or the messages
// speak in another form than OpenAI's.
func readable(conversations []*Conversation, list []entry) error {
	if err := someRole(conversations, list); err != nil {
		return err
	}
	for i, c := range conversations {
		for n, m := range c.final {
			if kind := m.foreignPart(); kind != "" {
				return inConversation(&fault.Error{Code: fault.DocumentInvalid, Offset: fault.NoOffset, Line: list[min(i, len(list)-1)].line,
					Message: "message " + strconv.Itoa(n) + " has a part of Anthropic's messages (" + kind + "), and others are of chat " +
						"completions: the file may be either", Remedy: "put messages of one form into one file"}, i, 0, len(conversations))
			}
		}
	}
	first := -1 // the first conversation with a message in another form
	for i, c := range conversations {
		for _, m := range c.final {
			speaks, otherwise := m.speaks()
			if speaks {
				return nil
			}
			if otherwise && first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return nil
	}
	return inConversation(&fault.Error{Code: fault.DocumentInvalid, Offset: fault.NoOffset, Line: list[first].line,
		Message: "no message has content or calls anything: the messages speak in a form that pact does not know",
		Remedy:  "give messages with content or tool_calls"}, first, list[first].line, len(conversations))
}

// someRole refuses a file without a call in which no message has a known role: its objects
// are about something else. Where some are known, [Conversation.Findings] names the others.
func someRole(conversations []*Conversation, list []entry) error {
	first := -1 // the first conversation with a message
	for i, c := range conversations {
		if len(c.calls) > 0 {
			return nil
		}
		for _, m := range c.final {
			if canonicalRoles[m.original] != "" {
				return nil
			}
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return nil
	}
	err := &fault.Error{
		Code: fault.DocumentInvalid, Offset: fault.NoOffset, Line: list[first].line,
		Token:   clipped(conversations[first].final[0].original),
		Message: "message 0 has a role that no provider knows, and so has every other message",
		Remedy:  "known roles are " + strings.Join(roleNames, ", "),
	}
	return inConversation(err, first, list[first].line, len(conversations))
}

// inConversation adds the number of the conversation to an error.
func inConversation(err error, i, line, of int) error {
	var e *fault.Error
	if !errors.As(err, &e) || of < 2 {
		return err
	}
	in := *e
	in.Message = "conversation " + strconv.Itoa(i) + ": " + e.Message
	in.Line = max(in.Line, line)
	return &in
}

// entries parses a file. If its first line is a value and more lines follow,
// the file is JSON Lines; blank lines do not count, and damaged ones give what they still hold.
func entries(data []byte, damage *canon.Damage) ([]entry, error) {
	first, _, rest := canon.NextLine(data, 0, 0)
	value, err := canon.ParseAny(first)
	s := canon.Scanner{Data: data[rest-len(first):]}
	alone := err == nil || len(s.Value()) == len(bytes.TrimSpace(first)) // a damaged line is one all the same
	if alone && len(bytes.TrimSpace(data[rest:])) > 0 {
		return lines(data, damage)
	}
	if err != nil {
		value, err = canon.ParseAny(data)
	}
	if err != nil && canon.InLines(data) {
		return lines(data, damage)
	}
	if err != nil {
		return nil, canon.InLine(err, data, 0, 0)
	}
	if value.Kind != canon.KindArray {
		return []entry{{Any: value}}, nil
	}
	list := make([]entry, len(value.Elems))
	for i, e := range value.Elems {
		list[i].Any = e
	}
	return list, nil
}

// lines parses JSON Lines. They are an error only if none of them can be read.
func lines(data []byte, damage *canon.Damage) (list []entry, err error) {
	for at, line := 0, 0; ; {
		text, number, next := canon.NextLine(data, at, line)
		if text == nil {
			if len(list) == 0 {
				err = damage.First
			}
			return list, err
		}
		last := len(list) > 0 && len(bytes.TrimSpace(data[next:])) == 0
		for _, p := range damage.Line(text, int64(next-len(text)), number, last) {
			value, err := canon.ParseAny(p.Text)
			if err != nil {
				return nil, canon.InLine(err, text, next-len(text), number)
			}
			list = append(list, entry{value, number})
		}
		at, line = next, number
	}
}
