package engine

import (
	"context"
	"errors"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/names"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// Fork implements [Contexts].
func (e *Engine) Fork(ctx context.Context, key history.Key, cycle int64, f Fork) (*State, error) {
	if err := names.Check(f.Name); err != nil {
		return nil, err
	}
	var made *branch
	var begun *state
	err := e.write(ctx, func(b *store.Batch) error {
		of, err := e.branch(ctx, key)
		if err != nil {
			return err
		}
		if cycle < of.first || cycle > of.last.latest {
			return noSnapshot(cycle)
		}
		if token := f.Entry.Request; token != "" {
			if seen, err := e.request(ctx, of, token); err != nil || seen != 0 {
				if err == nil {
					err = names.RequestSeen(token)
				}
				return err
			}
		}
		v, x, err := e.forkPoint(ctx, of, cycle)
		if err != nil {
			return err
		}
		if made, err = e.makeFork(ctx, b, of.publisher(cycle), v, x, f); err != nil {
			return err
		}
		begun = &state{generation: made.generation, revision: made.last.revision, published: v.revision, head: v.t,
			working: v.t.WithCycle(made.last.stamps.Cycle), idle: x.entry.Idle, loaded: cycle}
		if s := e.cachedState(of); s != nil && s.head == v.t {
			begun.loaded = s.loaded
		}
		return e.nameFork(ctx, b, of, made, f)
	})
	if err != nil {
		return nil, err
	}
	e.forget(key)
	e.cacheState(made, begun)
	return &State{Info: made.info(), Head: begun.head, Working: begun.working, Idle: begun.idle, From: e}, nil
}

// forkPoint returns the snapshot of a cycle and the record that published it. If it is the latest one, it is in memory.
func (e *Engine) forkPoint(ctx context.Context, of *branch, cycle int64) (v version, _ *record, err error) {
	if s := e.cachedState(of); s != nil && s.head.Cycle() == cycle {
		v = version{t: s.head, revision: s.published}
		if _, _, v.origins, err = e.pointBefore(ctx, of.publisher(cycle), cycle); err != nil {
			return v, nil, err
		}
	} else if v, err = e.snapshot(ctx, of, cycle); err != nil {
		return v, nil, err
	}
	for x, err := range e.entries(ctx, of, v.revision, v.revision) {
		return v, x, err
	}
	return v, nil, damaged("a revision is missing")
}

// manyOrigins is how many forks of forks may follow each other without a checkpoint.
const manyOrigins = 4

// makeFork makes the branch of a fork that begins with the version that a record of a branch published.
func (e *Engine) makeFork(ctx context.Context, b *store.Batch, of *branch, v version, at *record, f Fork) (*branch, error) {
	key, err := e.newBranch(ctx, b)
	if err != nil {
		return nil, err
	}
	number, err := e.nextFork(ctx, b, of)
	if err != nil {
		return nil, err
	}
	entry := f.Entry
	entry.Cycle, entry.TimeNS = at.latest, at.stamps.LastNS
	shown := firstListed(v.t, entry.TimeNS, true)
	first := &record{entry: logged(entry, history.Forked, v.t), stamps: at.stamps, latest: at.latest, bytes: shown.Bytes,
		cuts: at.cuts}
	first.entry.Revision = at.entry.Revision + 1
	made := &branch{branchFacts: branchFacts{key: key, name: f.Name, edition: of.edition, first: of.first, fork: number,
		origin: history.Origin{Key: of.key, Cycle: at.latest, Revision: at.entry.Revision}, attrs: shown.Attrs}, up: of,
		last: first.ending()}
	e.writeFork(b, made, first)
	if v.origins < manyOrigins {
		return made, nil
	}
	s := made.unsettled()
	if err = e.checkpointFork(ctx, b, made, s, v); errors.Is(err, errNoPlace) {
		if v, err = e.snapshot(ctx, of, at.latest); err == nil {
			err = e.writePoint(b, made, s, publishedSnapshot{v.t, v.revision, made.generation}, e.pagesAfter(v, made, s))
		}
	}
	put(b, in(made.key, settledKey), s.encode())
	return made, err
}

// checkpointFork writes a checkpoint of the version that a fork begins with. One in memory is written beside the checkpoint
// before it, so that the turns of a page are not made again only to be written.
func (e *Engine) checkpointFork(ctx context.Context, b *store.Batch, made *branch, s *settled, v version) error {
	now := publishedSnapshot{v.t, v.revision, made.generation}
	if v.o != nil {
		return e.writePoint(b, made, s, now, e.pagesAfter(v, made, s))
	}
	_, p, _, err := e.pointBefore(ctx, made.up, made.origin.Cycle)
	if err != nil {
		return err
	}
	var list []*record
	from := int64(1)
	if p != nil {
		from = p.revision + 1
	}
	for x, err := range e.lineage(ctx, made.up, from, v.revision) {
		if err != nil {
			return err
		}
		list = append(list, x)
	}
	d, err := e.pagesBeside(ctx, made, s, p, list)
	if err != nil {
		return err
	}
	return e.writePoint(b, made, s, now, d)
}

// writeFork writes a new branch that began in another one with its first record.
func (e *Engine) writeFork(b *store.Batch, l *branch, first *record) {
	l.raw = l.encode()
	put(b, in(l.key, aboutKey), l.raw)
	e.append(b, l, first)
	if l.up != nil {
		put(b, in(l.up.key, childPrefix+ordered(int64(l.key))), []byte(ordered(l.origin.Revision)))
	}
}

// nextFork takes the next number of the forks of a family.
func (e *Engine) nextFork(ctx context.Context, b *store.Batch, of *branch) (int64, error) {
	for of.up != nil {
		of = of.up
	}
	n, raw, err := forks(ctx, e.store, of)
	if err != nil {
		return 0, err
	}
	requireValue(b, in(of.key, forksKey), raw)
	put(b, in(of.key, forksKey), []byte(ordered(n+1)))
	return n + 1, nil
}

// forks returns how many numbers the forks of the family of a first branch got.
func forks(ctx context.Context, r store.Reader, first *branch) (n int64, raw []byte, err error) {
	raw, err = r.Get(ctx, in(first.key, forksKey))
	if err == nil && raw != nil {
		n, err = number(raw)
	}
	return n, raw, err
}

// nameFork gives a fork its name, and the forked context another one if the fork takes over its
// name. The forked context then logs that.
func (e *Engine) nameFork(ctx context.Context, b *store.Batch, of, made *branch, f Fork) error {
	origin := of.publisher(made.origin.Cycle)
	if origin != of {
		requireValue(b, in(origin.key, aboutKey), origin.raw)
	}
	if f.SupersededName == "" {
		requireValue(b, in(of.key, aboutKey), of.raw)
		return e.claimName(ctx, b, f.Name, made.key)
	}
	if err := names.Check(f.SupersededName); err != nil {
		return err
	}
	if err := of.conflict(f.Guard); err != nil {
		return err
	}
	if f.SupersededName == f.Name {
		return names.Taken(f.Name)
	}
	before := of.name
	if err := e.rename(ctx, b, of, f.SupersededName); err != nil {
		return err
	}
	if f.Name == before { // its row is written anew, not removed
		b.Delete = b.Delete[:len(b.Delete)-1]
		k := at(common, namePrefix+before)
		b.Expect = append(b.Expect, store.Expectation{Key: k, State: store.Equal, Value: []byte(ordered(int64(of.key)))})
		put(b, k, []byte(ordered(int64(made.key))))
	} else if err := e.claimName(ctx, b, f.Name, made.key); err != nil {
		return err
	}
	l, err := e.working(ctx, of)
	if err != nil {
		return err
	}
	entry := f.Entry
	entry.Cycle, entry.TimeNS = of.last.stamps.Cycle, of.last.stamps.LastNS
	x := &record{entry: logged(entry, history.Superseded, l), stamps: of.last.stamps, latest: of.last.latest,
		bytes: of.last.bytes, cuts: of.last.cuts}
	x.entry.Revision = of.last.revision + 1
	e.append(b, of, x)
	of.replace(b)
	return nil
}

// working returns the working state of a branch.
func (e *Engine) working(ctx context.Context, l *branch) (*tree.Tree, error) {
	if s := e.cachedState(l); s != nil {
		return s.working, nil
	}
	s, err := e.load(ctx, l)
	if err != nil {
		return nil, err
	}
	return s.working, nil
}
