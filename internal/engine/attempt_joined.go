package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// longestJoined is how many bytes an attempt may have that is joined with others: a long one is read alone.
const longestJoined = 4 << 10

// requireUnjoined adds that nobody joins cycles before the batch is written: were the current one over and joined by
// then, the numbers of its attempts could not be seen, and a join under way would take a row away that it had not read.
// A batch with a revision needs none of this, because the medium refuses it once the cycle is over.
func (e *Engine) requireUnjoined(ctx context.Context, b *store.Batch, l *branch) error {
	s := e.lastSettled(l.key)
	if s == nil {
		var err error
		if s, err = readSettled(ctx, e.store, l); err != nil {
			return err
		}
		e.noteSettled(l.key, s)
	}
	requireValue(b, in(l.key, settledKey), s.raw)
	if s.cycle >= l.last.stamps.Cycle { // joined since the branch was read
		return errRewritten
	}
	return nil
}

// joinAttempts puts those attempts of some cycles into one row that ended: nothing changes them but an erasure. It
// takes away what it read and no more: a copy may get its attempts now, and a slow process may start one in a cycle
// that is over.
func (e *Engine) joinAttempts(ctx context.Context, b *store.Batch, l *branch, from, to int64) error {
	var list []history.Attempt
	before := "" // the cycle of the row before, if that is joined: one span takes the rows of a cycle that follow each other
	for p, err := range e.store.Range(ctx, attemptSpan(l, from, to), store.Ascending) {
		if err != nil {
			return err
		}
		a, err := attemptAt(l, p)
		if err != nil || a.Status == history.Running || len(p.Value) > longestJoined {
			before = ""
			continue
		}
		list = append(list, a)
		if cycle := p.Name[:len(attemptPrefix)+8]; cycle != before {
			remove(b, spanOfKey(p.Key))
			before = cycle
		} else {
			b.Delete[len(b.Delete)-1].To = spanOfKey(p.Key).To
		}
	}
	e.putJoined(b, l, to, list)
	return nil
}

// putJoined writes attempts of cycles up to one, if there are any.
func (e *Engine) putJoined(b *store.Batch, l *branch, to int64, list []history.Attempt) {
	if len(list) == 0 {
		return
	}
	var raw, w writer
	for i := range list {
		row := encodeAttempt(&list[i])
		raw.text(string(row[:len(row)-sumSize]))
	}
	w.count(format)
	w.count(len(raw.b))
	w.raw(e.packing.pack(raw.b))
	w.sum(0)
	put(b, in(l.key, joinedPrefix+ordered(to)), w.b)
}

// joinedAt decodes a row of joined attempts.
func (e *Engine) joinedAt(l *branch, p store.Pair) (list []history.Attempt, err error) {
	to, err := number(p.Name[len(joinedPrefix):])
	if err != nil {
		return nil, err
	}
	k := cacheKey{l.key, l.generation, to, partAttempts}
	if list, ok := e.cache.get(k).([]history.Attempt); ok {
		return list, nil
	}
	wrong := DamageErr(&history.Damage{Cycle: to, What: "attempts of cycles up to this one are not as they were recorded"})
	if !summed(p.Value) {
		return nil, wrong
	}
	r := reader{rest: string(p.Value[:len(p.Value)-sumSize])}
	version, size := r.int(), r.int()
	raw, err := e.packing.unpack([]byte(r.rest), size)
	if err != nil || r.bad || version != format {
		return nil, wrong
	}
	for r = (reader{rest: string(raw)}); r.rest != "" && !r.bad; {
		a, err := readAttempt(r.text())
		if _, _, fork, ok := history.ParseAttemptID(a.ID); err != nil || !ok || fork != l.fork || a.Cycle > to {
			return nil, wrong
		}
		list = append(list, a)
	}
	if r.bad {
		return nil, wrong
	}
	e.cache.put(k, list, 2*size)
	return list, nil
}

// joinedAttempts returns the joined attempts of some cycles.
func (e *Engine) joinedAttempts(ctx context.Context, r store.Reader, l *branch, from, to int64) (list []history.Attempt, err error) {
	for p, err := range r.Range(ctx, under(store.Space(l.key), joinedPrefix, ordered(from)), store.Ascending) {
		if err != nil {
			return nil, err
		}
		some, err := e.joinedAt(l, p)
		if err != nil {
			return nil, err
		}
		for _, a := range some {
			if a.Cycle >= from && a.Cycle <= to {
				list = append(list, copyOf(a))
			}
		}
		if last, _ := number(p.Name[len(joinedPrefix):]); last >= to {
			break
		}
	}
	return list, nil
}

// inOrder orders attempts, of which some may have been joined while they were read: of two with one id the first stays.
func inOrder(list []history.Attempt) []history.Attempt {
	slices.SortStableFunc(list, func(a, b history.Attempt) int {
		x, y := placeOf(a.ID), placeOf(b.ID)
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
	})
	return slices.CompactFunc(list, func(a, b history.Attempt) bool { return a.ID == b.ID })
}

// truncateJoined takes the joined attempts behind a cycle away.
func (e *Engine) truncateJoined(ctx context.Context, b *store.Batch, l *branch, cycle int64) error {
	span := under(store.Space(l.key), joinedPrefix, ordered(cycle+1))
	for p, err := range e.store.Range(ctx, span, store.Ascending) {
		if err != nil {
			return err
		}
		list, err := e.joinedAt(l, p)
		if err != nil {
			return err
		}
		e.putJoined(b, l, cycle, slices.DeleteFunc(slices.Clone(list), func(a history.Attempt) bool { return a.Cycle > cycle }))
		break // those behind begin later
	}
	remove(b, span)
	return nil
}
