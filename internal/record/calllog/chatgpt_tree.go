package calllog

import (
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// chatTree is a conversation: a tree of messages, of which each path to a leaf
// is a branch.
type chatTree struct {
	nodes map[string]*chatNode
	order []*chatNode // parents before children, siblings as the file has them
	model string
	line  int
	// where the conversation stood when it was exported, nil if the export does not say
	current *chatNode
	found   *findings
}

type chatNode struct {
	id     string
	parent *chatNode
	turn   turn
	empty  bool // it says nothing
	onward bool // the model goes on: a child belongs to the same answer

	open     []string    // the calls on the path to here that have no result yet
	messages []canon.Any // of the path to here; nil until they are needed
	extended bool        // a child's messages stand behind them in the same memory
}

// read links the nodes. A node whose parents lead in a circle is left out.
func (t *chatTree) read(mapping raw) {
	t.nodes = map[string]*chatNode{}
	all := mapping.fields()
	ids := make([]string, 0, len(all))
	for id := range all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	children := map[string][]string{}
	var roots []string
	for _, id := range ids {
		f := all[id].fields()
		if parent := f["parent"].text(); all[parent] != nil && parent != id {
			children[parent] = append(children[parent], id)
		} else {
			roots = append(roots, id)
		}
		t.nodes[id] = &chatNode{id: id}
		t.nodes[id].read(f["message"].fields(), t.line)
	}
	for at := roots; len(at) > 0; {
		id := at[len(at)-1]
		at = at[:len(at)-1]
		node := t.nodes[id]
		t.order = append(t.order, node)
		below := inFileOrder(children[id], all[id].fields()["children"])
		for _, child := range below {
			t.nodes[child].parent = node
		}
		slices.Reverse(below)
		at = append(at, below...)
	}
	if len(t.order) < len(ids) {
		t.found.add(t.line, "messages whose parents lead in a circle were left out")
	}
}

// inFileOrder sorts children by the list that their parent has of them.
func inFileOrder(children []string, listed raw) []string {
	place := map[string]int{}
	for i, e := range listed.elems() {
		place[e.text()] = i
	}
	list := slices.Clone(children)
	slices.SortStableFunc(list, func(a, b string) int { return place[a] - place[b] })
	return list
}

// read reads the message of a node.
func (n *chatNode) read(f fields, line int) {
	author := f["author"].fields()
	n.turn = turn{id: n.id, line: line, at: timeOf(f["create_time"].value()), role: author.text("role")}
	about := f["metadata"].fields()
	n.turn.answer.Model = about.text("model_slug")
	if finish := about["finish_details"].fields().text("type"); finish != "" {
		n.turn.answer.Finish = finish
	}
	content := f["content"].fields()
	parts := chatGPTParts(content)
	switch to := f.text("recipient"); {
	case n.turn.role == "tool":
		n.turn.role = "user"
		var value canon.Any
		if value = joined(parts); value.Kind == canon.KindAbsent {
			value = f["content"].value()
		}
		parts = []provider.Part{resultPart("", author.text("name"), value, content.text("content_type") == "system_error")}
	case n.turn.role == "assistant" && to != "" && to != "all":
		arguments := joined(parts)
		parts = []provider.Part{callPart(n.id, to, arguments)}
	case n.turn.role != "assistant" && n.turn.role != "user" && n.turn.role != "system":
		n.empty = true
	}
	n.turn.parts = parts
	n.empty = n.empty || len(parts) == 0
}

// joined returns the texts of parts as one text, absent if one is no text.
func joined(parts []provider.Part) canon.Any {
	var texts []string
	for _, p := range parts {
		if p.Kind != "text" {
			return canon.Any{}
		}
		texts = append(texts, p.Content.Text)
	}
	return canon.Text(strings.Join(texts, "\n"))
}

// chatGPTParts reads a content by its type.
func chatGPTParts(f fields) (parts []provider.Part) {
	say := func(text string) {
		if text != "" {
			parts = append(parts, textPart(text))
		}
	}
	switch f.text("content_type") {
	case "":
	case "text", "multimodal_text":
		for _, e := range f["parts"].elems() {
			if e.kind() == canon.KindString {
				say(e.text())
			} else if from := e.fields().text("asset_pointer"); from != "" {
				parts = append(parts, imagePart(from))
			} else {
				parts = append(parts, otherPart(e.value()))
			}
		}
	case "code", "execution_output", "system_error":
		say(f.text("text"))
	case "thoughts":
		for _, e := range f["thoughts"].elems() {
			thought := e.fields()
			parts = append(parts, thoughtPart(canon.Text(strings.TrimSpace(thought.text("summary")+"\n"+thought.text("content")))))
		}
	case "reasoning_recap":
		if text := f.text("content"); text != "" {
			parts = append(parts, thoughtPart(canon.Text(text)))
		}
	case "user_editable_context":
		say(f.text("user_profile"))
		say(f.text("user_instructions"))
	default:
		members := make([]canon.Member, 0, len(f))
		for name, v := range f {
			members = append(members, canon.Member{Name: name, Value: v.value()})
		}
		parts = append(parts, otherPart(canon.Object(append(members, canon.Member{Name: "type", Value: f["content_type"].value()})...)))
	}
	return parts
}
