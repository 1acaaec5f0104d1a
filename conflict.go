package pact

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
)

// Conflict says what other writers did to a context since an edit or a commit last saw it.
// That call changed nothing. [errors.As] finds the Conflict in the E_CONFLICT that the call
// returns. Call Rebase to repeat the call on what is there now, or drop it. Nothing is
// merged automatically.
type Conflict struct {
	// Meanwhile are the log entries that the call did not know, oldest first, at most 100:
	// the edits and commits, who made them and why.
	Meanwhile []history.Entry
	More      bool // whether the log has later entries than these

	context *Context
	again   func(context.Context) (*Sealed, error)
}

// maxMeanwhile bounds the entries in an error: a person reads no more.
const maxMeanwhile = 100

// Error says what the first few of the other writers did.
func (l *Conflict) Error() string {
	const named = 3
	var list []string
	for _, e := range l.Meanwhile[:min(named, len(l.Meanwhile))] {
		text := "revision " + strconv.FormatInt(e.Revision, 10) + ", " + string(e.Kind) + " of cycle " +
			strconv.FormatInt(e.Cycle, 10)
		if e.Actor != "" {
			text += " by " + e.Actor
		}
		if e.Message != "" {
			text += ": " + strconv.Quote(e.Message)
		}
		list = append(list, text)
	}
	if l.More || len(l.Meanwhile) > named {
		list = append(list, "and more")
	}
	return "meanwhile " + strings.Join(list, "; ")
}

// Rebase reads the context again, as [Context.Refresh] does, and repeats the call: the
// function that edits runs once more and sees what is there now, and every rule is checked
// again. It returns the snapshot if the call was a commit, nil if it was an edit.
//
// It changes nothing and returns E_CONFLICT in three cases: another writer was faster again
// (with a new Conflict); the call was to publish a prepared candidate, because the thread
// that was sent is not the one that would be committed now; or the call was a commit
// without a function that edits, and another writer has committed its drafts.
func (l *Conflict) Rebase(ctx context.Context) (_ *Sealed, err error) {
	if err := l.context.Refresh(ctx); err != nil {
		return nil, err
	}
	return l.again(ctx)
}

// lost adds to the E_CONFLICT of a change what others did since s was read. It returns
// any other error as it is.
func (c *Context) lost(ctx context.Context, s *state, err error, again func(context.Context) (*Sealed, error)) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.Conflict {
		return err
	}
	list, failed := c.store.Log(ctx, s.Key, s.Revision+1, s.Revision+maxMeanwhile+1)
	if failed != nil || len(list) == 0 { // no other writer was here: the request is in the log already
		return err
	}
	told := *f
	told.Err = &Conflict{
		Meanwhile: list[:min(len(list), maxMeanwhile)], More: len(list) > maxMeanwhile, context: c, again: again,
	}
	return &told
}
