package lifecycle

import (
	"embed"
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
)

// readyFiles holds one policy a file, named after it.
//
//go:embed policies
var readyFiles embed.FS

// The names of the ready policies. They say how to prune, and have no limits.
const (
	ReadyDefault = "default" // results first, then calls, words of the assistant and of the user; the task stays
	ReadyAgent   = "agent"   // the same, with stubs, and the four most recent turns stay
	ReadyChat    = "chat"    // results and calls first, then the oldest turns, with stubs; the task and two turns stay
	ReadyStrict  = "strict"  // the headers alone decide (02 §7.1), which is age where all priorities are equal
)

// ReadyNames returns the names of the ready policies, sorted: those above, and one for each of some agents, which spares
// what the agent handles itself.
func ReadyNames() []string {
	return []string{ReadyAgent, ReadyChat, "claude-code", "codex", ReadyDefault, "gemini-cli", "openai-agents", "opencode",
		ReadyStrict}
}

// ReadyText returns a ready policy as JSON text that [ParsePolicy] reads, and that is meant
// to be copied. E_DOCUMENT_INVALID for any other name.
func ReadyText(name string) ([]byte, error) {
	if !slices.Contains(ReadyNames(), name) {
		return nil, fault.At(fault.DocumentInvalid, fault.NoOffset, name, "there is no ready policy "+strconv.Quote(name),
			"the names are "+strings.Join(ReadyNames(), ", "))
	}
	return readyFiles.ReadFile("policies/" + name + ".json")
}

// Ready returns a ready policy, to which the caller adds limits. E_DOCUMENT_INVALID if
// there is none of that name.
func Ready(name string) (Policy, error) {
	text, err := ReadyText(name)
	if err != nil {
		return Policy{}, err
	}
	return ParsePolicy(text)
}
