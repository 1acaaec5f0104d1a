package record

import (
	"cmp"
	"context"
	"errors"
	"io"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/lifecycle"
)

// attempt is one recorded call on a recording.
type attempt struct {
	recording *recording
	id        string
	why       string      // why the call belongs to this recording
	same      string      // the attempt that sent the same before and keeps all of it, "" for none
	kept      canon.Value // the record of its request
	sent      canon.Value // the record if no earlier attempt had sent the same
	frames    frames      // of the recording when what it sent has been committed
	compacts  bool        // it has the provider compact the conversation that recording is beside
}

// start puts the request into the working state, and records a running attempt. If another process changed the
// context meanwhile, start refreshes it and tries once more; of a past call that process may have recorded just this. why
// says why the request belongs to this recording.
func (l *recording) start(ctx context.Context, call pact.ProviderCall, k *storedRequest, q *request, why string) (*attempt, error) {
	a, err := l.tryStart(ctx, call, k, q, why)
	if !errors.Is(err, fault.Conflict) || q.past {
		return a, err
	}
	if err := l.c.Refresh(ctx); err != nil {
		return nil, err
	}
	if err := q.readAll(); err != nil { // the working state may repeat less of it than before
		return nil, err
	}
	l.last, l.frames = nil, frames{}
	return l.tryStart(ctx, call, k, q, why)
}

func (l *recording) tryStart(ctx context.Context, call pact.ProviderCall, k *storedRequest, q *request, why string) (*attempt,
	error) {
	edit, note, err := l.bring(ctx, q)
	if err != nil {
		return nil, err
	}
	call.Edit, call.Message = edit, note
	if l != q.earlierIn || l.last != nil { // the frames are of another request than the one before
		q.messages, q.added = 0, nil
	}
	frame, from, next := l.frames.frameFor(q)
	k.Base = from
	sent, err := k.json(q.of.Parameters, frame)
	if err != nil {
		return nil, err
	}
	now := &attempt{recording: l, why: why, kept: sent, sent: sent, frames: next, compacts: q.compacts}
	pruning := whole
	if l.last == nil {
		pruning = &pact.Pruning{Policy: lifecycle.Policy{Orphans: lifecycle.Keep}}
	} else {
		now.why = cmp.Or(l.last.why, why) // a retry keeps the reason of the first attempt
		if sent == l.last.sent {
			now.same = cmp.Or(l.last.same, l.last.id)
			if now.kept, err = (&storedRequest{Same: now.same}).json(canon.Any{}, canon.Any{}); err != nil {
				return nil, err
			}
		}
	}
	if !q.past { // the end of a past call follows at once, and has the record
		if call.Request, err = history.PackRequest(string(now.kept)); err != nil {
			return nil, err
		}
	}
	a, err := l.c.StartAttempt(ctx, call, io.Discard, pruning)
	if err == nil {
		err = l.try(ctx, a.ID, q.past)
	}
	if err != nil {
		return nil, err
	}
	now.id, l.last = a.ID, now
	if n := len(next.chain); n > 0 {
		next.chain[n-1].attempt = cmp.Or(now.same, now.id)
	}
	l.underWay++
	return now, nil
}

// try notes an attempt that began. One that repeats the request before changes no block, so that a process which imports the
// same log may begin it too: the second of a past call ends, with E_CONFLICT.
func (l *recording) try(ctx context.Context, id string, past bool) error {
	cycle, number, _, _ := history.ParseAttemptID(id)
	before := l.tried
	l.tried = [2]int64{cycle, number}
	if !past || number == 1 || before == [2]int64{cycle, number - 1} {
		return nil
	}
	raced := fault.New(fault.Conflict, "another process records this call", "import the log again")
	_, err := l.c.EndAttempt(ctx, pact.Outcome{ID: id, Status: history.Canceled, Err: raced})
	return errors.Join(raced, err)
}

// end records how an attempt ended. An answer ends the cycle and becomes the beginning of the next one. The
// attempt keeps the report of the provider and, of an answer that broke off, the part that arrived.
func (a *attempt) end(ctx context.Context, o pact.Outcome, content, about canon.Any, name provider.API) error {
	l := a.recording
	var said []provider.Part
	if content.Kind != canon.KindAbsent {
		said = provider.AnswerParts(name, content)
	}
	ends := o.Status == history.Completed && l.last == a // else the client repeats the call, or has sent another one
	told, came := about, content
	if len(about.Members) == 0 {
		told = canon.Any{}
	}
	if o.Status == history.Completed {
		came = canon.Any{} // its blocks hold it
	}
	o.ID = a.id
	var err error
	if o.Request, err = history.PackRequest(string(withAnswer(a.kept, told, came))); err != nil {
		return err
	}
	if !ends {
		_, err := l.c.EndAttempt(ctx, o)
		return err
	}
	var texts string
	var open []openCall
	answered := func(e *pact.Batch) error {
		texts, open = "", nil
		for i, p := range said {
			s := specOf(&said[i], name)
			s.Offset = int64(i + 1)
			if i == 0 {
				s.Attrs[attrAnswer] = about.With("attempt", canon.Text(a.id))
			}
			id := e.Add(activeHead, s)
			switch {
			case p.Kind == "call":
				open = append(open, openCallOf(&p, id))
			case p.Kind == "text" && p.Content.Kind == canon.KindString:
				texts += p.Content.Text + "\n"
			}
		}
		return nil
	}
	more := pact.CommitOptions{End: &o, Next: answered,
		NextMessage: "the provider answered"}
	cycle := l.committed()
	err = l.commit(ctx, more)
	if errors.Is(err, fault.Conflict) { // another writer changed the context meanwhile
		if err = l.c.Refresh(ctx); err == nil && l.committed() == cycle {
			err = l.commit(ctx, more)
		} else if err == nil {
			l.last, l.frames = nil, frames{}
			_, err = l.c.EndAttempt(ctx, o)
			return err
		}
	}
	if err != nil {
		return err
	}
	if name == provider.Responses { // no other API has requests that name an answer
		l.answeredAs(about)
	}
	l.had = append(l.had, l.open...)
	l.had = l.had[max(0, len(l.had)-callsKept):]
	l.said, l.open = texts, open
	return nil
}
