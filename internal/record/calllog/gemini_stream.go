package calllog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/sums"
)

// isGeminiStream reports whether a value begins what `gemini --output-format stream-json` prints.
func isGeminiStream(first raw) bool {
	f := first.fields()
	return f.text("type") == "init" && f.text("session_id") != "" && f.text("model") != "" && f.text("timestamp") != ""
}

// isGeminiEvent reports whether a value is an event of such a run.
func isGeminiEvent(f fields) bool {
	return f.text("type") == "message" && f["content"].kind() == canon.KindString && f["id"] == nil && f["uuid"] == nil
}

// geminiStream rebuilds the calls of a run of Gemini CLI from the events that it prints.
type geminiStream struct {
	spoken
	name   string
	answer turn
	text   strings.Builder   // that follows its parts, as far as it was printed
	names  map[string]string // of the tools, by call
	found  *findings
	before int64 // when the last event was printed
}

// readGeminiStream reads runs of Gemini CLI: texts and calls up to the next result of a tool are one answer.
func readGeminiStream(list []record, found *findings) (made []Session) {
	var s *geminiStream
	end := func() {
		if s == nil {
			return
		}
		s.endAnswer()
		for i := range s.turns {
			s.turns[i].answer.Model = s.model
		}
		for _, session := range s.sessions() {
			session.Name = s.name
			made = append(made, session)
		}
	}
	for _, e := range list {
		f := e.fields()
		if s == nil || isGeminiStream(e.raw()) {
			end()
			s = &geminiStream{spoken: spoken{texts: found.texts, api: provider.Gemini, model: f.text("model")}, found: found,
				name: f.text("session_id"), names: map[string]string{}}
		}
		s.event(e, f)
	}
	end()
	return made
}

// event takes one event.
func (s *geminiStream) event(e record, f fields) {
	at := timeOf(f["timestamp"].value())
	switch kind := f.text("type"); {
	case kind == "init":
	case kind == "message" && f.text("role") == "assistant":
		s.beginAnswer(e.line, at)
		if !f["delta"].isTrue() {
			s.endText()
		}
		s.text.WriteString(f.text("content"))
	case kind == "message":
		s.endAnswer()
		s.turns = append(s.turns, turn{role: "user", line: e.line, at: at,
			parts: []provider.Part{textPart(f.text("content"))}})
	case kind == "tool_use":
		s.beginAnswer(e.line, at)
		s.endText()
		id, name := f.text("tool_id"), f.text("tool_name")
		s.names[id] = name
		s.answer.parts = append(s.answer.parts, callPart(id, name, f["parameters"].value()))
	case kind == "tool_result":
		s.endAnswer()
		s.result(e.line, at, f)
	case kind == "result":
		s.close(e.line, at, f)
	case kind == "error":
		s.found.add(e.line, "what the program says ("+cmp.Or(f.text("severity"), "message")+") was left out: it is not sent")
	default:
		s.found.add(e.line, "it is no event of a known type, so it was left out")
	}
	if at > 0 {
		s.before = at
	}
}

// beginAnswer begins an answer, or goes on with it.
func (s *geminiStream) beginAnswer(line int, at int64) {
	if s.answer.role == "" {
		s.answer = turn{role: "assistant", line: line, began: s.before}
	}
	s.answer.at = at
}

// endText adds the text that was printed in pieces to the answer.
func (s *geminiStream) endText() {
	if s.text.Len() > 0 {
		s.answer.parts = append(s.answer.parts, textPart(s.text.String()))
		s.text.Reset()
	}
}

// endAnswer adds the answer that was printed.
func (s *geminiStream) endAnswer() {
	s.endText()
	if len(s.answer.parts) > 0 {
		s.turns = append(s.turns, s.answer)
	}
	s.answer = turn{}
}

// result adds what a tool answered. Results that follow each other were sent together.
func (s *geminiStream) result(line int, at int64, f fields) {
	failed := f.text("status") == "error"
	output := f["output"].value()
	if output.Kind == canon.KindAbsent {
		output = f["error"].fields()["message"].value()
	}
	id := f.text("tool_id")
	part := resultPart(id, s.names[id], output, failed)
	if n := len(s.turns) - 1; n >= 0 && s.turns[n].role == "user" && s.turns[n].parts[0].Kind == "result" {
		s.turns[n].parts, s.turns[n].at = append(s.turns[n].parts, part), at
		return
	}
	s.turns = append(s.turns, turn{role: "user", line: line, at: at, parts: []provider.Part{part}})
}

// close takes the end of the run. It counts the tokens of all calls together.
func (s *geminiStream) close(line int, at int64, f fields) {
	s.endAnswer()
	stats := f["stats"].fields()
	if models := stats["models"].fields(); len(models) == 1 && strings.HasPrefix(s.model, "auto") {
		for name := range models {
			s.model = name
		}
	}
	if why := f["error"].fields().text("message"); why != "" {
		s.turns = append(s.turns, turn{role: "assistant", line: line, began: s.before, at: at,
			answer: provider.Answer{Failure: why}})
	}
	var last *turn
	calls := 0
	for i := range s.turns {
		if s.turns[i].role == "assistant" {
			last = &s.turns[i]
			calls++
		}
	}
	switch {
	case last == nil || stats == nil:
	case calls == 1:
		last.answer.Usage = streamUsage(stats)
	default:
		last.attrs = []canon.Member{{Name: "usage", Value: f["stats"].value()}}
	}
}

// streamUsage reads the tokens of a run. What is neither input nor output in the sum are thoughts.
func streamUsage(stats fields) provider.Usage {
	u := usage(stats, "input_tokens", "output_tokens", "cached", "", "")
	if all := stats.count("total_tokens"); all != nil && u.In != nil && u.Out != nil && *all > *u.In+*u.Out {
		thoughts := *all - *u.In - *u.Out
		u.Reasoning = &thoughts
		u.Out = sum(u.Out, u.Reasoning)
	}
	return u
}

// countGeminiStream counts an event. The pieces of a text are joined by the reader, so they are not compared.
func countGeminiStream(e record, b *sums.Book) {
	f := e.fields()
	switch kind := f.text("type"); {
	case kind == "message" && f.text("role") != "assistant":
		b.Message(e.value(), "timestamp")
	case kind == "tool_use":
		b.Call(f.text("tool_id"))
		b.Message(canon.Fields("parameters", f["parameters"].value()))
	case kind == "tool_result":
		b.Result(f.text("tool_id"))
		b.Message(canon.Fields("output", f["output"].value()))
	case kind == "result" && f["stats"] != nil:
		stats := f["stats"].fields()
		all := streamUsage(stats)
		if models := stats["models"].fields(); models != nil {
			for _, name := range slices.Sorted(maps.Keys(models)) {
				b.Tokens("", streamUsage(models[name].fields()))
			}
		} else {
			b.Tokens("", all)
		}
		b.AddTotal(sums.Total{In: all.In, Out: all.Out, Cached: all.Cached, Calls: stats.count("tool_calls")})
	default:
		b.Note(kind)
	}
}
