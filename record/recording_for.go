package record

import (
	"context"
	"errors"
	"fmt"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
)

// RulePrefix begins the message of a commit that says by which rule its call belongs to its recording.
const RulePrefix = "grouped by "

// begin has the recording of a request hold it, and begins its attempt. A recording that cannot take out what a request
// lacks, because somebody committed it by hand, stays as it is: the request goes on in a fork that begins before.
func (r *Recorder) begin(ctx context.Context, call pact.ProviderCall, k *storedRequest, q *request) (*attempt, error) {
	for {
		l, why, err := r.recordingFor(ctx, q)
		if err != nil {
			return nil, err
		}
		if err := r.endAbandoned(ctx, l); err != nil {
			return nil, err
		}
		k.Compacted = q.compacted
		a, err := l.start(ctx, call, k, q, why)
		switch {
		case fault.CodeOf(err) == fault.Sealed:
			if err := q.goesOnBefore(l, err); err != nil {
				return nil, err
			}
		case err != nil:
			return nil, err
		default:
			r.goesTo(l, q)
			return a, nil
		}
	}
}

// goesOnBefore chooses for a request a fork that begins before the cycle of what its recording cannot take out, as an
// error says, or a new recording if none is before it. A fork that lacks the same again is no way out: the error stays.
func (q *request) goesOnBefore(l *recording, sealed error) error {
	var of *fault.Error
	if !errors.As(sealed, &of) {
		return sealed
	}
	n, err := tree.Of(l.c.Working()).Node(of.Node)
	if err != nil || n == nil {
		return errors.Join(sealed, err)
	}
	before := n.Cycle - 1
	if before < l.c.Info().First {
		before = 0
	}
	if c := q.continues; c != nil && c.fork && c.cycle <= before {
		return sealed
	}
	q.continues = &choice{recording: l, fork: true, cycle: before, why: fmt.Sprintf("it lacks what %s@c%d sealed", l.name, n.Cycle)}
	return q.readAll()
}

// readAll reads all of a request of which only a part is known, and knows nothing of what a recording begins with.
func (q *request) readAll() error {
	q.blocks = 0
	if q.reread == nil {
		return nil
	}
	return q.reread()
}

// recordingFor returns the recording of a request, and creates the recording if the request
// begins one. Another recorder may take the name first: E_CONFLICT for an importer, because that one may have recorded its call.
func (r *Recorder) recordingFor(ctx context.Context, q *request) (*recording, string, error) {
	for first := len(r.recordings.list) == 0 && !r.whole; ; first = true {
		if first {
			if err := r.openRecordings(ctx); err != nil {
				return nil, "", err
			}
		}
		c, err := r.choose(ctx, q)
		if err != nil {
			return nil, "", err
		}
		l, err := r.chosen(ctx, &c, q)
		if errors.Is(err, fault.Conflict) && !r.whole {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		return l, RulePrefix + q.group.by + "; " + c.why, nil
	}
}

// goesTo notes that a request went to a recording.
func (r *Recorder) goesTo(l *recording, q *request) {
	r.recordings.addToGroup(l, q.group)
	l.previous, l.used, l.summary = q.previous, true, nil
	if l.asksSummary() {
		l.beside.summary = l
	}
	r.recordings.last[q.group.id], r.recordings.latest = l, l
}

// chosen returns the recording of a choice. E_CONFLICT if another recorder took the name of
// a new recording.
func (r *Recorder) chosen(ctx context.Context, c *choice, q *request) (*recording, error) {
	if c.recording != nil {
		if err := r.reopen(ctx, c.recording); err != nil || !c.fork {
			return c.recording, err
		}
	}
	l, err := r.takeUnbegun(ctx, c, q)
	if l == nil && err == nil {
		if l, err = r.createRecording(ctx, c, q); err == nil {
			r.named(l)
		}
	}
	if err != nil {
		return nil, err
	}
	if c.aside != "" {
		l.beside = c.recording
	}
	r.recordings.add(l)
	return l, nil
}

// createRecording creates the context of a choice.
func (r *Recorder) createRecording(ctx context.Context, c *choice, q *request) (*recording, error) {
	if c.fork && c.cycle > 0 {
		l, err := c.recording.forked(ctx, r.nameOf(c), c.cycle, c.why)
		if !errors.Is(err, errors.ErrUnsupported) { // else the store cannot fork
			return l, err
		}
	}
	return newRecording(ctx, r.store, r.nameOf(c), r.recordingOptions(), r.sourced(attrsOf(q.group, c.begun)))
}
