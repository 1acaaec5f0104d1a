package librarytest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/sqlite"
	"pgregory.net/rapid"
)

// TestAttemptsAgreeWithModel makes random edits, attempts, commits, forks and
// undos, and compares every line with what was written down of it.
func TestAttemptsAgreeWithModel(t *testing.T) {
	testrun.OneGoroutine(t)
	memory := func() *pact.DB { return pact.NewDB(store.NewMemory()) }
	dir, files := t.TempDir(), 0
	onDisk := func() *pact.DB {
		files++
		s, err := dbtest.Open(sqlite.Open(background, filepath.Join(dir, fmt.Sprint(files))))
		must(t, err)
		return s
	}
	for name, open := range map[string]func() *pact.DB{"memory": memory, "sqlite": onDisk} {
		t.Run(name, func(t *testing.T) {
			seen := inspect.AttemptCounts{}
			rapid.Check(t, func(r *rapid.T) {
				s := open()
				defer s.Close()
				lines := []*modelAttempts{{context: create(t, s)}}
				forks := 0
				for range rapid.IntRange(5, 30).Draw(r, "steps") {
					d := rapid.SampledFrom(lines).Draw(r, "line")
					switch rapid.SampledFrom([]string{"edit", "edit", "start", "start", "end", "end", "commit", "commit", "fork",
						"undo"}).Draw(r, "what") {
					case "edit":
						d.edit(t, r)
					case "start":
						d.start(t)
					case "end":
						d.end(t, r)
					case "commit":
						snapshot, err := d.context.Commit(background, nil)
						must(t, err)
						var text bytes.Buffer
						must(t, snapshot.WriteThread(background, &text))
						d.published, d.drafts = append(slices.Clip(d.published), text.String()), nil
					case "fork":
						if n := rapid.IntRange(0, len(d.published)).Draw(r, "at"); n > 0 {
							forks++
							f, err := d.context.Fork(background, pact.Cycle(int64(n)), fmt.Sprint("fork", forks), nil)
							must(t, err)
							lines = append(lines, d.forkedAt(n, f, forks))
						}
					case "undo":
						if n := len(d.published); n > 1 {
							forks++
							undone, err := d.context.Undo(background, nil)
							must(t, err)
							old, err := pact.Open(background, s, undone, nil)
							must(t, err)
							lines = append(lines, d.forkedAt(n-1, d.context, forks))
							d.context = old
						}
					}
				}
				for _, d := range lines {
					j := d.check(t)
					seen.Matching += j.Matching
					seen.Differing = append(seen.Differing, j.Differing...)
					seen.Incomplete += j.Incomplete
				}
			})
			if !testing.Short() && (seen.Matching == 0 || len(seen.Differing) == 0 || seen.Incomplete == 0) {
				t.Errorf("not everything happened: %+v", seen)
			}
		})
	}
}

// forkedAt returns the attempts that a fork at a cycle shares.
func (d *modelAttempts) forkedAt(n int, f *pact.Context, number int) *modelAttempts {
	shared := &modelAttempts{context: f, suffix: fmt.Sprint("-f", number), published: d.published[:n:n]}
	for _, a := range d.calls {
		if a.cycle <= int64(n) {
			shared.calls = append(shared.calls, a)
		}
	}
	return shared
}

// edit adds a draft of one of two texts, or takes one back.
func (d *modelAttempts) edit(t testing.TB, r *rapid.T) {
	must(t, d.context.Edit(background, func(b *pact.Batch) error {
		if len(d.drafts) > 0 && rapid.Bool().Draw(r, "back") {
			id := d.drafts[len(d.drafts)-1]
			d.drafts = d.drafts[:len(d.drafts)-1]
			b.Remove(id)
			return nil
		}
		id := b.Add("^ah", pact.Spec{Content: rapid.SampledFrom([]string{"a", "b"}).Draw(r, "text")})
		err := b.Err()
		d.drafts = append(d.drafts, id)
		return err
	}, nil))
}

