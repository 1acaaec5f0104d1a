package exports

import (
	"iter"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
)

// sides returns what successive parts of one side say together.
func sides(list []*part) iter.Seq2[string, []*part] {
	return func(yield func(string, []*part) bool) {
		for n := 0; len(list) > 0; list = list[n:] {
			for n = 1; n < len(list) && sideOf(list[n]) == sideOf(list[0]); {
				n++
			}
			if !yield(sideOf(list[0]), list[:n]) {
				return
			}
		}
	}
}

// sideOf returns who says a part, as ATIF names it: user, agent or system, and result for what a tool answered.
func sideOf(p *part) string {
	switch {
	case p.Kind == "result":
		return "result"
	case p.Role == "assistant":
		return "agent"
	case p.Role == "system":
		return "system"
	}
	return "user"
}

// toolsOf writes the definitions of the tools of a call as those of chat completions, the form that other programs
// take. left counts those that only their provider knows.
func toolsOf(c *call) (list []canon.Any, left int) {
	parts := make([]provider.Part, len(c.tools))
	for i, p := range c.tools {
		parts[i] = p.Part
	}
	fields, left := provider.Render(provider.Chat, parts, func(i int) provider.API { return c.tools[i].from })
	made, _ := fields.Get("tools")
	return made.Elems, left
}

func listOrAbsent(list []canon.Any) canon.Any {
	if len(list) == 0 {
		return canon.Any{}
	}
	return canon.ArrayOf(list...)
}

// dollars writes an amount, absent if it is not known.
func dollars(amount *float64) canon.Any {
	if amount == nil {
		return canon.Any{}
	}
	return canon.Any{Kind: canon.KindNumber, Text: strconv.FormatFloat(*amount, 'f', -1, 64)}
}

// image writes an image for ATIF, which names one of four types.
func image(address string) canon.Any {
	media := "image/png"
	for _, kind := range []string{"jpeg", "jpg", "gif", "webp"} {
		if strings.HasPrefix(address, "data:image/"+kind) || strings.HasSuffix(strings.ToLower(address), "."+kind) {
			media = "image/" + strings.Replace(kind, "jpg", "jpeg", 1)
		}
	}
	return canon.Fields("type", "image", "source", canon.Fields("media_type", media, "path", canon.Text(address)))
}
