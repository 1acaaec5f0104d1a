package verify_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/store"
)

// Four commits, of which the first was sent, by a completed attempt beside one that runs. The fork has the first three,
// and one of its own, whose attempt nobody ended.
func TestVerifyCountsWhatItReads(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	fillEveryColumn(t, s)
	for name, want := range map[string]string{
		"c":    `{4 4 1 {"records":2,"running":1,"as_sent":1,"otherwise":[],"unanswered":0}}`,
		"fork": `{4 4 1 {"records":3,"running":2,"as_sent":1,"otherwise":[],"unanswered":1}}`,
	} {
		r, err := pact.Verify(background, s, name, nil)
		must(t, err)
		attempts, err := json.Marshal(r.Attempts)
		must(t, err)
		if got := fmt.Sprintf("{%d %d %d %s}", r.Snapshots, r.Recorded, r.Sent, attempts); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// An erasure is told once, also where the log of an origin tells of it too, with the revision if the log is the
// context's own.
func TestVerifyTellsOfErasuresOnce(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	c := create(t, s)
	turnsOf(t, c, "one", "two")
	_, err := c.Fork(background, pact.Cycle(2), "before", nil)
	must(t, err)
	_, err = c.Erase(background, erasure("cb:1-0"))
	must(t, err)
	_, err = c.Fork(background, pact.Cycle(2), "behind", nil)
	must(t, err)
	for name, own := range map[string]bool{"c": true, "before": true, "behind": false} {
		r, err := pact.Verify(background, s, name, nil)
		if err != nil || len(r.Erasures) != 1 || r.Erasures[0].Revision > 0 != own || r.Erased != 1 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestSendRecordsTheBytes(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	c := create(t, s)
	must(t, c.Edit(background, say("a question"), nil))
	var sent bytes.Buffer
	candidate, err := c.Send(background, &sent, nil)
	must(t, err)
	sum := sha256.Sum256(sent.Bytes())
	snapshot, err := c.Commit(background, nil)
	must(t, err)
	if thread, err := snapshot.Thread(background); err != nil || !bytes.Equal(thread, sent.Bytes()) ||
		snapshot.Digest() != candidate.Digest() {
		t.Errorf("committed %s, %v, sent %s", thread, err, &sent)
	}
	log, err := logOf(c)
	must(t, err)
	last := log[len(log)-1]
	if last.Sent != hex.EncodeToString(sum[:]) || last.Digest != snapshot.Digest() ||
		last.Thread != tree.Of(snapshot).ThreadDigest().String() {
		t.Errorf("logged %+v", last)
	}

	// An edit discards it, with the commit or before.
	_, err = c.Send(background, &sent, nil)
	must(t, err)
	must(t, c.Edit(background, say("on second thought"), nil))
	_, err = c.Commit(background, nil)
	must(t, err)
	_, err = c.Send(background, &sent, nil)
	must(t, err)
	_, err = c.Commit(background, &pact.CommitOptions{Edit: say("later still")})
	must(t, err)
	log, err = logOf(c)
	must(t, err)
	for _, e := range log[len(log)-2:] {
		if e.Sent != "" {
			t.Errorf("logged as sent: %+v", e)
		}
	}

	// What was not written to the end was not sent.
	if _, err := c.Send(background, failing{}, nil); err == nil {
		t.Error("a writer that fails is no error")
	}
	_, err = c.Commit(background, nil)
	must(t, err)
	if log, _ = logOf(c); log[len(log)-1].Sent != "" {
		t.Errorf("logged as sent: %+v", log[len(log)-1])
	}
	_, err = c.Send(background, editing{t, c}, nil)
	if !errors.Is(err, fault.Conflict) {
		t.Errorf("sent a candidate that was discarded: %v", err)
	}
	_, err = c.Prepare(background, nil)
	must(t, err)
	if _, err = c.Send(background, &sent, &pact.Pruning{IDs: []string{"x"}}); !errors.Is(err, fault.Conflict) {
		t.Errorf("pruned a prepared candidate: %v", err)
	}
	if list := verdicts(t, s); len(list) > 0 {
		t.Errorf("does not hold: %q", list)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("the line is dead") }

// editing edits the context while its thread is being written.
type editing struct {
	t *testing.T
	c *pact.Context
}

func (w editing) Write(p []byte) (int, error) {
	must(w.t, w.c.Edit(background, say("in between"), nil))
	return len(p), nil
}

// TestBackupKeepsDigests follows the digests through the compact form.
func TestBackupKeepsDigests(t *testing.T) {
	s := pact.NewDB(store.NewMemory())
	fillEveryColumn(t, s)
	c, err := pact.Open(background, s, "c", nil)
	must(t, err)
	var backup bytes.Buffer
	must(t, c.Export(background, &backup))
	again, findings, err := pact.ImportHistory(background, s, "again", bytes.NewReader(backup.Bytes()), nil)
	if err != nil || len(findings) > 0 {
		t.Fatalf("read back with %v, %v", findings, err)
	}
	sent := func(c *pact.Context) (list []string) {
		log, err := logOf(c)
		must(t, err)
		for _, e := range log {
			if e.Kind != history.Edit {
				list = append(list, fmt.Sprint(e.Cycle, e.Sent, e.Thread))
			}
		}
		return list
	}
	was, is := sent(c)[1:], sent(again) // the empty tree of cycle 0 is no snapshot
	if fmt.Sprint(was) != fmt.Sprint(is) {
		t.Errorf("logged\n%q\nwant\n%q", is, was)
	}
	if list := verdicts(t, s); len(list) > 0 {
		t.Errorf("does not hold: %q", list)
	}
	altered := bytes.Replace(backup.Bytes(), []byte("parcel"), []byte("camera"), 1)
	_, findings, err = pact.ImportHistory(background, s, "altered", bytes.NewReader(altered), nil)
	if err != nil || len(findings) == 0 {
		t.Errorf("an altered history is read with %v, %v", findings, err)
	}
	if _, _, err = pact.ImportHistory(background, s, "strict", bytes.NewReader(altered),
		&pact.ImportOptions{Strict: true}); !errors.Is(err,
		fault.DocumentInvalid) {
		t.Errorf("an altered history, strictly: %v", err)
	}
	bad := bytes.Replace(backup.Bytes(), []byte(`"sent":"`), []byte(`"sent":"x`), 1)
	if _, _, err = pact.ImportHistory(background, s, "bad", bytes.NewReader(bad), nil); !errors.Is(err,
		fault.DocumentInvalid) {
		t.Errorf("a sum that is none: %v", err)
	}
}
