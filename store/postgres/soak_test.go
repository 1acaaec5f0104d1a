//go:build unix

package postgres_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/postgres"
)

// What a soak is made of: writers with a context each, writers that share one, and
// for how long. PACT_SOAK_SECONDS says how long; the tests do a second of it.
const (
	ownWriters    = 64
	sharedWriters = 16
	soakSeconds   = "PACT_SOAK_SECONDS"
	soakChild     = "PACT_SOAK_CHILD" // a process of its own carries the share out that is written here
)

// share is the work of one process.
type share struct {
	Address string
	Number  int      // of the process
	Names   []string // the context of each writer
	Lasts   time.Duration
	Patient bool // writers that get an error open their context again and repeat the call
}

// yield counts the work of a process.
type yield struct {
	Acknowledged map[string][]string // tokens by context
	Took         []time.Duration     // of each acknowledged commit, from its first try
	Conflicts    int
	Errors       map[fault.Code]int // other than conflicts
	First        string             // of the errors
}

func (y *yield) add(o *yield) {
	for name, tokens := range o.Acknowledged {
		y.Acknowledged[name] = append(y.Acknowledged[name], tokens...)
	}
	y.Took = append(y.Took, o.Took...)
	y.Conflicts += o.Conflicts
	for code, n := range o.Errors {
		y.Errors[code] += n
	}
	y.First = y.First + o.First
}

func newYield() *yield {
	return &yield{Acknowledged: make(map[string][]string), Errors: make(map[fault.Code]int)}
}

// carryOut has all writers of a share commit turn after turn, until the time is over or they are not to go on.
func (w share) carryOut(ctx context.Context, s *engine.Engine, going func() bool) *yield {
	until := time.Now().Add(w.Lasts)
	all, mu := newYield(), sync.Mutex{}
	var wait sync.WaitGroup
	for i, name := range w.Names {
		wait.Go(func() {
			y := newYield()
			var c *pact.Context
			var err error
			for n := 0; going() && time.Now().Before(until); {
				token := fmt.Sprint(w.Number, "-", i, "-", n)
				began := time.Now()
				if c == nil {
					c, err = pact.Open(ctx, dbtest.Of(s), name, nil)
				}
				if err == nil {
					err = y.commit(ctx, c, token)
				}
				if err != nil {
					y.Errors[fault.CodeOf(err)]++
					y.First, c = err.Error(), nil
					if !w.Patient {
						break
					}
					err = nil
					continue
				}
				y.Took = append(y.Took, time.Since(began))
				y.Acknowledged[name] = append(y.Acknowledged[name], token)
				n++
			}
			mu.Lock()
			defer mu.Unlock()
			all.add(y)
		})
	}
	wait.Wait()
	return all
}

// commit commits a turn: a writer that loses takes it to the new state, and so on
// until it wins.
func (y *yield) commit(ctx context.Context, c *pact.Context, token string) error {
	_, err := c.Commit(ctx, &pact.CommitOptions{
		Note: pact.Note{Request: token},
		Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Kind: "text", Content: "turn " + token})
			return b.Err()
		},
	})
	for lost := (*pact.Conflict)(nil); errors.As(err, &lost); lost = nil {
		y.Conflicts++
		_, err = lost.Rebase(ctx)
	}
	return err
}

// soakAsChild carries out the share of a process that a test started.
func soakAsChild(text string) error {
	var w share
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return err
	}
	ctx := context.Background()
	s, err := on(postgres.Open(ctx, w.Address))
	if err != nil {
		return err
	}
	defer s.Close()
	return json.NewEncoder(os.Stdout).Encode(w.carryOut(ctx, s, func() bool { return true }))
}

// elsewhere carries a share out in a process of its own.
func (w share) elsewhere() (*yield, error) {
	text, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), soakChild+"="+string(text))
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, said.Bytes())
	}
	y := newYield()
	return y, json.Unmarshal(out, y)
}

