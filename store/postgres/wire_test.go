package postgres_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/postgres"
)

// wire takes down what a store says to its server.
type wire struct {
	mu         sync.Mutex
	statements map[string]bool
	prepared   []string // names of statements that were to stay with the session
	rounds     int      // times that the server was asked and answered
}

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	return &wired{Conn: c, wire: w}, err
}

// wired is a connection that is listened to.
type wired struct {
	net.Conn
	wire    *wire
	started bool // the first message has no type
	rest    []byte
}

func (c *wired) Write(data []byte) (int, error) {
	c.rest = append(c.rest, data...)
	if !c.started {
		c.started, c.rest = true, nil
	}
	c.wire.mu.Lock()
	for len(c.rest) >= 5 {
		size := 1 + int(binary.BigEndian.Uint32(c.rest[1:]))
		if len(c.rest) < size {
			break
		}
		switch body := string(c.rest[5:size]); c.rest[0] {
		case 'P': // Parse: the name of the statement, and the statement
			name, query, _ := strings.Cut(body, "\x00")
			query, _, _ = strings.Cut(query, "\x00")
			c.wire.statements[query] = true
			if name != "" {
				c.wire.prepared = append(c.wire.prepared, name)
			}
		case 'Q': // of the clean-up after an erasure, which is PostgreSQL's alone and says so elsewhere
			c.wire.rounds++
		case 'S': // Sync
			c.wire.rounds++
		}
		c.rest = c.rest[size:]
	}
	c.wire.mu.Unlock()
	return c.Conn.Write(data)
}

func listen(t testing.TB, address string) (*engine.Engine, *wire) {
	t.Helper()
	w := &wire{statements: make(map[string]bool)}
	s, err := on(postgres.OpenThrough(t.Context(), address, w.dial))
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, w
}

// TestStore holds the store to the contract, and every statement that this leads
// to, to words that all engines have which speak the protocol: no extension, no
// lock beside the transaction, nothing that stays with the session, no cursor, no
// cast of one engine. The schema is sent as well.
func TestStore(t *testing.T) {
	testrun.OneGoroutine(t) // on each store; those that several use are in TestSoakRefused
	var mu sync.Mutex       // guards all
	all := make(map[string]bool)
	suite(t, 400, postgrestest.Database, func(t testing.TB, address string) *engine.Engine {
		s, w := listen(t, address)
		t.Cleanup(func() {
			mu.Lock()
			defer mu.Unlock()
			w.mu.Lock() // a connection that was given up may still say its last word
			defer w.mu.Unlock()
			maps.Copy(all, w.statements)
			if len(w.prepared) > 0 {
				t.Errorf("statements stay with the session: %v", w.prepared)
			}
		})
		return s
	})
	if part := strings.Contains(flag.Lookup("test.run").Value.String(), "/"); len(all) < 25 && !part {
		t.Errorf("only %d statements came by", len(all))
	}
	holdToSubset(t, all)
}

// holdToSubset fails the test where a statement has a word beyond the schema and what
// all engines have.
func holdToSubset(t *testing.T, all map[string]bool) {
	t.Helper()
	names := namesOfSchema(t)
	for s := range all {
		for _, word := range wordsOf(s) {
			if !names[word] && !allowedWords[word] {
				t.Errorf("%q is not in the subset: %s", word, s)
			}
		}
	}
}

var literal = regexp.MustCompile(`'[^']*'`)
var word = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*|::|@@|\|\||~`)

func wordsOf(statement string) []string {
	statement, _, _ = strings.Cut(statement, "--")
	return word.FindAllString(literal.ReplaceAllString(statement, ""), -1)
}

// namesOfSchema are those of tables and columns, and of what statements call them.
func namesOfSchema(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("schema/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no schema: %v", err)
	}
	var text []byte
	for _, name := range files {
		one, err := os.ReadFile(name)
		must(t, err)
		text = append(text, one...)
	}
	names := make(map[string]bool)
	for _, w := range strings.Fields("pact_store pact_schema version excluded l p") {
		names[w] = true
	}
	for line := range strings.Lines(string(text)) {
		code, _, _ := strings.Cut(line, "--")
		for _, w := range wordsOf(code) {
			if w == strings.ToLower(w) {
				names[w] = true
			}
		}
	}
	return names
}

// allowedWords are the words of the language. ALTER COLUMN … SET STATISTICS is tried, and an engine without it goes
// on.
var allowedWords = func() map[string]bool {
	list := make(map[string]bool)
	for _, w := range strings.Fields(`ALTER AND AS BEGIN BETWEEN BIGINT BY BYTEA CASE COLUMN COMMIT CONFLICT CREATE DELETE DESC DO END FROM IN INSERT INTO ISOLATION JOIN KEY
		LEFT LEVEL LIMIT NOT NULL ON ONLY ORDER PRIMARY READ REPEATABLE ROLLBACK SELECT SERIALIZABLE SET STATISTICS TABLE THEN UNION UPDATE VALUES
		WHEN WHERE count length max`) {
		list[w] = true
	}
	return list
}()

// A commit of a turn takes one round trip, and with a request token two more, which
// ask for the token and for the context.
func TestRoundTrips(t *testing.T) {
	s, w := listen(t, postgrestest.Database(t))
	c, err := pact.Create(t.Context(), dbtest.Of(s), "chat", nil)
	must(t, err)
	for turn := range 20 {
		before := w.rounds
		token, want := "", 1
		if turn%2 == 0 {
			token, want = fmt.Sprint("token ", turn), 3
		}
		commit(t, c, token, turn)
		if rounds := w.rounds - before; turn > 0 && rounds != want {
			t.Errorf("turn %d took %d round trips, want %d", turn, rounds, want)
		}
	}
}

// Keys are led by the context: a commit writes no row whose key does not begin with its context, and
// none that another context writes too.
func TestKeys(t *testing.T) {
	address := postgrestest.Database(t)
	s := open(t, address)
	led := postgrestest.Exec(t, address, `SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
		WHERE i.indisunique AND c.relname || '.' || a.attname IN ('pair.space', 'log.id')`)
	if len(led) != 2 {
		t.Errorf("%d unique keys begin with the context: %v", len(led), led)
	}
	one, err := pact.Create(t.Context(), dbtest.Of(s), "one", nil)
	must(t, err)
	_, err = pact.Create(t.Context(), dbtest.Of(s), "other", nil)
	must(t, err)
	// xmin is the transaction that wrote a row.
	const rows = `SELECT space || '/' || name, xmin FROM pair WHERE space <> 1
		UNION ALL SELECT 'log ' || id, xmin FROM log WHERE id >> 36 <> 1 ORDER BY 1`
	before := postgrestest.Exec(t, address, rows)
	for turn := range 100 { // the first ones are joined
		commit(t, one, fmt.Sprint("token ", turn), turn)
	}
	must(t, s.SettleAll(t.Context()))
	if after := postgrestest.Exec(t, address, rows); !reflect.DeepEqual(before, after) {
		t.Errorf("commits to one context wrote rows of others: %v, then %v", before, after)
	}
}
