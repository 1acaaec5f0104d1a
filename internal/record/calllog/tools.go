package calllog

import (
	"cmp"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// toolsFor writes definitions of tools, in whichever words a log has them, as an API takes them. A definition without
// a name, such as that of a tool which the provider runs itself, stays as it is.
func toolsFor(api provider.API, tools []canon.Any) canon.Any {
	list := make([]canon.Any, len(tools))
	for i, tool := range tools {
		list[i] = toolFor(api, tool)
	}
	return listOrAbsent(list)
}

func toolFor(api provider.API, tool canon.Any) canon.Any {
	about := tool
	if function, is := tool.Get("function"); is {
		about = function
	}
	name, _ := about.Get("name")
	description, _ := about.Get("description")
	var schema canon.Any
	for _, member := range []string{"parameters", "input_schema", "inputSchema", "parametersJsonSchema"} {
		if v, is := about.Get(member); is && schema.Kind == canon.KindAbsent {
			schema = v
		}
	}
	switch {
	case name.Kind != canon.KindString:
		return tool
	case api == provider.Messages:
		return canon.Fields("name", name, "description", description, "input_schema", schema)
	case api == provider.Gemini:
		return canon.Fields("name", name, "description", description, "parametersJsonSchema", schema)
	}
	if _, is := tool.Get("function"); is {
		return tool
	}
	return canon.Fields("type", "function", "function",
		canon.Fields("name", name, "description", description, "parameters", schema))
}

// apiFor returns the API of the provider that a log names, or that made its model.
func apiFor(name, model string) provider.API {
	if name, model = strings.ToLower(name), strings.ToLower(model); model == unknownModel {
		model = ""
	}
	base := model[strings.LastIndexByte(model, '/')+1:]
	switch said := cmp.Or(name, model); {
	case strings.Contains(said, "anthropic") || strings.Contains(base, "claude"):
		return provider.Messages
	case strings.HasPrefix(base, "gemini") ||
		model == "" && (strings.Contains(said, "gemini") || strings.Contains(said, "google")):
		return provider.Gemini
	}
	return provider.Chat
}
