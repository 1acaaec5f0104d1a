package calllog

import (
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
)

const formatChatGPT = "ChatGPT export"

// isChatGPT reports whether a value is a conversation of ChatGPT's export
// (conversations.json), or a list that begins with one.
func isChatGPT(first raw) bool {
	if list := first.elems(); len(list) > 0 {
		first = list[0]
	}
	nodes := first.fields()["mapping"].fields()
	for _, r := range nodes {
		f := r.fields()
		return f["message"] != nil && (f["parent"] != nil || f["children"] != nil)
	}
	return false
}

// readChatGPT reads the conversations of an export: each is a session. A message
// that the user edited, and an answer that was asked for again, begin branches.
func readChatGPT(data []byte) (*Log, error) {
	list, cut, err := entriesOf(data)
	if err != nil {
		return nil, err
	}
	var sessions []Session
	var found findings
	names := map[string]bool{}
	for i, e := range list {
		f := e.fields()
		if f["mapping"].kind() != canon.KindObject {
			found.add(e.line, "it is no conversation, so it was left out")
			continue
		}
		t := chatTree{found: &found, line: e.line, model: f.text("default_model_slug")}
		t.read(f["mapping"])
		t.current = t.nodes[f.text("current_node")]
		made := t.session()
		if len(made.Calls) == 0 && made.Unsent.Kind == canon.KindAbsent {
			found.add(e.line, "a conversation is empty, so it was left out")
			continue
		}
		made.Name = orElse(f.text("conversation_id", "id"), strconv.Itoa(i))
		if names[made.Name] {
			found.add(e.line, "the conversation "+made.Name+" is there twice; it was read once")
			continue
		}
		names[made.Name] = true
		sessions = append(sessions, made)
	}
	if len(sessions) == 0 {
		return nil, fault.New(fault.DocumentInvalid, "it holds no conversation with a message", "")
	}
	return found.log(formatChatGPT, cut, sessions...), nil
}
