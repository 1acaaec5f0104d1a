package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// Check implements [Contexts].
func (e *Engine) Check(ctx context.Context, key history.Key) (*history.Damage, error) {
	return damageOrError(e.retryRewritten(ctx, key, func(l *branch) error {
		tokens := requested{}
		if err := e.checkLog(ctx, l, tokens); err != nil {
			return err
		}
		if err := e.checkSegments(ctx, l, tokens); err != nil {
			return err
		}
		if err := e.checkRest(ctx, l, tokens); err != nil {
			return err
		}
		return e.checkPoints(ctx, l)
	}))
}

// damageOrError returns the damage that an error reports, or any other error.
func damageOrError(err error) (*history.Damage, error) {
	var d *history.Damage
	if errors.As(err, &d) {
		return d, nil
	}
	return nil, err
}

// checkLog reads the contents of every revision that is not joined.
func (e *Engine) checkLog(ctx context.Context, l *branch, tokens requested) error {
	return e.view(ctx, l, func(r store.Reader) error {
		last := l.last.revision
		for x, err := range l.inLog(ctx, r, 0, l.last.revision) {
			if err != nil {
				return err
			}
			last = x.entry.Revision
			tokens.note(l, x)
		}
		if last < l.last.revision {
			return damaged("a revision is missing")
		}
		return nil
	})
}

