package view

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
)

// Presence says where a node is now and how long it stays.
func Presence(l *inspect.Timeline) string {
	text := ""
	if l.First != nil {
		text = "in the snapshots @c" + strconv.FormatInt(*l.First, 10) + " to @c" + strconv.FormatInt(*l.Last, 10)
		if *l.First == *l.Last {
			text = "in the snapshot @c" + strconv.FormatInt(*l.First, 10)
		}
	} else {
		text = "in no snapshot"
	}
	switch l.State {
	case inspect.Draft:
		text += ", a draft"
	case inspect.Gone:
		return text + ", gone"
	case inspect.Leaving:
		return text + ", removed since"
	}
	if l.Expiry != nil {
		return text + ", to go at the commit of cycle " + strconv.FormatInt(*l.Expiry, 10)
	}
	return text + ", to stay"
}

// EventInWords says what happened to a node.
func EventInWords(e inspect.Event) string {
	where := whereText(e)
	node := Visible(e.Other)
	switch e.Kind {
	case inspect.EventBorn:
		return bornText(e, where)
	case inspect.EventSealed:
		return "sealed into " + where
	case inspect.EventMoved:
		return "moved into " + where
	case inspect.EventUpdated:
		var list []string
		for _, f := range e.Fields {
			list = append(list, fieldText(f))
		}
		return "updated: " + strings.Join(list, ", ")
	case inspect.EventAttached:
		return node + " came below it"
	case inspect.EventDetached:
		return node + " left it"
	case inspect.EventReferred:
		return node + " refers to it"
	case inspect.EventUnreferred:
		return node + " refers to it no more"
	case inspect.EventRetained:
		return "retained by a holder"
	case inspect.EventHeld:
		return WhyKept(e.Reason, e.KeptBy, e.Other)
	case inspect.EventErased:
		return "erased for good, in all snapshots"
	}
	edited := "removed by an edit"
	switch said := e.Cause.Message; { // as a recorder notes it
	case strings.Contains(said, "the agent compacted the conversation"):
		edited = "removed by a compaction"
	case strings.Contains(said, "the agent rewrote the conversation"):
		edited = "removed as the agent rewrote the conversation"
	}
	text := DescribeCause(*e.Cause, edited)
	if e.Cause.Kind == diff.BySeal {
		text = "gave way to the next active head when it was sealed"
	}
	if node != "" {
		text += "; it is probably " + node + " now"
	}
	return text
}

// whereText names the turn or region that a node was put into, and its parent
// if that is another node.
func whereText(e inspect.Event) string {
	where := Visible(e.Region)
	switch {
	case e.Turn != "" && e.Turn != e.Parent:
		return "turn " + Visible(e.Turn) + ", below " + Visible(e.Parent)
	case e.Turn != "":
		return "turn " + Visible(e.Turn)
	case where != "" && e.Parent != "" && "^"+e.Parent != e.Region:
		return where + ", below " + Visible(e.Parent)
	}
	return where
}

// bornText says how a node came.
func bornText(e inspect.Event, where string) string {
	text := "born"
	switch {
	case e.Cause != nil && e.Cause.Kind == diff.BySeal:
		text = "made by sealing"
	case e.Cause != nil && e.Cause.Kind == diff.ByPruning:
		text = "left in " + where + " for what was pruned"
	case where != "":
		text += " in " + where
	}
	if e.Other != "" {
		text += "; it was probably " + Visible(e.Other) + " before"
	}
	return text
}

// fieldText says what became of a header.
func fieldText(f diff.Field) string {
	if f.Name == "content_hash" {
		return "content"
	}
	return Visible(f.Name) + " " + HeaderInWords(f.Previous) + " → " + HeaderInWords(f.New)
}

// HeaderInWords returns the value of a header for a person: a text without quotes, clipped.
func HeaderInWords(raw json.RawMessage) string {
	const most = 60
	text := string(raw)
	var plain string
	if json.Unmarshal(raw, &plain) == nil && plain != "" {
		text = plain
	}
	if list := []rune(text); len(list) > most {
		text = string(list[:most]) + "…"
	}
	return Visible(text)
}

// RangeInWords says where in a thread something stands, nil for nowhere.
func RangeInWords(r *diff.Range) string {
	switch {
	case r == nil:
		return "not in the thread"
	case r.Start == r.End:
		return "nothing at byte " + strconv.FormatInt(r.Start, 10)
	}
	return fmt.Sprintf("bytes %d to %d", r.Start, r.End)
}

// CauseInWords says why something changed. edited is the word for what an edit did.
func CauseInWords(c diff.Cause, edited string) string {
	text := DescribeCause(c, edited)
	if c.Kind != diff.BySelection && c.Kind != diff.ByTTL {
		text += " in @c" + strconv.FormatInt(c.Cycle, 10)
	}
	return text + ByAuthor(c.Author)
}
