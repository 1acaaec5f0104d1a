package provider

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

// A frame is a JSON value with a hole for each part that was cut out. A hole is
// the string "@", followed by JSON if the part lost members when it was cut: a
// list of pairs, each of the path of an object within the part and the members
// it lost. Frames escape other strings that begin with @ by one more @.
const hole = "@"

// Hole is the hole of a part that lost nothing.
var Hole = canon.Text(hole)

// outside is the message number of parts that no list of messages holds.
const outside = -1

// partReader cuts the parts out of a body.
type partReader struct {
	parts           []Part
	section         Section
	message         int
	role            string // role of the current message
	before          int    // how many messages come before those of the body
	hasConversation bool   // the conversation begins among them

	known      []Part      // of the first messages, which were read before
	knownFrame []canon.Any // of these messages
}

// cut adds a part and returns the hole for the frame.
func (c *partReader) cut(p Part, lost ...canon.Any) canon.Any {
	p.Section, p.Message = c.section, c.message
	if p.Role == "" && p.Section != Tools {
		p.Role = c.role
	}
	c.parts = append(c.parts, p)
	text := hole
	if len(lost) > 0 {
		text += string(canon.ArrayOf(lost...).Value())
	}
	return canon.Any{Kind: canon.KindString, Text: text}
}

// beginMessage begins the next message of a list. System messages at the beginning of
// the conversation belong to the system prompt.
func (c *partReader) beginMessage(number int, role string) {
	c.message, c.role = c.before+number, roleOf(role)
	if number == 0 && c.section != Conversation {
		c.section = System
	}
	if c.hasConversation || c.role != "system" {
		c.section = Conversation
	}
}

// unknown cuts out a value that is not a message or item.
func (c *partReader) unknown(number int, v canon.Any) canon.Any {
	c.beginMessage(number, "other")
	return c.cut(Part{Kind: "part", Content: v})
}

// list reads a list of messages; it treats any other value as a single message.
func (c *partReader) list(v canon.Any, message func(i int, v canon.Any) canon.Any) canon.Any {
	if v.Kind != canon.KindArray {
		return message(0, v)
	}
	c.parts = slices.Grow(c.parts, len(c.known)+len(v.Elems)-len(c.knownFrame)) // most messages have one part
	if len(c.known) > 0 {
		c.parts, c.section = append(c.parts, c.known...), Conversation
	}
	return each(v, func(i int, v canon.Any) canon.Any {
		if i < len(c.knownFrame) {
			return c.knownFrame[i]
		}
		return message(i, v)
	})
}

// messageWithContent begins a message that has its parts in its content.
func (c *partReader) messageWithContent(number int, role string, v canon.Any) canon.Any {
	c.beginMessage(number, role)
	return walk(v, func(name string, value canon.Any) canon.Any {
		if name == "content" {
			return c.content(value)
		}
		return Escaped(value)
	})
}

// walk builds the frame of an object, member by member.
func walk(object canon.Any, member func(name string, value canon.Any) canon.Any) canon.Any {
	frame := canon.Any{Kind: canon.KindObject, Members: make([]canon.Member, len(object.Members))}
	for i, m := range object.Members {
		frame.Members[i] = canon.Member{Name: m.Name, Value: member(m.Name, m.Value)}
	}
	return frame
}

// each builds the frame of a list, element by element.
func each(list canon.Any, elem func(i int, value canon.Any) canon.Any) canon.Any {
	frame := canon.Any{Kind: canon.KindArray, Elems: make([]canon.Any, len(list.Elems))}
	for i, e := range list.Elems {
		frame.Elems[i] = elem(i, e)
	}
	return frame
}

// FrameAround builds the frame of an object one member of which is a part.
func FrameAround(object canon.Any, part string) canon.Any {
	return walk(object, func(name string, value canon.Any) canon.Any {
		if name == part {
			return Hole
		}
		return Escaped(value)
	})
}

