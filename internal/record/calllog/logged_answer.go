package calllog

import (
	"net/http"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// said makes the answer of a call whose log has what the model said and how many tokens it took, but not
// the body of the answer, as the generations of Langfuse do.
func (c *logged) said(f fields) {
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
		text := obj("type", "output_text", "text", str(firstText(t.parts)))
		t.answer.Content = canon.ArrayOf(obj("type", "message", "role", "assistant", "content", canon.ArrayOf(text)))
	default:
		c.answered(writer{c.API}.answer(&t))
		return
	}
	c.answered(t.answer.Body())
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

// failureOf returns what a log says of why a call failed, absent if it does not say that it did.
func failureOf(f fields) canon.Any {
	if f["error"].empty() && f.text("level") == "ERROR" { // as Langfuse says it
		return obj("message", orElse(f.text("statusMessage"), "the call failed"))
	}
	if f["error"].empty() {
		return canon.Any{}
	}
	return f["error"].value()
}

func (c *logged) answered(answer canon.Any) {
	c.Answer = answer.AppendTo(nil)
	if c.Status == 0 {
		c.Status = http.StatusOK
	}
}

// usageOf reads the tokens of a generation of Langfuse: sums, or counts by kind that make up the sum.
func usageOf(f fields) provider.Usage {
	var u provider.Usage
	for _, of := range []fields{f["usage"].fields(), f} {
		if u.In == nil {
			u.In = count(of, "input", "promptTokens", "prompt_tokens", "input_tokens", "inputUsage")
		}
		if u.Out == nil {
			u.Out = count(of, "output", "completionTokens", "completion_tokens", "output_tokens", "outputUsage")
		}
	}
	details, _ := f.first("usageDetails", "usage_details")
	kinds := details.fields()
	if u.In == nil {
		u.In = sumOf(kinds, "input")
	}
	if u.Out == nil {
		u.Out = sumOf(kinds, "output")
	}
	u.Cached = count(kinds, "input_cached_tokens", "cache_read_input_tokens", "input_cache_read")
	u.Written = count(kinds, "input_cache_creation", "cache_creation_input_tokens")
	u.Reasoning = count(kinds, "output_reasoning_tokens", "output_reasoning")
	return u
}

// sumOf adds up the counts whose names begin so, nil without any.
func sumOf(kinds fields, begins string) (sum *int64) {
	for name := range kinds {
		if n := count(kinds, name); n != nil && strings.HasPrefix(name, begins) {
			if sum == nil {
				sum = new(int64)
			}
			*sum += *n
		}
	}
	return sum
}