// checkSegments reads every segment. It compares the sums of the blocks with its contents and does not
// unpack them: a walk through the snapshots reads the contents.
func (e *Engine) checkSegments(ctx context.Context, l *branch, tokens requested) error {
	list, err := e.segments(ctx, l)
	if err != nil {
		return err
	}
	for _, x := range list {
		err := e.view(ctx, l, func(r store.Reader) error {
			s, err := e.readSegment(ctx, r, l, x, entriesOnly)
			if err != nil {
				return err
			}
			for i := range s.records {
				tokens.note(l, &s.records[i])
			}
			for no := range x.blocks {
				if _, err := packedBlock(ctx, r, l, x, no); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkPoints reads every page of every checkpoint once.
func (e *Engine) checkPoints(ctx context.Context, l *branch) error {
	done := make(map[int64]bool)
	var visit func(r store.Reader, runs []runIndex) error
	visit = func(r store.Reader, runs []runIndex) error {
		for i := range runs {
			x := &runs[i]
			if x.key != l.key || done[x.no] { // another branch has the page
				continue
			}
			done[x.no] = true
			p, err := e.page(ctx, r, x)
			if err != nil {
				return err
			}
			if err := visit(r, p.runs); err != nil {
				return err
			}
		}
		return nil
	}
	return e.view(ctx, l, func(r store.Reader) error {
		for row, err := range r.Range(ctx, under(store.Space(l.key), pointPrefix, ""), store.Ascending) {
			if err != nil {
				return err
			}
			p, err := e.pointAt(row)
			if err != nil {
				return err
			}
			first, err := decodePage(p.first)
			if err == nil {
				err = visit(r, first.runs)
			}
			if err != nil {
				return derived(p.cycle, err)
			}
		}
		return nil
	})
}

// checkRest reads the rows beside the log, and compares those of request tokens with it.
func (e *Engine) checkRest(ctx context.Context, l *branch, tokens requested) error {
	return e.view(ctx, l, func(r store.Reader) (err error) {
		if _, err := readSettled(ctx, r, l); err != nil {
			return err
		}
		if err := e.checkAttempts(ctx, r, l); err != nil {
			return err
		}
		if err := tokens.check(ctx, r, l); err != nil {
			return err
		}
		if _, err := children(ctx, r, l); err != nil {
			return err
		}
		return noOthers(ctx, r, store.Space(l.key), attemptPrefix, blockPrefix, pointPrefix, lastKey, forksKey, headPrefix,
			aboutKey, joinedPrefix,
			pagePrefix, requestPrefix, indexPrefix, childPrefix, settledKey)
	})
}

// noOthers returns damage if a space has a key that begins with none of these letters, in their
// order.
func noOthers(ctx context.Context, r store.Reader, space store.Space, prefixes ...string) error {
	span := store.Span{Space: space}
	for _, prefix := range append(prefixes, "\xff") {
		span.To = prefix
		for _, err := range r.Range(ctx, span, store.Ascending) {
			return cmp.Or(err, damaged("there is a key of no kind"))
		}
		span.From = string(prefix[0] + 1)
	}
	return nil
}

// requireEmpty returns an error if a space, which belongs to no context, still holds something.
func requireEmpty(ctx context.Context, r store.Reader, space store.Space) error {
	if space < 0 || space > store.MaxSpace {
		return damaged("there is something in a space that cannot be")
	}
	for _, err := range r.Log(ctx, store.Cut{Space: space, First: 1, Last: store.MaxNumber}, store.Ascending) {
		return cmp.Or(err, damaged("there is a log of no context"))
	}
	return noOthers(ctx, r, space)
}

// checkAttempts reads the attempts of a branch. Those of a cycle are numbered without a gap.
func (e *Engine) checkAttempts(ctx context.Context, r store.Reader, l *branch) error {
	var places [][2]int64
	for p, err := range r.Range(ctx, under(store.Space(l.key), attemptPrefix, ""), store.Ascending) {
		if err == nil {
			_, err = attemptAt(l, p)
		}
		if err != nil {
			return err
		}
		cycle, no, err := attemptOf(p.Name)
		if err != nil {
			return err
		}
		places = append(places, [2]int64{cycle, no})
	}
	for p, err := range r.Range(ctx, under(store.Space(l.key), joinedPrefix, ""), store.Ascending) {
		if err != nil {
			return err
		}
		list, err := e.joinedAt(l, p)
		if err != nil {
			return err
		}
		for _, a := range list {
			places = append(places, placeOf(a.ID))
		}
	}
	slices.SortFunc(places, func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
	var last, next int64
	for _, at := range slices.Compact(places) {
		if next++; at[0] != last {
			last, next = at[0], 1
		}
		if at[1] != next {
			return DamageErr(&history.Damage{Cycle: at[0], What: history.AttemptID(at[0], next, l.fork) + " is missing"})
		}
	}
	return nil
}

// CheckAll implements [Contexts].
func (e *Engine) CheckAll(ctx context.Context) (*history.Damage, error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	if c, ok := e.store.(store.Checker); ok {
		if what, err := c.Check(ctx); err != nil || what != "" {
			return damageOrError(cmp.Or(err, damaged(what)))
		}
	}
	_, err := e.Tokens(ctx)
	if err != nil {
		return damageOrError(err)
	}
	var spaces []store.Space
	if s, ok := e.store.(store.Spacer); ok {
		if spaces, err = s.Spaces(ctx); err != nil {
			return nil, err
		}
	}
	return damageOrError(e.store.View(ctx, func(r store.Reader) error {
		names, highest, known := 0, history.Key(0), map[store.Space]bool{common: true}
		for p, err := range r.Range(ctx, under(common, namePrefix, ""), store.Ascending) {
			if err == nil {
				_, err = e.named(ctx, r, p.Name[len(namePrefix):], p.Value)
			}
			if err != nil {
				return err
			}
			names++
		}
		for p, err := range r.Range(ctx, under(common, branchPrefix, ""), store.Ascending) {
			if err != nil {
				return err
			}
			l, err := e.branchAt(ctx, r, p)
			if err != nil {
				return err
			}
			if l.kind == live {
				names--
			}
			highest, known[store.Space(l.key)] = l.key, true
		}
		for _, space := range spaces {
			if !known[space] {
				if err := requireEmpty(ctx, r, space); err != nil {
					return err
				}
			}
		}
		if raw, err := r.Get(ctx, at(common, nextKey)); err != nil || raw != nil || highest > 0 {
			if err != nil {
				return err
			}
			if next, err := number(raw); err != nil || history.Key(next) <= highest {
				return damaged("the counter of keys is lower than the key of a context")
			}
		}
		if names != 0 {
			return damaged("a context has no name, or a name has no context")
		}
		return noOthers(ctx, r, common, uncleanPrefix, nextKey, branchPrefix, namePrefix, secretKey, tokenPrefix, copyPrefix)
	}))
}
