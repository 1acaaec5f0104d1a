package librarytest

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// A call of a provider is two steps: the edits and the start of the attempt, and its end with the
// commit and the beginning of the next cycle.
func TestACallIsTwoSteps(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	c, err := pact.Create(background, s, "steps", nil)
	must(t, err)
	var sent strings.Builder
	a, err := c.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m", Edit: say("asked"),
		Message: "a request"}, &sent, nil)
	must(t, err)
	if a.ID != "attempt:1-1" || !strings.Contains(sent.String(), "asked") ||
		c.Info().Revision != 2 {
		t.Errorf("%+v sent %s at revision %d", a, sent.String(), c.Info().Revision)
	}
	done, err := c.Commit(background, &pact.CommitOptions{
		End:  &pact.Outcome{ID: a.ID, Status: history.Completed, TokenIn: new(int64(3))},
		Next: say("answered"), NextMessage: "an answer"})
	must(t, err)
	if got := textOf(t, done.Snapshot); strings.Contains(got, "answered") || !strings.Contains(got, "asked") {
		t.Errorf("the snapshot is %s", got)
	}
	for _, c := range []*pact.Context{c, reopened(t, s, "steps")} {
		if got := textOf(t, c.Working()); !strings.Contains(got, "answered") || c.Info().Revision != 4 {
			t.Errorf("at revision %d the working state is %s", c.Info().Revision, got)
		}
	}
	wantAttemptCounts(t, s, "steps", `{"records":1,"running":0,"as_sent":1,"otherwise":[],"unanswered":0}`)
	log, err := logOf(c)
	must(t, err)
	if log[1].Message != "a request" || log[3].Message != "an answer" || log[2].Sent != sha(sent.String()) || log[2].Thread != a.Thread {
		t.Errorf("%+v", log)
	}
	if bad := verdicts(t, s); len(bad) > 0 {
		t.Errorf("%v", bad)
	}
}

func reopened(t *testing.T, s *pact.DB, name string) *pact.Context {
	t.Helper()
	c, err := pact.Open(background, s, name, nil)
	must(t, err)
	return c
}

// A step that is refused leaves nothing of itself.
func TestAStepThatIsRefusedLeavesNothing(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	c, err := pact.Create(background, s, "steps", nil)
	must(t, err)
	oops := errors.New("oops")
	fails := func(b *pact.Batch) error { return errors.Join(say("lost")(b), oops) }
	_, err = c.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m", Edit: fails}, io.Discard, nil)
	wantErr(t, "start", err, oops)
	_, err = c.StartAttempt(background, pact.ProviderCall{Provider: "p", Edit: say("lost")}, io.Discard, nil)
	wantErr(t, "without a model", err, fault.DocumentInvalid)
	a, err := c.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m", Edit: say("asked")}, io.Discard, nil)
	must(t, err)
	end := &pact.Outcome{ID: a.ID, Status: history.Completed}
	_, err = c.Commit(background, &pact.CommitOptions{End: end, Next: fails})
	wantErr(t, "next", err, oops)
	_, err = c.Commit(background, &pact.CommitOptions{End: &pact.Outcome{ID: "attempt:1-9",
		Status: history.Completed}, Next: say("lost")})
	wantErr(t, "another attempt", err, fault.AttemptNotFound)
	other := reopened(t, s, "steps")
	must(t, other.Edit(background, say("meanwhile"), nil))
	_, err = c.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m", Edit: say("lost")}, io.Discard, nil)
	wantErr(t, "after another writer", err, fault.Conflict)
	now := reopened(t, s, "steps")
	if got := textOf(t, now.Working()); strings.Contains(got, "lost") || now.Info().Revision != 3 {
		t.Errorf("at revision %d the working state is %s", now.Info().Revision, got)
	}
	wantAttemptCounts(t, s, "steps", `{"records":1,"running":1,"as_sent":0,"otherwise":[],"unanswered":0}`)
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}
