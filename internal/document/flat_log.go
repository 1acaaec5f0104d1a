package document

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/selector"
)

// flatLog is the member that makes a JSON object a flat log: the list of its messages, as
// 07 §4.1 prints it.
const flatLog = "flat_log"

// fromFlatLog returns the document that 07 §4.1 makes of a flat log, prior to the commit that seals it: messages
// of the system are blocks of ^sys, all others blocks in the core of ^ah, in their order. A message keeps its id and
// its other members. It returns doc if it is no flat log, and E_DOCUMENT_INVALID for what is no message.
func (r *reader) fromFlatLog(doc canon.Any) (canon.Any, error) {
	log, is := doc.Get(flatLog)
	if _, document := doc.Get("root"); document || !is {
		return doc, nil
	}
	if log.Kind != canon.KindArray {
		return doc, &fault.Error{Code: fault.DocumentInvalid, Token: flatLog, Offset: fault.NoOffset,
			Message: "the flat log is no list of messages", Remedy: `write "flat_log":[{"role":"user","content":"Hello"}]`}
	}
	if r.edition == "" { // then head reports or refuses one that is none
		e, _ := doc.Get("edition")
		r.edition, _ = selector.ParseEdition(e.Text)
		if v, _ := doc.Get("spec_version"); r.edition == "" && strings.HasPrefix(v.Text, "PACT/1.") {
			r.edition = selector.V1
		}
		r.edition = cmp.Or(r.edition, selector.V01) // whose words the example has
	}
	words := r.edition.Traits()
	r.given = idsIn(log, "", map[string]bool{})
	free := func(nodeType string, i int) canon.Member {
		return canon.Member{Name: "id", Value: canon.Text(r.free(nodeType + ":0-" + strconv.Itoa(i)))}
	}
	var system, said []canon.Any
	for i, m := range log.Elems {
		role, _ := m.Get("role")
		if tag, _ := m.Get("tag"); words.TypeFacet && role.Kind == canon.KindAbsent && tag.Kind == canon.KindString {
			role = tag // 1.0 07 §4.1
			m = withDefaults(m, canon.Member{Name: "tags", Value: canon.ArrayOf(tag)})
			m.Members = slices.DeleteFunc(slices.Clone(m.Members), func(m canon.Member) bool { return m.Name == "tag" })
		}
		if role.Kind != canon.KindString {
			return doc, &fault.Error{Code: fault.DocumentInvalid, Token: flatLog, Offset: fault.NoOffset,
				Message: "entry " + strconv.Itoa(i+1) + " of the flat log is no message with a role",
				Remedy:  `write entries such as {"role":"user","content":"Hello"}`}
		}
		block := withDefaults(m, free(words.BlockType, i), canon.Member{Name: "nodeType", Value: canon.Text(words.BlockType)},
			canon.Member{Name: "kind", Value: canon.Text("text")})
		if role.Text == "system" {
			system = append(system, block)
		} else {
			said = append(said, block)
		}
	}
	node := func(nodeType string, children ...canon.Any) canon.Any {
		return canon.Object(canon.Member{Name: "nodeType", Value: canon.Text(nodeType)},
			canon.Member{Name: "children", Value: canon.ArrayOf(children...)})
	}
	core := withDefaults(node(words.ContainerType, said...), free(words.ContainerType, len(log.Elems)))
	root := canon.Object(canon.Member{Name: "children",
		Value: canon.ArrayOf(node("^sys", system...), node("^ah", core))})
	made := []canon.Member{{Name: "root", Value: root}}
	for _, m := range doc.Members {
		if m.Name != flatLog {
			made = append(made, m)
		}
	}
	return canon.Object(made...), nil
}

// withDefaults returns an object with those of the members that it lacks.
func withDefaults(object canon.Any, members ...canon.Member) canon.Any {
	made := object.Members[:len(object.Members):len(object.Members)]
	for _, m := range members {
		if _, has := object.Get(m.Name); !has {
			made = append(made, m)
		}
	}
	return canon.Object(made...)
}
