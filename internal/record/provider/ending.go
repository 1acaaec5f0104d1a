package provider

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/contexttree/pact/internal/canon"
)

// ending has the last event of a whole answer. The end of the connection does not matter: clients
// close it when they have read this event.
type ending struct {
	// Nothing comes after an event with this data, or with one of these types.
	data  string
	types []string
	// Without such an event an answer is whole if each item of this list, by its index, has had
	// this member. More events may follow, such as the count of tokens.
	list, member string
	blocked      []string // or if it has the member on this path
	source       string
}

// last reports whether nothing comes after an event.
func (e *ending) last(event canon.Any) bool { return slices.Contains(e.types, text(event, "type")) }

// progress is how far an answer is from its ending.
type progress struct {
	ending
	over     bool
	finished map[int64]bool // the items of the list that have come, and whether they are finished
}

func (p *progress) event(event canon.Any) {
	p.over = p.over || p.last(event) || p.blocked != nil && text(get(event, p.blocked[:len(p.blocked)-1]...),
		p.blocked[len(p.blocked)-1]) != ""
	for _, item := range get(event, p.list).Elems {
		i, _ := get(item, "index").Value().Int64() // an item without an index is the first
		if p.finished == nil {
			p.finished = make(map[int64]bool)
		}
		p.finished[i] = p.finished[i] || text(item, p.member) != ""
	}
}

// complete reports whether the answer is whole.
func (p *progress) complete() bool {
	for _, finished := range p.finished {
		if !finished {
			return p.over
		}
	}
	return p.over || len(p.finished) > 0
}

// Limits of one event of a stream, in bytes. An event beyond the first is passed on unread; the last one of the four
// APIs has a few hundred bytes, but for that of Responses, which repeats the answer. One beyond the second is taken
// for endless: the longest are pictures.
const (
	mostWatched = 1 << 20
	maxEvent    = 32 << 20
)

// TooLong says why an answer is recorded only up to an event.
const TooLong = "an event has more than 33554432 bytes; the record of the answer ends before it"

// Watch notices the event after which nothing comes in an answer, while the answer passes. It
// reads no other event, and none of more than a MiB.
type Watch struct {
	ending
	events events
	over   bool
}

// NewWatch returns a Watch for an answer with these headers. It notices nothing in an answer
// that is compressed or no stream.
func NewWatch(name API, header http.Header) *Watch {
	w := &Watch{}
	if streamed(header) && uncompressed(encodingOf(header)) {
		w.ending, w.events.dispatch, w.events.most = entryOf(name).ending, w.dispatch, mostWatched
	}
	return w
}

// Write takes the next bytes, and reports whether they have the last event, or earlier ones had.
func (w *Watch) Write(p []byte) (over bool) {
	if w.events.dispatch != nil && !w.over {
		w.events.write(p)
	}
	return w.over
}

// Endless returns where the present event begins, and whether it has more than maxEvent bytes so far.
func (w *Watch) Endless() (from int64, is bool) {
	return w.events.eventStart, w.events.at-w.events.eventStart > maxEvent
}

func (w *Watch) dispatch(data []byte) {
	w.over = w.over || w.data != "" && string(data) == w.data
	for _, kind := range w.types {
		if !w.over && bytes.Contains(data, []byte(kind)) {
			event, err := canon.ParseAny(data)
			w.over = err == nil && w.last(event)
		}
	}
}

func streamed(header http.Header) bool {
	return strings.HasPrefix(strings.ToLower(header.Get("Content-Type")), "text/event-stream")
}

func encodingOf(header http.Header) string { return strings.ToLower(header.Get("Content-Encoding")) }

func uncompressed(encoding string) bool { return encoding == "" || encoding == "identity" }
