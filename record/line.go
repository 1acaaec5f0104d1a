package record

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/api"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/store"
)

// line is the context that records one conversation, one cycle for each call.
type line struct {
	c    *pact.Context
	name string
	keys map[string]knownKey // keys of the blocks of the working state, by block id
	seen *view               // nil until someone looks at the working state
	last *attempt            // the attempt that sent the working state; nil after the commit

	group    group  // group of the last request
	previous string // id of the answer that the last request named
	used     bool   // a request went to this line
	beside   *line  // the line outside whose conversation this one asks something, nil for none

	answers    map[string]int64 // the cycle of each answer, by the provider's id of the answer
	lastAnswer string           // id of the last answer
	said       string           // texts of the last answer
	open       []openCall       // tool calls of the last answer
}

// attempt is one recorded call on a line.
type attempt struct {
	line *line
	id   string
	why  string // why the call belongs to this line
	kept *kept  // what is kept of its request
	text string // kept, encoded
}

// openLine opens a context. It refuses a context that no recorder made, because
// its blocks do not stand where a recorder puts them.
func openLine(ctx context.Context, s store.Store, name string, o pact.OpenOptions) (*line, error) {
	c, err := pact.Open(ctx, s, name, &o)
	if err != nil {
		return nil, err
	}
	root := c.Working().Tree().Root().Node()
	if root.Header(attrContext) == "" {
		return nil, fault.New(fault.Conflict, "the context "+name+" was not made by a recorder", "record under another name")
	}
	l := lineOf(c, name)
	v, err := l.view(ctx)
	if err != nil {
		return nil, err
	}
	l.group = groupOfContext(root, v.system)
	about, err := l.lastAbout(ctx, v)
	if err != nil {
		return nil, err
	}
	l.answeredAs(about)
	return l, nil
}

// lastAbout returns what the provider reported of the last answer.
func (l *line) lastAbout(ctx context.Context, v *view) (canon.Any, error) {
	if len(v.answer) > 0 {
		return canon.Value(v.of.Entry(v.answer[0].id).Node().Header(attrAnswer)).Any(), nil
	}
	attempts, err := l.c.Attempts(ctx, l.committed(), l.committed())
	if err != nil {
		return canon.Any{}, err
	}
	for _, a := range slices.Backward(attempts) {
		if about, err := aboutOf(a); err != nil || a.Status == store.Completed {
			return about, err
		}
	}
	return canon.Any{}, nil
}

func lineOf(c *pact.Context, name string) *line {
	return &line{c: c, name: name, keys: map[string]knownKey{}, answers: map[string]int64{}}
}

// answeredAs notes the id of the answer to the last call.
func (l *line) answeredAs(about canon.Any) {
	if id, _ := about.Get("id"); id.Text != "" {
		l.answers[id.Text], l.lastAnswer = l.committed(), id.Text
	}
}

// newLine creates a context; E_CONFLICT if another recorder took the name
// first.
func newLine(ctx context.Context, s store.Store, name string, o pact.OpenOptions, attrs map[string]any) (*line, error) {
	c, err := pact.Create(ctx, s, name, &pact.CreateOptions{OpenOptions: o, Attrs: attrs})
	if err != nil {
		return nil, err
	}
	return lineOf(c, name), nil
}

// attrsOf returns the attributes of a new line. begun describes the call that
// began the conversation.
func attrsOf(g group, begun map[string]any) map[string]any {
	attrs := map[string]any{attrContext: 1}
	if g.by != bySystem {
		attrs[attrGroup] = g.attr()
	}
	if begun != nil {
		attrs[attrBegun] = begun
	}
	return attrs
}

// forked creates a context that begins with a snapshot of this line.
func (l *line) forked(ctx context.Context, name string, cycle int64, why string) (*line, error) {
	c, err := l.c.Fork(ctx, pact.Cycle(cycle), name, &pact.Note{Message: why})
	if err != nil {
		return nil, err
	}
	return lineOf(c, name), nil
}

// committed returns the cycle of the last finished call.
func (l *line) committed() int64 {
	_, last := l.c.Cycles()
	return last
}

