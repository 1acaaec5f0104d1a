package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/benchmarks/talk"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/store/postgres"
	"github.com/jackc/pgx/v5/pgconn"
)

// constants are measured on one server.
type constants struct {
	rowsContext, rowsTurn   float64
	bytesContext, bytesTurn float64       // with indexes, as the tables are on the disk
	bytesLargest            float64       // of a turn in the largest table, without indexes
	rowsJoined, bytesJoined float64       // of a turn, after it was joined with others
	walTurn                 float64       // bytes of the write-ahead log
	processor               time.Duration // of the server, for one commit
	latency                 time.Duration // of one commit alone
	listing                 time.Duration // for each context
	memory                  float64       // of one idle connection, not shared
	vacuum                  float64       // bytes a second that VACUUM FULL writes
}

func (k constants) print() {
	fmt.Println("| constant | measured |\n| --- | ---: |")
	for _, row := range [][2]string{
		{"rows of a new context", fmt.Sprintf("%.1f", k.rowsContext)},
		{"rows of a turn of four messages", fmt.Sprintf("%.1f", k.rowsTurn)},
		{"bytes of a new context, with indexes", bytesText(k.bytesContext)},
		{"bytes of a turn of 3.7 kB, with indexes", bytesText(k.bytesTurn)},
		{"rows of a turn that is joined", fmt.Sprintf("%.2f", k.rowsJoined)},
		{"bytes of a turn that is joined, with indexes", bytesText(k.bytesJoined)},
		{"bytes of the write-ahead log a turn", bytesText(k.walTurn)},
		{"processor of the server a commit", k.processor.Round(time.Microsecond).String()},
		{"a commit alone, on a local socket, without waiting for the disk", k.latency.Round(10 * time.Microsecond).String()},
		{"listing, a context", k.listing.Round(100 * time.Nanosecond).String()},
		{"memory of an idle connection", bytesText(k.memory)},
		{"VACUUM FULL, a second", bytesText(k.vacuum)},
	} {
		fmt.Printf("| %s | %s |\n", row[0], row[1])
	}
}

var tables = []string{"pair", "log"}

// measure fills a database and looks at what there is before and after.
func measure(ctx context.Context, address string, turns, contexts int) (k constants, err error) {
	e, err := dbtest.Engine(postgres.Open(ctx, address))
	if err != nil {
		return k, err
	}
	defer e.Close()
	s := dbtest.Of(e)
	conn, err := pgconn.Connect(ctx, address)
	if err != nil {
		return k, err
	}
	defer conn.Close(ctx)
	m := &meter{ctx: ctx, conn: conn}
	empty := m.state()
	list := make([]*pact.Context, contexts)
	for i := range list {
		if list[i], err = pact.Create(ctx, s, fmt.Sprint("context ", i), nil); err != nil {
			return k, err
		}
	}
	created := m.state()
	took := make([]time.Duration, 0, turns)
	for turn := range turns {
		began := time.Now()
		if err = say(ctx, list[turn%min(contexts, 20)], turn); err != nil { // each of which gets a history
			return k, err
		}
		took = append(took, time.Since(began))
	}
	filled := m.state()
	began := time.Now()
	for range 5 {
		if _, err = pact.List(ctx, s); err != nil {
			return k, err
		}
	}
	k.listing = time.Since(began) / time.Duration(5*contexts)
	k.rowsContext, k.rowsTurn = (created.rows-empty.rows)/float64(contexts), (filled.rows-created.rows)/float64(turns)
	k.bytesContext = (created.bytes - empty.bytes) / float64(contexts)
	k.bytesTurn = (filled.bytes - created.bytes) / float64(turns)
	k.bytesLargest = filled.largest / float64(turns)
	k.walTurn = (filled.wal - created.wal) / float64(turns)
	k.processor = (filled.processor - created.processor) / time.Duration(turns)
	slices.Sort(took)
	k.latency = took[len(took)/2]
	k.memory = m.memory()
	began = time.Now()
	m.rewritten()
	k.vacuum = filled.bytes / time.Since(began).Seconds()
	if err = e.SettleAll(ctx); err != nil {
		return k, err
	}
	before := m.rewritten()
	for turn := range joinedTurns {
		if err = say(ctx, list[0], turns+turn); err != nil {
			return k, err
		}
	}
	if err = e.SettleAll(ctx); err != nil {
		return k, err
	}
	joined := m.rewritten()
	k.rowsJoined = (joined.rows - before.rows) / joinedTurns
	k.bytesJoined = (joined.bytes - before.bytes) / joinedTurns
	return k, m.err
}

// joinedTurns is how many turns one context gets to measure what they take in segments, with the
// checkpoints that lead to them.
const joinedTurns = 512

// say commits a turn of four messages.
func say(ctx context.Context, c *pact.Context, turn int) error {
	_, err := c.Commit(ctx, &pact.CommitOptions{Edit: talk.Say(turn)})
	return err
}

// meter asks a server for what it holds and has done.
type meter struct {
	ctx  context.Context
	conn *pgconn.PgConn
	err  error
}

type state struct {
	rows, bytes, largest, wal float64
	processor                 time.Duration
}

// ask returns the first value of the answer to a query, and remembers the first error.
func (m *meter) ask(query string) string {
	if m.err != nil {
		return ""
	}
	results, err := m.conn.Exec(m.ctx, query).ReadAll()
	if m.err = err; err != nil || len(results) == 0 || len(results[0].Rows) == 0 {
		return ""
	}
	return string(results[0].Rows[0][0])
}

func (m *meter) number(query string) float64 {
	v, _ := strconv.ParseFloat(m.ask(query), 64)
	return v
}

func (m *meter) state() (now state) {
	for _, table := range tables {
		now.rows += m.number("SELECT count(*) FROM " + table)
		now.bytes += m.number("SELECT pg_total_relation_size('" + table + "')")
		now.largest = max(now.largest, m.number("SELECT pg_table_size('"+table+"')"))
	}
	now.wal = m.number("SELECT pg_current_wal_lsn() - '0/0'")
	for _, pid := range m.backends() {
		now.processor += workedBy(pid)
	}
	return now
}

// rewritten rewrites the tables without the room of deleted rows, and returns what is in them.
func (m *meter) rewritten() state {
	for _, table := range tables {
		m.ask("VACUUM (FULL) " + table)
	}
	return m.state()
}

// backends are the processes of the server that serve somebody, but for this one.
func (m *meter) backends() []string {
	list := m.ask(`SELECT string_agg(pid::text, ' ') FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
	return strings.Fields(list)
}

// memory is the memory of an idle connection, on average.
func (m *meter) memory() (bytes float64) {
	pids := m.backends()
	for _, pid := range pids {
		text, _ := os.ReadFile(filepath.Join("/proc", pid, "smaps_rollup")) // a system without it has no figure
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "Anonymous:"); ok {
				kB, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
				bytes += 1024 * kB
			}
		}
	}
	return bytes / float64(max(1, len(pids)))
}

// workedBy is how long processors have worked for a process, 0 where Linux does not
// say.
func workedBy(pid string) time.Duration {
	text, _ := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	const ticks = 100 // a second, in /proc on Linux
	return time.Duration(user+system) * time.Second / ticks
}
