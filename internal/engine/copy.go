package engine

import (
	"context"
	"errors"
	"strconv"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/names"
	"github.com/contexttree/pact/store"
)

// Branch is one branch of history: a context, or what a deleted context left to its forks.
type Branch struct {
	Info         // Cycle and Revision are the latest that the store holds
	Forks  int64 // the highest number that a fork got; counted in the first branch of a family
	Shared bool  // the context is deleted, and the branch is what its forks share
	// Unfinished says that this is a copy under way. Name is then the name of the branch that is
	// being copied.
	Unfinished bool
}

// Branches implements [Contexts].
func (e *Engine) Branches(ctx context.Context) (list []Branch, err error) {
	if err := e.usable(); err != nil {
		return nil, err
	}
	err = e.store.View(ctx, func(r store.Reader) error {
		list = nil
		for p, err := range r.Range(ctx, under(common, branchPrefix, ""), store.Ascending) {
			if err != nil {
				return err
			}
			l, err := e.branchAt(ctx, r, p)
			if err != nil {
				return err
			}
			of := Branch{Info: l.info(), Shared: l.kind == shared, Unfinished: l.kind == unfinished}
			if of.Shared {
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

// branchAt returns the branch of a row of the list of branches.
func (e *Engine) branchAt(ctx context.Context, r store.Reader, p store.Pair) (*branch, error) {
	key, err := number(p.Name[len(branchPrefix):])
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

// BeginCopy implements [Contexts].
func (e *Engine) BeginCopy(ctx context.Context, of Branch, first *Part) (history.Key, error) {
	x := first.Revisions[0].record
	var made *branch
	err := e.write(ctx, func(b *store.Batch) error {
		name := at(common, copyPrefix+of.Name)
		row, err := e.store.Get(ctx, name)
		if err != nil {
			return err
		}
		if row != nil {
			return copyUnderWay(of.Name)
		}
		key, err := e.newBranch(ctx, b)
		if err != nil {
			return err
		}
		requireValue(b, name, nil)
		put(b, name, copyRow(key, x.entry.Revision))
		made = &branch{branchFacts: branchFacts{key: key, name: of.Name, edition: of.Edition, first: of.First,
			fork: of.Fork, origin: of.Origin, erasures: of.Erasures, kind: unfinished}, last: x.ending()}
		if of.Origin.Key != 0 {
			if made.up, err = e.origin(ctx, b, of.Origin); err != nil {
				return err
			}
		}
		e.writeFork(b, made, x)
		return e.checkpointFirst(b, made, x)
	})
	if err != nil {
		return 0, err
	}
	return made.key, nil
}

// copyRow is the row of an unfinished copy under its name. It holds the last revision too, so that a batch that
// only replaces drafts is refused once another process has added to the copy.
func copyRow(key history.Key, last int64) []byte { return []byte(ordered(int64(key)) + ordered(last)) }

// origin returns the branch in which a copied fork begins. It has the snapshot that the fork begins with.
func (e *Engine) origin(ctx context.Context, b *store.Batch, o history.Origin) (*branch, error) {
	l, err := e.branch(ctx, o.Key)
	if err != nil {
		return nil, err
	}
	if o.Revision <= l.origin.Revision || o.Revision > l.last.revision {
		return nil, noSnapshot(o.Cycle)
	}
	for x, err := range e.lineage(ctx, l, o.Revision, o.Revision) {
		if err != nil {
			return nil, err
		}
		if !x.publishes() || x.latest != o.Cycle {
			return nil, noSnapshot(o.Cycle)
		}
	}
	requireValue(b, in(l.key, aboutKey), l.raw)
	return l, nil
}

// unfinishedCopy finds an unfinished copy, and its row as copyRow makes it, as they were at one moment.
func (e *Engine) unfinishedCopy(ctx context.Context, key history.Key) (l *branch, named store.Pair, err error) {
	err = e.store.View(ctx, func(r store.Reader) (err error) {
		l, err = e.findBranch(ctx, r, key)
		if errors.Is(err, fault.ContextNotFound) || err == nil && l.kind != unfinished {
			return noCopy()
		}
		if err != nil {
			return err
		}
		named.Key = at(common, copyPrefix+l.name)
		named.Value, err = r.Get(ctx, named.Key)
		return err
	})
	return l, named, err
}

// ExtendCopy implements [Contexts].
func (e *Engine) ExtendCopy(ctx context.Context, key history.Key, p *Part) error {
	for list := p.records(); len(list) > 0; {
		n, size := 0, 0
		for n < len(list) && (size < partSize || !list[n-1].publishes()) {
			size += list[n].memorySize()
			n++
		}
		if err := e.extendCopy(ctx, key, list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// extendCopy adds records to an unfinished copy.
func (e *Engine) extendCopy(ctx context.Context, key history.Key, list []*record) error {
	var l *branch
	err := e.write(ctx, func(b *store.Batch) (err error) {
		var named store.Pair
		if l, named, err = e.unfinishedCopy(ctx, key); err != nil {
			return err
		}
		requireValue(b, in(key, aboutKey), l.raw)
		requireValue(b, named.Key, named.Value)
		last := l.last.revision
		for _, x := range list {
			switch at := x.entry.Revision; {
			case at > last: // the medium refuses a gap
				e.append(b, l, x)
				l.last = x.ending()
			case x.publishes() || x.latest != l.last.latest:
				return l.conflict(Guard{x.entry.Cycle, at - 1})
			default:
				b.Replace = append(b.Replace, e.record(l, x))
			}
		}
		put(b, named.Key, copyRow(key, l.last.revision))
		return nil
	})
	if err == nil {
		e.extend(l, list)
		e.settleSoon(l, publishedSnapshot{})
	}
	return err
}

// CopyAttempts implements [Contexts].
func (e *Engine) CopyAttempts(ctx context.Context, key history.Key, list []history.Attempt) error {
	return e.write(ctx, func(b *store.Batch) error {
		l, _, err := e.unfinishedCopy(ctx, key)
		if err != nil {
			return err
		}
		requireValue(b, in(key, aboutKey), l.raw)
		for _, a := range list {
			if err := putAttempt(b, l, a); err != nil {
				return err
			}
		}
		return nil
	})
}

// FinishCopies implements [Contexts].
func (e *Engine) FinishCopies(ctx context.Context, branches []Branch) error {
	err := e.write(ctx, func(b *store.Batch) error {
		taken := make(map[string]bool)
		for _, of := range branches {
			l, named, err := e.unfinishedCopy(ctx, of.Key)
			if err != nil {
				return err
			}
			remove(b, spanOfKey(named.Key))
			l.erasures, l.kind, l.name, l.attrs = of.Erasures, live, of.Name, of.Listed.Attrs
			if of.Forks > 0 {
				put(b, in(l.key, forksKey), []byte(ordered(of.Forks)))
			}
			if of.Shared {
				l.kind, l.name, l.attrs = shared, "", ""
			} else {
				if err := names.Check(of.Name); err != nil {
					return err
				}
				if taken[of.Name] {
					return names.Taken(of.Name)
				}
				taken[of.Name] = true
				if err := e.claimName(ctx, b, of.Name, l.key); err != nil {
					return err
				}
			}
			l.replace(b)
		}
		return nil
	})
	for _, of := range branches {
		e.forget(of.Key)
	}
	return err
}
