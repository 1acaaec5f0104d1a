package calllog

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// firstEvent returns an answer, or the first event of one that is a stream or a list.
func firstEvent(answer []byte) fields {
	r := raw(answer)
	if streamed(string(answer[:min(len(answer), longestEvent)])) {
		_, data, _ := strings.Cut(string(answer), "data:")
		line, _, _ := strings.Cut(data, "\n")
		r = raw(strings.TrimSpace(line))
	}
	f := r.fields()
	if list := r.elems(); len(list) > 0 {
		f = list[0].fields()
	}
	if inside := f["response"].fields(); inside != nil {
		f = inside
	}
	return f
}

// longestEvent is how far into an answer its first event is looked for.
const longestEvent = 4 << 10

// answer finds the answer in an object or in one that it holds.
func (c *logged) answer(f fields, depth int) {
	for _, name := range statusNames {
		if n, ok := f[name].value().Value().Int64(); ok && c.Status == 0 && n >= 100 && n < 600 {
			c.Status = int(n)
		}
	}
	names := answerNames
	if depth > 0 {
		names = slices.Concat([]string{"body", "content", "text"}, names)
	}
	for _, name := range names {
		v := f[name]
		switch text := v.text(); {
		case strings.HasPrefix(strings.TrimSpace(text), "{"), strings.HasPrefix(strings.TrimSpace(text), "["), streamed(text):
			c.Answer = []byte(text)
		case answers(v.fields()):
			c.Answer = v
		case v.kind() == canon.KindArray && len(v.elems()) > 0 && answers(v.elems()[0].fields()):
			c.Answer = v
		case v.kind() == canon.KindObject && depth < deepest:
			c.answer(v.fields(), depth+1)
		}
		if c.Answer != nil {
			return
		}
	}
}

// forms are the APIs whose answers a gateway writes anew in the form of another.
var forms = []provider.API{provider.Chat, provider.Messages, provider.Gemini}

// converted reads an answer that has the form of another API than the request. A request that may be of either, as the
// log names no address, is of the API of its answer. Any other answer is written anew in the form of the request, as
// gateways do it the other way round. note says what was done, "" for nothing.
func (c *logged) converted() (note string) {
	form, body := formOf(c.Answer), raw(c.Body).fields()
	if form == "" || form == c.API {
		return ""
	}
	if !c.addressed && slices.Contains(forms[:2], form) && slices.Contains(forms[:2], c.API) && fitsBoth(body) {
		c.API, c.Path = form, provider.PathOf(form, body.text("model"))
		return ""
	}
	as := c.Call
	as.API, c.Answer = form, nil
	if !slices.Contains(forms, form) || !slices.Contains(forms, c.API) {
		return "its answer is in the form of " + provider.FormOf(form) + ", so it was left out"
	}
	t := turn{role: "assistant", answer: as.answer(as.Answer)}
	message := t.answer.Content
	if message.Kind == canon.KindArray {
		message = canon.Fields("content", message)
	}
	x := exchange{api: c.API}
	t.parts = x.turn(message, t.role).parts
	t.answer.Finish = finishFor(c.API, t.answer.Finish, t.parts)
	c.setAnswer(writer{c.API}.answer(&t))
	return "its answer is in the form of " + provider.FormOf(form) + ", and was written anew in that of the request"
}

