package provider

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/splice"
)

// noResult stands where a result is required and none is known.
const noResult = "(no result of this call was recorded)"

// anthropicIDs reports ids of calls with other characters, and ids that come twice. A call and
// the results in the next message are renamed together.
func anthropicIDs(c *checker) {
	messages := c.root.Get("messages").Elems
	all := map[string]bool{}
	for _, m := range messages {
		for _, block := range m.Get("content").Elems {
			all[block.Get("id").Text()] = true
		}
	}
	seen := map[string]bool{}
	for i, m := range messages {
		for k, block := range m.Get("content").Elems {
			if !isOf("tool_use")(block) {
				continue
			}
			id := block.Get("id").Text()
			problem := ""
			switch {
			case !named(id, "_-", len(id)):
				problem = "the id " + quoted(id) + " has characters besides letters, digits, _ and -"
			case seen[id]:
				problem = "the id " + quoted(id) + " belongs to an earlier call"
			}
			seen[id] = true
			if problem == "" {
				continue
			}
			mend := func(e *splice.Edits) {
				fresh := ""
				for n := 1; fresh == "" || all[fresh]; n++ {
					fresh = "call_" + strconv.Itoa(n)
				}
				all[fresh], seen[fresh] = true, true
				e.Replace(block.Get("id"), []byte(quoted(fresh)))
				if next := turnAfter(messages, i); next >= 0 {
					for _, result := range messages[next].Get("content").Elems {
						if of := result.Get("tool_use_id"); isOf("tool_result")(result) && of.Text() == id {
							e.Replace(of, []byte(quoted(fresh)))
							break
						}
					}
				}
			}
			if !block.Get("id").Is() {
				mend = nil
			}
			c.report(at(at("messages", i)+".content", k), problem, "rename the call and its result", mend)
		}
	}
}

// turnAfter returns the message after one, leaving out those of the system; -1 for none.
func turnAfter(messages []splice.Value, i int) int {
	for i++; i < len(messages); i++ {
		if messages[i].Get("role").Text() != "system" {
			return i
		}
	}
	return -1
}

// anthropicPairs requires that the message after one with calls is one of the user with one
// result for each, and that there are no other results.
func anthropicPairs(c *checker) {
	list := c.root.Get("messages")
	messages := list.Elems
	answers := map[int]bool{} // the starts of results that answer a call
	for i, m := range messages {
		if m.Get("role").Text() != "assistant" {
			if k := slices.IndexFunc(m.Get("content").Elems, isOf("tool_use")); k >= 0 {
				c.report(at(at("messages", i)+".content", k), "a call stands in a message that is not the model's",
					"put it into a message of the model", nil)
			}
			continue
		}
		next := turnAfter(messages, i)
		var added [][]byte
		for k, block := range m.Get("content").Elems {
			if !isOf("tool_use")(block) {
				continue
			}
			id := block.Get("id").Text()
			at := at(at("messages", i)+".content", k)
			if next >= 0 && messages[next].Get("role").Text() == "user" {
				if result := resultOf(messages[next], id, answers); result.Is() {
					answers[result.Start] = true
					continue
				}
			}
			if late := c.lateResult(messages, next, id, answers); late.Is() {
				c.report(at, "the result of the call "+quoted(id)+" stands behind the next message",
					"put it into the next message", func(*splice.Edits) { added = append(added, late.Raw) })
				continue
			}
			c.report(at, "no result follows the call "+quoted(id), "add a result to the next message",
				func(*splice.Edits) {
					added = append(added, []byte(`{"type":"tool_result","tool_use_id":`+quoted(id)+`,"content":`+
						quoted(noResult)+`,"is_error":true}`))
				})
		}
		c.addResults(list, i, next, added)
	}
	for i, m := range messages {
		content := m.Get("content")
		for k, block := range content.Elems {
			if isOf("tool_result")(block) && !answers[block.Start] {
				c.report(at(at("messages", i)+".content", k), "the result answers no call of the message before: "+
					quoted(block.Get("tool_use_id").Text()), "leave it out", func(e *splice.Edits) { e.Remove(content, k) })
			}
		}
	}
}

// resultOf returns the first result in a message that answers a call and no other.
func resultOf(m splice.Value, id string, taken map[int]bool) splice.Value {
	for _, block := range m.Get("content").Elems {
		if isOf("tool_result")(block) && block.Get("tool_use_id").Text() == id && !taken[block.Start] {
			return block
		}
	}
	return splice.Value{}
}

// lateResult finds a result in the messages of the user behind the one where it belongs, and
// takes it out of there.
func (c *checker) lateResult(messages []splice.Value, next int, id string, taken map[int]bool) splice.Value {
	if next < 0 || messages[next].Get("role").Text() != "user" {
		return splice.Value{}
	}
	for i := next + 1; i < len(messages) && messages[i].Get("role").Text() == "user"; i++ {
		if late := resultOf(messages[i], id, taken); late.Is() {
			content := messages[i].Get("content")
			taken[late.Start] = true
			c.edits.Remove(content, slices.IndexFunc(content.Elems, func(v splice.Value) bool { return v.Start == late.Start }))
			return late
		}
	}
	return splice.Value{}
}

// addResults puts results into the message after the i-th, or into one of their own.
func (c *checker) addResults(list splice.Value, i, next int, results [][]byte) {
	if len(results) == 0 {
		return
	}
	all := bytes.Join(results, []byte(","))
	if next < 0 || list.Elems[next].Get("role").Text() != "user" {
		c.edits.Insert(list, i+1, slices.Concat([]byte(`{"role":"user","content":[`), all, []byte(`]}`)))
		return
	}
	switch content := list.Elems[next].Get("content"); content.Kind {
	case canon.KindArray:
		first := slices.IndexFunc(content.Elems, func(v splice.Value) bool { return !isOf("tool_result")(v) })
		if first < 0 {
			first = len(content.Elems)
		}
		c.edits.Insert(content, first, all)
	case canon.KindString:
		c.edits.Replace(content, slices.Concat([]byte("["), all,
			[]byte(`,{"type":"text","text":`), content.Raw, []byte("}]")))
	default:
		c.edits.Insert(list, i+1, slices.Concat([]byte(`{"role":"user","content":[`), all, []byte(`]}`)))
	}
}

// anthropicResultsFirst requires that the results of a message stand before all else in it.
func anthropicResultsFirst(c *checker) {
	for i, m := range c.root.Get("messages").Elems {
		content := m.Get("content")
		first := slices.IndexFunc(content.Elems, func(v splice.Value) bool { return !isOf("tool_result")(v) })
		for k, block := range content.Elems {
			if first >= 0 && k > first && isOf("tool_result")(block) {
				c.report(at(at("messages", i)+".content", k), "something stands before the result of a call",
					"put all results to the front of the message", func(e *splice.Edits) {
						e.Remove(content, k)
						e.Insert(content, first, block.Raw)
					})
			}
		}
	}
}
