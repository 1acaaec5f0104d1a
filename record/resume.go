package record

import (
	"context"
	"errors"
	"slices"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// openRecording opens a context. It refuses a context that no recorder made, because
// its blocks do not stand where a recorder puts them.
func openRecording(ctx context.Context, s *pact.DB, name string, o pact.OpenOptions) (*recording, error) {
	c, err := pact.Open(ctx, s, name, &o)
	if err != nil {
		return nil, err
	}
	root := tree.Of(c.Working()).Root().Node()
	if root.Header(attrContext) == "" {
		return nil, fault.New(fault.Conflict, "the context "+name+" was not made by a recorder", "record under another name")
	}
	l := recordingOf(c, name)
	v, err := l.state(ctx)
	if err != nil {
		return nil, err
	}
	l.group = groupOfContext(root, v.system)
	if l.said, err = l.textsOf(ctx, v.answer); err != nil {
		return nil, err
	}
	return l, l.resume(ctx, v.system)
}

// textsOf returns the texts in blocks of the working state.
func (l *recording) textsOf(ctx context.Context, blocks []block) (texts string, err error) {
	for i := range blocks {
		if blocks[i].kind != "text" {
			continue
		}
		node, err := tree.Of(l.c.Working()).Node(blocks[i].id)
		if err != nil {
			return "", err
		}
		content, err := contentOf(ctx, node)
		if err != nil {
			return "", err
		}
		if text, ok := content.Text(); ok {
			texts += text + "\n"
		}
	}
	return texts, nil
}

// resume takes up the state that an earlier recorder left: its last answer, and the attempt that sent the working
// state and got none.
func (l *recording) resume(ctx context.Context, system []block) error {
	done := l.committed()
	attempts, err := l.c.Attempts(ctx, done, done+1)
	if err != nil {
		return err
	}
	if err := l.group.ofAttempts(attempts, system); err != nil {
		return err
	}
	if n := len(attempts); n > 0 {
		l.asked = attempts[n-1].StartedNS
		l.tried[0], l.tried[1], _, _ = history.ParseAttemptID(attempts[n-1].ID)
	}
	current := slices.IndexFunc(attempts, func(a history.Attempt) bool { return a.Cycle > done })
	if current < 0 {
		current = len(attempts)
	}
	for _, a := range slices.Backward(attempts[:current]) {
		if a.Status == history.Completed {
			about, err := aboutOf(a)
			if err != nil {
				return err
			}
			l.answeredAs(about)
			break
		}
	}
	for _, a := range attempts[current:] {
		if a.Status == history.Running {
			l.abandoned = append(l.abandoned, a)
		}
	}
	return l.resumeAttempt(ctx, attempts[current:])
}

// resumeAttempt takes up the last attempt of the current cycle, unless the working state was
// edited since.
func (l *recording) resumeAttempt(ctx context.Context, attempts []history.Attempt) error {
	if len(attempts) == 0 {
		return nil
	}
	last := len(attempts) - 1
	k, err := recordOf(attempts, last)
	if err != nil || k == nil {
		return err
	}
	from := recordsOf(l.c)
	if _, _, err = body(ctx, l.c.Working(), attempts[last], k, new(contents), from); err != nil {
		if errors.Is(err, fault.Conflict) {
			return nil
		}
		return err
	}
	own, err := decodeStored(attempts[last].Request)
	if err != nil {
		return err
	}
	frame, _, err := from.frame(ctx, k)
	if err != nil {
		return err
	}
	k.Answer, k.About, k.Frame, k.Base = nil, nil, nil, nil
	sent, err := k.json(canon.Any{}, frame)
	if err == nil {
		l.last = &attempt{recording: l, id: attempts[last].ID, same: own.Same, sent: sent}
	}
	return err
}

// errRecorderGone is why an attempt ends that a killed recorder left under way.
var errRecorderGone = errors.New("the recorder ended before the answer was over")

// endAbandoned ends the attempts that an earlier recorder left under way: the recording goes on, so no client waits for their
// answers. Nobody knows when they broke off: they end when they began, and so no time that they took is shown.
func (r *Recorder) endAbandoned(ctx context.Context, l *recording) error {
	now := r.at
	defer func() { r.at = now }()
	for _, a := range l.abandoned {
		r.at = a.StartedNS
		_, err := l.c.EndAttempt(ctx, pact.Outcome{ID: a.ID, Status: history.Failed, Err: errRecorderGone})
		if err != nil && !errors.Is(err, fault.Conflict) { // another process may have ended it
			return err
		}
	}
	l.abandoned = nil
	return nil
}
