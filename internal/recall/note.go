package recall

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/redact"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

type noting struct {
	Text    string `json:"text"`
	Key     string `json:"key,omitempty" jsonschema:"its name among notes"`
	TTL     *int64 `json:"ttl,omitempty" jsonschema:"for how many calls it stays; without it for good"`
	Context string `json:"context,omitempty"`
}

// addNote adds a text to the context. Where the program of an agent says itself what is sent, the call of note with its
// text is a part of the conversation, which the program sends again with each request, and no policy takes calls: it is
// the note.
func (t *tools) addNote(ctx context.Context, in noting) (string, error) {
	if in.Text == "" {
		return "", invalid("a note needs a text", "give one")
	}
	c, said, err := t.findNote(ctx, &in)
	switch {
	case err != nil:
		return "", err
	case said == nil:
		return t.writeNote(ctx, c, &in)
	case in.TTL != nil || in.Key != "":
		return "", invalid("the program of the agent says itself how long it sends what, and under no name, so a ttl or a key would change nothing",
			"leave both out")
	}
	answer := commit.Recalled + view.Visible(said.id) + ", this call with its text, is the note: the program sends it again with each request, " +
		"and no policy takes it. Once the conversation is compacted, recall finds it by a text"
	if said.redacted {
		answer += ", but for what the record has as " + redact.Mark
	}
	return answer + ".", nil
}

// writeNote adds a text to a context that no program sends by itself.
func (t *tools) writeNote(ctx context.Context, c *pact.Context, in *noting) (string, error) {
	var id string
	err := edit(ctx, c, func(b *pact.Batch) error {
		id = b.Add("^ah", pact.Spec{Role: "user", Kind: "note", Key: in.Key, TTL: in.TTL, Content: in.Text})
		return nil
	}, t.note("note"))
	if err != nil {
		return "", err
	}
	stays := "for good"
	if in.TTL != nil {
		stays = "for " + view.Plural(int(*in.TTL), "call")
	}
	return commit.Recalled + fmt.Sprintf("%s is in the context from the next call on, %s.", id, stays), nil
}

// An answer is recorded while the agent already calls the tools that it names, and so is its context.
const (
	mostLooks    = 10
	betweenLooks = 100 * time.Millisecond
	mostContexts = 64 // those that changed last, where a call names none
)

// notedCall is a call of note in the answer that was not sent back yet.
type notedCall struct {
	id       string
	redacted bool // the record has less than the text
}

// findNote looks for the call that brought a note, for a second. It returns the context for the note instead where no
// program says what is sent. Cost: the last answers of mostContexts contexts, and once more of those that change meanwhile.
func (t *tools) findNote(ctx context.Context, in *noting) (*pact.Context, *notedCall, error) {
	l := noteSearch{tools: t, in: in, seen: map[history.Key]int64{}}
	for look := 0; ; look++ {
		if l.last = look == mostLooks; l.last {
			clear(l.seen)
		}
		c, said, err := l.search(ctx)
		switch {
		case said != nil || err != nil && fault.CodeOf(err) != fault.ContextNotFound:
			return nil, said, err
		case err == nil && !l.recorded, l.last && err != nil:
			return c, nil, err
		case l.last && !record.Recorded(c.Working()):
			return c, nil, nil
		case l.last:
			where := view.Visible(c.Info().Name) + ", and its last answer there does"
			if l.looked > 1 {
				where = fmt.Sprintf("%s and %s, and their last answers there do", view.Visible(c.Info().Name), view.Plural(l.looked-1, "other context"))
			}
			return nil, nil, invalid("the program of the agent says itself what is sent of "+where+
				" not call note with this text, so this would change nothing", "say it in your answer; recall has what was left out")
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(betweenLooks):
		}
	}
}

// noteSearch looks for the call that brought a note.
type noteSearch struct {
	*tools
	in       *noting
	seen     map[history.Key]int64 // the revisions in which it is not
	recorded bool                  // there is a program that says itself what is sent
	looked   int                   // at how many contexts
	last     bool                  // also take a call that may be the one
}

