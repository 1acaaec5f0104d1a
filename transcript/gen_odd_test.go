package transcript

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// genOdd draws conversations as they should not be and sometimes are.
type genOdd struct{ *rand.Rand }

func (o genOdd) pick(list ...string) string { return list[o.IntN(len(list))] }

func (o genOdd) chance(percent int) bool { return o.IntN(100) < percent }

// value draws any JSON value.
func (o genOdd) value() string {
	return o.pick(`null`, `true`, `1`, `1.0`, `-0.0`, `1e400`, `123456789012345678901234567890`, `0.1`, `""`, `"é\u0000"`,
		`"\ud800"`, `"\ud83d\ude00"`, `[]`, `{}`, `[1,[2,{"a":null}]]`, `{"b":1,"a":{"type":"text"}}`, `NaN`, `"text"`)
}

// object draws an object of some fields, in any order, perhaps with more.
func (o genOdd) object(fields map[string]string) string {
	for _, name := range []string{"cache_control", "index", "thought", "n", "rest", "", "name", "refusal", "id", "kind",
		"type", "key"} {
		if _, there := fields[name]; !there && o.chance(6) {
			fields[name] = o.value()
		}
	}
	var members []string
	for name, v := range fields {
		members = append(members, string(canon.String(name))+":"+v)
	}
	slices.Sort(members)
	o.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ", ") + "}"
}

func (o genOdd) list(most int, draw func() string) string {
	elems := make([]string, o.IntN(most+1))
	for i := range elems {
		elems[i] = draw()
	}
	return "[" + strings.Join(elems, ",") + "]"
}

func (o genOdd) part() string {
	switch o.IntN(8) {
	case 0, 1, 2:
		return o.object(map[string]string{"type": `"text"`, "text": `"part ` + strconv.Itoa(o.IntN(9)) + `"`})
	case 3:
		return o.object(map[string]string{"type": `"image_url"`,
			"image_url": `{"url":"https://example.org/a.png","detail":"low"}`})
	case 4:
		return o.object(map[string]string{"type": `"image_url"`, "image_url": o.value()})
	case 5:
		return o.object(map[string]string{"type": o.pick(`"text"`, `"image"`, `"call"`, `"result"`, `"input_audio"`, `"a b"`,
			o.value()), "text": o.value()})
	case 6:
		return o.object(map[string]string{})
	}
	return o.value()
}

func (o genOdd) content() string {
	switch o.IntN(6) {
	case 0:
		return o.value()
	case 1, 2:
		return o.list(3, o.part)
	}
	return `"text ` + strconv.Itoa(o.IntN(5)) + `"`
}

func (o genOdd) call() string {
	switch o.IntN(10) {
	case 0:
		return o.value()
	case 1:
		return o.object(map[string]string{"id": o.callID(), "type": `"custom"`, "custom": `{"name":"f","input":"x"}`})
	case 2:
		return o.object(map[string]string{"function": o.value()})
	}
	return o.object(map[string]string{
		"id": o.callID(), "type": `"function"`, "function": `{"name":"f","arguments":"{\"a\": ` + strconv.Itoa(o.IntN(9)) +
			`}"}`,
	})
}

func (o genOdd) callID() string { return o.pick(`"c1"`, `"c2"`, `"c3"`, `""`, `7`) }

// message draws a message.
func (o genOdd) message() string {
	fields := map[string]string{}
	if o.chance(90) {
		fields["content"] = o.content()
	}
	switch o.IntN(12) {
	case 0, 1, 2:
		fields["role"] = `"user"`
	case 3, 4, 5:
		fields["role"] = `"assistant"`
		if o.chance(60) {
			fields["tool_calls"] = o.list(3, o.call)
		}
		if o.chance(10) {
			fields["tool_calls"] = o.value()
		}
		if o.chance(15) {
			fields["function_call"] = o.pick(`{"name":"f","arguments":""}`, `{}`, `"auto"`, `null`)
		}
	case 6, 7:
		fields["role"] = `"tool"`
		fields["tool_call_id"] = o.callID()
		if o.chance(30) {
			fields["tool_call_ids"] = `["c1",` + o.callID() + `,5]`
		}
	case 8:
		fields["role"], fields["name"] = `"function"`, `"f"`
	case 9:
		fields["role"] = o.pick(`"developer"`, `"system"`)
	case 10:
		fields["role"] = o.pick(`"other"`, `""`, `"a:b"`, `"System"`, `"\ud800"`, `"critic"`)
	default:
		fields["role"] = `"system"`
	}
	if o.chance(5) {
		fields["tool_calls"] = o.list(2, o.call)
	}
	return o.object(fields)
}

func (o genOdd) messages(most int) []string {
	list := make([]string, o.IntN(most+1))
	for i := range list {
		list[i] = o.message()
	}
	for i := range list[:o.IntN(min(3, len(list)+1))] {
		list[i] = o.object(map[string]string{"role": `"system"`, "content": o.content()})
	}
	return list
}

// file writes messages in one of the forms of an OpenAI conversation.
func (o genOdd) file(messages []string) string {
	switch o.IntN(3) {
	case 0:
		return o.object(map[string]string{"messages": "[" + strings.Join(messages, ",\n") + "]", "tools": o.value()})
	case 1:
		if len(messages) > 0 {
			return o.pick("", "\n", " \r\n") + strings.Join(messages, o.pick("\n", "\r\n", "\n\n", "\n \n")) + o.pick("", "\n",
				"\n\n")
		}
	}
	return o.pick("", " \n") + "[" + strings.Join(messages, o.pick(",", ", ", ",\n")) + "]\n"
}

// run writes a trajectory whose steps now and then rewrite earlier messages.
func (o genOdd) run(steps int) string {
	list := o.messages(4)
	var written []string
	for range steps {
		if o.chance(50) && len(list) > 0 {
			list = slices.Clone(list)
			switch i := o.IntN(len(list)); o.IntN(5) {
			case 0:
				list = slices.Delete(list, i, i+1)
			case 1:
				list = list[:i]
			case 2:
				list = slices.Insert(list, i, o.message())
			default:
				list[i] = o.message()
			}
		}
		list = append(slices.Clip(list), o.messages(4)...)
		written = append(written, o.object(map[string]string{"messages": "[" + strings.Join(list, ",") + "]",
			"action": o.value()}))
	}
	return o.object(map[string]string{"trajectory": "[" + strings.Join(written, ",") + "]", "info": o.value()})
}
