package opened

import (
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/internal/view/story"
)

// Lines puts the story into words, without what the log does not say. all is the command that lists every break.
func Lines(t *story.Story, all string) (list []string) {
	line := view.Plural(t.Calls, "call") + " of the model"
	if len(t.Models) > 0 {
		line = view.Plural(t.Calls, "call") + " of " + view.Visible(strings.Join(t.Models, ", "))
	}
	switch {
	case t.Cost > 0:
		line += ": " + strconv.FormatInt(t.In, 10) + " tokens in and " + strconv.FormatInt(t.Out, 10) + " out for " +
			view.Money(t.Cost) + " dollars, as the file counts all calls together"
	case t.In+t.Out > 0:
		line += ": " + strconv.FormatInt(t.In, 10) + " tokens in, " +
			view.FromCache(t.Cached, t.Totals.Told, t.Calls) + ", " + strconv.FormatInt(t.Out, 10) + " out"
	default:
		line += "; the log has no counts of tokens"
	}
	if t.Filled > 0 {
		line += "; the fullest call took " + view.Percent(t.Filled) + " of the window"
	}
	list = append(list, line+".")
	if t.Calls > 1 {
		list = append(list, breakLines(t, all)...)
	}
	if len(t.Carried) > 0 {
		list = append(list, "Carried most:")
		for _, f := range t.Carried {
			what := strings.Join(view.Words(f.Role, f.Kind, f.Tool), " ")
			if what != "" {
				what += ", "
			}
			list = append(list, "  "+view.Visible(f.ID)+"  "+view.Visible(what)+view.Size(f.Bytes)+" in "+
				view.Plural(int(f.Calls), "call")+"  "+f.Begins)
		}
	}
	if len(t.Unsent) > 0 {
		list = append(list, "Answered and not sent yet:")
		for _, f := range t.Unsent[:min(story.MostCarried, len(t.Unsent))] {
			list = append(list, "  "+view.Visible(f.ID)+"  "+view.Visible(strings.Join(view.Words(f.Role, f.Kind, f.Tool), " "))+", "+
				view.Size(f.Bytes)+"  "+f.Begins)
		}
	}
	switch {
	case t.Tools == 0:
	case len(t.Failed) == 0:
		list = append(list, view.Plural(t.Tools, "call")+" of tools, none marked as failed.")
	default:
		line := strconv.Itoa(len(t.Failed)) + " of " + view.Plural(t.Tools, "call") + " of tools failed: "
		for i, f := range t.Failed[:min(story.MostCarried, len(t.Failed))] {
			if i > 0 {
				line += ", "
			}
			line += view.Visible(strings.Join(view.Words(f.Tool, f.ID), " "))
		}
		if more := len(t.Failed) - story.MostCarried; more > 0 {
			line += " and " + strconv.Itoa(more) + " more"
		}
		list = append(list, line+".")
	}
	return list
}

func breakLines(t *story.Story, all string) (list []string) {
	line := view.Percent(t.Share) + " of the bytes that the calls repeated were the prefix of the call before (seen)"
	if len(t.Breaks) == 0 {
		return []string{line + "."}
	}
	if list = append(list, line+"; "+view.Plural(len(t.Breaks), "break")+":"); len(t.Breaks) == 1 { // the sentence above has it
		return []string{line + "."}
	}
	for _, b := range t.Breaks[:min(mostBreaks, len(t.Breaks))] {
		list = append(list, "  "+b.Says)
	}
	if more := len(t.Breaks) - mostBreaks; more > 0 {
		list = append(list, "  … and "+strconv.Itoa(more)+" more: "+all+" shows all")
	}
	return list
}

// mostBreaks is how many breaks a story lists.
const mostBreaks = 5
