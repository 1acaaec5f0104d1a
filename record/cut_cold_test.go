package record_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// A later recorder takes up a conversation. It knows from the store when the last call was: within the lifetime of the cache
// nothing leaves, after it what is due leaves.
func TestResultsLeaveAfterALongRestart(t *testing.T) {
	for later, want := range map[time.Duration]int{4 * time.Minute: 0, 6 * time.Minute: 4} {
		s := pact.NewDB(store.NewMemory())
		var now atomic.Int64 // of the agent and the provider
		now.Store(time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC).UnixNano())
		p, url := startProvider(t, callTurns(20)...)
		p.Clock(func() time.Time { return time.Unix(0, now.Load()) })
		begin := func() *record.Recorder {
			rec := record.New(s, record.Options{Context: "chat", Manage: true, Clock: now.Load, Strict: true, Policy: policyOf(t,
				`{"when":"cold","rules":[{"select":".cb[kind='result']","ttl":2,"stub":true}]}`)})
			t.Cleanup(rec.Close)
			record.Warmed(rec)
			return rec
		}
		rec, marker := begin(), map[string]any{"type": "ephemeral"}
		a := newAgent(t, provider.Messages, url, rec.Transport(nil), true)
		a.body["model"], a.body["cache_control"] = "claude-sonnet-4-6", marker
		a.body["system"] = []any{map[string]any{"type": "text", "text": strings.Repeat("Be kind. ", 600), "cache_control": marker}}
		a.ask("Look.")
		a.call()
		works := func(n int, after time.Duration) {
			now.Add(int64(after))
			a.result(fmt.Sprint("c", n), "ls", strings.Repeat("word ", 400))
			a.call()
		}
		for n := range 5 {
			works(n, time.Minute)
		}
		rec.Close()
		rec = begin()
		a.client.Transport = rec.Transport(nil)
		works(5, later)
		all := p.Received()
		last := all[len(all)-1]
		if n := strings.Count(string(last.Body), "[Left out after"); n != want || last.Refused != "" {
			t.Errorf("%s later %d results left, want %d; refused: %q", later, n, want, last.Refused)
		}
		if got := rec.Stats().Managed; got.Open+got.Ended > 0 {
			t.Errorf("%+v", got)
		}
	}
}