func (d *modelAttempts) start(t testing.TB) {
	a, text := start(t, d.context)
	n := 1
	for _, other := range d.calls {
		if other.cycle == d.cycle() {
			n++
		}
	}
	if want := fmt.Sprintf("attempt:%d-%d%s", d.cycle(), n, d.suffix); a.ID != want {
		t.Fatalf("the id is %s, want %s", a.ID, want)
	}
	d.calls = append(d.calls, &modelAttempt{a.ID, d.cycle(), text, history.Running})
}

func (d *modelAttempts) end(t testing.TB, r *rapid.T) {
	if len(d.calls) == 0 {
		return
	}
	a := rapid.SampledFrom(d.calls).Draw(r, "attempt")
	status := rapid.SampledFrom([]history.AttemptStatus{history.Completed, history.Completed, history.Canceled,
		history.Failed}).Draw(r, "status")
	_, err := d.context.EndAttempt(background, a.id, pact.Outcome{Status: status})
	if a.status != history.Running {
		if fault.CodeOf(err) != fault.Conflict {
			t.Fatalf("%s was ended twice: %v", a.id, err)
		}
		return
	}
	must(t, err)
	a.status = status
}

func (d *modelAttempts) check(t testing.TB) inspect.AttemptCounts {
	list, err := d.context.Attempts(background, 1, d.cycle())
	must(t, err)
	if len(list) != len(d.calls) {
		t.Fatalf("%d attempts, want %d", len(list), len(d.calls))
	}
	for i, a := range list {
		if want := d.calls[i]; a.ID != want.id || a.Cycle != want.cycle || a.Status != want.status ||
			a.Thread != sha(want.text) {
			t.Fatalf("attempt %d is %+v, want %+v", i, a, want)
		}
	}
	want, got := d.counts(), attemptCounts(t, d.context)
	if got == nil {
		got = &inspect.AttemptCounts{Differing: []int64{}}
	}
	if fmt.Sprint(want) != fmt.Sprint(*got) {
		t.Fatalf("verify says %+v, want %+v", *got, want)
	}
	return want
}

