package sqlstore

import (
	"context"
	"database/sql"
	"strconv"
)

// chainReader checks the chain through the log of one branch, row by row.
type chainReader struct {
	last []byte // link of the previous row; rows of version 1 of the schema have none
	from []byte // what the link of the next row covers besides the row
}

// next reports whether the next row of the log has the link that is expected.
func (l *chainReader) next(values []any) bool {
	link, from := recordedLink(values), l.from
	proven := link != nil || l.last != nil
	l.last, l.from = link, link
	return !proven || linked(from, values)
}

// recordedLink returns the link in a row of the log.
func recordedLink(values []any) []byte {
	b, _ := values[colChain].([]byte)
	return b
}

// expectedLink computes the link of a row of the log. A row without idle groups has the same
// link as before that column existed.
func expectedLink(from []byte, values []any) []byte {
	if values[colIdle] == nil {
		return chainLink(from, values[:colIdle]...)
	}
	return chainLink(from, values[:colIdle+1]...)
}

// chainReaderAt returns a reader whose next row is a revision of a segment.
func (s *Store) chainReaderAt(ctx context.Context, tx *sql.Tx, p segment, revision int64) (l chainReader, err error) {
	if revision > p.afterRevision+1 {
		err = s.chainAt(ctx, tx, p.branch, revision-1, &l.last)
		l.from = l.last
		return l, err
	}
	row, err := s.contextRow(ctx, tx, p.branch)
	if err == nil && row.Origin.Key != 0 {
		err = s.chainAt(ctx, tx, int64(row.Origin.Key), row.Origin.Revision, &l.last)
	}
	l.from = chainStart(l.last, row.Info)
	return l, err
}

func (s *Store) chainAt(ctx context.Context, tx *sql.Tx, branch, revision int64, link *[]byte) error {
	err := within(ctx, tx, s.stmts.chainAt).QueryRowContext(ctx, branch, revision).Scan(link)
	if err == sql.ErrNoRows {
		return damageError(noRevision(revision))
	}
	return err
}

func noRevision(revision int64) string {
	return "the log has no revision " + strconv.FormatInt(revision, 10)
}

func altered(revision int64) string {
	return "revision " + strconv.FormatInt(revision, 10) + " of the log is not as it was written"
}

// eachLogRow checks the link of each row of the log of a segment, from one revision to another,
// and then calls f with the row.
func (s *Store) eachLogRow(ctx context.Context, tx *sql.Tx, p segment, from, to int64, f func(values []any)) error {
	l, err := s.chainReaderAt(ctx, tx, p, from)
	if err != nil {
		return err
	}
	rows, err := within(ctx, tx, s.stmts.logRows).QueryContext(ctx, p.branch, from, to)
	err = eachRow(rows, err, func(values []any) error {
		revision, _ := values[colRevision].(int64)
		switch {
		case revision != from:
			return damageError(noRevision(from))
		case !l.next(values):
			return damageError(altered(revision))
		}
		from++
		f(values)
		return nil
	})
	if err == nil && from <= to {
		err = damageError(noRevision(from))
	}
	return err
}

// eachRow calls f with the values of every row until f fails. err is the error of the query
// that returned rows.
func eachRow(rows *sql.Rows, err error, f func(values []any) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := f(values); err != nil {
			return err
		}
	}
	return rows.Err()
}
