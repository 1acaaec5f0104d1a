package sqlstore

import "database/sql"

const (
	updateVersion = `UPDATE node_version SET created_iso = NULL, headers = ?, content_size = ?, content_hash = ?, proof = ?
		WHERE branch = ? AND birth = ? AND nid = ?`
	updateContent = `UPDATE content SET body = ?
		WHERE {key} IN (SELECT {of} FROM node_version WHERE branch = ? AND birth = ? AND nid = ?)`
	updateLog = `UPDATE log SET actor = ?, message = ?, request = ?, report = ?, digest = ?, thread = ?, sent = ?, chain = ?
		WHERE branch = ? AND revision = ?`
	updateErased = `UPDATE attempt SET provider = ?, model = ?, error = ?, thread = ?, request = ?, proof = ?
		WHERE branch = ? AND cycle = ? AND number = ?`
	noteUnclean = `INSERT INTO unclean (since_ns) VALUES (?)`
)

// write writes the rows of the plan, drops the directories, which may hold texts of erased
// nodes and their digests, and records that the file needs cleaning.
func (x *erasure) write(w *writer) error {
	for _, write := range [...]func(*writer) error{x.writeVersions, x.writeLogs, x.writeAttempts, x.writeEntries} {
		if err := write(w); err != nil {
			return err
		}
	}
	for _, b := range x.family {
		if len(x.rows) == 0 {
			break // no snapshot changes
		}
		if err := w.dropDirectories(int64(b.Key), beforeAll); err != nil {
			return err
		}
	}
	return w.execOnce(noteUnclean, x.Entry.TimeNS)
}

// execOnce executes a statement that only erasures use.
func (w *writer) execOnce(query string, args ...any) error {
	_, err := w.tx.ExecContext(w.ctx, w.store.bound(query), args...)
	return err
}

// prepareForMany prepares a statement that runs for many rows.
func (w *writer) prepareForMany(query string) (*sql.Stmt, error) {
	return w.tx.PrepareContext(w.ctx, w.store.bound(query))
}

// writeVersions writes the versions to the rows, and to the pages for those that are packed by
// now.
func (x *erasure) writeVersions(w *writer) error {
	row, err := w.prepareForMany(updateVersion)
	if err != nil {
		return err
	}
	defer row.Close()
	content, err := w.prepareForMany(updateContent)
	if err != nil {
		return err
	}
	defer content.Close()
	packed := map[int64][]version{}
	for _, v := range x.rows {
		done, err := row.ExecContext(w.ctx, v.headers, v.size, v.hash, v.proof, v.branch, v.birth, v.nid)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			packed[v.branch] = append(packed[v.branch], v)
			continue
		}
		if v.content == nil {
			continue
		}
		if _, err := content.ExecContext(w.ctx, v.body, v.branch, v.birth, v.nid); err != nil {
			return err
		}
	}
	for _, b := range x.family {
		if err := w.writePacked(int64(b.Key), packed[int64(b.Key)]); err != nil {
			return err
		}
		if !b.deleted || len(b.rows) == 0 {
			continue
		}
		// A deleted context gets no log entry, but whoever packs its rows has to notice the
		// erasure.
		if _, err := w.alterContext(int64(b.Key), func(c *contextRow) error {
			c.Erasures++
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func (x *erasure) writeLogs(w *writer) error {
	row, err := w.prepareForMany(updateLog)
	if err != nil {
		return err
	}
	defer row.Close()
	for _, l := range x.logs {
		if _, err := row.ExecContext(w.ctx, append(l.values, l.branch, l.revision)...); err != nil {
			return err
		}
	}
	return nil
}

// writeAttempts reads the attempts again under the lock and writes those that
// change.
func (x *erasure) writeAttempts(w *writer) error {
	for _, b := range x.family {
		list, err := x.attempts(w.tx, b)
		if err != nil {
			return err
		}
		for _, a := range list {
			thread, err := digestColumn(a.Thread)
			if err != nil {
				return err
			}
			if err := w.execOnce(updateErased, a.Provider, a.Model, orNull(a.Error), thread,
				bytesOrNull(a.Request), a.proof, a.branch, a.cycle, a.number); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeEntries logs the erasure in every context that it changes.
func (x *erasure) writeEntries(w *writer) error {
	for _, a := range x.newEntries {
		w.key = int64(a.branch.Key)
		_, err := w.alterContext(w.key, func(c *contextRow) error {
			c.Erasures++
			return nil
		})
		if err != nil {
			return err
		}
		if _, err := w.log(a.chain, a.branch.Revision+1, a.entry, a.branch.Cycle, a.branch.Stamps, a.branch.next,
			nil); err != nil {
			return err
		}
	}
	return nil
}