// search looks once, in the context that is named or in all that changed, and returns the context that is named or
// changed last.
func (l *noteSearch) search(ctx context.Context) (c *pact.Context, said *notedCall, err error) {
	if cmp.Or(l.in.Context, l.options.Context) != "" {
		if c, err = l.open(ctx, l.in.Context); err != nil || !record.Recorded(c.Working()) {
			return c, nil, err
		}
		l.recorded, l.looked = true, 1
		said, err = l.callIn(ctx, c)
		return c, said, err
	}
	list, err := l.listed(ctx)
	if err != nil {
		return nil, nil, err
	}
	list = conversations(list)
	list = list[:min(mostContexts, len(list))]
	l.looked = len(list)
	for n, i := range list {
		if l.seen[i.Key] == i.Revision {
			continue
		}
		c, err := pact.Open(ctx, l.db, i.Name, nil)
		if err != nil && (n > 0 || fault.CodeOf(err) == fault.ContextNotFound) { // it is damaged, or went meanwhile
			continue
		}
		if err == nil && record.Recorded(c.Working()) {
			l.recorded = true
			if l.last || i.Listed.ChangedNS >= l.options.Noted.since {
				said, err = l.callIn(ctx, c)
			}
		}
		if said != nil || err != nil {
			return nil, said, err
		}
		l.seen[i.Key] = i.Revision
	}
	c, err = l.open(ctx, "")
	return c, nil, err
}

// callIn returns the call of the note in a context, nil for none.
func (l *noteSearch) callIn(ctx context.Context, c *pact.Context) (again *notedCall, err error) {
	for e, err := range tree.Of(c.Working()).Region(tree.Head).Children().All() {
		if err != nil {
			return nil, err
		}
		n := e.Node()
		if called, _ := n.Header("wire:name").Text(); n.Kind != toolcall.Call || !names(called, "note") {
			continue
		}
		content, err := n.Content.Value(ctx)
		if err != nil {
			return nil, err
		}
		var said noting
		if json.Unmarshal([]byte(toolcall.Arguments(canon.Value(content))), &said) != nil {
			continue
		}
		found := &notedCall{n.ID, said.Text != l.in.Text}
		if found.redacted && !(l.last && stored(l.in.Text, said.Text)) {
			continue
		}
		if l.options.Noted.first(c.Info().Name, n.ID) {
			return found, nil
		}
		if l.last && again == nil { // the client asks a second time
			again = found
		}
	}
	return again, nil
}

// stored reports whether a text may be recorded as another one, where secrets are replaced.
func stored(text, as string) bool {
	parts := strings.Split(as, redact.Mark)
	last := len(parts) - 1
	text, begins := strings.CutPrefix(text, parts[0])
	if last == 0 || !begins {
		return false
	}
	for _, part := range parts[1:last] {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return strings.HasSuffix(text, parts[last])
}

// UsedNotes has the calls that were told to be notes, so that of two with one text each is told once.
type UsedNotes struct {
	since int64 // when it was made; what changed last before that is asked last, because an earlier agent may have left it
	lock  sync.Mutex
	ids   map[string][]string // of the last answers, by context
}

// NewUsedNotes returns one without calls.
func NewUsedNotes() *UsedNotes { return &UsedNotes{since: time.Now().UnixNano()} }

// mostNoted is of how many calls of a context it has the ids, and of how many contexts.
const mostNoted = 1000

// first reports whether a call was not told before.
func (k *UsedNotes) first(context, id string) bool {
	k.lock.Lock()
	defer k.lock.Unlock()
	if slices.Contains(k.ids[context], id) {
		return false
	}
	if k.ids == nil || len(k.ids) == mostNoted {
		k.ids = map[string][]string{}
	}
	ids := append(k.ids[context], id)
	k.ids[context] = ids[max(0, len(ids)-mostNoted):]
	return true
}
