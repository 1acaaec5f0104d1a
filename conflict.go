package pact

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
)

// Conflict is what other writers did to a context since an edit or a commit saw
// it: the call changed nothing. It is in the chain of the E_CONFLICT that the call
// returns, for errors.As. Whoever drops it gives up; Rebase tries again. What was
// done is not merged by itself.
type Conflict struct {
	// Meanwhile are the entries of the log that the call did not know of, oldest
	// first, 100 at most: what was committed or edited, by whom, and why.
	Meanwhile []store.Entry
	More      bool // whether the log has still later ones

	context *Context
	again   func(context.Context) (*Snapshot, error)
}

// maxMeanwhile is how many entries an error holds: more would be read by nobody.
const maxMeanwhile = 100

// Error says who did what, of the first few.
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

// Rebase reads the context again and makes the call again upon it: the function
// that edits runs once more and sees what is there now, with every rule checked
// anew, and the snapshot of a commit is returned. It changes nothing and returns
// E_CONFLICT where another writer was faster once more, with a new Conflict; where
// a prepared candidate was to be published, because what was sent to the model is
// not what would be committed; and where the call has no function that edits and
// another writer committed the drafts that it was to commit. The context is read
// again in any case, as Refresh does.
func (l *Conflict) Rebase(ctx context.Context) (*Snapshot, error) {
	if err := l.context.Refresh(ctx); err != nil {
		return nil, err
	}
	return l.again(ctx)
}

// lost adds to the E_CONFLICT of a change what others did since s was read. Any
// other error stays as it is.
func (c *Context) lost(ctx context.Context, s *state, err error, again func(context.Context) (*Snapshot, error)) error {
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.Conflict {
		return err
	}
	list, failed := c.store.Log(ctx, s.Key, s.Revision+1, s.Revision+maxMeanwhile+1)
	if failed != nil || len(list) == 0 { // nobody else wrote: the request is in the log already
		return err
	}
	told := *f
	told.Err = &Conflict{
		Meanwhile: list[:min(len(list), maxMeanwhile)], More: len(list) > maxMeanwhile, context: c, again: again,
	}
	return &told
}
