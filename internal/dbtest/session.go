package dbtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Session is a session of Claude Code of drawn words, in which three of four answers call a tool. The n-th question
// begins with question-n-, counted from 0; with tools only each fourth message of the user asks.
func Session(calls int) []byte { return Branches(calls, 1) }

// Edits is a session of Claude Code in which each question is asked twice: the second time it was edited, and the
// conversation goes on from there.
func Edits(questions int) []byte {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	type object = map[string]any
	var parent any
	for i := range 2 * questions {
		asked, answer := fmt.Sprint("u", i), fmt.Sprint("a", i)
		for _, line := range []object{
			{"type": "user", "uuid": asked, "parentUuid": parent, "message": object{"role": "user", "content": fmt.Sprintf("question %d, %d", i/2, i%2)}},
			{"type": "assistant", "uuid": answer, "parentUuid": asked, "message": object{"id": "m" + answer, "type": "message", "role": "assistant",
				"model": "claude-sonnet-4-5-20250929", "content": []object{{"type": "text", "text": "answer " + answer}}, "stop_reason": "end_turn"}},
		} {
			line["sessionId"] = "s"
			out.Encode(line)
		}
		if i%2 == 1 {
			parent = answer
		}
	}
	return b.Bytes()
}

// Branches is a session that parts behind its first call into so many branches, which take turns.
func Branches(calls, branches int) []byte {
	random := rand.New(rand.NewPCG(7, 7))
	words := make([]string, 3000)
	for i := range words {
		b := make([]byte, 2+random.IntN(8))
		for k := range b {
			b[k] = byte('a' + random.IntN(26))
		}
		words[i] = string(b)
	}
	text := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = words[random.IntN(len(words))]
		}
		return strings.Join(list, " ")
	}
	type object = map[string]any
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	line := func(kind, id string, parent any, at int, message object) {
		out.Encode(object{"type": kind, "uuid": id, "parentUuid": parent, "sessionId": "s", "requestId": "r" + id[1:], "cwd": "/home/me/project",
			"version": "2.0.1", "timestamp": time.Unix(1_790_000_000+int64(at), 0).UTC().Format(time.RFC3339), "message": message})
	}
	for i := range calls {
		var parent any
		before := max(0, i-branches) // the call that this one goes on from
		if i > 0 {
			parent = fmt.Sprint("a", before)
		}
		var asked any = fmt.Sprintf("question-%d- %s", i, text(60))
		if i > 0 && before%4 != 3 {
			asked = []object{{"type": "tool_result", "tool_use_id": fmt.Sprint("toolu_", before), "content": text(100)}}
		}
		id := fmt.Sprint("u", i)
		line("user", id, parent, 2*i, object{"role": "user", "content": asked})
		said, why := []object{{"type": "text", "text": text(40)}}, "end_turn"
		if i%4 != 3 {
			why = "tool_use"
			said = append(said, object{"type": "tool_use", "id": fmt.Sprint("toolu_", i), "name": "Bash",
				"input": object{"command": text(12), "description": text(5)}})
		}
		answer := fmt.Sprint("a", i)
		line("assistant", answer, id, 2*i+1, object{"id": fmt.Sprint("m", i), "type": "message", "role": "assistant",
			"model": "claude-sonnet-4-5-20250929", "content": said, "stop_reason": why,
			"usage": object{"input_tokens": 4, "cache_read_input_tokens": 100 * i, "cache_creation_input_tokens": 100, "output_tokens": 60}})
	}
	return b.Bytes()
}

// ChatGPT is a conversation of a ChatGPT export that parts behind its first call into so many branches, which take turns.
func ChatGPT(calls, branches int) []byte {
	type object = map[string]any
	mapping, children := object{"root": object{"id": "root"}}, map[string][]string{}
	say := func(id, parent, role string, at int) {
		mapping[id] = object{"id": id, "parent": parent, "message": object{"id": id, "author": object{"role": role}, "recipient": "all",
			"create_time": 1_790_000_000 + at, "content": object{"content_type": "text", "parts": []string{id + strings.Repeat(" word", 60)}}}}
		children[parent] = append(children[parent], id)
	}
	for i := range calls {
		parent, asked := "root", fmt.Sprint("u", i)
		if i > 0 {
			parent = fmt.Sprint("a", max(0, i-branches))
		}
		say(asked, parent, "user", 2*i)
		say(fmt.Sprint("a", i), asked, "assistant", 2*i+1)
	}
	for id, node := range mapping {
		node.(object)["children"] = children[id]
	}
	log, err := json.Marshal([]object{{"conversation_id": "c", "current_node": fmt.Sprint("a", calls-1), "mapping": mapping}})
	if err != nil {
		panic(err)
	}
	return log
}
