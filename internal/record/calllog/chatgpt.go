package calllog

import (
	"cmp"
	"strconv"

	"github.com/contexttree/pact/internal/canon"
)

// isChatGPT reports whether a value is a conversation of ChatGPT's export
// (conversations.json), or a list that begins with one.
func isChatGPT(first raw) bool {
	if list := first.elems(); len(list) > 0 {
		first = list[0]
	}
	for _, node := range first.fields()["mapping"].fields() {
		if f := node.fields(); f["message"] != nil && (f["parent"] != nil || f["children"] != nil) {
			return true
		}
	}
	return false
}

// readChatGPT reads the conversations of an export: each is a session. A message
// that the user edited, and an answer that was asked for again, begin branches.
func readChatGPT(list []record, found *findings) (sessions []Session) {
	names := map[string]bool{}
	for i, e := range list {
		f := e.fields()
		if f["mapping"].kind() != canon.KindObject {
			found.add(e.line, "it is no conversation, so it was left out")
			continue
		}
		t := chatTree{found: found, line: e.line, model: f.text("default_model_slug")}
		t.read(f["mapping"])
		t.current = t.nodes[f.text("current_node")]
		made := t.session()
		if len(made.Calls) == 0 && made.Unsent.Kind == canon.KindAbsent {
			found.add(e.line, "a conversation is empty, so it was left out")
			continue
		}
		made.Name = cmp.Or(f.text("conversation_id", "id"), strconv.Itoa(i))
		if names[made.Name] {
			found.add(e.line, "the conversation "+made.Name+" is there twice; it was read once")
			continue
		}
		names[made.Name] = true
		sessions = append(sessions, made)
	}
	return sessions
}
