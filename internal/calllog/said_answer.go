package calllog

import (
	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
)

// unknownFinish is the finish of an answer of which the log does not say why it
// ended. Without any, an answer of a chat completion would count as broken off.
const unknownFinish = "unknown"

// answer writes a turn of the model as the body of an answer.
func (w writer) answer(t *turn) canon.Any {
	if t.failure != "" && len(t.parts) == 0 {
		return obj("error", obj("message", t.failure))
	}
	if w.api == api.Messages {
		return obj("type", "message", "role", "assistant", "id", t.answerID, "model", t.model, "stop_reason", t.finish,
			"content", canon.ArrayOf(w.parts(t)...), "usage", t.usage.ofMessages())
	}
	finish := t.finish
	if finish == "" {
		finish = unknownFinish
	}
	return obj("object", "chat.completion", "id", t.answerID, "model", t.model, "usage", t.usage.ofChat(),
		"choices", canon.ArrayOf(obj("index", number(0), "finish_reason", finish, "message", w.said(t))))
}

// ofChat writes tokens as chat completions count them.
func (u *usage) ofChat() canon.Any {
	return orAbsent(obj("prompt_tokens", u.in, "completion_tokens", u.out,
		"prompt_tokens_details", orAbsent(obj("cached_tokens", u.cached, "cache_write_tokens", u.written)),
		"completion_tokens_details", orAbsent(obj("reasoning_tokens", u.reasoning))))
}

// ofMessages writes tokens as Anthropic counts them: those that came from the
// cache or went to it are not among the input tokens.
func (u *usage) ofMessages() canon.Any {
	in := u.in
	if in != nil {
		rest := *in
		for _, n := range []*int64{u.cached, u.written} {
			if n != nil {
				rest -= *n
			}
		}
		rest = max(rest, 0)
		in = &rest
	}
	return orAbsent(obj("input_tokens", in, "output_tokens", u.out, "cache_read_input_tokens", u.cached,
		"cache_creation_input_tokens", u.written))
}

// count returns the first of these members that is a number of tokens, nil if
// none is. Names may be paths with a dot.
func count(f fields, names ...string) *int64 {
	for _, name := range names {
		if n, ok := f[name].value().Value().Int64(); ok && n >= 0 {
			return &n
		}
	}
	return nil
}

// positive is count for programs that write 0 where a provider says nothing.
func positive(f fields, names ...string) *int64 {
	if n := count(f, names...); n != nil && *n > 0 {
		return n
	}
	return nil
}

// orElse returns text, or other if text is empty.
func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// isTrue reports whether a value is true.
func isTrue(r raw) bool { return string(r) == string(canon.True) }
