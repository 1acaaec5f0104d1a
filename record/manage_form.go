package record

import (
	"context"
	"time"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/manage"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/record/splice"
)

// shape writes the body with all parts in their decided form, and notes the changes in m. It waits for decisions
// about what is new until a time; for the zero time, however long they take.
func (r *Recorder) shape(ctx context.Context, name provider.API, body []byte, m *managing, until time.Time) []byte {
	q, ok := r.memory.Read(name, m.model, body, r.fromOneAnswer)
	if !ok {
		return body
	}
	q.Hides = func(v canon.Any) bool { _, n := m.hide.value(v); return n > 0 }
	if r.rules != nil && r.rules.Refused.Load() {
		q.Clears = nil
	}
	q.Fixed, m.question = m.compacts || r.isAside(q), q
	e := r.entry
	if r.followed != nil {
		e = r.followed
	}
	err := e.listed(ctx, q)
	if failed := q.Follow(e.list); err == nil {
		err = failed
	}
	made := 0
	if r.followed == nil {
		r.ledger.Begin(q, r.now())
		if err == nil {
			made, err = r.decide(ctx, m, until)
		}
		m.sending = r.ledger.End(q, made > 0)
		if made > 0 || err != nil {
			r.prepare(ctx, q)
		}
	}
	if err != nil {
		r.count(func(s *Stats) { s.Managed.Open++; s.Managed.Why = err.Error() })
	}
	return m.write(e.name, made)
}

// listed has the list of decisions hold what is known about the parts of a request.
func (e *decisions) listed(ctx context.Context, q *manage.Request) error {
	if e.store == nil {
		return nil
	}
	if err := retryOnce(func() error { return e.ready(ctx) }); err != nil {
		return err
	}
	if err := e.lookForOthers(ctx); err != nil {
		return err
	}
	return e.lookAgain(ctx, q)
}

// isAside reports whether a request asks something beside the work of its conversation: an agent offers no tools then, or
// asks for a summary. A program that never offers any is at work from its second request on.
func (r *Recorder) isAside(q *manage.Request) bool {
	if asksForSummary(q.Of) {
		return true
	}
	first := firstPart(q.Of)
	if first == nil {
		return true
	}
	of := r.memory.HashOf(first)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.tools) >= mostKeys {
		clear(r.tools)
	}
	before, known := r.tools[of]
	if provider.HasTools(q.Root) {
		r.tools[of] = true
		return false
	}
	r.tools[of] = before
	return before || !known
}

// decide decides about what is new in a request, and about what leaves it, and gives the request that form once the
// decision is durable. It returns how many parts leave.
func (r *Recorder) decide(ctx context.Context, m *managing, until time.Time) (leave int, err error) {
	q := m.question
	late := func() bool { return !until.IsZero() && time.Now().After(until) }
	made, err := r.rules.Decide(ctx, r.entry.list, q, r.ledger, late)
	r.counted(q)
	if err != nil {
		r.undecided(ctx, q, err)
	}
	if err != nil || len(made) == 0 {
		return 0, err
	}
	list := make([]deciding, len(made))
	for k := range made {
		if list[k], err = m.deciding(made[k]); err != nil {
			return 0, err
		}
	}
	if err := r.persistDecisions(ctx, list, until); err != nil {
		return 0, err
	}
	if err := q.Follow(r.entry.list); err != nil {
		return 0, err
	}
	shaped := 0
	for i := range made {
		switch d := &made[i]; {
		case d.Action == manage.Ended || d.Action == manage.Stopped:
			m.ended = d.Why
			r.count(func(s *Stats) { s.Managed.Ended++; s.Managed.Why = d.Why })
		case d.Since == "":
			shaped++
		default:
			leave++
		}
	}
	r.count(func(s *Stats) {
		s.Managed.Shaped, s.Managed.Cut = s.Managed.Shaped+shaped, s.Managed.Cut+leave
		if leave > 0 {
			s.Managed.Batches++
		}
	})
	return leave, nil
}

// counted counts what a request says about managing: its newest calls that asked again, and that it has no results.
func (r *Recorder) counted(q *manage.Request) {
	again, results := 0, false
	for i := len(q.Parts) - 1; i >= 0; i-- {
		p := &q.Parts[i]
		results = results || p.Kind == "result"
		if p.Kind == "result" && p.Unseen() && p.Repeats() {
			again++
		}
	}
	r.count(func(s *Stats) {
		s.Managed.Again += again
		if !results {
			s.Managed.Plain++
		}
	})
}

// deciding returns a decision with the part that it is about, as the store keeps it.
func (m *managing) deciding(d manage.Decision) (one deciding, err error) {
	one = deciding{Decision: d}
	if i := m.question.Place(d.Of); i >= 0 {
		one.original = &deciding{}
		if one.original.of, one.original.raw, err = m.originalAt(i); err != nil {
			return one, err
		}
	}
	if i := m.question.Place(d.Key); i >= 0 {
		one.of, one.raw, err = m.originalAt(i)
	}
	return one, err
}

// originalAt returns what a part said, and its bytes.
func (m *managing) originalAt(i int) (Result, []byte, error) {
	p := &m.question.Parts[i]
	if at := p.Thinking; at != nil {
		return Result{Content: string(p.Part.Content.Value())}, at.List.Elems[at.At].Raw, nil
	}
	content, err := p.Result.Content.Canon()
	return Result{Call: p.Call, Tool: m.question.Tool(p), Content: string(content.Value()), Failed: p.Result.Failed},
		p.Result.Content.Raw, err
}

// write writes the body with the parts of the request in their forms; leave is how many left with it.
func (m *managing) write(in string, leave int) []byte {
	q := m.question
	var edits splice.Edits
	kept := &managed{In: in, Shaped: []string{}, Bytes: len(m.asked), Cut: leave}
	for i := range q.Parts {
		d := q.Parts[i].Form()
		if d == nil {
			continue
		}
		switch p := &q.Parts[i]; {
		case d.Action == manage.Cleared:
			kept.Saved += p.Bytes - len(provider.Cleared)
		case d.Action == manage.Gone:
			edits.Remove(p.Thinking.List, p.Thinking.At)
			kept.Gone = append(kept.Gone, removedThinking{d.Block, p.Thinking.Of, p.Thinking.At})
		default:
			if d.Action == manage.Left || !provider.Rewrite(&edits, p.Result.Content, d.Text) {
				provider.LeaveNote(&edits, p.Result.Content, string(d.Text))
			}
			kept.Shaped = append(kept.Shaped, d.Block)
		}
	}
	if how, uses, stay := q.Clearing(); how != nil {
		m.clears, kept.Cleared = how, uses
		how.Ask(&edits, q.Root, stay)
	}
	kept.Again, _ = q.RepeatedCalls()
	kept.Why = m.ended
	if len(kept.Shaped)+len(kept.Gone)+kept.Cleared == 0 {
		if m.ended != "" {
			m.kept = kept
		}
		return m.asked
	}
	now := edits.Apply(m.asked)
	if m.sending != nil {
		kept.Expects = &m.sending.Expects
	}
	kept.Saved += len(m.asked) - len(now)
	m.kept = kept
	return now
}
