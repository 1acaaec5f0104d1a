package trace

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
)

// called returns the tools, after the call whose answer called them.
func called(c *story.Call) string {
	if len(c.Tools) == 0 {
		return ""
	}
	return c.Earlier + toolsText(c.Tools)
}

// wordsOf returns the words, after the call whose answer they are if the user did not say them.
func wordsOf(c *story.Call) string {
	if c.SaidBy == "assistant" && c.Said != "" {
		return c.Earlier + c.Said
	}
	return c.Said
}

// brokeText says what broke at a call, "" if nothing did.
func brokeText(c *story.Call) string {
	switch b := c.Broke; {
	case b == nil:
		return ""
	case b.Again == nil:
		return b.Why + " (seen)"
	default:
		return view.Plural(int(*b.Again), "token") + " again: " + b.Why + " (" + string(b.Known) + ")"
	}
}

// filled returns how much of the window of the model a call took, "" if that is not known.
func filled(c *story.Call) string {
	if c.In == nil || c.Window == 0 {
		return ""
	}
	return view.Percent(float64(*c.In) / float64(c.Window))
}

// took returns how long the call took, for a person, "" if that is not known.
func took(c *story.Call) string {
	if c.Took == nil {
		return ""
	}
	return (time.Duration(*c.Took) * time.Millisecond).String()
}

// toolsText returns the names of called tools, each once, with how often it was
// called.
func toolsText(names []string) string {
	var list []string
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		count := 0
		for _, other := range names {
			if other == name {
				count++
			}
		}
		text := view.Visible(name)
		if count > 1 {
			text += "×" + strconv.Itoa(count)
		}
		list = append(list, text)
	}
	return strings.Join(list, ",")
}