// A backup has the attempts of committed cycles and those of the cycle under way.
func TestABackupCarriesAttempts(t *testing.T) {
	c := create(t, pact.NewDB(store.NewMemory()))
	request, err := history.PackRequest(`{"frame":[1]}`)
	must(t, err)
	in, call := int64(12), pact.ProviderCall{Provider: "p", Model: "m", Request: request}
	for _, o := range []pact.Outcome{{Status: history.Failed, Err: io.ErrUnexpectedEOF}, {Status: history.Completed, TokenIn: &in}} {
		a, err := c.StartAttempt(background, call, io.Discard, nil)
		must(t, err)
		_, err = c.EndAttempt(background, a.ID, o)
		must(t, err)
	}
	_, err = c.Commit(background, nil)
	must(t, err)
	_, err = c.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m"}, io.Discard, nil)
	must(t, err)
	var backup bytes.Buffer
	must(t, c.Export(background, &backup))
	again, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "again", bytes.NewReader(backup.Bytes()), nil)
	must(t, err)
	want, err := c.Attempts(background, math.MinInt64, math.MaxInt64)
	must(t, err)
	got, err := again.Attempts(background, math.MinInt64, math.MaxInt64)
	must(t, err)
	if len(got) != 3 || !reflect.DeepEqual(want, got) {
		t.Errorf("%+v came back as %+v", want, got)
	}
	r, err := pact.Replay(background, bytes.NewReader(backup.Bytes()), nil)
	must(t, err)
	if !r.Same {
		t.Errorf("%+v", r.Difference)
	}
	for what, change := range map[string][2]string{
		"a number left out":     {`"number":2`, `"number":3`},
		"an unknown status":     {`"status":"error"`, `"status":"odd"`},
		"a hash that is none":   {`"params":"7`, `"params":"x`},
		"a request in no code":  {`"request":"`, `"request":"!`},
		"a request not packed":  {`"request":"`, `"request":"AAAA`},
		"fewer than no tokens":  {`"token_in":12`, `"token_in":-12`},
		"attempts that are one": {`"attempts":[`, `"attempts":"a","old":[`},
	} {
		text := strings.Replace(backup.String(), change[0], change[1], 1)
		if text == backup.String() {
			t.Fatalf("%s: the backup has no %s", what, change[0])
		}
		_, _, err := pact.ImportHistory(background, pact.NewDB(store.NewMemory()), "again", strings.NewReader(text), nil)
		if fault.CodeOf(err) != fault.DocumentInvalid {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A call of a provider is two steps: the edits and the start of the attempt, and its end with the
// commit and the beginning of the next cycle.
func TestACallIsTwoSteps(t *testing.T) {
	for name, s := range stores(t) {
		c, err := pact.Create(background, s, "steps", nil)
		must(t, err)
		var sent strings.Builder
		a, err := c.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m", Edit: say("asked"),
			Message: "a request"}, &sent, nil)
		must(t, err)
		if a.ID != "attempt:1-1" || a.Thread != sha(sent.String()) || !strings.Contains(sent.String(), "asked") ||
			c.Revision() != 2 {
			t.Errorf("%s: %+v sent %s at revision %d", name, a, sent.String(), c.Revision())
		}
		done, err := c.Commit(background, &pact.CommitOptions{
			End:  &pact.AttemptEnd{ID: a.ID, Outcome: pact.Outcome{Status: history.Completed, TokenIn: new(int64(3))}},
			Next: say("answered"), NextMessage: "an answer"})
		must(t, err)
		if got := textOf(t, done.Snapshot); strings.Contains(got, "answered") || !strings.Contains(got, "asked") {
			t.Errorf("%s: the snapshot is %s", name, got)
		}
		for _, c := range []*pact.Context{c, reopened(t, s, "steps")} {
			if got := textOf(t, c.Working()); !strings.Contains(got, "answered") || c.Revision() != 4 {
				t.Errorf("%s: at revision %d the working state is %s", name, c.Revision(), got)
			}
		}
		wantAttemptCounts(t, c, `{"records":1,"running":0,"as_sent":1,"otherwise":[],"unanswered":0}`)
		log, err := logOf(c)
		must(t, err)
		if log[1].Message != "a request" || log[3].Message != "an answer" || log[2].Sent != a.Thread {
			t.Errorf("%s: %+v", name, log)
		}
		if bad := verdicts(t, s); len(bad) > 0 {
			t.Errorf("%s: %v", name, bad)
		}
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
	for name, s := range stores(t) {
		c, err := pact.Create(background, s, "steps", nil)
		must(t, err)
		oops := errors.New("oops")
		fails := func(b *pact.Batch) error { return errors.Join(say("lost")(b), oops) }
		_, err = c.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m", Edit: fails}, io.Discard, nil)
		wantErr(t, name+" start", err, oops)
		_, err = c.StartAttempt(background, pact.ProviderCall{Provider: "p", Edit: say("lost")}, io.Discard, nil)
		wantErr(t, name+" without a model", err, fault.DocumentInvalid)
		a, err := c.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m", Edit: say("asked")}, io.Discard, nil)
		must(t, err)
		end := &pact.AttemptEnd{ID: a.ID, Outcome: pact.Outcome{Status: history.Completed}}
		_, err = c.Commit(background, &pact.CommitOptions{End: end, Next: fails})
		wantErr(t, name+" next", err, oops)
		_, err = c.Commit(background, &pact.CommitOptions{End: &pact.AttemptEnd{ID: "attempt:1-9",
			Outcome: end.Outcome}, Next: say("lost")})
		wantErr(t, name+" another attempt", err, fault.AttemptNotFound)
		other := reopened(t, s, "steps")
		must(t, other.Edit(background, say("meanwhile"), nil))
		_, err = c.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m", Edit: say("lost")}, io.Discard, nil)
		wantErr(t, name+" after another writer", err, fault.Conflict)
		now := reopened(t, s, "steps")
		if got := textOf(t, now.Working()); strings.Contains(got, "lost") || now.Revision() != 3 {
			t.Errorf("%s: at revision %d the working state is %s", name, now.Revision(), got)
		}
		wantAttemptCounts(t, now, `{"records":1,"running":1,"as_sent":0,"otherwise":[],"unanswered":0}`)
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}