// finishes are why a model stopped, in the words of forms, and other words of them for the same.
var finishes = [][]string{
	{"tool_calls", "tool_use", "STOP", "function_call"},
	{"stop", "end_turn", "STOP", "stop_sequence"},
	{"length", "max_tokens", "MAX_TOKENS", "model_context_window_exceeded"},
	{"content_filter", "refusal", "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "RECITATION", "SPII"},
}

// finishFor returns why a model stopped in the word of an API; a word that has no like stays. Gemini has no word of its
// own for an answer that calls a tool.
func finishFor(api provider.API, finish string, parts []provider.Part) string {
	list := finishes
	if !slices.ContainsFunc(parts, func(p provider.Part) bool { return p.Kind == "call" }) {
		list = list[1:]
	}
	for _, words := range list {
		if slices.Contains(words, finish) {
			return words[slices.Index(forms, api)]
		}
	}
	return finish
}

// formOf returns the API whose answers have the form of an answer, "" if any API may have answered so.
func formOf(answer []byte) provider.API {
	switch f := firstEvent(answer); {
	case f["choices"] != nil:
		return provider.Chat
	case f["candidates"] != nil || f["promptFeedback"] != nil:
		return provider.Gemini
	case f["output"].kind() == canon.KindArray:
		return provider.Responses
	case f.text("type") == "message_start", f.text("type") == "message" && f["content"].kind() == canon.KindArray:
		return provider.Messages
	}
	return ""
}

// fitsBoth reports whether a body with messages is one for Anthropic's API and for chat completions.
func fitsBoth(body fields) bool {
	anthropic, chat := formsOf(body["messages"].elems())
	return !anthropic && !chat && body["tools"].empty() && body["system"] == nil && body["anthropic_version"] == nil
}

// streamed reports whether a text is a stream of events.
func streamed(text string) bool {
	text = strings.TrimLeft(text, "\uFEFF\r\n")
	return strings.HasPrefix(text, "data:") || strings.HasPrefix(text, "event:") ||
		strings.HasPrefix(text, ":") && strings.Contains(text, "\ndata:")
}

// rebuildAnswer makes the answer of a call whose log has the output of the model and the tokens, but not the
// body of the answer, as the generations of Langfuse do.
func (c *logged) rebuildAnswer(f fields) {
	if list := listOf(c.Answer); len(list) > 0 && (streamed(string(c.Answer)) || answers(list[0].fields())) {
		return
	}
	c.Answer = nil
	output, _ := f.first(answerNames...)
	list := listOf(output)
	if output == nil || len(list) == 0 {
		return
	}
	t := turn{role: "assistant", answer: provider.Answer{API: c.API, Model: f.text("model"), Usage: usageOf(f)}}
	message := list[len(list)-1].fields()
	switch {
	case output.kind() == canon.KindString:
		t.parts = []provider.Part{textPart(output.text())}
	case c.API == provider.Responses && message["type"] != nil:
		for _, item := range list {
			t.answer.Content.Elems = append(t.answer.Content.Elems, item.value())
		}
		t.answer.Content.Kind = canon.KindArray
	case message["role"] != nil && c.API == provider.Chat: // as it is: the next request repeats it so
		t.answer.Content = list[len(list)-1].value()
	case message["content"] != nil:
		t.parts = langChainParts(message["content"], nil)
	case message.text("completion", "text") != "":
		t.parts = []provider.Part{textPart(message.text("completion", "text"))}
	default:
		t.parts = []provider.Part{textPart(string(output.value().Value()))} // an object that the program made of the answer
	}
	switch {
	case t.answer.Content.Kind != canon.KindAbsent:
	case c.API == provider.Responses:
		text := canon.Fields("type", "output_text", "text", canon.Text(firstText(t.parts)))
		t.answer.Content = canon.ArrayOf(canon.Fields("type", "message", "role", "assistant", "content", canon.ArrayOf(text)))
	default:
		c.setAnswer(writer{c.API}.answer(&t))
		return
	}
	c.setAnswer(t.answer.Body())
}

// firstText returns the first text of parts, "" if there is none.
func firstText(parts []provider.Part) string {
	for _, p := range parts {
		if p.Kind == "text" {
			return p.Content.Text
		}
	}
	return ""
}

// failureOf returns the error that a log has of a call, absent if it has none.
func failureOf(f fields) canon.Any {
	if f["error"].empty() && f.text("level") == "ERROR" { // as Langfuse says it
		return canon.Fields("message", cmp.Or(f.text("statusMessage"), "the call failed"))
	}
	if f["error"].empty() {
		return canon.Any{}
	}
	return f["error"].value()
}

func (c *logged) setAnswer(answer canon.Any) {
	c.Answer = answer.AppendTo(nil)
	if c.Status == 0 {
		c.Status = http.StatusOK
	}
}

// usageOf reads the tokens of a generation of Langfuse: sums, or counts by kind that make up the sum.
func usageOf(f fields) provider.Usage {
	details, _ := f.first("usageDetails", "usage_details")
	kinds := details.fields()
	u := usage(kinds, "", "", "input_cached_tokens cache_read_input_tokens input_cache_read",
		"input_cache_creation cache_creation_input_tokens", "output_reasoning_tokens output_reasoning")
	const in, out = "input promptTokens prompt_tokens input_tokens inputUsage",
		"output completionTokens completion_tokens output_tokens outputUsage"
	of := f["usage"].fields()
	u.In = cmp.Or(of.count(in), f.count(in), sumOf(kinds, "input"))
	u.Out = cmp.Or(of.count(out), f.count(out), sumOf(kinds, "output"))
	return u
}

// sumOf adds up the counts whose names begin with a word, nil without any.
func sumOf(kinds fields, word string) (all *int64) {
	for name := range kinds {
		if strings.HasPrefix(name, word) {
			all = sum(all, kinds.count(name))
		}
	}
	return all
}
