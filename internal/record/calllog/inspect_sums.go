package calllog

import (
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/sums"
)

// countInspect counts the log of an evaluation: what the messages of each model event say, in the words of Inspect,
// and the messages that events share by their numbers.
func countInspect(e record, b *sums.Book) {
	b.Note("about the evaluation")
	for _, one := range e.under(e.fields()["samples"]) {
		b.Record(one.line)
		s := sample{fields: one.fields(), found: &findings{}}
		s.attachments = s.fields["attachments"].fields()
		b.Note("about a sample")
		for _, m := range s.fields["events_data"].fields()["messages"].elems() {
			s.countMessage(m, b)
		}
		for _, r := range s.fields["events"].elems() {
			f := r.fields()
			kind := f.text("event")
			if kind != "model" || f["pending"].isTrue() {
				b.Note("event " + kind)
				continue
			}
			for _, m := range f["input"].elems() {
				s.countMessage(m, b)
			}
			output := f["output"].fields()
			for _, choice := range output["choices"].elems() {
				s.countMessage(choice.fields()["message"], b)
			}
			b.Tokens("", inspectUsage(output))
		}
	}
}

// countMessage counts a message in the words of Inspect.
func (s *sample) countMessage(r raw, b *sums.Book) {
	f := raw(s.resolved(r)).fields()
	said := []canon.Any{f["content"].value()}
	if said[0].Kind == canon.KindArray {
		said = nil
		for _, e := range f["content"].elems() {
			said = append(said, canon.Text(e.fields().text("text")))
		}
	}
	for _, e := range f["tool_calls"].elems() {
		call := e.fields()
		b.Call(call.text("id"))
		said = append(said, call["arguments"].value())
	}
	if f.text("role") == "tool" {
		b.Result(f.text("tool_call_id"))
		if f["content"].empty() {
			said = append(said, canon.Text(f["error"].fields().text("message")))
		}
	}
	b.Message(canon.Fields("content", canon.ArrayOf(said...)))
}
