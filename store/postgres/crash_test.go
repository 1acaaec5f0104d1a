//go:build unix

package postgres_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/store/postgres"
)

// crashChild names the database that a process of its own commits to until it is
// killed, and crashWork what else it does there.
const (
	crashChild = "PACT_CRASH_CHILD"
	crashWork  = "PACT_CRASH_WORK"
)

// commitAsChild commits turns in one step and in two, and acknowledges each by its
// token.
func commitAsChild(address string) error {
	ctx := context.Background()
	s, err := on(postgres.Open(ctx, address))
	if err != nil {
		return err
	}
	c, err := pact.Open(ctx, dbtest.Of(s), "turns", nil)
	if err != nil {
		return err
	}
	joinAllTheTime(ctx, s)
	for n := 0; ; n++ {
		token := fmt.Sprint(os.Getpid(), "-", n)
		edit := func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Content: "turn " + token})
			return b.Err()
		}
		if n%3 == 0 {
			if err := c.Edit(ctx, edit, nil); err != nil {
				return err
			}
			edit = nil
		}
		if _, err := c.Commit(ctx, &pact.CommitOptions{Note: pact.Note{Request: token}, Edit: edit}); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(os.Stdout, "ack", token); err != nil { // one write: whole in the pipe or not there
			return err
		}
	}
}

// joinAllTheTime joins what is there in the background, so that this is killed as well.
func joinAllTheTime(ctx context.Context, s *engine.Engine) {
	go func() {
		for s.SettleAll(ctx) == nil {
		}
	}()
}

// TestProgramKilled kills a process that commits, with SIGKILL and at random moments.
// What it had acknowledged is there once, in one line, and the next process goes on.
func TestProgramKilled(t *testing.T) {
	const perContext = 10
	kills := testrun.Size(t, 10, 10, 200)
	rnd := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 7))
	total := 0
	for killed := 0; killed < kills; {
		address := postgrestest.Database(t)
		s := open(t, address)
		_, err := pact.Create(t.Context(), dbtest.Of(s), "turns", nil)
		must(t, err)
		var acknowledged []string
		for range perContext {
			after := time.Duration(rnd.IntN(80_000)) * time.Microsecond
			acknowledged = append(acknowledged, killedAt(t, address, "", after)...)
			killed++
		}
		sound(t, s, "turns", acknowledged)
		c, err := pact.Open(t.Context(), dbtest.Of(s), "turns", nil)
		must(t, err)
		commit(t, c, "after", 0)
		total += len(acknowledged)
		if len(segments(t, address)) == 0 {
			t.Error("no process joined anything")
		}
	}
	t.Logf("%d kills, %d commits acknowledged", kills, total)
}

// killedAt runs a process, kills it a while after its first acknowledgement, and
// returns what it acknowledged.
func killedAt(t *testing.T, address, work string, after time.Duration) (acknowledged []string) {
	t.Helper()
	others := backends(t, address)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashChild+"="+address, crashWork+"="+work)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			break // what is cut off was not acknowledged
		}
		token, ok := strings.CutPrefix(strings.TrimSpace(line), "ack ")
		if !ok {
			t.Fatalf("the process says %q", line)
		}
		if acknowledged = append(acknowledged, token); len(acknowledged) == 1 {
			time.AfterFunc(after, func() { cmd.Process.Kill() })
		}
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the process ended with %v", err)
	}
	// The server still carries out what the process had sent. A reader that comes before that is done
	// and writes after it gets E_CONFLICT, as it should; here the next process shall not.
	for slices.ContainsFunc(backends(t, address), func(b string) bool { return !slices.Contains(others, b) }) {
		time.Sleep(5 * time.Millisecond)
	}
	return acknowledged
}

// backends returns the processes of the server that serve clients of the database.
func backends(t *testing.T, address string) (list []string) {
	t.Helper()
	for _, row := range postgrestest.Exec(t, address, `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
		AND backend_type = 'client backend' AND pid <> pg_backend_pid()`) {
		list = append(list, row[0])
	}
	return list
}
