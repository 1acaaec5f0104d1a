package provider

import (
	"bytes"
	"encoding/json"
	"slices"
)

// memberCauses maps the members of a body to the causes that other dialects
// report for them.
var memberCauses = map[string]Cause{
	"model": CauseModel, "tools": CauseTools, "functions": CauseTools, "system": CauseSystem, "instructions": CauseSystem,
	"systemInstruction": CauseSystem, "system_instruction": CauseSystem,
	"messages": CauseBlock, "input": CauseBlock, "contents": CauseBlock,
}

// compareBytes compares two bodies byte by byte. The prefix is complete if they
// differ only after the last message of the older one.
func (s *Shared) compareBytes(older, newer *Prompt) {
	n := 0
	for n < min(len(older.body), len(newer.body)) && older.body[n] == newer.body[n] {
		n++
	}
	s.Bytes, s.OfBytes = int64(n), int64(len(older.body))
	old, now := membersOf(older.body), membersOf(newer.body)
	at := memberAt(old, n)
	if n == len(older.body) || at.list > 0 && n >= at.list {
		s.Blocks, s.Complete = len(older.Blocks), true
		return
	}
	if came := memberAt(now, n); came.name != at.name &&
		!slices.ContainsFunc(old, func(m bodyMember) bool { return m.name == came.name }) {
		at = came
	}
	s.Cause = memberCauses[at.name]
	switch s.Cause {
	case "":
		s.Cause, s.Names = CauseParameters, []string{at.name}
	case CauseModel:
		s.Names = []string{older.Model, newer.Model}
	case CauseBlock:
		whole := at.messages(older.body, n)
		for s.Blocks < len(older.Blocks) && older.Blocks[s.Blocks].message < whole {
			s.Blocks++
		}
	}
}

// bodyMember is one member of a body.
type bodyMember struct {
	name  string
	begin int // the byte after its name
	end   int // the byte after its value
	list  int // where the last message of a conversation ends; 0 for other members
}

// messages counts the messages of a conversation that end before a byte.
func (m *bodyMember) messages(body []byte, at int) (whole int) {
	begin := m.begin + bytes.IndexByte(body[m.begin:m.end], ':') + 1
	d := json.NewDecoder(bytes.NewReader(body[begin:m.end]))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return 0
	}
	for d.More() {
		var message json.RawMessage
		if err := d.Decode(&message); err != nil || begin+int(d.InputOffset()) > at {
			break
		}
		whole++
	}
	return whole
}

// membersOf lists the members of a body in the order of the body.
func membersOf(body []byte) (list []bodyMember) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return list
		}
		var m bodyMember
		m.name, _ = t.(string)
		m.begin = int(d.InputOffset())
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return list
		}
		m.end = int(d.InputOffset())
		if memberCauses[m.name] == CauseBlock && value[0] == '[' {
			m.list = len(bytes.TrimRight(body[:m.end-1], " \t\r\n"))
		}
		list = append(list, m)
	}
	return list
}

// memberAt returns the member whose name or value contains a byte.
func memberAt(list []bodyMember, at int) bodyMember {
	for _, m := range list {
		if at < m.end {
			return m
		}
	}
	return bodyMember{}
}
