package transfer_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/engine"
	"github.com/contexttree/pact/internal/postgrestest"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/transfer"
	"github.com/contexttree/pact/internal/verify"
	"github.com/contexttree/pact/store"

	"github.com/contexttree/pact/store/postgres"
	"github.com/contexttree/pact/store/sqlite"
)

// What the process that copies is told.
const (
	childFrom = "PACT_COPY_FROM"
	childTo   = "PACT_COPY_TO"
)

func TestMain(m *testing.M) {
	if from := os.Getenv(childFrom); from != "" {
		if err := copyAsChild(from, os.Getenv(childTo)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(postgrestest.Run(m))
}

// at opens a store in a file or in a database.
func at(address string) (engine.Contexts, error) {
	var s store.Store
	var err error
	if postgres.IsAddress(address) {
		s, err = postgres.Open(background, address)
	} else {
		s, err = sqlite.Open(background, address)
	}
	if err != nil {
		return nil, err
	}
	return engine.Open(s), nil
}

func copyAsChild(from, to string) error {
	source, err := at(from)
	if err != nil {
		return err
	}
	target, err := at(to)
	if err != nil {
		return err
	}
	_, err = transfer.Copy(background, source, target, nil, nil)
	return err
}

// TestKilled kills copies with SIGKILL at random moments, into a file and into a
// database, until one comes to its end. Nothing is seen of the contexts before, and
// all of them is there then.
func TestKilled(t *testing.T) {
	testrun.OneGoroutine(t)
	kills := testrun.Size(t, 6, 12, 200)
	from := filepath.Join(t.TempDir(), "from.db")
	source := family(t, from)
	for name, target := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "to.db") },
		"PostgreSQL": func(t *testing.T) string { return postgrestest.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 5))
			whole := 0
			for killed := 0; killed < kills; {
				to := target(t)
				for took := 20 * time.Millisecond; ; took += took / 8 {
					if copyKilled(t, from, to, time.Duration(rnd.Int64N(int64(took)))) {
						break
					}
					killed++
					unseen(t, to)
				}
				whole++
				equal(t, source, from, to)
			}
			t.Logf("%d kills, %d copies that came to their end", kills, whole)
		})
	}
}

// copyKilled runs a copy and kills it after a time. It reports whether the copy came
// to its end before.
func copyKilled(t *testing.T, from, to string, after time.Duration) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childFrom+"="+from, childTo+"="+to)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	must(t, cmd.Start())
	kill := time.AfterFunc(after, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	kill.Stop()
	switch {
	case err == nil:
		return true
	case strings.Contains(err.Error(), "killed"):
	case strings.Contains(problems.String(), string(fault.Conflict)) && postgres.IsAddress(to):
		// The server finishes what a killed process had sent, also while the next copy runs.
		// That copy is told that another one writes, and to begin again.
	default:
		t.Fatalf("%v: %s", err, problems.Bytes())
	}
	return false
}

// family makes contexts in a file: one with a fork, an undone line and a draft.
func family(t *testing.T, path string) []string {
	t.Helper()
	s := open(t, path)
	c, err := pact.Create(background, dbtest.Of(s), "chat", nil)
	must(t, err)
	say := func(c *pact.Context, text string) {
		_, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
			b.Add("^ah", pact.Spec{Role: "user", Content: strings.Repeat(text+" ", 40)})
			return b.Err()
		}})
		must(t, err)
	}
	for i := range 120 {
		say(c, fmt.Sprint("turn ", i))
	}
	f, err := c.Fork(background, pact.Cycle(60), "fork", nil)
	must(t, err)
	for i := range 60 {
		say(f, fmt.Sprint("otherwise ", i))
	}
	_, err = c.Undo(background, nil)
	must(t, err)
	must(t, c.Edit(background, func(b *pact.Batch) error {
		b.Add("^ah", pact.Spec{Content: "a draft"})
		return nil
	}, nil))
	list, err := s.List(background)
	must(t, err)
	names := make([]string, len(list))
	for i, info := range list {
		names[i] = info.Name
	}
	must(t, s.Close())
	return names
}

// unseen checks that a copy which was killed shows nothing, or, where it was killed
// after its last transaction, everything.
func unseen(t *testing.T, to string) {
	t.Helper()
	if _, err := os.Stat(to); err != nil && !postgres.IsAddress(to) {
		return // it was killed before there was a file
	}
	s, err := at(to)
	must(t, err)
	defer s.Close()
	list, err := s.List(background)
	must(t, err)
	if len(list) > 0 {
		must(t, takeAway(s, list))
	}
	if damage, err := s.CheckAll(background); damage != nil || err != nil {
		t.Errorf("after a kill: %+v, %v", damage, err)
	}
}

// takeAway deletes contexts that appeared just before the kill, so that the copy can
// be called again.
func takeAway(s engine.Contexts, list []engine.Info) error {
	if len(list) != 3 {
		return fmt.Errorf("%d contexts appeared", len(list))
	}
	for _, info := range list {
		if err := s.Delete(background, info.Key); err != nil {
			return err
		}
	}
	return nil
}

// equal compares what came with what there was.
func equal(t *testing.T, names []string, from, to string) {
	t.Helper()
	a, err := at(from)
	must(t, err)
	defer a.Close()
	b, err := at(to)
	must(t, err)
	defer b.Close()
	for _, name := range names {
		was, err := a.Find(background, name)
		must(t, err)
		is, err := b.Find(background, name)
		must(t, err)
		before, err := a.Log(background, was.Key, 1, was.Revision)
		must(t, err)
		after, err := b.Log(background, is.Key, 1, is.Revision+1)
		must(t, err)
		if len(before) != len(after) {
			t.Fatalf("%s had %d entries and has %d", name, len(before), len(after))
		}
		for i := range before {
			if before[i].Digest != after[i].Digest || before[i].Thread != after[i].Thread ||
				before[i].TimeNS != after[i].TimeNS {
				t.Errorf("%s: revision %d is another one", name, i+1)
			}
		}
	}
	found, err := verify.All(background, b, nil)
	if err != nil || !found.Holds() || len(found.Contexts) != len(names) {
		t.Errorf("the copy does not hold: %+v, %v", found, err)
	}
}
