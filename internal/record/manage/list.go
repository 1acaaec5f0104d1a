package manage

import (
	"slices"
	"sync"

	"github.com/contexttree/pact/internal/canon"
)

// Action says what a decision does with a part of a request.
type Action string

// What a decision does.
const (
	Raw     Action = "raw"     // it goes as it came
	Shaped  Action = "shaped"  // it is shorter from its first request on
	Same    Action = "same"    // it refers to an equal result before it, as long as the request has that whole
	Whole   Action = "whole"   // it brings an earlier result back, to which it refers
	Left    Action = "left"    // a note stands in its place
	Gone    Action = "gone"    // it is left out: thinking
	Cleared Action = "cleared" // the provider is asked to clear it
	Ended   Action = "ended"   // the conversation goes as it came
	Stopped Action = "stopped" // nothing more is taken from the conversation
	Pinned  Action = "pinned"  // a person wants it as it came, until another decision
)

// Decision is a line of a list of decisions. It holds for the requests that have the call Since, for all if that is "";
// of several for one part the last that holds counts.
type Decision struct {
	Action
	Key   string      // of the part
	Since string      // the newest call of the first request that follows it
	ID    string      // under which the original is kept, and which the text names
	Text  canon.Value // JSON: what is sent in its place
	Of    string      // of Same: the key of the result that it refers to
	Why   string      // of Raw, Ended and Stopped
	Block string      // the id of the block that keeps the decision, "" if none does
	// Load reads the text from where it is kept. It is nil if Text has it.
	Load func() (canon.Value, error)

	value canon.Any // Text
}

// hidesContent reports whether what the part said is not in front of the model any more, or not all of it.
func (d *Decision) hidesContent() bool {
	return d != nil && (d.Action == Shaped || d.Action == Left || d.Action == Cleared)
}

// isRemoval reports whether the part was taken out of requests that had it.
func (d *Decision) isRemoval() bool {
	return d != nil && (d.Action == Left || d.Action == Gone || d.Action == Cleared)
}

// MostHeld is how many bytes of texts a list has in memory before it leaves them to where they are kept. Tests change
// it.
var MostHeld = 32 << 20

// List is an append-only list of decisions. It is safe for concurrent use.
type List struct {
	mu    sync.Mutex
	by    map[string][]*Decision // by the key of the part, in their order
	ids   map[string]string      // the key of the part whose original has an id
	named map[string]string      // the id of the original, by the key of the part
	order []added                // the decisions in their order
	since map[string][]string    // the keys of decisions, by the call since which they hold
	held  int                    // bytes of the texts in memory
	ends  []string               // the keys of decisions that end managing or stop it
	takes []string               // the keys of decisions that take a part
}

// added says of a decision which part it is about, and since when it holds.
type added struct{ key, since string }

// NewList returns an empty list.
func NewList() *List {
	return &List{by: map[string][]*Decision{}, since: map[string][]string{},
		ids: map[string]string{}, named: map[string]string{}}
}

// Add adds a decision, unless the list has the one that the same block keeps.
func (l *List) Add(d Decision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.by[d.Key] {
		if d.Block != "" && one.Block == d.Block {
			return
		}
	}
	d.value = d.Text.Any()
	l.by[d.Key] = append(l.by[d.Key], &d)
	if d.ID != "" && d.Action != Same {
		l.ids[d.ID], l.named[d.Key] = d.Key, d.ID
	}
	l.held += len(d.Text)
	l.order = append(l.order, added{d.Key, d.Since})
	if d.Since != "" {
		l.since[d.Since] = append(l.since[d.Since], d.Key)
	}
	if d.Action == Ended || d.Action == Stopped {
		l.ends = append(l.ends, d.Key)
	}
	if d.hidesContent() {
		l.takes = append(l.takes, d.Key)
	}
}

// Name notes that the original of a part is kept under an id.
func (l *List) Name(id, key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids[id], l.named[key] = key, id
}

// Named returns the key of the part whose original is kept under an id, "" for none.
func (l *List) Named(id string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ids[id]
}

// Shed leaves the texts to where they are kept, if the list has too many in memory. load returns the function that
// reads the text that a block keeps.
func (l *List) Shed(load func(block string) func() (canon.Value, error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held <= MostHeld {
		return
	}
	l.held = 0
	for key, list := range l.by {
		for i, d := range list {
			if d.Block != "" && d.Text != "" {
				other := *d // a request may have this one
				other.Text, other.value, other.Load = "", canon.Any{}, load(d.Block)
				l.by[key][i] = &other
			}
			l.held += len(list[i].Text)
		}
	}
}

// Knows reports whether the list has a decision about a part.
func (l *List) Knows(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.by[key]) > 0
}

// Entered reports whether the list has a decision about a part that holds for all requests.
func (l *List) Entered(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.by[key] {
		if d.Since == "" {
			return true
		}
	}
	return false
}

// Empty reports whether nothing was decided.
func (l *List) Empty() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.by) == 0
}

// Size returns how many decisions the list has, and how many bytes of their texts.
func (l *List) Size() (decisions, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range l.by {
		decisions += len(list)
	}
	return decisions, l.held
}

// of returns the decision about a part that holds for a request, nil for none. before says of a call whether the
// request had it. What once went as it came does so in all requests that it was not taken out of: another decision may
// have become durable too late.
func (l *List) of(key string, before func(call string) bool, asks bool) (of *Decision) {
	list := l.by[key]
	raw := slices.ContainsFunc(list, func(d *Decision) bool { return d.Action == Raw && d.Since == "" })
	for _, d := range list {
		if d.Action != Stopped && (d.Since == "" && (!raw || d.Action == Raw) || d.Since != "" && before(d.Since)) &&
			(asks || d.Action != Cleared) {
			of = d
		}
	}
	return of
}

// pinned reports whether a person wants a part left alone.
func (l *List) pinned(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.by[key]
	return len(list) > 0 && list[len(list)-1].Action == Pinned
}

// read returns a decision with its text.
func (d *Decision) read() (*Decision, error) {
	if d == nil || d.Text != "" || d.Load == nil {
		return d, nil
	}
	text, err := d.Load()
	if err != nil {
		return nil, err
	}
	other := *d
	other.Text, other.value = text, text.Any()
	return &other, nil
}

// plainID matches the ids of calls under which an original can be kept. A recorder gives its blocks ids with a colon,
// so one without is that of an original, whoever asks for it and wherever.
var plainID = Compiled(`^[A-Za-z0-9_.-]{1,128}$`)

// ID returns the id under which the original of a result of a call is kept: that of the call, unless another original
// has it. No context but those with originals has such an id.
func (l *List) ID(key, call string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if id, known := l.named[key]; known {
		return id
	}
	if !plainID().MatchString(call) {
		return "kept-" + key[:16]
	}
	if of, used := l.ids[call]; used && of != key {
		return call + "-" + key[:8]
	}
	return call
}
