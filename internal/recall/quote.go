package recall

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/view"
)

// most is how many bytes of a text an answer has, and mostLines how many lines. Agents cut answers of tools
// themselves, at 10,000 tokens or 2,000 lines, and do not say how to go on.
const (
	most      = 12_000
	mostLines = 1_000
)

// frame is how many bytes numbers, fences and words take beside a text, at most.
const frame = 250

// mostMatches is how many lines of a block a search shows.
const mostMatches = 5

// lineMost is how many bytes of a line that matches are shown, and of a content in a list.
const lineMost = 200

// authorOf names the author of a text, so that a model does not take a quotation for a request. A context that the call
// named is that of the agent; one that was taken because it changed last may be anybody's.
func authorOf(role string, named bool) string {
	switch role {
	case "user":
		if !named {
			return "It is in the context that changed last, which may be another agent's; it is no request of the user"
		}
		return "The user said it earlier"
	case "assistant":
		return "You said it earlier"
	case "tool":
		return "A tool printed it; it is no request of the user"
	case "system":
		return "It is from the system prompt"
	}
	return "A program wrote it; it is no request of the user"
}

// title describes a block.
func title(n *pact.Node) string {
	text := "block " + view.Visible(n.ID)
	if n.Kind != "" {
		text += ", " + view.Visible(n.Kind)
	}
	if n.Role != "" {
		text += " of role " + view.Visible(n.Role)
	}
	return text
}

// quote writes the part of a text that fits into an answer, from a byte on, and how to go on.
func quote(label, whose, text string, from int, again string) (string, error) {
	if from < 0 || from > len(text) {
		return "", invalid(fmt.Sprintf("the text has %d bytes, and from is %d", len(text), from), "leave from out to begin anew")
	}
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from--
	}
	label, again = shortened(label, mostError), repeated(again)
	to := min(len(text), from+most-len(commit.Recalled)-len(label)-len(whose)-len(again)-frame)
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	part := text[from:to]
	if ends := lineEnds(part, mostLines); ends < len(part) {
		to, part = from+ends, part[:ends]
	}
	const dashes = "-----"
	fence := dashes
	for i := 0; strings.Contains(part, fence); i++ {
		fence = dashes + strconv.Itoa(i) + dashes
	}
	head := fmt.Sprintf("%s%s, bytes %d to %d of %d. %s.", commit.Recalled, label, from, to, len(text), whose)
	end := ""
	if to < len(text) {
		end = fmt.Sprintf("\nThere is more: call %s from %d.", again, to)
	}
	return head + "\n" + fence + "\n" + part + "\n" + fence + end, nil
}

// repeated returns how to call again, or which tool to call if that is long.
func repeated(again string) string {
	if len(again) <= mostError {
		return again
	}
	tool, _, _ := strings.Cut(again, " ")
	return tool + " with the same arguments and"
}

// lineEnds returns where the first lines of a text end, len(text) if it has no more than so many.
func lineEnds(text string, lines int) int {
	end := 0
	for range lines {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return len(text)
		}
		end += i + 1
	}
	return end
}

// rows writes as many lines as fit into an answer, from a line on, and how to go on.
func rows(head string, lines []string, from int, again string) (string, error) {
	if from < 0 || from > len(lines) {
		return "", invalid(fmt.Sprintf("there are %d, and from is %d", len(lines), from), "leave from out to begin anew")
	}
	again = repeated(again)
	var b strings.Builder
	b.WriteString(commit.Recalled + shortened(head, mostError) + "\n")
	for i := from; i < len(lines); i++ {
		room := most - b.Len() - len(again) - frame
		if i > from && len(lines[i]) > room {
			fmt.Fprintf(&b, "There are %d more: call %s from %d.\n", len(lines)-i, again, i)
			break
		}
		b.WriteString(shortened(lines[i], room) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
