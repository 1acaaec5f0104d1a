package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/store"
	"github.com/contexttree/pact/tree"
)

// checkDirectories reads every page of every directory of a context. It returns a page that is
// damaged or contradicts the log, and the branch that has it.
func (s *Store) checkDirectories(ctx context.Context, key store.Key) (*store.Damage, int64, error) {
	st, err := s.state(ctx, nil, key)
	if err != nil {
		return nil, 0, err
	}
	k := directoryCheck{sound: make(map[pageOfRun]bool)}
	if k.scanner, err = s.scanner(ctx, key); err != nil {
		return nil, 0, err
	}
	for cycle := st.Cycle; ; {
		root, err := k.newest(ctx, &st, cycle)
		if root == nil || err != nil {
			return nil, 0, s.fail(ctx, err, "checking the directories")
		}
		if err := k.check(ctx, &st, root); err != nil {
			var d *store.Damage
			if !errors.As(err, &d) {
				return nil, 0, s.fail(ctx, err, "checking the directories")
			}
			again, err := k.newest(ctx, &st, cycle)
			if again != nil && again.cycle == root.cycle && again.branch == root.branch {
				d.Derived = true
				return d, root.branch, nil
			}
			if err != nil { // otherwise newer directories replaced this one
				return nil, 0, s.fail(ctx, err, "checking the directories")
			}
		}
		cycle = root.cycle - 1
	}
}

// directoryCheck checks directories that share pages.
type directoryCheck struct {
	*scanner
	published logPosition // of the current directory
	sound     map[pageOfRun]bool
}

// pageOfRun identifies a page and what it must hold.
type pageOfRun struct {
	branch, no int64
	sum        tree.Digest
}

// newest reads the first page of the newest directory up to a cycle.
func (k *directoryCheck) newest(ctx context.Context, st *state, cycle int64) (root *rootPage, err error) {
	err = k.store.inReadTx(ctx, "checking the directories", func(tx *sql.Tx) (err error) {
		k.tx = tx
		defer func() { k.tx = nil }()
		if root, err = k.rootPage(ctx, cycle); err == nil && root != nil {
			k.published, err = k.store.publication(ctx, tx, k.line.at(root.cycle), root.cycle, st.Revision)
		}
		return err
	})
	return root, err
}

func (k *directoryCheck) check(ctx context.Context, st *state, root *rootPage) error {
	o, err := k.openRoot(ctx, st, root)
	if err != nil {
		return err
	}
	if d := digestDamage(o.start.tree, k.published.digest); d != nil {
		return d.Err()
	}
	return k.runs(ctx, o.runs)
}

// runs loads runs and those below them, and drops each when it is checked.
func (k *directoryCheck) runs(ctx context.Context, runs []*run) (err error) {
	defer tree.Recover(&err)
	for _, r := range runs {
		at := pageOfRun{r.Branch, r.No, r.Sum}
		if k.sound[at] {
			continue
		}
		load := func() (*tree.List, error) {
			list, err := r.read(ctx)
			if err == sql.ErrNoRows {
				err = directoryDamage(r.of.cycle, "lacks a page")
			}
			return list, err
		}
		r.Stub.List(load).Parts() // r.list would stay in memory
		below := r.page.runs
		r.page = nil
		if err := k.runs(ctx, below); err != nil {
			return err
		}
		k.sound[at] = true
	}
	return nil
}

// mendDirectories deletes the directories of a context if one is damaged, and writes the next
// one. Cost: that of reading them.
func (s *Store) mendDirectories(ctx context.Context, key store.Key) error {
	for {
		d, branch, err := s.checkDirectories(ctx, key)
		if err != nil {
			return err
		}
		if d == nil {
			break
		}
		err = s.transact(ctx, "deleting directories", func(w *writer) error { return w.dropDirectories(branch, beforeAll) })
		if err != nil {
			return err
		}
	}
	return s.writeDirectory(ctx, key)
}

// mendAllDirectories mends the directories of all contexts, and deletes those without a context.
func (s *Store) mendAllDirectories(ctx context.Context) error {
	const doing = "writing directories"
	err := s.transact(ctx, doing, func(w *writer) error {
		for _, table := range [...]string{"directory", "directory_run"} {
			if err := w.execOnce("DELETE FROM " + table + " WHERE branch NOT IN (SELECT key FROM context)"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	keys, err := s.keys(ctx, "SELECT key FROM context WHERE deleted = 0 ORDER BY key")
	if err != nil {
		return s.fail(ctx, err, doing)
	}
	for _, key := range keys {
		if err := s.mendDirectories(ctx, store.Key(key)); err != nil && !errors.Is(err, fault.ContextNotFound) {
			return err
		}
	}
	return nil
}
