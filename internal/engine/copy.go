package engine

import (
	"context"
	"errors"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// Lines implements [Contexts].
func (e *Engine) Lines(ctx context.Context) (list []Line, err error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	err = e.store.View(ctx, func(r store.Reader) error {
		list = nil
		for p, err := range r.Range(ctx, under(common, linePrefix, ""), store.Ascending) {
			if err != nil {
				return err
			}
			l, err := e.listed(ctx, r, p)
			if err != nil {
				return err
			}
			of := Line{Info: l.info(), Shared: l.standing == shared, Unfinished: l.standing == unfinished}
			switch {
			case of.Unfinished:
				of.Name = CopiedName(of.Name)
			case of.Shared:
				of.Name = "@" + strconv.FormatInt(int64(of.Key), 10)
			}
			if of.Forks, _, err = forks(ctx, r, l); err != nil {
				return err
			}
			list = append(list, of)
		}
		return nil
	})
	return list, err
}

// listed returns the line of a row of the list of lines.
func (e *Engine) listed(ctx context.Context, r store.Reader, p store.Pair) (*line, error) {
	key, err := number(p.Name[len(linePrefix):])
	if err != nil {
		return nil, err
	}
	l, err := e.readAbout(ctx, r, history.Key(key))
	if err == nil && l == nil {
		err = damaged("a context that is in the list is not there")
	}
	if err != nil {
		return nil, err
	}
	return l, e.readLast(ctx, r, l)
}

// Revisions implements [Contexts].
func (e *Engine) Revisions(ctx context.Context, key history.Key, from, to int64) (list []Revision, err error) {
	err = e.steady(ctx, key, func(l *line) error {
		list = nil
		for x, err := range e.lineage(ctx, l, max(from, 1), min(to, l.last.revision)) {
			if err != nil {
				return err
			}
			list = append(list, Revision{Entry: x.entry, Stamps: x.stamps, Latest: x.latest, Cuts: x.cuts})
		}
		return nil
	})
	return list, err
}

// Base implements [Contexts].
func (e *Engine) Base(ctx context.Context, key history.Key) (t *tree.Tree, err error) {
	err = e.steady(ctx, key, func(l *line) error {
		for x, err := range e.lineage(ctx, l, 1, 1) {
			if err != nil {
				return err
			}
			v, err := version{}.publish(e, l, []*record{x})
			if err != nil {
				return err
			}
			t = v.t
		}
		return nil
	})
	return t, err
}

// recorded returns a revision as another store recorded it.
func recorded(r Revision) *record {
	return &record{entry: r.Entry, stamps: r.Stamps, latest: r.Latest, cuts: r.Cuts}
}

// BeginCopy implements [Contexts].
func (e *Engine) BeginCopy(ctx context.Context, of Line, first Revision, base *tree.Tree) (history.Key,
	error) {
	x := recorded(first)
	x.entry.Revision = of.Origin.Revision + 1
	if of.Origin.Key == 0 {
		if err := e.beginning(ctx, x, base); err != nil {
			return 0, err
		}
		x.bytes = Begun(base, 0, first.Latest >= of.First).Bytes
	}
	var made *line
	err := e.write(ctx, func(b *store.Batch) error {
		name := at(common, copyPrefix+of.Name)
		row, err := e.store.Get(ctx, name)
		if err != nil {
			return err
		}
		if row != nil {
			return CopyUnderWay(of.Name)
		}
		key, err := e.newLine(ctx, b)
		if err != nil {
			return err
		}
		expect(b, name, nil)
		put(b, name, []byte(ordered(int64(key))))
		made = &line{about: about{key: key, name: UnfinishedName(of.Name), edition: of.Edition, first: of.First,
			fork: of.Fork, origin: of.Origin, erasures: of.Erasures, standing: unfinished}, last: x.ending()}
		if of.Origin.Key != 0 {
			var from *record
			if made.up, from, err = e.origin(ctx, b, of.Origin); err != nil {
				return err
			}
			x.bytes = from.bytes
			made.last = x.ending()
		}
		e.begin(b, made, x)
		return e.checkpointFirst(b, made, x)
	})
	if err != nil {
		return 0, err
	}
	return made.key, nil
}

func (e *Engine) beginning(ctx context.Context, x *record, base *tree.Tree) (err error) {
	return x.begin(ctx, e, base)
}

// origin returns the line in which a copied fork begins, and the record that published its first snapshot.
func (e *Engine) origin(ctx context.Context, b *store.Batch, o history.Origin) (_ *line, from *record, err error) {
	l, err := e.line(ctx, o.Key)
	if err != nil {
		return nil, nil, err
	}
	if o.Revision <= l.origin.Revision || o.Revision > l.last.revision {
		return nil, nil, NoSnapshot(o.Cycle)
	}
	for x, err := range e.lineage(ctx, l, o.Revision, o.Revision) {
		if err != nil {
			return nil, nil, err
		}
		if from = x; !x.publishes() || x.latest != o.Cycle {
			return nil, nil, NoSnapshot(o.Cycle)
		}
	}
	expect(b, in(l.key, aboutKey), l.raw)
	return l, from, nil
}

// unfinishedCopy finds an unfinished copy.
func (e *Engine) unfinishedCopy(ctx context.Context, key history.Key) (*line, error) {
	l, err := e.line(ctx, key)
	if errors.Is(err, fault.ContextNotFound) || err == nil && l.standing != unfinished {
		return nil, NoCopy()
	}
	return l, err
}

// ExtendCopy implements [Contexts].
func (e *Engine) ExtendCopy(ctx context.Context, key history.Key, g Guard, pieces ...Piece) error {
	var l *line
	err := e.write(ctx, func(b *store.Batch) (err error) {
		if l, err = e.unfinishedCopy(ctx, key); err != nil {
			return err
		}
		if err := l.moved(g); err != nil {
			return err
		}
		expect(b, in(key, aboutKey), l.raw)
		for _, p := range pieces {
			next := p.After
			if p.Sealed != nil {
				next = p.Sealed
			}
			for i, r := range p.Revisions {
				x := recorded(r)
				x.entry.Revision, x.bytes = l.last.revision+1, l.last.bytes
				if i == len(p.Revisions)-1 {
					if p.Sealed != nil {
						_, x.bytes = p.Sealed.ThreadSize()
					}
					if err := e.differ(ctx, x, l, p.Before, next); err != nil {
						return err
					}
				}
				e.append(b, l, x)
				l.last = x.ending()
			}
		}
		return nil
	})
	if err == nil {
		e.settleSoon(l, published{})
	}
	return err
}

// CopyAttempts implements [Contexts].
func (e *Engine) CopyAttempts(ctx context.Context, key history.Key, list []history.Attempt) error {
	return e.write(ctx, func(b *store.Batch) error {
		l, err := e.unfinishedCopy(ctx, key)
		if err != nil {
			return err
		}
		expect(b, in(key, aboutKey), l.raw)
		for _, a := range list {
			if err := putAttempt(b, l, a); err != nil {
				return err
			}
		}
		return nil
	})
}

// FinishCopies implements [Contexts].
func (e *Engine) FinishCopies(ctx context.Context, lines []Line) error {
	err := e.write(ctx, func(b *store.Batch) error {
		taken := make(map[string]bool)
		for _, of := range lines {
			l, err := e.unfinishedCopy(ctx, of.Key)
			if err != nil {
				return err
			}
			remove(b, only(at(common, copyPrefix+CopiedName(l.name))))
			l.erasures, l.standing, l.name, l.attrs = of.Erasures, live, of.Name, of.Listed.Attrs
			if of.Forks > 0 {
				put(b, in(l.key, forksKey), []byte(ordered(of.Forks)))
			}
			if of.Shared {
				l.standing, l.name, l.attrs = shared, "", ""
			} else {
				if err := history.CheckName(of.Name); err != nil {
					return err
				}
				if taken[of.Name] {
					return NameTaken(of.Name)
				}
				taken[of.Name] = true
				if err := e.take(ctx, b, of.Name, l.key); err != nil {
					return err
				}
			}
			l.replace(b)
		}
		return nil
	})
	for _, of := range lines {
		e.forget(of.Key)
	}
	return err
}