// Escaped builds the frame of a value that holds no parts.
func Escaped(v canon.Any) canon.Any {
	switch v.Kind {
	case canon.KindString:
		if strings.HasPrefix(v.Text, hole) {
			v.Text = hole + v.Text
		}
	case canon.KindArray:
		return each(v, func(_ int, e canon.Any) canon.Any { return Escaped(e) })
	case canon.KindObject:
		return walk(v, func(_ string, m canon.Any) canon.Any { return Escaped(m) })
	}
	return v
}

// separate removes members from an object. The second result lists, for the
// hole, the path of the object within the part and the members removed; nil if
// there were none.
func separate(object canon.Any, path []canon.Any, names ...string) (canon.Any, []canon.Any) {
	var kept, lost []canon.Member
	for _, m := range object.Members {
		if slices.Contains(names, m.Name) {
			lost = append(lost, m)
		} else {
			kept = append(kept, m)
		}
	}
	if len(lost) == 0 {
		return object, nil
	}
	return canon.Object(kept...), []canon.Any{canon.ArrayOf(canon.ArrayOf(path...), canon.Object(lost...))}
}

// Join restores the body from the contents of its parts, in their order.
// E_DOCUMENT_INVALID if there are more or fewer contents than holes, or if one
// cannot fill its hole.
func (r *Request) Join(contents []canon.Any) (canon.Any, error) {
	body, _, err := new(Joiner).Join(r, contents, 0, 0)
	return body, err
}

// Joiner joins requests one after another.
type Joiner struct {
	list []canon.Any // the messages of the last request
	ends []int       // of its contents, how many the first n messages took with all that stands before them, by n
}

// Join is [Request.Join] for a request whose first messages, so many, have the frames of those of the last one, and whose
// first contents, so many, are those of the last one. It also returns how many messages it took over from there: those cost
// nothing. The list of messages is there until the next call.
func (k *Joiner) Join(r *Request, contents []canon.Any, frames, same int) (body canon.Any, messages int, err error) {
	j := &joiner{contents: contents}
	members, list := slices.Clone(r.Parameters.Members), ListOf(r.API)
	ends := k.ends
	k.ends = nil
	for _, s := range entryOf(r.API).parts {
		frame, ok := r.Frame.Get(s.name)
		if !ok {
			continue
		}
		if s.name != list || frame.Kind != canon.KindArray {
			members = append(members, canon.Member{Name: s.name, Value: j.fillHoles(frame)})
			continue
		}
		before := len(contents) - len(j.contents)
		if messages = max(0, min(frames, len(frame.Elems), len(ends)-1)); messages > 0 && ends[0] != before {
			messages = 0
		}
		for messages > 0 && ends[messages] > same {
			messages--
		}
		if messages > 0 {
			j.contents = contents[ends[messages]:]
		}
		k.list, ends = k.list[:messages], append(ends[:messages], len(contents)-len(j.contents))
		for _, e := range frame.Elems[messages:] {
			if k.list = append(k.list, j.fillHoles(e)); absent(k.list[len(k.list)-1]) {
				j.fail("a part has no content")
			}
			ends = append(ends, len(contents)-len(j.contents))
		}
		members = append(members, canon.Member{Name: s.name, Value: canon.ArrayOf(k.list...)})
	}
	if model, ok := r.Frame.Get("model"); ok {
		members = append(members, canon.Member{Name: "model", Value: j.fillHoles(model)})
	}
	if len(j.contents) > 0 {
		j.fail(strconv.Itoa(len(j.contents)) + " parts are left over")
	}
	if j.err != nil {
		return canon.Any{}, 0, j.err
	}
	k.ends = ends
	return canon.Object(members...), messages, nil
}

// Fill restores one message from its frame and the contents of its parts, as Join does a body.
func Fill(frame canon.Any, contents []canon.Any) (canon.Any, error) {
	j := &joiner{contents: contents}
	v := j.fillHoles(frame)
	if len(j.contents) > 0 {
		j.fail(strconv.Itoa(len(j.contents)) + " parts are left over")
	}
	return v, j.err
}

