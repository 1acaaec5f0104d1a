package librarytest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// TestAttemptsWithinACycle stops, edits and runs again within a cycle (03 §6.1).
func TestAttemptsWithinACycle(t *testing.T) {
	clock := int64(5_000_000_000)
	db := pact.NewDB(store.NewMemory())
	c := create(t, db,
		pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: func() int64 { clock++; return clock }}})
	must(t, c.Edit(background, say("one"), nil))
	wantAttemptCounts(t, db, "c", "null")
	revision := c.Info().Revision
	first, err := c.StartAttempt(background, pact.ProviderCall{Provider: "openai", Model: "gpt-5",
		Params: map[string]any{"temperature": 0.5, "a": []any{1, nil, true}, "é": "<>"}}, io.Discard, nil)
	must(t, err)
	if first.Params != sha(`{"a":[1,null,true],"temperature":0.5,"\u00e9":"<>"}`) {
		t.Errorf("the parameters have the hash %s", first.Params)
	}
	_, err = c.EndAttempt(background, pact.Outcome{ID: first.ID, Status: history.Canceled})
	must(t, err)
	must(t, c.Edit(background, say("and more"), nil))
	second, sent := start(t, c)
	if second.ID != "attempt:1-2" || second.Thread == first.Thread ||
		second.Params != sha("null") {
		t.Errorf("the second attempt is %+v", second)
	}
	ended, err := c.EndAttempt(background, pact.Outcome{ID: second.ID, Status: history.Completed, TokenIn: new(int64(12)),
		TokenOut: new(int64(0))})
	must(t, err)
	if c.Info().Revision != revision+1 {
		t.Errorf("attempts took revisions: %d", c.Info().Revision)
	}
	s, err := c.Commit(background, nil)
	must(t, err)
	if got := thread(t, c, "latest"); got != sent || s.Cycle() != 1 {
		t.Errorf("committed %s, sent %s", got, sent)
	}
	log, err := logOf(c)
	must(t, err)
	if e := log[len(log)-1]; e.Sent != sha(sent) || e.Thread != second.Thread {
		t.Errorf("the commit of %+v was sent %q", second, e.Sent)
	}
	wantAttemptCounts(t, db, "c", `{"records":2,"running":0,"as_sent":1,"otherwise":[],"unanswered":0}`)

	list, err := c.Attempts(background, 1, 1)
	must(t, err)
	if len(list) != 2 || list[0].Status != history.Canceled || list[0].TokenIn != nil ||
		list[0].EndedNS <= list[0].StartedNS {
		t.Errorf("the attempts are %+v", list)
	}
	text, err := json.Marshal(list[1])
	must(t, err)
	want := fmt.Sprintf(`{"attempt_id":"attempt:1-2","cycle_id":1,"status":"completed","started_at":"1970-01-01T00:00:%.9fZ","ended_at":"1970-01-01T00:00:%.9fZ",`+
		`"provider":"openai","model":"gpt-5","params_hash":%q,"token_in":12,"token_out":0,"thread_hash":%q}`,
		float64(ended.StartedNS)/1e9, float64(ended.EndedNS)/1e9, ended.Params, ended.Thread)
	if strings.ReplaceAll(string(text), ":05", ":5") != want {
		t.Errorf("as JSON %s, want %s", text, want)
	}
	if text, _ = json.Marshal(first); !strings.Contains(string(text), `"ended_at":null`) || !strings.Contains(string(text),
		`"token_in":null`) {
		t.Errorf("while it is running %s", text)
	}
}

// breaking is a writer that gives up in the middle.
type breaking struct {
	left int
	stop func()
}

func (b *breaking) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		b.stop()
		return 0, errors.New("the line broke\xff\x00" + strings.Repeat("é", history.MaxAttemptError))
	}
	return len(p), nil
}

// TestAttemptEndsWithItsFailedWriter ends as an error, with as much of the text as a
// record holds.
func TestAttemptEndsWithItsFailedWriter(t *testing.T) {
	for _, want := range []history.AttemptStatus{history.Failed, history.Canceled} {
		c := create(t, pact.NewDB(store.NewMemory()))
		must(t, c.Edit(background, say("one"), nil))
		ctx, cancel := context.WithCancel(background)
		defer cancel()
		stop := cancel
		if want == history.Failed {
			stop = func() {}
		}
		if a, err := c.StartAttempt(ctx, providerCall, &breaking{3, stop}, nil); a != nil || err == nil ||
			!strings.Contains(err.Error(), "the line broke") {
			t.Errorf("got %+v, %v", a, err)
		}
		list, err := c.Attempts(background, 1, 1)
		must(t, err)
		if len(list) != 1 || list[0].Status != want || !strings.HasPrefix(list[0].Error, "the line broke\uFFFD\uFFFDéé") {
			t.Fatalf("recorded %+v", list)
		}
		if n := len(list[0].Error); n > history.MaxAttemptError || n < history.MaxAttemptError-1 {
			t.Errorf("the error has %d bytes", n)
		}
		_, err = c.Commit(background, nil)
		must(t, err)
		if log, err := logOf(c); err != nil || log[2].Sent != "" {
			t.Errorf("the log says that %s was sent, %v", log[2].Sent, err)
		}
	}
}

