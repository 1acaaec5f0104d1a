package providertest

import (
	"fmt"
	"regexp"
	"strings"
)

// What OpenAI documents of requests (developers.openai.com/api, read in November 2026): the API references, the guides
// on function calling and reasoning; and what openai-agents says of reasoning that nothing follows.
var openAIName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// checkLimits requires what chat completions and Responses have in common.
func checkLimits(body object, names []string) *refusal {
	seen := map[string]bool{}
	for i, name := range names {
		if name != "" && (!openAIName.MatchString(name) || seen[name]) {
			return invalid(fmt.Sprintf("Invalid 'tools[%d].function.name'", i))
		}
		seen[name] = true
	}
	metadata, _ := body["metadata"].(object)
	if len(metadata) > 16 {
		return invalid("Invalid 'metadata': too many properties.")
	}
	for name, v := range metadata {
		if value, _ := v.(string); len([]rune(name)) > 64 || len([]rune(value)) > 512 {
			return invalid("Invalid 'metadata': string too long.")
		}
	}
	return nil
}

// checkChatForm requires what concerns the fields of a chat completion one by one.
func checkChatForm(body object) *refusal {
	var names []string
	for _, tool := range list(body["tools"]) {
		names = append(names, text(member(tool, "function"), "name"))
	}
	if len(names) > 128 {
		return invalid("Invalid 'tools': array too long.")
	}
	if len(list(body["stop"])) > 4 {
		return invalid("Invalid 'stop': array too long.")
	}
	for i, m := range list(body["messages"]) {
		says := member(m, "content") != nil || text(m, "role") == "function"
		if text(m, "role") == "assistant" {
			says = says || len(list(member(m, "tool_calls"))) > 0 || member(m, "function_call") != nil ||
				member(m, "refusal") != nil || member(m, "audio") != nil
		}
		if !says {
			return invalid(fmt.Sprintf("Invalid value for 'content': expected a string, got null (messages.[%d].content)", i))
		}
	}
	return checkLimits(body, names)
}

// checkItems requires what concerns the items of a Responses request one by one.
func checkItems(body object) *refusal {
	items, isList := body["input"].([]any)
	if isList && len(items) == 0 {
		return invalid("Invalid 'input': empty array.")
	}
	if _, named := body["previous_response_id"].(string); named && body["conversation"] != nil {
		return invalid("Mutually exclusive parameters: 'previous_response_id' and 'conversation'.")
	}
	dangling := "" // reasoning that waits for the item behind it
	for _, item := range items {
		kind, role := text(item, "type"), text(item, "role")
		isSaid := role == "assistant" || role == "" && kind != "" && !strings.HasSuffix(kind, "_output")
		if dangling != "" && !isSaid {
			return invalid("Item '" + dangling + "' of type 'reasoning' was provided without its required following item.")
		}
		dangling = ""
		if member(item, "role") != nil && !strings.Contains("|user|assistant|system|developer|", "|"+role+"|") {
			return invalid("Invalid value: '" + role + "'.")
		}
		if kind == "reasoning" {
			dangling = text(item, "id")
			if body["store"] == false && text(item, "encrypted_content") == "" {
				return &refusal{404, "invalid_request_error", "Item with id '" + dangling + "' not found. Items are not " +
					"persisted when `store` is set to false."}
			}
		}
	}
	if dangling != "" {
		return invalid("Item '" + dangling + "' of type 'reasoning' was provided without its required following item.")
	}
	var names []string
	for _, tool := range list(body["tools"]) {
		name := ""
		if text(tool, "type") == "function" {
			name = text(tool, "name")
		}
		names = append(names, name)
	}
	return checkLimits(body, names)
}

// checkAnswered requires an output behind each call of a Responses request, and a call before each output unless the
// provider may have it.
func checkAnswered(body object) *refusal {
	waits := map[string]int{} // outputs that calls wait for
	known := map[string]bool{}
	_, stored := body["previous_response_id"].(string)
	stored = stored || body["conversation"] != nil
	for _, item := range list(body["input"]) {
		stored = stored || text(item, "type") == "item_reference"
	}
	for _, item := range list(body["input"]) {
		kind, id := text(item, "type"), text(item, "call_id")
		switch {
		case strings.HasSuffix(kind, "_call_output"):
			if !known[id] && !stored {
				return invalid("No tool call found for function call output with call_id " + id + ".")
			}
			waits[id] = max(0, waits[id]-1)
		case id != "":
			known[id] = true
			if kind == "function_call" || kind == "custom_tool_call" || kind == "computer_call" && !stored {
				waits[id]++
			}
		}
	}
	for id, n := range waits {
		if n > 0 {
			return invalid("No tool output found for function call " + id + ".")
		}
	}
	return nil
}

// What Google documents of requests (ai.google.dev, read in November 2026): the reference of Content and Part, the
// pages on function calling and on thought signatures.
var (
	geminiName   = regexp.MustCompile(`^[a-zA-Z0-9_:.-]{1,128}$`)
	geminiSigned = regexp.MustCompile(`models/gemini-[34]`)
)

func invalidArgument(message string) *refusal { return &refusal{400, "INVALID_ARGUMENT", message} }

// checkGeminiForm requires what concerns contents one by one, and that calls follow the user.
func checkGeminiForm(body object) *refusal {
	for _, tool := range list(body["tools"]) {
		names := map[string]bool{}
		for _, one := range list(either(tool, "functionDeclarations", "function_declarations")) {
			name := text(one, "name")
			if name != "" && (!geminiName.MatchString(name) || names[name]) {
				return invalidArgument("Invalid function name.")
			}
			names[name] = true
		}
	}
	before := ""
	for i, content := range list(body["contents"]) {
		calls := false
		parts := list(member(content, "parts"))
		if len(parts) == 0 {
			return invalidArgument(fmt.Sprintf("* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.",
				i))
		}
		for _, part := range parts {
			data := 0
			fields, _ := part.(object)
			for name := range fields {
				switch name {
				case "thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata", "mediaResolution",
					"media_resolution", "partMetadata", "part_metadata":
				default:
					data++
				}
			}
			if fields != nil && data == 0 {
				return invalidArgument("required oneof field 'data' must have one initialized field")
			}
			calls = calls || fields["functionCall"] != nil || fields["function_call"] != nil
		}
		role := text(content, "role")
		if calls && role == "model" && (i == 0 || before == "model") {
			return invalidArgument("Please ensure that function call turn comes immediately after a user turn or after a " +
				"function response turn.")
		}
		before = role
	}
	return nil
}

// checkSignatures requires the signature of the first call of each step since the last words of the user.
func checkSignatures(path string, body object) *refusal {
	if !geminiSigned.MatchString(path) || strings.Contains(path, "image") {
		return nil
	}
	contents := list(body["contents"])
	for i := len(contents) - 1; i >= 0; i-- {
		checked, words := false, false
		for _, part := range list(member(contents[i], "parts")) {
			if member(part, "functionResponse") == nil && member(part, "function_response") == nil {
				words = true
			}
			isCall := member(part, "functionCall") != nil || member(part, "function_call") != nil
			if text(contents[i], "role") == "model" && isCall && !checked {
				checked = true
				if text(part, "thoughtSignature")+text(part, "thought_signature") == "" {
					return invalidArgument("Function call is missing a thought_signature in functionCall parts.")
				}
			}
		}
		if text(contents[i], "role") != "model" && words {
			return nil
		}
	}
	return nil
}
