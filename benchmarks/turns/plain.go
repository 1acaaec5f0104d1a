package main

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/contexttree/pact/benchmarks/talk"
)

// plainRows keeps a conversation as rows, as a program does by itself: a row
// a message with its headers, its content in another table, and one a turn.
type plainRows struct {
	db                     *sql.DB
	turn, message, content *sql.Stmt
}

const plainSchema = `CREATE TABLE turn (no INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL);
CREATE TABLE content (no INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE message (id TEXT PRIMARY KEY, turn INTEGER NOT NULL, place INTEGER NOT NULL, role TEXT NOT NULL,
	kind TEXT NOT NULL, created_ns INTEGER NOT NULL, content INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX message_turn ON message (turn, place);`

// openPlain opens plain rows with the settings of our store.
func openPlain(ctx context.Context, path string) (*plainRows, error) {
	db, err := sql.Open("sqlite", "file:"+path+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &plainRows{db: db}, db.PingContext(ctx)
}

// prepare prepares what writes.
func (p *plainRows) prepare(ctx context.Context) (err error) {
	for query, to := range map[string]**sql.Stmt{
		"INSERT INTO turn (no, time_ns) VALUES (?, ?)":                         &p.turn,
		"INSERT INTO content (no, body) VALUES (?, ?), (?, ?), (?, ?), (?, ?)": &p.content,
		`INSERT INTO message (id, turn, place, role, kind, created_ns, content) VALUES (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?),
			(?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?)`: &p.message,
	} {
		if *to, err = p.db.PrepareContext(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

// add writes a turn in one transaction.
func (p *plainRows) add(ctx context.Context, turn int, texts [4]string) error {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	now := time.Now().UnixNano()
	var contents, headers []any
	for i, text := range texts {
		no := 4*turn + i + 1
		contents = append(contents, no, text)
		headers = append(headers, fmt.Sprintf("m%d-%d", turn, i), turn, i, talk.Roles[i], "text", now, no)
	}
	if _, err := tx.StmtContext(ctx, p.turn).ExecContext(ctx, turn, now); err != nil {
		return err
	}
	if _, err := tx.StmtContext(ctx, p.content).ExecContext(ctx, contents...); err != nil {
		return err
	}
	if _, err := tx.StmtContext(ctx, p.message).ExecContext(ctx, headers...); err != nil {
		return err
	}
	return tx.Commit()
}

// plainFilled is the file of the conversation in plain rows.
func (b *bench) plainFilled() string {
	if b.plain != "" {
		return b.plain
	}
	path := filepath.Join(b.dir, "plain.db")
	p := b.openPlainToWrite(path)
	_, err := p.db.ExecContext(b.ctx, plainSchema)
	must(err)
	must(p.prepare(b.ctx))
	for turn := range b.turns {
		must(p.add(b.ctx, turn, talk.Messages(turn)))
	}
	must(p.db.Close())
	b.plain = path
	return path
}

func (b *bench) openPlainToWrite(path string) *plainRows {
	p, err := openPlain(b.ctx, path)
	must(err)
	return p
}

// plainContext opens a copy of the file of plain rows, ready to write.
func (b *bench) plainContext() *plainRows {
	path := filepath.Join(b.dir, "plain copy.db")
	must(b.clone(b.plainFilled(), path))
	p := b.openPlainToWrite(path)
	must(p.prepare(b.ctx))
	return p
}

// ask answers a question with one query and returns how many bytes of contents came.
func (p *plainRows) ask(ctx context.Context, what string) (int, error) {
	var last int
	if err := p.db.QueryRowContext(ctx, "SELECT max(no) FROM turn").Scan(&last); err != nil {
		return 0, err
	}
	where, args := "", []any{}
	switch what {
	case "node", "key":
		where, args = "m.id = ?", []any{fmt.Sprintf("m%d-1", last/2)}
	case "last":
		where, args = "m.turn > ?", []any{last - 3}
	case "diff":
		where, args = "m.turn = ?", []any{last}
	case "half":
		where, args = "m.turn <= ?", []any{last / 2}
	}
	rows, err := p.db.QueryContext(ctx, `SELECT m.id, m.role, m.kind, c.body FROM message m JOIN content c ON c.no = m.content
		WHERE `+where+` ORDER BY m.turn, m.place`, args...)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	bytes := 0
	for rows.Next() {
		var id, role, kind, body string
		if err := rows.Scan(&id, &role, &kind, &body); err != nil {
			return 0, err
		}
		bytes += len(body)
	}
	return bytes, rows.Err()
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}
