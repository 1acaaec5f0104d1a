package enginetest

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/engine"
)

// call is a new attempt in a cycle.
func call(cycle int64) history.Attempt {
	return history.Attempt{Cycle: cycle, Status: history.Running, StartedNS: 1000, Provider: "provider", Model: "model",
		Params: strings.Repeat("0a", 32), Thread: strings.Repeat("b0", 32)}
}

// start records an attempt in the current cycle.
func (d *driver) start(a history.Attempt) history.Attempt {
	d.Helper()
	kept, err := d.store.PutAttempt(background, d.state.Key, a)
	must(d.T, err)
	number := int64(1)
	for _, other := range d.attempts {
		if other.Cycle == a.Cycle {
			number++
		}
	}
	a.ID = history.AttemptID(a.Cycle, number, d.state.Fork)
	sameAttempt(d.T, a, kept)
	d.attempts = append(d.attempts, &a)
	return kept
}

// end ends an attempt.
func (d *driver) end(as history.Attempt) history.Attempt {
	d.Helper()
	kept, err := d.store.PutAttempt(background, d.state.Key, as)
	must(d.T, err)
	for _, a := range d.attempts {
		if a.ID == as.ID {
			a.Status, a.EndedNS, a.TokenIn, a.TokenOut, a.Error = as.Status, max(as.EndedNS, a.StartedNS), as.TokenIn,
				as.TokenOut, as.Error
			if as.Request != "" {
				a.Request = as.Request
			}
			sameAttempt(d.T, *a, kept)
		}
	}
	return kept
}

func (d *driver) compareAttempts() {
	d.Helper()
	list, err := d.store.Attempts(background, d.state.Key, math.MinInt64, math.MaxInt64)
	must(d.T, err)
	if len(list) != len(d.attempts) {
		d.Fatalf("%s has %d attempts, want %d", d.state.Name, len(list), len(d.attempts))
	}
	for i := range list {
		sameAttempt(d.T, *d.attempts[i], list[i])
	}
}

func sameAttempt(t *testing.T, want, got history.Attempt) {
	t.Helper()
	if attemptText(t, want) != attemptText(t, got) || want.Request != got.Request ||
		want.StartedNS != got.StartedNS || want.EndedNS != got.EndedNS {
		t.Errorf("got the attempt %s, want %s", attemptText(t, got), attemptText(t, want))
	}
}

func attemptText(t *testing.T, a history.Attempt) string {
	t.Helper()
	text, err := json.Marshal(a)
	must(t, err)
	return string(text)
}

func tokens(n int64) *int64 { return &n }

