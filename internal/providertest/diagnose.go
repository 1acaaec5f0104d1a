package providertest

import (
	"encoding/json"
	"strings"
)

// asked is the record of a request that asked why the provider did not read
// the cache.
type asked struct{ model, tools, system, messages string }

// diagnose compares a request with the one it names, and stores it. It returns
// what the answer should say; nil for nothing.
func (p *Provider) diagnose(path string, body object, id string) object {
	if p.asked == nil {
		p.asked = map[string]asked{}
	}
	said := body["messages"]
	if said == nil {
		said = body["input"]
	}
	now := asked{text(body, "model"), textOf(body["tools"]), textOf(body["system"]) + textOf(body["instructions"]),
		strings.Trim(textOf(said), "[]")}
	if strings.HasSuffix(path, "/messages") {
		question, ok := body["diagnostics"].(object)
		if !ok {
			return nil
		}
		p.asked["msg_"+id] = now
		previous := text(question, "previous_message_id")
		if previous == "" {
			return object{"diagnostics": nil}
		}
		reason := p.differs(previous, now, "previous_message_not_found", "messages_changed")
		if reason == "" {
			return object{"diagnostics": nil}
		}
		return object{"diagnostics": object{"cache_miss_reason": object{"type": reason}}}
	}
	p.asked["resp_"+id] = now
	previous := text(body["prompt_cache_options"], "comparison_response_id")
	if previous == "" {
		return nil
	}
	switch reason := p.differs(previous, now, "comparison_response_not_found", "input_changed"); reason {
	case "":
		return object{"prompt_cache_diagnostics": object{"type": "cache_hit"}}
	case "comparison_response_not_found":
		return object{"prompt_cache_diagnostics": object{"type": reason}}
	default:
		return object{"prompt_cache_diagnostics": object{"type": "cache_miss", "reason": reason, "cache_missed_tokens": 1}}
	}
}

func (p *Provider) differs(previous string, now asked, gone, messages string) string {
	then, ok := p.asked[previous]
	switch {
	case !ok:
		return gone
	case then.model != now.model:
		return "model_changed"
	case then.tools != now.tools:
		return "tools_changed"
	case then.system != now.system && gone == "previous_message_not_found":
		return "system_changed"
	case then.system != now.system, !strings.HasPrefix(now.messages, then.messages):
		return messages
	}
	return ""
}

func textOf(v any) string {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}
