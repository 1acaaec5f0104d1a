package calllog

import (
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/sums"
)

// chatUsage reads the tokens of an answer. Those of results that Gemini itself looked up count as input too.
func chatUsage(f fields) provider.Usage {
	u := usage(f, "input", "output", "cached", "", "thoughts")
	u.In, u.Out = sum(u.In, f.count("tool")), sum(u.Out, u.Reasoning)
	return u
}

// countGeminiChat counts a record of a session of Gemini CLI.
func countGeminiChat(e record, b *sums.Book) {
	f := e.fields()
	if beginsGeminiChat(f) {
		b.Session = f.text("sessionId")
	}
	list := e.under(f["messages"])
	if set := f["$set"].fields(); set["messages"] != nil {
		list = e.under(set["messages"])
	}
	if f["$set"] != nil || f["$rewindTo"] != nil || f["sessionId"] != nil {
		b.Note("settings")
	} else {
		list = []record{e}
	}
	for i, m := range list {
		if i > 0 {
			b.Record(e.line)
		}
		countGeminiMessage(m.fields(), b)
	}
}

func countGeminiMessage(f fields, b *sums.Book) {
	kind := f.text("type")
	if kind != "user" && kind != "gemini" || kind == "user" && strings.HasPrefix(f["content"].text(), "/") {
		b.Note(kind)
		return
	}
	b.Message(canon.Fields("content", f["content"].value()))
	if counts := f["tokens"].fields(); counts != nil {
		b.Tokens(b.Session+"/"+f.text("id"), chatUsage(counts))
	}
	inside := strings.Contains(string(f["content"]), `"functionCall"`)
	for _, r := range f["toolCalls"].elems() {
		call := r.fields()
		b.Message(canon.Fields("args", call["args"].value()))
		if !inside {
			b.Call(call.text("id"))
		}
		if result := call["result"].value(); result.Kind != canon.KindNull && result.Kind != canon.KindAbsent {
			b.Message(canon.Fields("result", result), "id")
		}
	}
}