func testAttempts(t *testing.T, s Suite) {
	d := drive(t, s, "attempts")
	before := d.state.Info
	first := d.start(call(1))
	second := call(1)
	second.Provider, second.Model, second.StartedNS = "п", "m\n🙂", -5
	second.Request = "\x00\xff what was sent"
	second = d.start(second)
	if first.ID != "attempt:1-1" || second.ID != "attempt:1-2" {
		t.Errorf("the ids are %s and %s", first.ID, second.ID)
	}
	d.check()
	// An end changes status, end, tokens and error, and may replace the request; the rest
	// stays.
	end := call(7)
	end.ID, end.Status, end.EndedNS, end.Error = second.ID, history.Failed, -9, "не\nвышло"
	end.Provider, end.Params = "another", "no digest"
	if kept := d.end(end); kept.Provider != "п" || kept.EndedNS != -5 || kept.Cycle != 1 || kept.Params != second.Params {
		t.Errorf("ended as %+v", kept)
	}
	d.check()
	d.end(history.Attempt{ID: first.ID, Status: history.Completed, EndedNS: 2000, TokenIn: tokens(history.MaxTokens),
		TokenOut: tokens(0)})
	if loaded, err := d.store.Load(background, d.state.Key); err != nil || loaded.Info != before {
		t.Errorf("attempts changed the context: %+v, %v", loaded, err)
	}
	d.talk("one")
	third := call(2)
	third.Request = "what was sent"
	third = d.start(third)
	d.talk("two", "three")
	d.start(call(4))
	d.check()
	// The end comes after the commit of the cycle.
	d.end(history.Attempt{ID: third.ID, Status: history.Canceled, EndedNS: 5000, Request: "what was sent\x00and came"})
	d.check()
	for _, c := range []struct {
		from, to int64
		want     string
	}{{1, 1, "attempt:1-1 attempt:1-2"}, {2, 4, "attempt:2-1 attempt:4-1"}, {3, 3, ""}, {4, 1, ""},
		{-9, 9, "attempt:1-1 attempt:1-2 attempt:2-1 attempt:4-1"}} {
		list, err := d.store.Attempts(background, d.state.Key, c.from, c.to)
		must(t, err)
		var ids []string
		for _, a := range list {
			ids = append(ids, a.ID)
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("cycles %d to %d have the attempts %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

func testAttemptsRefused(t *testing.T, s Suite) {
	d := driveFrom(t, s, "refused", imported(t, -4)) // its next cycle is -3
	put := func(a history.Attempt) error {
		_, err := d.store.PutAttempt(background, d.state.Key, a)
		return err
	}
	for _, c := range []struct {
		code   fault.Code
		change func(*history.Attempt)
	}{
		{fault.Conflict, func(a *history.Attempt) { a.Cycle = -4 }},
		{fault.Conflict, func(a *history.Attempt) { a.Cycle = -2 }},
		{fault.DocumentInvalid, func(a *history.Attempt) { a.Status = "" }},
		{fault.DocumentInvalid, func(a *history.Attempt) { a.Status = "done" }},
		{fault.DocumentInvalid, func(a *history.Attempt) { a.Status = history.Completed }},
		{fault.DocumentInvalid, func(a *history.Attempt) { a.Provider = "" }},
		{fault.DocumentInvalid, func(a *history.Attempt) { a.Provider = "\xff" }},
		{fault.DocumentInvalid, func(a *history.Attempt) { a.Model = "" }},
		{fault.DocumentInvalid, func(a *history.Attempt) { a.Model = "a\x00b" }},
		{fault.DocumentInvalid, func(a *history.Attempt) { a.Error = "\xed\xa0\x80" }},
		{fault.DocumentInvalid, func(a *history.Attempt) { a.TokenIn = tokens(-1) }},
		{fault.DocumentInvalid, func(a *history.Attempt) { a.TokenOut = tokens(history.MaxTokens + 1) }},
		{fault.DocumentInvalid, func(a *history.Attempt) { a.TokenOut = tokens(math.MinInt64) }},
		{fault.DocumentInvalid, func(a *history.Attempt) { a.Params = "" }},
		{fault.DocumentInvalid, func(a *history.Attempt) { a.Thread = a.Thread[2:] }},
		{fault.Limit, func(a *history.Attempt) { a.Model = strings.Repeat("m", history.MaxProvider+1) }},
		{fault.Limit, func(a *history.Attempt) { a.Provider = strings.Repeat("m", history.MaxProvider+1) }},
		{fault.Limit, func(a *history.Attempt) { a.Error = strings.Repeat("e", history.MaxAttemptError+1) }},
	} {
		a := call(-3)
		c.change(&a)
		wantCode(t, put(a), c.code)
	}
	d.compareAttempts()
	at := d.start(call(-3))
	if at.ID != "attempt:-3-1" {
		t.Errorf("the id is %s", at.ID)
	}
	for _, id := range []string{"attempt:-3-2", "attempt:-3-1-f1", "attempt:-3-01", "attempt:-3-0", "attempt:3-1",
		"attempt:", "x", "attempt:99999999999999999999-1"} {
		wantCode(t, put(history.Attempt{ID: id, Status: history.Completed}), fault.AttemptNotFound)
	}
	wantCode(t, put(history.Attempt{ID: at.ID, Status: history.Running}), fault.DocumentInvalid)
	wantCode(t, put(history.Attempt{ID: at.ID, Status: history.Failed, Error: "\xff"}), fault.DocumentInvalid)
	wantCode(t, put(history.Attempt{ID: at.ID, Status: history.Failed, TokenIn: tokens(-7)}), fault.DocumentInvalid)
	d.check()
	d.end(history.Attempt{ID: at.ID, Status: history.Failed, Error: strings.Repeat("e", history.MaxAttemptError)})
	wantCode(t, put(history.Attempt{ID: at.ID, Status: history.Completed}), fault.Conflict)
	wantCode(t, put(history.Attempt{ID: at.ID, Status: history.Failed}), fault.Conflict)
	d.check()
}

// testAttemptsOfForks checks that forks share the attempts of shared cycles, whoever ends them,
// and no others.
func testAttemptsOfForks(t *testing.T, s Suite) {
	a := drive(t, s, "a")
	a.start(call(1))
	a.talk("one")
	open := a.start(call(2))
	a.talk("two")
	a.start(call(3)) // in a cycle that a fork at 2 has for itself
	b := a.fork(2, "b")
	if id := b.start(call(3)).ID; id != "attempt:3-1-f1" {
		t.Errorf("the id in the fork is %s", id)
	}
	a.start(call(3))
	b.talk("three of b")
	b.start(call(4))
	c := b.fork(3, "c")
	c.start(call(4))
	for _, d := range []*driver{a, c} {
		_, err := d.store.PutAttempt(background, d.state.Key, history.Attempt{ID: "attempt:4-1-f1", Status: history.Completed})
		wantCode(t, err, fault.AttemptNotFound)
	}
	_, err := b.store.PutAttempt(background, b.state.Key, call(2)) // cycle 2 is over in every context
	wantCode(t, err, fault.Conflict)
	_, err = b.store.PutAttempt(background, b.state.Key, history.Attempt{ID: "attempt:3-1", Status: history.Completed})
	wantCode(t, err, fault.AttemptNotFound)
	checkAll(a, b, c)
	c.end(history.Attempt{ID: open.ID, Status: history.Canceled, EndedNS: 3000, Error: "ended through the fork of a fork"})
	checkAll(b, a, c)
}

// testAttemptsOfHistories makes a context of a history with attempts, and goes on.
func testAttemptsOfHistories(t *testing.T, s Suite) {
	d := drive(t, s, "as made")
	in, request := int64(7), "kept of the request"
	failed, running := call(1), call(1)
	failed.ID, failed.Status, failed.EndedNS, failed.TokenIn, failed.Error, failed.Request = "attempt:1-1", history.Failed,
		2000, &in, "no", request
	running.ID = "attempt:1-2"
	g := engine.Creation{Name: "history", Edition: "canonical", Tree: d.state.Head, Stamps: d.state.Stamps,
		Attempts: func() []history.Attempt { return []history.Attempt{failed, running} }}
	info, err := d.store.Create(background, g)
	must(t, err)
	d.state.Key, d.state.Name = info.Key, info.Name
	d.attempts = []*history.Attempt{&failed, &running}
	d.check()
	d.end(history.Attempt{ID: running.ID, Status: history.Completed, EndedNS: 3000})
	if id := d.start(call(1)).ID; id != "attempt:1-3" {
		t.Errorf("the next attempt is %s", id)
	}
	d.talk("one")
	d.start(call(2))
	d.check()
}

// testAttemptsOfTheDeleted deletes an origin: the attempts that forks share stay and can still
// be ended, the others are gone.
func testAttemptsOfTheDeleted(t *testing.T, s Suite) {
	a := drive(t, s, "a")
	open := a.start(call(1))
	a.talk("one", "two")
	a.start(call(3))
	b := a.fork(1, "b")
	c := a.fork(2, "c")
	b.start(call(2))
	must(t, a.beside().Delete(background, a.state.Key))
	_, err := a.store.PutAttempt(background, a.state.Key, call(3))
	wantCode(t, err, fault.ContextNotFound)
	_, err = a.store.PutAttempt(background, a.state.Key, history.Attempt{ID: open.ID, Status: history.Completed})
	wantCode(t, err, fault.ContextNotFound)
	_, err = a.store.Attempts(background, a.state.Key, 2, 3)
	wantCode(t, err, fault.ContextNotFound)
	checkAll(b, c)
	b.end(history.Attempt{ID: open.ID, Status: history.Completed, EndedNS: 2000})
	checkAll(c, b)
	must(t, c.store.Delete(background, c.state.Key))
	checkAll(b)
}

// testAttemptsAtOnce starts attempts from many goroutines, and ends each from two.
func testAttemptsAtOnce(t *testing.T, s Suite) {
	d := drive(t, s, "at once")
	const sides, each = 4, 8
	var mu sync.Mutex
	var ids []string
	var group sync.WaitGroup
	for range sides {
		group.Go(func() {
			for range each {
				a, err := d.store.PutAttempt(background, d.state.Key, call(1))
				if err != nil {
					t.Error(err)
					return
				}
				ended := make(chan error)
				for range 2 {
					go func() {
						_, err := d.store.PutAttempt(background, d.state.Key, history.Attempt{ID: a.ID, Status: history.Completed})
						ended <- err
					}()
				}
				if one, two := <-ended, <-ended; (one == nil) == (two == nil) {
					t.Errorf("%s was ended by two: %v, %v", a.ID, one, two)
				}
				mu.Lock()
				ids = append(ids, a.ID)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	list, err := d.store.Attempts(background, d.state.Key, 1, 1)
	must(t, err)
	if slices.Sort(ids); len(slices.Compact(ids)) != sides*each || len(list) != sides*each {
		t.Errorf("%d ids for %d attempts", len(ids), len(list))
	}
	for i, a := range list {
		if a.ID != history.AttemptID(1, int64(i)+1, 0) || a.Status != history.Completed {
			t.Errorf("attempt %d is %+v", i+1, a)
		}
	}
	sound(d)
}

// call starts an attempt or ends one, at random.
func (r *genHistory) call() {
	r.Helper()
	var open []*history.Attempt
	for _, a := range r.attempts {
		if a.Status == history.Running {
			open = append(open, a)
		}
	}
	if len(open) == 0 || r.IntN(2) == 0 {
		a := call(r.state.Stamps.Cycle)
		a.StartedNS, a.Model = r.Int64N(1000), strings.Repeat("m", 1+r.IntN(20))
		r.start(a)
		return
	}
	as := history.Attempt{ID: open[r.IntN(len(open))].ID, EndedNS: r.Int64N(2000)}
	as.Status = []history.AttemptStatus{history.Completed, history.Canceled, history.Failed}[r.IntN(3)]
	if r.IntN(2) == 0 {
		as.TokenIn, as.TokenOut = tokens(r.Int64N(9)), tokens(r.Int64N(history.MaxTokens))
	} else {
		as.Error = "said"
	}
	r.end(as)
}
