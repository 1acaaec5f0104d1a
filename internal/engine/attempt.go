package engine

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// PutAttempt implements [Contexts].
func (e *Engine) PutAttempt(ctx context.Context, key history.Key, a history.Attempt) (kept history.Attempt, err error) {
	if err := CheckAttempt(&a); err != nil {
		return history.Attempt{}, err
	}
	err = e.write(ctx, func(b *store.Batch) error {
		l, err := e.branch(ctx, key)
		if err != nil {
			return err
		}
		if a.ID != "" {
			kept, err = e.endAttempt(ctx, b, l, a)
			return err
		}
		if err := e.requireUnjoined(ctx, b, l); err != nil {
			return err
		}
		kept, err = e.startAttempt(ctx, b, l, a, l.last.stamps.Cycle, 0)
		return err
	})
	if err != nil {
		return history.Attempt{}, err
	}
	return kept, nil
}

// attemptsOf puts the attempts of changes into a batch, and returns them as they are stored, in the
// places of the changes.
func (e *Engine) attemptsOf(ctx context.Context, b *store.Batch, l *branch, changes []Change) ([]history.Attempt, error) {
	var list []history.Attempt
	started, ended := make(map[int64]int64), make(map[string]bool)
	for i, c := range changes {
		if c.Attempt == nil {
			continue
		}
		if list == nil {
			list = make([]history.Attempt, len(changes))
		}
		a := *c.Attempt
		err := CheckAttempt(&a)
		switch {
		case err != nil:
		case a.ID == "":
			a, err = e.startAttempt(ctx, b, l, a, c.Stamps.Cycle, started[a.Cycle])
			started[a.Cycle]++
		case ended[a.ID]:
			err = attemptEnded(a)
		default:
			ended[a.ID] = true
			a, err = e.endAttempt(ctx, b, l, a)
		}
		if err != nil {
			return nil, err
		}
		list[i] = a
	}
	return list, nil
}

// startAttempt adds a new attempt under the next number of the current cycle. The batch has so many
// of the cycle already.
func (e *Engine) startAttempt(ctx context.Context, b *store.Batch, l *branch, a history.Attempt, current, before int64) (
	history.Attempt, error) {
	if a.Cycle != current {
		return a, cycleOver(a.Cycle, current)
	}
	number, err := nextAttempt(ctx, e.store, l, a.Cycle)
	if err != nil {
		return a, err
	}
	number += before
	a.ID = history.AttemptID(a.Cycle, number, l.fork)
	requireValue(b, in(l.key, aboutKey), l.raw)
	requireValue(b, in(l.key, attemptKey(a.Cycle, number)), nil)
	return copyOf(a), putAttempt(b, l, a)
}

// nextAttempt returns the number that the next attempt of a cycle gets.
func nextAttempt(ctx context.Context, r store.Reader, l *branch, cycle int64) (int64, error) {
	span := store.Span{Space: store.Space(l.key), From: attemptKey(cycle, 0), To: attemptKey(cycle, math.MaxInt64)}
	for p, err := range r.Range(ctx, span, store.Descending) {
		if err != nil {
			return 0, err
		}
		n, err := number(p.Name[len(p.Name)-8:])
		return n + 1, err
	}
	return 1, nil
}

// endAttempt ends an attempt of the branch or of one that it goes back to.
func (e *Engine) endAttempt(ctx context.Context, b *store.Batch, l *branch, as history.Attempt) (history.Attempt, error) {
	cycle, number, _, ok := history.ParseAttemptID(as.ID)
	if !ok {
		return as, NoAttempt(as.ID)
	}
	of := l.publisher(cycle)
	k := in(of.key, attemptKey(cycle, number))
	row, err := e.store.Get(ctx, k)
	if err != nil {
		return as, err
	}
	if row == nil {
		joined, err := e.joinedAttempts(ctx, e.store, of, cycle, cycle)
		if i := slices.IndexFunc(joined, func(a history.Attempt) bool { return a.ID == as.ID }); i >= 0 {
			return as, attemptEnded(joined[i])
		}
		return as, cmp.Or(err, NoAttempt(as.ID))
	}
	a, err := attemptAt(of, store.Pair{Key: k, Value: row})
	switch {
	case err != nil:
		return as, err
	case a.ID != as.ID:
		return as, NoAttempt(as.ID)
	case a.Status != history.Running:
		return as, attemptEnded(a)
	}
	EndAttempt(&a, as)
	requireValue(b, in(l.key, aboutKey), l.raw)
	b.Expect = append(b.Expect, store.Expectation{Key: k, State: store.Equal, Value: row})
	return copyOf(a), putAttempt(b, of, a)
}

// Attempts implements [Contexts].
func (e *Engine) Attempts(ctx context.Context, key history.Key, from, to int64) (list []history.Attempt, err error) {
	err = e.retryRewritten(ctx, key, func(l *branch) error {
		list, err = e.attempts(ctx, l, from, to)
		return err
	})
	return list, err
}

