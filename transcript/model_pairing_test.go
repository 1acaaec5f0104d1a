package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// chatMessage is what of an OpenAI message has to do with pairing. SWE-smith
// names the calls of a result in a list.
type chatMessage struct {
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	ToolCalls []struct {
		ID, Type string
		Function struct{ Name string }
	} `json:"tool_calls"`
	ToolCallID  string   `json:"tool_call_id"`
	ToolCallIDs []string `json:"tool_call_ids"`
}

func (m *chatMessage) answers() string {
	if m.ToolCallID == "" && len(m.ToolCallIDs) == 1 {
		return m.ToolCallIDs[0]
	}
	return m.ToolCallID
}

func chatMessages(t *testing.T, text []byte) (list []chatMessage) {
	t.Helper()
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return list
}

// openAIFaults says where a list breaks the rules of the Chat Completions API:
// behind a message with tool_calls come its results and nothing else, one for
// each call, before any other message; and no result comes elsewhere.
func openAIFaults(list []chatMessage) (faults []string) {
	var open []string
	unanswered := func(i int) {
		if len(open) > 0 {
			faults = append(faults, fmt.Sprintf("message %d: the calls %q before it are not answered", i, open))
		}
		open = nil
	}
	for i, m := range list {
		switch m.Role {
		case "tool":
			at := slices.Index(open, m.answers())
			if at < 0 {
				faults = append(faults, fmt.Sprintf("message %d: the result of %q answers no call of the message before", i,
					m.answers()))
				continue
			}
			open = slices.Delete(open, at, at+1)
		case "assistant", "user", "system":
			unanswered(i)
			for _, c := range m.ToolCalls {
				if c.ID == "" || slices.Contains(open, c.ID) || m.Role != "assistant" {
					faults = append(faults, fmt.Sprintf("message %d of %s: the call %q has no id of its own", i, m.Role, c.ID))
				}
				open = append(open, c.ID)
			}
			if len(m.ToolCalls) == 0 && (len(m.Content) == 0 || string(m.Content) == "null") {
				faults = append(faults, fmt.Sprintf("message %d: neither content nor calls", i))
			}
		default:
			faults = append(faults, fmt.Sprintf("message %d: there is no role %q", i, m.Role))
		}
	}
	unanswered(len(list))
	return faults
}

// modelSide is a message of the Anthropic Messages API: blocks of one side.
type modelSide struct {
	role   string
	blocks []modelPart
}

// modelPart is a content block: a text, a tool_use or a tool_result.
type modelPart struct{ kind, id string }

// modelSides turns a list into Anthropic messages as an adapter does: results are the
// user's, and what one side says in a row is one message, in the order in which
// it came. Leading system messages are no messages there.
func modelSides(list []chatMessage) (out []modelSide) {
	add := func(role string, p modelPart) {
		if len(out) == 0 || out[len(out)-1].role != role {
			out = append(out, modelSide{role: role})
		}
		last := &out[len(out)-1]
		last.blocks = append(last.blocks, p)
	}
	for _, m := range list {
		switch {
		case m.Role == "system" && len(out) == 0:
		case m.Role == "tool":
			add("user", modelPart{"tool_result", m.answers()})
		case m.Role == "assistant":
			if len(m.Content) > 0 && string(m.Content) != "null" {
				add("assistant", modelPart{"text", ""})
			}
			for _, c := range m.ToolCalls {
				add("assistant", modelPart{"tool_use", c.ID})
			}
		default:
			add("user", modelPart{"text", ""})
		}
	}
	return out
}

// anthropicFaults says where messages break the rules of the Messages API: what
// an assistant message uses the next user message has a result of each for, and
// for nothing else, ahead of anything else that it says.
func anthropicFaults(list []modelSide) (faults []string) {
	var open []string
	for i, m := range list {
		var used []string
		first := true
		for _, b := range m.blocks {
			switch {
			case b.kind == "tool_use":
				if slices.Contains(used, b.id) {
					faults = append(faults, fmt.Sprintf("message %d: two calls %q", i, b.id))
				}
				used = append(used, b.id)
			case b.kind == "tool_result":
				at := slices.Index(open, b.id)
				if at < 0 {
					faults = append(faults, fmt.Sprintf("message %d: the result of %q has no call in the message before", i, b.id))
					continue
				}
				if !first {
					faults = append(faults, fmt.Sprintf("message %d: the result of %q stands behind a text", i, b.id))
				}
				open = slices.Delete(open, at, at+1)
			default:
				first = false
			}
		}
		if len(open) > 0 {
			faults = append(faults, fmt.Sprintf("message %d has no results for %q", i, open))
		}
		open = used
	}
	if len(open) > 0 {
		faults = append(faults, fmt.Sprintf("there are no results for %q", open))
	}
	return faults
}

// pairingFaults are those by the rules of either provider.
func pairingFaults(t *testing.T, text []byte) []string {
	list := chatMessages(t, text)
	return slices.Concat(openAIFaults(list), anthropicFaults(modelSides(list)))
}

// loneIDs are the ids of calls without any result behind them, and of results
// without a call.
func loneIDs(list []chatMessage) (lone []string) {
	open, called := map[string]bool{}, map[string]bool{}
	for _, m := range list {
		for _, c := range m.ToolCalls {
			open[c.ID], called[c.ID] = true, true
		}
		if m.Role == "tool" {
			delete(open, m.answers())
			if !called[m.answers()] {
				lone = append(lone, m.answers())
			}
		}
	}
	for id := range open {
		lone = append(lone, id)
	}
	return lone
}