// start makes the working state what the request sends, and records a running
// attempt. If another process changed the context meanwhile, start refreshes it
// and tries once more. why says why the request belongs to this line.
func (l *line) start(ctx context.Context, call pact.ProviderCall, k *kept, q *request, why string) (*attempt, error) {
	a, err := l.tryStart(ctx, call, k, q, why)
	if !errors.Is(err, fault.Conflict) {
		return a, err
	}
	if err := l.c.Refresh(ctx); err != nil {
		return nil, err
	}
	l.last, l.seen = nil, nil
	return l.tryStart(ctx, call, k, q, why)
}

func (l *line) tryStart(ctx context.Context, call pact.ProviderCall, k *kept, q *request, why string) (*attempt,
	error) {
	if err := l.bring(ctx, q.system, q.conversation); err != nil {
		return nil, err
	}
	text, err := k.encode()
	if err != nil {
		return nil, err
	}
	now := &attempt{line: l, why: why, kept: k, text: text}
	call.Request = text
	pruning := whole
	if l.last == nil {
		pruning = &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}
	} else {
		now.why = l.last.why // a retry keeps the reason of the first attempt
		if text == l.last.text {
			now.kept = &kept{Same: cmp.Or(l.last.kept.Same, l.last.id)}
			if call.Request, err = now.kept.encode(); err != nil {
				return nil, err
			}
		}
	}
	a, err := l.c.StartAttempt(ctx, call, io.Discard, pruning)
	if err != nil {
		return nil, err
	}
	now.id, l.last, l.seen = a.ID, now, nil
	return now, nil
}

// bring edits the working state into the blocks of a request. If the last
// attempt sent other blocks, bring commits them first, so the history keeps
// what that attempt sent.
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

// noteOf writes the note of an edit: a request was sent, and what the agent
// changed in it since the last one.
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

// whole leaves a snapshot as it was sent, whatever policy the context keeps.
var whole = &pact.Pruning{WithoutKept: true}

func (l *line) commit(ctx context.Context) error {
	var note pact.Note
	if l.last != nil {
		note.Message = l.last.why
	}
	_, err := l.c.Commit(ctx, &pact.CommitOptions{Note: note, Pruning: whole})
	if err == nil {
		l.last, l.seen = nil, nil
	}
	return err
}

// end records how an attempt ended. An answer ends the cycle and becomes the
// beginning of the next one. If the answer broke off, the attempt keeps the
// part that arrived. If no block can hold what the provider reported, the
// attempt keeps that too.
func (a *attempt) end(ctx context.Context, o pact.Outcome, content, about canon.Any, name api.Name) error {
	l := a.line
	var said []api.Part
	if content.Kind != canon.KindAbsent {
		said = api.Said(name, content)
	}
	ends := o.Status == store.Completed && l.last == a // else the client repeats the call, or has sent another one
	k := *a.kept
	if o.Status != store.Completed && content.Kind != canon.KindAbsent {
		k.Answer = json.RawMessage(content.Value())
	}
	if (!ends || len(said) == 0) && len(about.Members) > 0 {
		k.About = json.RawMessage(about.Value())
	}
	if k.Answer != nil || k.About != nil {
		text, err := k.encode()
		if err != nil {
			return err
		}
		o.Request = text
	}
	if _, err := l.c.EndAttempt(ctx, a.id, o); err != nil || !ends {
		return err
	}
	if err := l.commit(ctx); err != nil {
		return err
	}
	l.answeredAs(about)
	l.said, l.open = "", nil
	return l.c.Edit(ctx, func(e *pact.Batch) error {
		for i, p := range said {
			s := specOf(p, name)
			s.Offset = int64(i + 1)
			if i == 0 {
				s.Attrs[attrAnswer] = canon.Object(append(about.Members, member("attempt", a.id))...)
			}
			id := e.Add(activeHead, s)
			switch {
			case p.Kind == "call":
				l.open = append(l.open, openCallOf(&p, id))
			case p.Kind == "text" && p.Content.Kind == canon.KindString:
				l.said += p.Content.Text + "\n"
			}
		}
		return nil
	}, &pact.Note{Message: "the provider answered"})
}
