package record_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/providertest"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/record"
	"github.com/contexttree/pact/store"
)

// cold is an agent of Anthropic's API under a policy that has results go after two calls, once nothing behind them is cached. It
// and the provider have one clock.
type cold struct {
	*agent
	s     *pact.DB
	p     *providertest.Provider
	rec   *record.Recorder
	now   atomic.Int64
	calls int
}

// newCold returns such an agent after five calls, from which nothing left although three results are due.
func newCold(t *testing.T) *cold {
	c := &cold{s: pact.NewDB(store.NewMemory())}
	c.now.Store(time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC).UnixNano())
	p, url := startProvider(t, callTurns(20)...)
	c.p = p
	p.Clock(func() time.Time { return time.Unix(0, c.now.Load()) })
	c.record(t)
	marker := map[string]any{"type": "ephemeral"}
	c.agent = newAgent(t, provider.Messages, url, c.rec.Transport(nil), true)
	c.body["model"], c.body["cache_control"] = "claude-sonnet-4-6", marker
	c.body["system"] = []any{map[string]any{"type": "text", "text": strings.Repeat("Be kind. ", 600), "cache_control": marker}}
	c.ask("Look.")
	c.call()
	for range 5 {
		c.works(time.Minute)
	}
	c.left(0)
	return c
}

// record begins a recorder.
func (c *cold) record(t *testing.T) {
	c.rec = record.New(c.s, record.Options{Context: "chat", Manage: true, Clock: c.now.Load, Strict: true, Policy: policyOf(t,
		`{"when":"cold","rules":[{"select":".cb[kind='result']","ttl":2,"stub":true}]}`)})
	t.Cleanup(c.rec.Close)
	record.Warmed(c.rec)
}

// works has the agent send a result so much later.
func (c *cold) works(later time.Duration) {
	c.Helper()
	c.now.Add(int64(later))
	c.result(fmt.Sprint("c", c.calls), "ls", strings.Repeat("word ", 400))
	c.calls++
	c.call()
}

// left checks how many notes the last request has, and that the provider refused nothing.
func (c *cold) left(want int) {
	c.Helper()
	received := c.p.Received()
	last := received[len(received)-1]
	if n := strings.Count(string(last.Body), "[Left out after"); n != want || last.Refused != "" {
		c.Errorf("%d results left, want %d; refused: %q", n, want, last.Refused)
	}
	if got := c.rec.Stats().Managed; got.Open+got.Ended > 0 {
		c.Errorf("%+v", got)
	}
}

// The agent pauses for as long as the provider keeps its cache: nothing leaves. It pauses for longer: what is due leaves.
func TestResultsLeaveOnceTheCacheRanOut(t *testing.T) {
	c := newCold(t)
	c.works(5 * time.Minute)
	c.left(0)
	c.works(5*time.Minute + time.Second)
	c.left(5) // seven results, of which two are young
	c.works(time.Minute)
	c.left(5) // the cache is warm again
}

// The agent asks another model, which has nothing in its cache: what is due leaves.
func TestResultsLeaveWhenTheModelIsAnother(t *testing.T) {
	c := newCold(t)
	c.body["model"] = "claude-opus-4-8"
	c.works(time.Minute)
	c.left(4)
	c.works(time.Minute)
	c.left(4)
}

// The agent sums up its first step. What stands behind the summary is not cached, so what is due of it leaves.
func TestResultsLeaveWhenTheAgentCompacted(t *testing.T) {
	c := newCold(t)
	c.said = append([]any{message("user", "You looked, and found words.")}, c.said[3:]...)
	c.works(time.Minute)
	c.left(3) // the first of the six is gone, and two are young
	c.works(time.Minute)
	c.left(3)
}

// A later recorder takes up the conversation. It knows from the store when the last call was: within the lifetime of the cache
// nothing leaves, after it what is due leaves.
func TestResultsLeaveAfterALongRestart(t *testing.T) {
	for later, want := range map[time.Duration]int{4 * time.Minute: 0, 6 * time.Minute: 4} {
		c := newCold(t)
		c.rec.Close()
		c.record(t)
		c.client.Transport = c.rec.Transport(nil)
		c.works(later)
		c.left(want)
	}
}
