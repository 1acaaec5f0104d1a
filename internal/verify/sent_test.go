package verify_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/testrun"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/verify"
	"github.com/contexttree/pact/store"
)

// Whatever was added, left out or pruned between two threads, each has the SHA-256 of its bytes.
func TestTheSumOfAThreadIsThatOfItsBytes(t *testing.T) {
	for seed := range uint64(testrun.Size(t, 10, 30, 300)) {
		random := rand.New(rand.NewPCG(seed, 9))
		c := create(t, pact.NewDB(store.NewMemory()))
		var list []*tree.Tree
		var gone []string // what the next commit prunes
		for n := range 30 {
			snapshot, err := c.Commit(background, &pact.CommitOptions{Edit: func(b *pact.Batch) error {
				region := []string{"^ah", "^ah", "^ah", "^sys"}[random.IntN(4)]
				for i := range random.IntN(3) {
					b.Add(region, pact.Spec{Kind: "text", Content: fmt.Sprint("text ", n, " ", i), Offset: int64(random.IntN(3))})
				}
				return nil
			}, Pruning: &pact.Pruning{IDs: gone}})
			must(t, err)
			gone = nil
			for turn, err := range tree.Of(snapshot.Snapshot).Region(tree.Seq).Children().All() {
				if must(t, err); n%4 == 3 && random.IntN(5) == 0 {
					gone = append(gone, turn.Node().ID)
				}
			}
			if random.IntN(3) > 0 {
				list = append(list, tree.Of(snapshot.Snapshot))
			}
		}
		sums, _, err := verify.SumThreads(background, list)
		must(t, err)
		for i, of := range list {
			thread, err := of.Thread(background)
			must(t, err)
			if want := sha256.Sum256(thread); sums[i] != hex.EncodeToString(want[:]) {
				t.Fatalf("seed %d: thread %d has the sum %s, want %x of\n%s", seed, i, sums[i], want, thread)
			}
		}
	}
}

// Verifying what was sent costs what each call adds, not all threads: each block is rendered once.
func TestVerifyingSentThreadsIsLinear(t *testing.T) {
	for _, calls := range []int{50, 200} {
		c := create(t, pact.NewDB(store.NewMemory()))
		var list []*tree.Tree
		for n := range calls {
			snapshot, err := c.Commit(background, &pact.CommitOptions{Edit: say(fmt.Sprint("text ", n))})
			must(t, err)
			list = append(list, tree.Of(snapshot.Snapshot))
		}
		if _, blocks, err := verify.SumThreads(background, list); err != nil || blocks != calls {
			t.Errorf("for %d threads %d blocks were rendered, %v", calls, blocks, err)
		}
	}
}

// A thread that is not the one of which the log says that it was sent is a defect of its cycle.
func TestVerifyFindsOtherBytesThanWereSent(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	c := create(t, db)
	for n := range 3 {
		must(t, c.Edit(background, say(fmt.Sprint("text ", n)), nil))
		_, err := c.Send(background, io.Discard, nil)
		must(t, err)
		_, err = c.Commit(background, nil)
		must(t, err)
	}
	var export bytes.Buffer
	must(t, c.Export(background, &export))
	log, err := logOf(c)
	must(t, err)
	for _, e := range log {
		if e.Cycle != 2 || e.Sent == "" {
			continue
		}
		other := sha256.Sum256([]byte("others"))
		_, _, err := pact.ImportHistory(background, db, "altered", bytes.NewReader(bytes.ReplaceAll(export.Bytes(),
			[]byte(e.Sent), []byte(hex.EncodeToString(other[:])))), nil)
		must(t, err)
	}
	for name, cycle := range map[string]int64{"c": 0, "altered": 2} {
		found, err := pact.Verify(background, db, name, nil)
		must(t, err)
		if d := found.Defect; (d != nil) != (cycle > 0) || d != nil && (d.Cycle != cycle || d.What != "SHA-256 of the bytes that were sent") {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

// Of each commit with attempts verify says whether it has the thread that one sent, or another: that is no defect.
func TestVerifySaysWhichCommitsAreOtherThanWhatWasSent(t *testing.T) {
	db := pact.NewDB(store.NewMemory())
	c := create(t, db)
	for n := range 3 {
		a, err := c.StartAttempt(background, pact.ProviderCall{Provider: "p", Model: "m", Edit: say("asked")}, io.Discard, nil)
		must(t, err)
		if n == 1 {
			must(t, c.Edit(background, say("more"), nil))
		}
		_, err = c.EndAttempt(background, pact.Outcome{ID: a.ID, Status: history.Completed})
		must(t, err)
		_, err = c.Commit(background, nil)
		must(t, err)
	}
	found, err := pact.Verify(background, db, c.Info().Name, nil)
	must(t, err)
	if got := found.Attempts; got == nil || got.Matching != 2 || !slices.Equal(got.Differing, []int64{2}) || !found.Holds() {
		t.Errorf("%+v, %+v", got, found.Defect)
	}
}
