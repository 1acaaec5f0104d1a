package engine

import (
	"context"
	"math"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/store/kv"
)

// PutAttempt implements [store.AttemptKeeper].
func (e *Engine) PutAttempt(ctx context.Context, key store.Key, a store.Attempt) (kept store.Attempt, err error) {
	if err := a.Check(); err != nil {
		return store.Attempt{}, err
	}
	err = e.write(ctx, func(b *kv.Batch) error {
		l, err := e.line(ctx, key)
		if err != nil {
			return err
		}
		if a.ID == "" {
			kept, err = e.startAttempt(ctx, b, l, a, l.last.stamps.Cycle, 0)
		} else {
			kept, err = e.endAttempt(ctx, b, l, a)
		}
		return err
	})
	if err != nil {
		return store.Attempt{}, err
	}
	return kept, nil
}

// attemptsOf puts the attempts of changes into a batch, and returns them as they are stored, in the
// places of the changes.
func (e *Engine) attemptsOf(ctx context.Context, b *kv.Batch, l *line, changes []store.Change) ([]store.Attempt, error) {
	var list []store.Attempt
	started, ended := make(map[int64]int64), make(map[string]bool)
	for i, c := range changes {
		if c.Attempt == nil {
			continue
		}
		if list == nil {
			list = make([]store.Attempt, len(changes))
		}
		a := *c.Attempt
		err := a.Check()
		switch {
		case err != nil:
		case a.ID == "":
			a, err = e.startAttempt(ctx, b, l, a, c.Stamps.Cycle, started[a.Cycle])
			started[a.Cycle]++
		case ended[a.ID]:
			err = store.AttemptEnded(a)
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
func (e *Engine) startAttempt(ctx context.Context, b *kv.Batch, l *line, a store.Attempt, current, before int64) (
	store.Attempt, error) {
	if a.Cycle != current {
		return a, store.CycleOver(a.Cycle, current)
	}
	number, err := nextAttempt(ctx, e.kv, l, a.Cycle)
	if err != nil {
		return a, err
	}
	number += before
	a.ID = store.AttemptID(a.Cycle, number, l.fork)
	expect(b, in(l.key, aboutKey), l.raw)
	expect(b, in(l.key, attemptKey(a.Cycle, number)), nil)
	return copyOf(a), putAttempt(b, l, a)
}

// nextAttempt returns the number that the next attempt of a cycle gets.
func nextAttempt(ctx context.Context, r kv.Reader, l *line, cycle int64) (int64, error) {
	span := kv.Span{Space: kv.Space(l.key), From: attemptKey(cycle, 0), To: attemptKey(cycle, math.MaxInt64)}
	for p, err := range r.Range(ctx, span, kv.Descending) {
		if err != nil {
			return 0, err
		}
		n, err := number(p.Name[len(p.Name)-8:])
		return n + 1, err
	}
	return 1, nil
}

// endAttempt ends an attempt of the line or of one that it goes back to.
func (e *Engine) endAttempt(ctx context.Context, b *kv.Batch, l *line, as store.Attempt) (store.Attempt, error) {
	cycle, number, _, ok := store.ParseAttemptID(as.ID)
	if !ok {
		return as, store.NoAttempt(as.ID)
	}
	of := l.publisher(cycle)
	k := in(of.key, attemptKey(cycle, number))
	row, err := e.kv.Get(ctx, k)
	if err != nil {
		return as, err
	}
	if row == nil {
		return as, store.NoAttempt(as.ID)
	}
	a, err := attemptAt(of, kv.Pair{Key: k, Value: row})
	switch {
	case err != nil:
		return as, err
	case a.ID != as.ID:
		return as, store.NoAttempt(as.ID)
	case a.Status != store.Running:
		return as, store.AttemptEnded(a)
	}
	a.End(as)
	expect(b, in(l.key, aboutKey), l.raw)
	b.Expect = append(b.Expect, kv.Expectation{Key: k, State: kv.Equal, Value: row})
	return copyOf(a), putAttempt(b, of, a)
}

// Attempts implements [store.AttemptKeeper].
func (e *Engine) Attempts(ctx context.Context, key store.Key, from, to int64) (list []store.Attempt, err error) {
	err = e.steady(ctx, key, func(l *line) error {
		list, err = e.attempts(ctx, l, from, to)
		return err
	})
	return list, err
}

func (e *Engine) attempts(ctx context.Context, l *line, from, to int64) (list []store.Attempt, err error) {
	if l.up != nil {
		if list, err = e.attempts(ctx, l.up, from, min(to, l.origin.Cycle)); err != nil {
			return nil, err
		}
	}
	own, err := ownAttempts(ctx, e.kv, l, from, to)
	return append(list, own...), err
}

// ownAttempts reads the attempts of some cycles that a line does not share.
func ownAttempts(ctx context.Context, r kv.Reader, l *line, from, to int64) (list []store.Attempt, err error) {
	if from > to {
		return nil, nil
	}
	span := kv.Span{Space: kv.Space(l.key), From: attemptKey(from, 0), To: attemptKey(to, math.MaxInt64)}
	for p, err := range r.Range(ctx, span, kv.Ascending) {
		if err != nil {
			return nil, err
		}
		a, err := attemptAt(l, p)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

func attemptKey(cycle, number int64) string { return attemptPrefix + ordered(cycle) + ordered(number) }

// putAttempt writes an attempt that has an id.
func putAttempt(b *kv.Batch, l *line, a store.Attempt) error {
	cycle, number, fork, ok := store.ParseAttemptID(a.ID)
	if !ok || fork != l.fork {
		return store.NoAttempt(a.ID)
	}
	put(b, in(l.key, attemptKey(cycle, number)), encodeAttempt(&a))
	return nil
}

// copyOf returns an attempt that shares no memory with another.
func copyOf(a store.Attempt) store.Attempt {
	for _, n := range [...]**int64{&a.TokenIn, &a.TokenOut} {
		if *n != nil {
			count := **n
			*n = &count
		}
	}
	return a
}

func attemptTexts(a *store.Attempt) []*string {
	return []*string{&a.ID, (*string)(&a.Status), &a.Provider, &a.Model, &a.Error, &a.Request}
}

func encodeAttempt(a *store.Attempt) []byte {
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

// attemptAt decodes an attempt of a line and compares it with its key.
func attemptAt(l *line, p kv.Pair) (store.Attempt, error) {
	cycle, no, err := attemptOf(p.Name)
	if err != nil {
		return store.Attempt{}, err
	}
	id := store.AttemptID(cycle, no, l.fork)
	a, err := decodeAttempt(p.Value)
	if d, _ := found(err); d != nil || err == nil && a.ID != id {
		return a, (&store.Damage{Cycle: cycle, What: id + " is not as it was recorded"}).Err()
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

func decodeAttempt(row []byte) (a store.Attempt, err error) {
	if !summed(row) {
		return a, damaged("an attempt is not as it was written")
	}
	r := reader{rest: string(row[:len(row)-sumSize])}
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