// meddling is a writer that does something when it is first written to.
type meddling struct{ do func() }

func (m *meddling) Write(p []byte) (int, error) {
	if m.do != nil {
		m.do()
		m.do = nil
	}
	return len(p), nil
}

// TestAnAttemptThatLosesItsCandidateFails: an edit or a commit during the write takes the candidate, so that the next
// commit would not publish what was sent.
func TestAnAttemptThatLosesItsCandidateFails(t *testing.T) {
	for name, meddle := range map[string]func(c *pact.Context) error{
		"edit":   func(c *pact.Context) error { return c.Edit(background, say("meanwhile"), nil) },
		"commit": func(c *pact.Context) error { _, err := c.Commit(background, nil); return err },
	} {
		for _, edit := range []func(*pact.Batch) error{nil, say("asked")} {
			c := create(t, pact.NewDB(store.NewMemory()))
			must(t, c.Edit(background, say("one"), nil))
			call := providerCall
			call.Edit = edit
			a, err := c.StartAttempt(background, call, &meddling{func() { must(t, meddle(c)) }}, nil)
			wantErr(t, name, err, fault.Conflict)
			list, err := c.Attempts(background, 1, 1)
			must(t, err)
			if a != nil || len(list) != 1 || list[0].Status != history.Failed || !strings.Contains(list[0].Error, "candidate") {
				t.Errorf("%s: got %+v, recorded %+v", name, a, list)
			}
			_, err = c.Commit(background, nil)
			must(t, err)
		}
	}
}

// meddlingStore does something once, after a change is written.
type meddlingStore struct {
	store.Store
	do func()
}

func (m *meddlingStore) Write(ctx context.Context, b *store.Batch) error {
	err := m.Store.Write(ctx, b)
	if do := m.do; do != nil {
		m.do = nil
		do()
	}
	return err
}

// A call whose thread is written nowhere loses its candidate too.
func TestACallThatWritesNothingLosesItsCandidate(t *testing.T) {
	medium := &meddlingStore{Store: store.NewMemory()}
	c := create(t, pact.NewDB(medium))
	must(t, c.Edit(background, say("one"), nil))
	_, err := c.Prepare(background, nil)
	must(t, err)
	medium.do = func() { must(t, c.Edit(background, say("meanwhile"), nil)) }
	a, err := c.StartAttempt(background, providerCall, io.Discard, nil)
	wantErr(t, "an edit as the start was recorded", err, fault.Conflict)
	list, err := c.Attempts(background, 1, 1)
	must(t, err)
	if a != nil || len(list) != 1 || list[0].Status != history.Failed {
		t.Errorf("got %+v, recorded %+v", a, list)
	}
}

// TestAttemptsAndTheClock: with a clock that stands still, attempts change
// nothing in the snapshot; with any clock the same calls give the same bytes;
// and a clock that goes back ends no attempt before its start.
func TestAttemptsAndTheClock(t *testing.T) {
	export := func(clock func() int64, attempts bool) string {
		c := create(t, pact.NewDB(store.NewMemory()), pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: clock}})
		for _, text := range []string{"x", "y"} {
			must(t, c.Edit(background, say(text), nil))
			if attempts {
				a, _ := start(t, c)
				_, err := c.EndAttempt(background, pact.Outcome{ID: a.ID, Status: history.Completed})
				must(t, err)
			}
		}
		s, err := c.Commit(background, nil)
		must(t, err)
		var out bytes.Buffer
		must(t, s.Export(background, &out))
		return out.String()
	}
	still := func() int64 { return 7 }
	if export(still, true) != export(still, false) {
		t.Error("attempts changed the snapshot")
	}
	if first, again := export(steps(), true), export(steps(), true); first != again {
		t.Error("the same calls gave another snapshot")
	}
	now := int64(1000)
	c := create(t, pact.NewDB(store.NewMemory()),
		pact.CreateOptions{OpenOptions: pact.OpenOptions{Clock: func() int64 { now--; return now }}})
	a, _ := start(t, c)
	ended, err := c.EndAttempt(background, pact.Outcome{ID: a.ID, Status: history.Completed})
	must(t, err)
	if a.StartedNS >= 1000 || ended.EndedNS != a.StartedNS {
		t.Errorf("from %d to %d", a.StartedNS, ended.EndedNS)
	}
}

// TestAttemptsBesideEdits starts and ends attempts while others edit: the
// clock, which counts without a lock, is read by one at a time.
func TestAttemptsBesideEdits(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	c := create(t, db)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 20 {
				a, err := c.StartAttempt(background, providerCall, io.Discard, nil)
				if fault.CodeOf(err) == fault.Conflict { // the candidate was edited away
					continue
				}
				if err == nil {
					_, err = c.EndAttempt(background, pact.Outcome{ID: a.ID, Status: history.Completed})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
		group.Go(func() {
			for range 20 {
				if err := c.Edit(background, say("x"), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if j := attemptCounts(t, db, "c"); j == nil || j.Running != 0 || j.Records == 0 {
		t.Errorf("verify says %+v", j)
	}
}
