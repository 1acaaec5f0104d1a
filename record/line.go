package record

import (
	"context"
	"errors"
	"fmt"
	"io"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/answer"
	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// line is a context to which the calls of one conversation go: one cycle a call.
type line struct {
	c    *pact.Context
	name string
	keys map[string]key // of the blocks of the working state, by id
	last *attempt       // the one that was sent the candidate, nil after its commit
}

// attempt is a call on a line.
type attempt struct {
	line *line
	id   string
}

// openLine opens a context. It refuses one that no recorder made: there every
// block has another place.
func openLine(ctx context.Context, s store.Store, name string, o pact.OpenOptions) (*line, error) {
	c, err := pact.Open(ctx, s, name, &o)
	if err != nil {
		return nil, err
	}
	if c.Working().Tree().Root().Node().Header(attrContext) == "" {
		return nil, fault.New(fault.Conflict, "the context "+name+" was not made by a recorder", "record under another name")
	}
	return &line{c: c, name: name, keys: map[string]key{}}, nil
}

// newLine makes a context, E_CONFLICT where another recorder was faster.
func newLine(ctx context.Context, s store.Store, name string, o pact.OpenOptions) (*line, error) {
	c, err := pact.Create(ctx, s, name, &pact.CreateOptions{OpenOptions: o, Attrs: map[string]any{attrContext: 1}})
	if err != nil {
		return nil, err
	}
	return &line{c: c, name: name, keys: map[string]key{}}, nil
}

// shared returns how many blocks of the conversation a request begins with as the
// line has them. None count where the two have no block of ^sys in common: then
// somebody else speaks, such as an agent that gives a title to the conversation.
func (l *line) shared(ctx context.Context, system, conversation []block) (int, error) {
	oldSystem, old, err := thread(ctx, l.c.Working().Tree(), l.keys)
	if err != nil {
		return 0, err
	}
	alike := len(oldSystem)+len(system) == 0
	known := make(map[key]bool, len(oldSystem))
	for i := range oldSystem {
		known[oldSystem[i].key] = true
	}
	for i := range system {
		alike = alike || known[system[i].key]
	}
	n := 0
	for alike && n < len(old) && n < len(conversation) && old[n].key == conversation[n].key {
		n++
	}
	return n, nil
}

// start brings the working state to what a request sends and records an attempt
// that is running. Where another process changed the context meanwhile it begins
// again, once.
func (l *line) start(ctx context.Context, call pact.ProviderCall, system, conversation []block) (*attempt, error) {
	a, err := l.tryStart(ctx, call, system, conversation)
	if !errors.Is(err, fault.Conflict) {
		return a, err
	}
	if err := l.c.Refresh(ctx); err != nil {
		return nil, err
	}
	l.last = nil
	return l.tryStart(ctx, call, system, conversation)
}

func (l *line) tryStart(ctx context.Context, call pact.ProviderCall, system, conversation []block) (*attempt, error) {
	if err := l.bring(ctx, system, conversation); err != nil {
		return nil, err
	}
	var pruning *pact.Pruning
	if l.last == nil {
		pruning = &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}
	}
	a, err := l.c.StartAttempt(ctx, call, io.Discard, pruning)
	if err != nil {
		return nil, err
	}
	l.last = &attempt{line: l, id: a.ID}
	return l.last, nil
}

// bring makes the edits. What a call was sent and is sent no more is committed
// before, so that it stays to be seen.
func (l *line) bring(ctx context.Context, system, conversation []block) error {
	oldSystem, oldConversation, err := thread(ctx, l.c.Working().Tree(), l.keys)
	if err != nil {
		return err
	}
	if same(oldSystem, system) && same(oldConversation, conversation) {
		return nil
	}
	if l.last != nil {
		if err := l.commit(ctx); err != nil {
			return err
		}
		if oldSystem, oldConversation, err = thread(ctx, l.c.Working().Tree(), l.keys); err != nil {
			return err
		}
	}
	inSystem, inConversation := changeOf(oldSystem, system), changeOf(oldConversation, conversation)
	return l.c.Edit(ctx, func(e *pact.Batch) error {
		inSystem.system(e)
		inConversation.conversation(e)
		return nil
	}, &pact.Note{Message: noteOf(&inSystem, &inConversation)})
}

// noteOf is the note of an edit: that a request was sent, and what the agent did to
// what it sent before.
func noteOf(changes ...*change) string {
	gone, changed := 0, 0
	for _, c := range changes {
		g, n := c.count()
		gone, changed = gone+g, changed+n
	}
	note := "a request was sent"
	if gone > 0 {
		note += fmt.Sprintf("; the agent left out %d of the blocks before", gone)
	}
	if changed > 0 {
		note += fmt.Sprintf("; it changed %d of them", changed)
	}
	return note
}

func same(old, now []block) bool {
	if len(old) != len(now) {
		return false
	}
	for i := range old {
		if old[i].key != now[i].key {
			return false
		}
	}
	return true
}

func (l *line) commit(ctx context.Context) error {
	_, err := l.c.Commit(ctx, nil)
	if err == nil {
		l.last = nil
	}
	return err
}

// end records how an attempt ended. A call that was answered ends its cycle, and
// the answer is the beginning of the next one.
func (a *attempt) end(ctx context.Context, o pact.Outcome, said []api.Part, about canon.Any, name api.Name) error {
	l := a.line
	if _, err := l.c.EndAttempt(ctx, a.id, o); err != nil {
		return err
	}
	if o.Status != store.Completed || l.last != a {
		return nil // the call will be made again, or another one was made meanwhile
	}
	if err := l.commit(ctx); err != nil {
		return err
	}
	return l.c.Edit(ctx, func(e *pact.Batch) error {
		for i, p := range said {
			s := specOf(p, name)
			s.Offset = int64(i + 1)
			if i == 0 {
				s.Attrs[attrAnswer] = about
			}
			e.Add(activeHead, s)
		}
		return nil
	}, &pact.Note{Message: "the provider answered"})
}

// aboutAnswer is what the provider said of an answer.
func aboutAnswer(a *answer.Answer) canon.Any {
	var members []canon.Member
	text := func(name, value string) {
		if value != "" {
			members = append(members, canon.Member{Name: name, Value: canon.Any{Kind: canon.KindString, Text: value}})
		}
	}
	number := func(name string, n *int64) {
		if n != nil {
			members = append(members, canon.Member{Name: name, Value: canon.Any{Kind: canon.KindNumber,
				Text: string(canon.Int(*n))}})
		}
	}
	text("id", a.ID)
	text("request_id", a.RequestID)
	text("model", a.Model)
	text("finish", a.Finish)
	text("refusal", a.Refusal)
	number("cached", a.Usage.Cached)
	number("written", a.Usage.Written)
	number("written_5m", a.Usage.Written5m)
	number("written_1h", a.Usage.Written1h)
	number("reasoning", a.Usage.Reasoning)
	return canon.Object(members...)
}
