package sqlstore

import (
	"context"
	"database/sql"
	"encoding/hex"
	"sort"

	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// logPosition is the state of a context after a revision, from the row of the log.
type logPosition struct {
	revision, latest int64
	stamps           tree.Stamps
	next             int64 // the next free nid
	digest, thread   []byte
	idle             any
	chain            []byte
}

// Fork implements store.Forker. Cost: a row for the context and one for the log,
// and look-ups that grow with the logarithm of the log.
func (s *Store) Fork(ctx context.Context, key store.Key, cycle int64, f store.Fork) (store.Info, error) {
	if err := store.CheckName(f.Name); err != nil {
		return store.Info{}, err
	}
	if f.SupersededName != "" {
		if err := store.CheckName(f.SupersededName); err != nil {
			return store.Info{}, err
		}
	}
	st, err := s.state(ctx, nil, key)
	if err != nil {
		return store.Info{}, err
	}
	if cycle < st.First || cycle > st.Cycle {
		return store.Info{}, store.NoSnapshot(cycle)
	}
	line, err := s.lineage(ctx, key)
	if err != nil {
		return store.Info{}, err
	}
	at, err := s.publication(ctx, nil, line.at(cycle), cycle, st.Revision)
	if err != nil {
		return store.Info{}, err
	}
	info := store.Info{
		Name: f.Name, Edition: st.Edition, First: st.First, Cycle: cycle, Revision: at.revision + 1, Stamps: at.stamps,
		Origin: store.Origin{Key: store.Key(line.at(cycle).branch), Cycle: cycle, Revision: at.revision},
	}
	if f.Entry.Request != "" {
		if e, err := s.request(ctx, line, f.Entry.Request); err != nil || e != nil {
			return store.Info{}, orSeen(err, f.Entry.Request)
		}
	}
	known := &writerState{latest: cycle, next: at.next, refs: s.writers.refsAt(key, cycle)}
	err = s.transact(ctx, "making a fork", func(w *writer) error {
		if err := w.renameSource(key, f); err != nil {
			return err
		}
		known.chain, err = w.fork(&info, line[0].branch, at, f.Entry)
		return err
	})
	if err != nil {
		return store.Info{}, err
	}
	if f.SupersededName != "" {
		s.writers.drop(key)
	}
	known.revision = info.Revision
	s.writers.put(info.Key, known)
	return info, nil
}

func orSeen(err error, token string) error {
	if err != nil {
		return err
	}
	return store.RequestSeen(token)
}

// publication finds the row of the log that published a cycle: the first one of its branch
// after which that cycle was the latest. It searches backward from the end in doubling steps,
// because most callers want a recent cycle. Cost: look-ups that grow with the logarithm of the
// distance.
func (s *Store) publication(ctx context.Context, tx *sql.Tx, p segment, cycle, revision int64) (logPosition, error) {
	var err error
	state := within(ctx, tx, s.stmts.logState)
	read := func(revision int64) (l logPosition) {
		if err == nil {
			l.revision = revision
			err = state.QueryRowContext(ctx, p.branch, revision).Scan(&l.latest, &l.stamps.Cycle, &l.stamps.LastNS,
				&l.stamps.Next, &l.stamps.Given, &l.next, &l.digest, &l.thread, &l.idle, &l.chain)
		}
		return l
	}
	end := min(p.endRevision, revision)
	back := int64(1)
	for end-back > p.afterRevision && read(end-back).latest >= cycle {
		back *= 2
	}
	back = min(back, end-p.afterRevision)
	n := sort.Search(int(back), func(i int) bool { return read(end-back+1+int64(i)).latest >= cycle })
	l := read(end - back + 1 + int64(n))
	if err == sql.ErrNoRows || err == nil && l.latest != cycle {
		return l, damageError("the log does not hold every cycle")
	}
	return l, s.fail(ctx, err, "reading the log")
}

// renameSource checks that the context to fork exists. If the fork takes over its name, it
// renames the context and logs that.
func (w *writer) renameSource(key store.Key, f store.Fork) error {
	var now logPosition
	st := &w.store.stmts
	err := w.stmt(st.currentState).QueryRowContext(w.ctx, int64(key)).Scan(&now.revision, &now.latest, &now.stamps.Cycle,
		&now.stamps.LastNS,
		&now.stamps.Next, &now.stamps.Given, &now.next, &now.digest, &now.chain)
	switch {
	case err == sql.ErrNoRows:
		return noKey(key)
	case err != nil || f.SupersededName == "":
		return err
	case f.Guard.Cycle != now.latest || f.Guard.Revision != now.revision:
		return store.Moved(f.Guard, now.latest, now.revision)
	}
	if err = w.rename(key, f.SupersededName); err != nil {
		return err
	}
	w.key = int64(key)
	e := f.Entry
	e.Kind, e.Cycle, e.TimeNS = store.Superseded, now.stamps.Cycle, now.stamps.LastNS
	e.Digest, e.Thread = hex.EncodeToString(now.digest), ""
	_, err = w.log(now.chain, now.revision+1, e, now.latest, now.stamps, now.next, nil)
	return err
}

// fork writes the two rows of a fork and counts the fork in the first context of its family. It
// returns the link of the row of the log.
func (w *writer) fork(info *store.Info, first int64, at logPosition, e store.Entry) ([]byte, error) {
	st := &w.store.stmts
	family, err := w.alterContext(first, func(c *contextRow) error {
		c.forks++
		return nil
	})
	if err != nil {
		return nil, err
	}
	info.Fork = family.forks
	o := info.Origin
	row := contextRow{Info: *info, origin: [3]sql.NullInt64{{Int64: int64(o.Key), Valid: true},
		{Int64: o.Cycle, Valid: true}, {Int64: o.Revision, Valid: true}}}
	if err := w.insert(&row); err != nil {
		return nil, err
	}
	info.Key = row.Key
	// Read under the lock, because an erasure changes them.
	if err := w.stmt(st.logProof).QueryRowContext(w.ctx, int64(o.Key), o.Revision).Scan(&at.digest, &at.thread,
		&at.chain); err != nil {
		return nil, err
	}
	e.Kind, e.Cycle, e.TimeNS = store.Forked, info.Cycle, info.Stamps.LastNS
	e.Digest, e.Thread = hex.EncodeToString(at.digest), hex.EncodeToString(at.thread)
	return w.log(chainStart(at.chain, *info), info.Revision, e, info.Cycle, info.Stamps, at.next, nil)
}