// FillSome restores what is left of a message: the parts that it deletes from some, which has them by their places.
// With a part that is not there goes the element of a list that holds it, or the member; a content becomes null.
func FillSome(frame canon.Any, some map[int]canon.Any) canon.Any {
	j := &joiner{some: some}
	if frame.Kind != canon.KindObject {
		return j.fillHoles(frame)
	}
	v := canon.Any{Kind: canon.KindObject}
	for _, m := range frame.Members {
		if m.Value = j.fillHoles(m.Value); m.Value.Kind == canon.KindAbsent && m.Name == "content" {
			m.Value = canon.Any{Kind: canon.KindNull, Text: string(canon.Null)}
		}
		v.Members = append(v.Members, m) // a member without a value is none
	}
	return v
}

type joiner struct {
	contents []canon.Any       // those that no hole has taken yet
	some     map[int]canon.Any // instead of them, those that are there
	holes    int               // that were met, of some
	err      error
}

func (j *joiner) fail(why string) {
	if j.err == nil {
		j.err = fault.New(fault.DocumentInvalid, "these parts do not fit the frame of the request: "+why,
			"restore the store from a backup or an export")
	}
}

// fillHoles fills the holes of a frame.
func (j *joiner) fillHoles(v canon.Any) canon.Any {
	switch v.Kind {
	case canon.KindString:
		rest, found := strings.CutPrefix(v.Text, hole)
		if !found {
			return v
		}
		if strings.HasPrefix(rest, hole) {
			return canon.Any{Kind: canon.KindString, Text: rest}
		}
		return j.next(rest)
	case canon.KindArray:
		list := each(v, func(_ int, e canon.Any) canon.Any { return j.fillHoles(e) })
		if list.Elems = slices.DeleteFunc(list.Elems, absent); len(list.Elems) == 0 && len(v.Elems) > 0 {
			return canon.Any{}
		}
		return list
	case canon.KindObject:
		object := walk(v, func(_ string, m canon.Any) canon.Any { return j.fillHoles(m) })
		if slices.ContainsFunc(object.Members, func(m canon.Member) bool { return absent(m.Value) }) {
			return canon.Any{}
		}
		return object
	}
	return v
}

func absent(v canon.Any) bool { return v.Kind == canon.KindAbsent }

// next takes the next part and restores the members it lost.
func (j *joiner) next(lost string) canon.Any {
	if j.some != nil {
		j.holes++
		part, there := j.some[j.holes-1]
		if delete(j.some, j.holes-1); !there {
			return canon.Any{}
		}
		j.contents = []canon.Any{part}
	}
	if len(j.contents) == 0 {
		j.fail("there are fewer parts than holes")
		return canon.Any{Kind: canon.KindNull, Text: string(canon.Null)}
	}
	part := j.contents[0]
	j.contents = j.contents[1:]
	if lost == "" {
		return part
	}
	part = part.Value().Any() // to walk it
	pairs, err := canon.ParseAny([]byte(lost))
	if err != nil {
		j.fail("a hole cannot be read")
	}
	for _, pair := range pairs.Elems {
		if len(pair.Elems) != 2 {
			j.fail("a hole cannot be read")
			continue
		}
		part = j.restore(part, pair.Elems[0].Elems, pair.Elems[1].Members)
	}
	return part
}

func (j *joiner) restore(v canon.Any, path []canon.Any, members []canon.Member) canon.Any {
	if len(path) == 0 {
		if v.Kind != canon.KindObject {
			j.fail("a part is no object")
		}
		return canon.Object(slices.Concat(v.Members, members)...)
	}
	i, err := strconv.Atoi(path[0].Text)
	if err != nil || i < 0 || i >= len(v.Elems) {
		j.fail("a part has no element " + path[0].Text)
		return v
	}
	elems := slices.Clone(v.Elems)
	elems[i] = j.restore(elems[i], path[1:], members)
	return canon.ArrayOf(elems...)
}
