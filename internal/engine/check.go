package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/store"
)

// Check implements [Contexts].
func (e *Engine) Check(ctx context.Context, key history.Key) (*history.Damage, error) {
	return found(e.steady(ctx, key, func(l *line) error {
		for _, f := range [...]func(context.Context, *line) error{e.checkLog, e.checkSegments, e.checkRest, e.checkPoints} {
			if err := f(ctx, l); err != nil {
				return err
			}
		}
		return nil
	}))
}

// found returns the damage that an error reports, or any other error.
func found(err error) (*history.Damage, error) {
	var d *history.Damage
	if errors.As(err, &d) {
		return d, nil
	}
	return nil, err
}

// checkLog reads the contents of every revision that is not joined.
func (e *Engine) checkLog(ctx context.Context, l *line) error {
	return e.store.View(ctx, func(r store.Reader) error {
		if err := l.same(ctx, r); err != nil {
			return err
		}
		before := int64(0) // the number of the record before
		cut := store.Cut{Space: store.Space(l.key), First: 1, Last: store.MaxNumber}
		for in, err := range r.Log(ctx, cut, store.Ascending) {
			if err != nil {
				return err
			}
			x, err := l.recordIn(new(rows), in)
			if err == nil {
				err = contentsOf(x, in, func(*row, string) {})
			}
			if err == nil && (l.number(x.entry.Revision) != in.Number || before > 0 && in.Number != before+1) {
				err = damaged("a revision is missing or in the place of another")
			}
			if err != nil {
				return err
			}
			before = in.Number
		}
		if before > 0 && before < l.number(l.last.revision) {
			return damaged("a revision is missing")
		}
		return nil
	})
}

// checkSegments reads the contents of every segment.
func (e *Engine) checkSegments(ctx context.Context, l *line) error {
	list, err := e.segments(ctx, l)
	if err != nil {
		return err
	}
	for _, x := range list {
		err := e.store.View(ctx, func(r store.Reader) error {
			if err := l.same(ctx, r); err != nil {
				return err
			}
			s, err := e.readSegment(ctx, r, l, x)
			if err != nil {
				return err
			}
			_, err = e.contentsIn(ctx, r, l, s)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkPoints reads every page of every checkpoint once.
func (e *Engine) checkPoints(ctx context.Context, l *line) error {
	done := make(map[int64]bool)
	var visit func(r store.Reader, runs []runIndex) error
	visit = func(r store.Reader, runs []runIndex) error {
		for i := range runs {
			x := &runs[i]
			if x.key != l.key || done[x.no] { // another line has the page
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
	return e.store.View(ctx, func(r store.Reader) error {
		if err := l.same(ctx, r); err != nil {
			return err
		}
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

// checkRest reads the rows beside the log, and compares the request tokens with it.
func (e *Engine) checkRest(ctx context.Context, l *line) error {
	var leads map[string]int64
	err := e.store.View(ctx, func(r store.Reader) (err error) {
		if err := l.same(ctx, r); err != nil {
			return err
		}
		if _, err := readSettled(ctx, r, l); err != nil {
			return err
		}
		if err := checkAttempts(ctx, r, l); err != nil {
			return err
		}
		if leads, err = requests(ctx, r, l); err != nil {
			return err
		}
		if _, err := children(ctx, r, l); err != nil {
			return err
		}
		return noOthers(ctx, r, store.Space(l.key), attemptPrefix, blockPrefix, pointPrefix, lastKey, forksKey, headPrefix,
			aboutKey,
			pagePrefix, requestPrefix, indexPrefix, childPrefix, settledKey)
	})
	if err != nil {
		return err
	}
	return e.checkRequests(ctx, l, leads)
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

// empty returns an error if a space, which belongs to no context, still holds something.
func empty(ctx context.Context, r store.Reader, space store.Space) error {
	if space < 0 || space > store.MaxSpace {
		return damaged("there is something in a space that cannot be")
	}
	for _, err := range r.Log(ctx, store.Cut{Space: space, First: 1, Last: store.MaxNumber}, store.Ascending) {
		return cmp.Or(err, damaged("there is a log of no context"))
	}
	return noOthers(ctx, r, space)
}

// requests reads to which revisions the rows of request tokens lead.
func requests(ctx context.Context, r store.Reader, l *line) (map[string]int64, error) {
	leads := make(map[string]int64)
	for p, err := range r.Range(ctx, under(store.Space(l.key), requestPrefix, ""), store.Ascending) {
		if err != nil {
			return nil, err
		}
		at, err := number(p.Value)
		if err != nil {
			return nil, err
		}
		if at <= l.last.revision { // not written since
			leads[p.Name[len(requestPrefix):]] = at
		}
	}
	return leads, nil
}

// checkRequests compares the rows of request tokens with the log. It reads the log in views of its own,
// which wait for a writer, who waits for the view of the rows.
func (e *Engine) checkRequests(ctx context.Context, l *line, leads map[string]int64) error {
	for x, err := range e.records(ctx, l, l.origin.Revision+1, l.last.revision) {
		if err != nil {
			return err
		}
		if token := x.entry.Request; token != "" {
			if leads[token] != x.entry.Revision {
				return (&history.Damage{Cycle: x.entry.Cycle, What: "a request token does not lead to its revision"}).Err()
			}
			delete(leads, token)
		}
	}
	if len(leads) > 0 {
		return damaged("a request token leads to no revision")
	}
	return nil
}

// checkAttempts reads the attempts of a line. Those of a cycle are numbered without a gap.
func checkAttempts(ctx context.Context, r store.Reader, l *line) error {
	var last, next int64
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
		if next++; cycle != last {
			last, next = cycle, 1
		}
		if no != next {
			return (&history.Damage{Cycle: cycle, What: history.AttemptID(cycle, next, l.fork) + " is missing"}).Err()
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
			return found(cmp.Or(err, damaged(what)))
		}
	}
	_, err := e.Tokens(ctx)
	if err != nil {
		return found(err)
	}
	var spaces []store.Space
	if s, ok := e.store.(store.Spacer); ok {
		if spaces, err = s.Spaces(ctx); err != nil {
			return nil, err
		}
	}
	return found(e.store.View(ctx, func(r store.Reader) error {
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
		for p, err := range r.Range(ctx, under(common, linePrefix, ""), store.Ascending) {
			if err != nil {
				return err
			}
			l, err := e.listed(ctx, r, p)
			if err != nil {
				return err
			}
			if l.standing == live {
				names--
			}
			highest, known[store.Space(l.key)] = l.key, true
		}
		for _, space := range spaces {
			if !known[space] {
				if err := empty(ctx, r, space); err != nil {
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
		return noOthers(ctx, r, common, uncleanPrefix, nextKey, linePrefix, namePrefix, tokenPrefix, copyPrefix)
	}))
}
