package record_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/contexttree/pact/internal/dbtest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store/sqlite"
)

// Recorders of several processes on one file, under one name: each conversation
// has a context of its own, and nothing is lost.
func TestSeveralRecordersOnOneFile(t *testing.T) {
	p, url := startProvider(t)
	path := filepath.Join(t.TempDir(), "pact.db")
	names := make([][]string, 4)
	var wait sync.WaitGroup
	for n := range names {
		s, err := dbtest.Open(sqlite.Open(t.Context(), path))
		must(t, err)
		defer s.Close()
		rec := recorder(t, s, record.Options{Context: "chat"})
		a := newAgent(t, provider.Responses, url, rec.Transport(nil), false)
		wait.Go(func() {
			for i := range 4 {
				a.ask(fmt.Sprintf("process %d, question %d", n, i))
				a.call()
			}
			rec.Close()
			if got := rec.Stats(); got.Calls != 4 || got.NotRecorded != 0 {
				t.Errorf("process %d: %+v", n, got)
			}
			names[n] = rec.Contexts()
		})
	}
	wait.Wait()
	s, err := dbtest.Open(sqlite.Open(t.Context(), path))
	must(t, err)
	defer s.Close()
	var bodies [][]byte
	for _, r := range p.Received() {
		bodies = append(bodies, r.Body)
	}
	for n, list := range names {
		if len(list) != 1 {
			t.Fatalf("process %d recorded to %v", n, list)
		}
		c := opened(t, s, list[0])
		for cycle := range int64(4) {
			body, err := record.Request(t.Context(), c, cycle+1, 0)
			must(t, err)
			at := slices.IndexFunc(bodies, func(b []byte) bool { return bytes.Equal(b, body.Bytes) })
			if at < 0 {
				t.Fatalf("%s@c%d was not sent", list[0], cycle+1)
			}
			bodies = slices.Delete(bodies, at, at+1)
		}
	}
	if len(bodies) > 0 {
		t.Errorf("%d requests come back from no cycle", len(bodies))
	}
}

// Two recorders go on with one conversation in turns, as an agent that is resumed
// elsewhere.
func TestTwoRecordersGoOnWithOneConversation(t *testing.T) {
	p, url := startProvider(t)
	path := filepath.Join(t.TempDir(), "pact.db")
	a := newAgent(t, provider.Chat, url, nil, false)
	var recorders []*record.Recorder
	for range 2 {
		s, err := dbtest.Open(sqlite.Open(t.Context(), path))
		must(t, err)
		defer s.Close()
		recorders = append(recorders, recorder(t, s, record.Options{Context: "chat", Strict: true}))
	}
	for i := range 6 {
		a.client.Transport = recorders[i%2].Transport(nil)
		a.ask(fmt.Sprint("question ", i))
		a.call()
	}
	for _, rec := range recorders {
		rec.Close()
		if got := rec.Stats(); got.Calls != 3 || got.NotRecorded != 0 {
			t.Errorf("%+v", got)
		}
	}
	s, err := dbtest.Open(sqlite.Open(t.Context(), path))
	must(t, err)
	defer s.Close()
	sentAsReceived(t, opened(t, s, "chat"), p)
}
