package view

import (
	"math"
	"strconv"
	"strings"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
)

// Sentence says in one or two sentences how much a call repeats of the call before it, what ended that, and how
// much was sent anew.
func Sentence(p *inspect.Prefix) string {
	call := "Call " + strconv.FormatInt(p.Cycle, 10)
	if p.Shared == nil {
		return call + " is the first: " + Plural(p.Blocks, "block") + ", " + Size(p.Bytes) + "."
	}
	before := "call " + strconv.FormatInt(p.Cycle-1, 10)
	share, _, complete := Reused(p)
	if complete {
		added := "adds nothing"
		if more := p.Bytes - p.Shared.OfBytes; more > 0 {
			added = "adds " + Size(more)
		}
		return call + " repeats all of " + before + " and " + added + "."
	}
	text := call + " repeats " + roundPercent(share) + " of " + before
	if why := Why(p); why != "" {
		text += ": " + why
	}
	anew := resentBytes(p)
	if anew == 0 {
		return text + ". Nothing stands behind it."
	}
	return text + ". " + Size(anew) + " behind it were sent anew."
}

// resentBytes returns the bytes of a thread that the call cannot take from the prefix of the
// call before it.
func resentBytes(p *inspect.Prefix) int64 {
	share, _, complete := Reused(p)
	if complete {
		return max(0, p.Bytes-p.Shared.OfBytes)
	}
	repeated := p.Shared.Bytes
	if p.Call != nil && p.Call.Cut != nil {
		repeated = min(repeated, int64(share*float64(p.Shared.OfBytes)))
	}
	return max(0, p.Bytes-repeated)
}

// roundPercent returns a share in whole percent, neither 0 % nor 100 % for a part.
func roundPercent(share float64) string {
	n := int(math.Round(share * 100))
	if n == 0 && share > 0 {
		return "less than 1 %"
	}
	return strconv.Itoa(min(n, 99)) + " %"
}

// Why says as a clause what ended the prefix of a cycle that does not repeat all of the call
// before it.
func Why(p *inspect.Prefix) string {
	if p.Call != nil && p.Call.Cut != nil {
		return cutClause(p.Call.Cut, p.Break)
	}
	if p.Break == nil {
		return ""
	}
	return clause(p.Break)
}

// cutClause says as a clause what a cut is. b says what happened to the thread, nil if that is not known.
func cutClause(cut *inspect.Cut, b *inspect.Break) string {
	text := changeClause(cut, b)
	if cut.Reasoning > 0 {
		text += "; " + Plural(cut.Reasoning, "reasoning block") + " behind it"
	}
	return text
}

// changeClause is cutClause without what stands behind the cut.
func changeClause(cut *inspect.Cut, b *inspect.Break) string {
	switch cut.Cause {
	case "model":
		return "the model changed, " + list(cut.Names, " → ")
	case "parameters", "tools":
		text := "the " + cut.Cause + " changed"
		if len(cut.Names) > 0 {
			text += ": " + list(cut.Names, ", ")
		}
		return text
	case "thinking":
		return "the model forgets the reasoning " + Visible(cut.Node) + " with its turn"
	case "compaction":
		return "the agent compacted the conversation"
	}
	if b == nil || b.Node != cut.Node {
		return strings.TrimSpace(map[string]string{"system": "the system prompt"}[cut.Cause] + " " + Visible(cut.Node) + " changed")
	}
	return clause(b)
}

// clause says what happened to the node that ends a prefix.
func clause(b *inspect.Break) string {
	text := KindOf(b.Role, b.Kind).InWords() + " " + Visible(b.Node)
	happened := map[diff.Kind]string{
		diff.ByExpiry: "expired", diff.ByCascade: "went with the last child of its group", diff.ByTTL: "expired",
		diff.ByEdit: "was " + editedWord(b), diff.ByPruning: "was pruned", diff.BySeal: "was sealed",
		diff.ByInsertion: "was inserted", diff.ByReordering: "was moved", diff.ByErasure: "was erased",
	}[b.Cause.Kind]
	switch {
	case !b.Cause.Inferred:
	case strings.HasPrefix(happened, "was "):
		happened = strings.Replace(happened, "was ", "was probably ", 1)
	default:
		happened = "probably " + happened
	}
	text += " " + happened
	switch rule := b.Cause.Rule; {
	case strings.HasPrefix(rule, "rule "):
		text = KindOf(b.Role, b.Kind).InWords() + " " + Visible(b.Node) + " left by " + Visible(rule)
	case rule == "named":
		text += " by name"
	case rule != "":
		text += " (" + Visible(rule) + ")"
	}
	byHand := b.Cause.Kind == diff.ByEdit || b.Cause.Kind == diff.ByInsertion || b.Cause.Kind == diff.ByReordering
	if b.Cause.Actor != "" && byHand {
		text += " by " + Visible(b.Cause.Actor)
	}
	return text
}