// soak has writers work in one process or in two, and holds the database to what was
// acknowledged. With trouble they work in this process, through so many pools, while it lasts, and are patient.
func soak(t *testing.T, address, direct string, own, shared, processes int, trouble func()) *yield {
	t.Helper()
	seconds := 1.0
	if text := os.Getenv(soakSeconds); text != "" {
		var err error
		seconds, err = strconv.ParseFloat(text, 64)
		must(t, err)
	}
	s := open(t, direct)
	shares := make([]share, processes)
	for i := range own + shared {
		name := "shared"
		if i < own {
			name = fmt.Sprint("own ", i)
		}
		if i <= own && (i < own || shared > 0) {
			_, err := pact.Create(t.Context(), dbtest.Of(s), name, nil)
			must(t, err)
		}
		of := &shares[i%processes]
		of.Names = append(of.Names, name)
	}
	total, mu, over := newYield(), sync.Mutex{}, atomic.Bool{}
	began := time.Now()
	var wait sync.WaitGroup
	for i := range shares {
		w := &shares[i]
		w.Address, w.Number, w.Lasts = address, i, time.Duration(seconds*float64(time.Second))
		if w.Patient = trouble != nil; w.Patient {
			w.Lasts = time.Hour
		}
		run := w.elsewhere
		if processes == 1 || w.Patient {
			own := open(t, address)
			run = func() (*yield, error) {
				return w.carryOut(t.Context(), own, func() bool { return !over.Load() }), nil
			}
		}
		wait.Go(func() {
			y, err := run()
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			total.add(y)
		})
	}
	if trouble != nil {
		trouble()
		over.Store(true)
	}
	wait.Wait()
	total.report(t, time.Since(began).Seconds(), processes, trouble != nil)
	for _, name := range slices.Sorted(maps.Keys(total.Acknowledged)) {
		sound(t, s, name, total.Acknowledged[name])
	}
	if damage, err := s.CheckAll(t.Context()); damage != nil || err != nil {
		t.Errorf("%+v, %v", damage, err)
	}
	if trouble != nil {
		return total
	}
	met := postgrestest.Exec(t, direct, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
	if met[0][0] != "0" {
		t.Errorf("%s transactions met in a deadlock", met[0][0])
	}
	return total
}

// report logs throughput, conflicts and how long commits took, and fails where a
// writer gave up or hardly came through.
func (y *yield) report(t *testing.T, seconds float64, processes int, patient bool) {
	t.Helper()
	if len(y.Errors) > 0 && !patient || y.Errors[""] > 0 {
		t.Errorf("writers gave up, or got an error without a code: %v, such as %s", y.Errors, y.First)
	}
	if len(y.Took) < 16 {
		t.Fatal("few commits came through")
	}
	slices.Sort(y.Took)
	at := func(q float64) time.Duration {
		return y.Took[int(q*float64(len(y.Took)-1))].Round(10 * time.Microsecond)
	}
	t.Logf("%d process(es), %.0f s: %.0f commits a second (%d on the shared context), %d conflicts, p50 %v, p99 %v",
		processes, seconds, float64(len(y.Took))/seconds, len(y.Acknowledged["shared"]), y.Conflicts, at(0.5), at(0.99))
	t.Logf("errors: %v", y.Errors)
}

// TestSoak loads one PostgreSQL: 64 writers on 64 contexts and 16 on one, in one
// process and in two. PACT_SOAK_SECONDS does it for longer.
func TestSoak(t *testing.T) {
	for processes := testrun.Size(t, 2, 1, 1); processes <= 2; processes++ {
		address := postgrestest.Database(t)
		soak(t, address, address, ownWriters, sharedWriters, processes, nil)
	}
}

// TestSoakRefused is TestSoak on a server whose transactions are all serializable,
// behind a proxy that has it refuse some of them with SQLSTATE 40001.
func TestSoakRefused(t *testing.T) {
	s := server(t)
	for processes := testrun.Size(t, 2, 1, 1); processes <= 2; processes++ {
		direct := databaseOf(t, s)
		name := databaseName(t, direct)
		postgrestest.Exec(t, direct, "ALTER DATABASE "+name+" SET default_transaction_isolation = 'serializable'")
		p := interceptAndRefuse(t, s.Socket(), 0.02)
		soak(t, postgrestest.Address("127.0.0.1", p.port, name), direct, ownWriters, sharedWriters, processes, nil)
		t.Logf("%d transactions were refused by the proxy", p.thrown.Load())
		if p.thrown.Load() < 10 {
			t.Error("few transactions were refused")
		}
	}
}