func (e *Engine) attempts(ctx context.Context, l *branch, from, to int64) (list []history.Attempt, err error) {
	if l.up != nil {
		if list, err = e.attempts(ctx, l.up, from, min(to, l.origin.Cycle)); err != nil {
			return nil, err
		}
	}
	own, err := e.ownAttempts(ctx, e.store, l, from, to)
	return append(list, own...), err
}

// ownAttempts reads the attempts of some cycles that a branch does not share.
func (e *Engine) ownAttempts(ctx context.Context, r store.Reader, l *branch, from, to int64) (list []history.Attempt, err error) {
	if from > to {
		return nil, nil
	}
	for p, err := range r.Range(ctx, attemptSpan(l, from, to), store.Ascending) {
		if err != nil {
			return nil, err
		}
		a, err := attemptAt(l, p)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	joined, err := e.joinedAttempts(ctx, r, l, from, to)
	if len(joined) > 0 {
		list = inOrder(append(list, joined...))
	}
	return list, err
}

// attemptSpan is the span of the attempts of some cycles that are not joined.
func attemptSpan(l *branch, from, to int64) store.Span {
	return store.Span{Space: store.Space(l.key), From: attemptKey(from, 0), To: attemptKey(to, math.MaxInt64)}
}

func attemptKey(cycle, number int64) string { return attemptPrefix + ordered(cycle) + ordered(number) }

// putAttempt writes an attempt that has an id.
func putAttempt(b *store.Batch, l *branch, a history.Attempt) error {
	cycle, number, fork, ok := history.ParseAttemptID(a.ID)
	if !ok || fork != l.fork {
		return NoAttempt(a.ID)
	}
	put(b, in(l.key, attemptKey(cycle, number)), encodeAttempt(&a))
	return nil
}

// copyOf returns an attempt that shares no memory with another.
func copyOf(a history.Attempt) history.Attempt {
	for _, n := range [...]**int64{&a.TokenIn, &a.TokenOut} {
		if *n != nil {
			count := **n
			*n = &count
		}
	}
	return a
}

func attemptTexts(a *history.Attempt) []*string {
	return []*string{&a.ID, (*string)(&a.Status), &a.Provider, &a.Model, &a.Error, &a.Request}
}

func encodeAttempt(a *history.Attempt) []byte {
	var w writer
	w.count(format)
	for _, text := range attemptTexts(a) {
		w.text(*text)
	}
	w.hex(a.Params)
	w.hex(a.Thread)
	for _, n := range [...]int64{a.Cycle, a.StartedNS, a.EndedNS} {
		w.signed(n)
	}
	for _, n := range [...]*int64{a.TokenIn, a.TokenOut} {
		if n == nil {
			w.count(0)
		} else {
			w.count(1)
			w.signed(*n)
		}
	}
	w.sum(0)
	return w.b
}

// attemptAt decodes an attempt of a branch and compares it with its key.
func attemptAt(l *branch, p store.Pair) (history.Attempt, error) {
	cycle, no, err := attemptOf(p.Name)
	if err != nil {
		return history.Attempt{}, err
	}
	id := history.AttemptID(cycle, no, l.fork)
	a, err := decodeAttempt(p.Value)
	if d, _ := damageOrError(err); d != nil || err == nil && a.ID != id {
		return a, DamageErr(&history.Damage{Cycle: cycle, What: id + " is not as it was recorded"})
	}
	return a, err
}

// attemptOf returns the cycle and the number in the key of an attempt.
func attemptOf(name string) (cycle, no int64, err error) {
	if len(name) != len(attemptKey(0, 0)) {
		return 0, 0, damaged("the key of an attempt is not as long as it should be")
	}
	at := len(attemptPrefix)
	if cycle, err = number(name[at : at+8]); err == nil {
		no, err = number(name[at+8:])
	}
	return cycle, no, err
}

func decodeAttempt(row []byte) (a history.Attempt, err error) {
	if !summed(row) {
		return a, damaged("an attempt is not as it was written")
	}
	return readAttempt(string(row[:len(row)-sumSize]))
}

// readAttempt decodes an attempt without its sum.
func readAttempt(text string) (a history.Attempt, err error) {
	r := reader{rest: text}
	version := r.int()
	for _, text := range attemptTexts(&a) {
		*text = r.text()
	}
	a.Params, a.Thread = r.hex(), r.hex()
	for _, n := range [...]*int64{&a.Cycle, &a.StartedNS, &a.EndedNS} {
		*n = r.signed()
	}
	for _, n := range [...]**int64{&a.TokenIn, &a.TokenOut} {
		if r.int() == 1 {
			count := r.signed()
			*n = &count
		}
	}
	if r.bad || version != format {
		return a, damaged("an attempt has another format")
	}
	return a, nil
}
