package record_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/record"

	"github.com/contexttree/pact/store/sqlite"
)

// The kill tests run this test binary again as a process that records calls to a file.
const (
	childFile  = "PACT_RECORD_FILE"  // the file to record to
	childURL   = "PACT_RECORD_URL"   // of the provider
	childWrite = "PACT_RECORD_WRITE" // the write to be killed at, counted in halves: before it and after it; 0 for none
)

// dying kills its process before or after one of the writes of a store.
type dying struct {
	engine.Contexts
	at, now int
}

func (d *dying) step() {
	if d.now++; d.now == d.at {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			_ = self.Kill()
		}
		select {}
	}
}

func (d *dying) Apply(ctx context.Context, key history.Key, g engine.Guard, changes ...engine.Change) error {
	d.step()
	defer d.step()
	return d.Contexts.Apply(ctx, key, g, changes...)
}

func (d *dying) PutAttempt(ctx context.Context, key history.Key, a history.Attempt) (history.Attempt, error) {
	d.step()
	defer d.step()
	return d.Contexts.PutAttempt(ctx, key, a)
}

const childCalls = 4

// TestRecordingChild is the process that is killed: it says what it knows to be recorded.
func TestRecordingChild(t *testing.T) {
	if os.Getenv(childFile) == "" {
		t.Skip("the kill tests start it")
	}
	s, err := dbtest.Engine(sqlite.Open(t.Context(), os.Getenv(childFile)))
	must(t, err)
	at, err := strconv.Atoi(os.Getenv(childWrite))
	must(t, err)
	rec := record.New(dbtest.Of(&dying{Contexts: s, at: at}), record.Options{Context: "chat", Strict: true})
	out := atTheWire(func() { fmt.Println("sent") })
	a := newAgent(t, provider.Messages, os.Getenv(childURL), rec.Transport(out), true)
	for n := range childCalls {
		a.ask(fmt.Sprint("question ", n))
		if n == 2 {
			_, _, _ = a.send(t.Context()) // its answer breaks off
			fmt.Println("broke off")
		}
		a.call()
		fmt.Println("answered")
	}
	rec.Close()
	must(t, s.Close())
	fmt.Println("done")
}

// A process is killed at each write of a recorder, and anywhere between them: what a request or an
// answer was let go on for is recorded whole, and no write is there by half.
func TestAKilledRecorderLeavesNothingByHalf(t *testing.T) {
	last := 0
	for at := 1; last == 0; at++ {
		if killedAt(t, at, 0) {
			last = at
		}
	}
	if want := 2 * 2 * (childCalls + 1); last != want+1 {
		t.Errorf("%d writes can be killed at, want %d", (last-1)/2, want/2)
	}
	for range testrun.Size(t, 5, 20, 200) {
		killedAt(t, 0, 1+rand.IntN(12))
	}
}

// killedAt runs the child until a write or a line of its output, and reports whether it came to its
// end.
func killedAt(t *testing.T, write, line int) bool {
	t.Helper()
	p, url := startProvider(t, providertest.Turn{Text: "one"}, providertest.Turn{Text: "two"},
		providertest.Turn{Text: "never all of it", Cut: true}, providertest.Turn{Text: "three"}, providertest.Turn{Text: "four"})
	path := filepath.Join(t.TempDir(), "pact.db")
	child := exec.Command(os.Args[0], "-test.run", "^TestRecordingChild$")
	child.Env = append(os.Environ(), childFile+"="+path, childURL+"="+url, childWrite+"="+strconv.Itoa(write))
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	sent, answered, broke, done := 0, 0, 0, false
	for lines, n := bufio.NewScanner(out), 1; lines.Scan(); n++ {
		switch lines.Text() {
		case "sent":
			sent++
		case "answered":
			answered++
		case "broke off":
			broke++
		case "done":
			done = true
		}
		if n == line {
			must(t, child.Process.Kill())
		}
	}
	_ = child.Wait() // it was killed
	where := fmt.Sprintf("killed at write %d, line %d, after %d requests and %d answers", write, line, sent, answered)
	s, err := dbtest.Engine(sqlite.Open(t.Context(), path))
	must(t, err)
	defer s.Close()
	if _, err := s.Find(t.Context(), "chat"); err != nil && sent == 0 {
		return done
	}
	c := opened(t, dbtest.Of(s), "chat")
	cycles := c.Info().Cycle
	attempts, err := c.Attempts(t.Context(), 1, cycles+1)
	must(t, err)
	if len(attempts) < sent || int(cycles) < answered {
		t.Errorf("%s: %d attempts in %d cycles", where, len(attempts), cycles)
	}
	received := p.Received() // the last request may not have come so far
	for i, a := range attempts {
		if ended := a.Status == history.Completed; ended != (a.Cycle <= cycles) && !(a.Status == history.Failed && i == 2) {
			t.Errorf("%s: %s is %s, %d cycles are committed", where, a.ID, a.Status, cycles)
		}
		_, number, _, _ := history.ParseAttemptID(a.ID)
		body, err := record.Request(t.Context(), c, a.Cycle, number)
		if err != nil {
			t.Errorf("%s: %s: %v", where, a.ID, err)
		} else if i < len(received) && !bytes.Equal(body.Bytes, received[i].Body) {
			t.Errorf("%s: %s sent %s", where, a.ID, body.Bytes)
		}
	}
	if broke > 0 && attempts[2].Status != history.Failed {
		t.Errorf("%s: the answer that broke off is %s", where, attempts[2].Status)
	}
	want := "" // the answers to the cycles that are committed
	for _, text := range []string{"one", "two", "three", "four"}[:cycles] {
		want += text + " "
	}
	got := ""
	for n, err := range c.Working().Nodes() {
		must(t, err)
		if n.Role == "assistant" && n.Kind == "text" {
			text, err := n.JSON(t.Context())
			must(t, err)
			got += strings.Trim(string(text), `"`) + " "
		}
	}
	if got != want {
		t.Errorf("%s: %d cycles, and the answers %q", where, cycles, got)
	}
	return done
}
