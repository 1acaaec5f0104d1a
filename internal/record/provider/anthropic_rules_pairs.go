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
	last := 0 // the number of the last fresh id
	for i, m := range messages {
		var results map[string]splice.Value // in the next message, the first of each id
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
				for fresh == "" || all[fresh] {
					last++
					fresh = "call_" + strconv.Itoa(last)
				}
				all[fresh], seen[fresh] = true, true
				e.Replace(block.Get("id"), []byte(quoted(fresh)))
				if results == nil {
					results = firstResults(messages, turnAfter(messages, i))
				}
				if result, has := results[id]; has {
					e.Replace(result.Get("tool_use_id"), []byte(quoted(fresh)))
				}
			}
			if !block.Get("id").Is() {
				mend = nil
			}
			c.report(at(at("messages", i)+".content", k), problem, "rename the call and its result", mend)
		}
	}
}

// firstResults returns the first result of each id in a message, none without one.
func firstResults(messages []splice.Value, i int) map[string]splice.Value {
	first := map[string]splice.Value{}
	if i < 0 {
		return first
	}
	for _, block := range messages[i].Get("content").Elems {
		id := block.Get("tool_use_id").Text()
		if _, has := first[id]; !has && isOf("tool_result")(block) {
			first[id] = block
		}
	}
	return first
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
	taken := map[int]bool{} // the starts of results that answer a call
	for i, m := range messages {
		if m.Get("role").Text() != "assistant" {
			if k := slices.IndexFunc(m.Get("content").Elems, isOf("tool_use")); k >= 0 {
				c.report(at(at("messages", i)+".content", k), "a call stands in a message that is not the model's",
					"put it into a message of the model", nil)
			}
			continue
		}
		next := turnAfter(messages, i)
		behind, late := answersFor(taken), answersFor(taken)
		for j := next; j >= 0 && j < len(messages) && messages[j].Get("role").Text() == "user"; j++ {
			to := late
			if j == next {
				to = behind
			}
			content := messages[j].Get("content")
			for k, block := range content.Elems {
				if isOf("tool_result")(block) {
					to.add(block.Get("tool_use_id").Text(), content, k)
				}
			}
		}
		var added [][]byte
		for k, block := range m.Get("content").Elems {
			if !isOf("tool_use")(block) {
				continue
			}
			id := block.Get("id").Text()
			at := at(at("messages", i)+".content", k)
			if _, found := behind.take(id); found {
				continue
			}
			if result, found := late.take(id); found {
				c.report(at, "the result of the call "+quoted(id)+" stands behind the next message",
					"put it into the next message", func(e *splice.Edits) {
						e.Remove(result.list, result.at)
						added = append(added, result.value().Raw)
					})
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
			if isOf("tool_result")(block) && !taken[block.Start] {
				c.report(at(at("messages", i)+".content", k), "the result answers no call of the message before: "+
					quoted(block.Get("tool_use_id").Text()), "leave it out", func(e *splice.Edits) { e.Remove(content, k) })
			}
		}
	}
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
