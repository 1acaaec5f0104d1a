package calllog

import (
	"cmp"
	"strconv"
	"strings"
)

// forkedAt returns how many lines at the beginning of a rollout are a copy of the thread that it is a fork of, and the id
// of that thread; "" for a rollout that is none. Codex writes the copies with other times, but the id of a turn says when
// it began: the first turn of a fork began after it. The count is below 0 if a turn has no such id.
func forkedAt(list []record) (copied int, from string) {
	born := int64(0)
	for _, e := range list {
		f := e.fields()
		meta := f["payload"].fields()
		if f.text("type") != "session_meta" || meta.text("forked_from_id") == "" {
			continue
		}
		if at := cmp.Or(timeOfID(meta.text("id")), timeOf(meta["timestamp"].value())); from == "" || at > born {
			from, born = meta.text("forked_from_id"), at // the copy of a fork has that of its own
		}
	}
	if from == "" {
		return 0, ""
	}
	for i, e := range list {
		f := e.fields()
		if f.text("type") != "turn_context" {
			continue
		}
		if at := timeOfID(f["payload"].fields().text("turn_id")); at == 0 || born == 0 {
			return -1, from
		} else if at >= born-born%1e6 {
			return i, from
		}
	}
	return len(list), from
}

// timeOfID returns the time in a UUID of version 7, in nanoseconds since 1970, 0 for another id.
func timeOfID(id string) int64 {
	const version = 14
	if len(id) != 36 || id[version] != '7' {
		return 0
	}
	ms, err := strconv.ParseInt(strings.ReplaceAll(id[:13], "-", ""), 16, 64)
	if err != nil {
		return 0
	}
	return ms * 1e6
}

// forked ends the lines that are a copy: the calls in them were made, and paid, in the thread that was forked.
func (c *codex) forked(copied []record) {
	c.endAnswer("", nil)
	if len(c.made.Calls) > 0 {
		c.found.note(copied[0].line, "the calls of the thread that was forked are in its own rollout; here they are history")
		for _, e := range copied {
			c.found.leaveOut(e.line)
		}
	}
	c.made.Calls, c.last.ID, c.unasked, c.prior = c.made.Calls[:0], "", false, c.answered
}
