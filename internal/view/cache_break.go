package view

import (
	"strconv"
	"time"

	"github.com/contexttree/pact/inspect"
)

// CacheBreak says that a call could not take from the cache all that the call before had left, or that its request does
// not repeat the one before. Whatever names breaks of recorded calls has it from [CacheBreakOf]. Of a call that a simulation
// makes there are no counts: it broke if its prompt does not repeat all of the one before (simulate.Call).
type CacheBreak struct {
	// Evidence is that of the break: counted or computed if the provider's counts show it; seen if there are no counts
	// and the requests differ.
	Evidence inspect.Evidence `json:"evidence" enum:"counted,computed,seen"`
	Again    *int64           `json:"again,omitempty" doc:"Tokens that were sent again; absent if the provider did not count them"`
	Cost     *float64         `json:"cost,omitempty" doc:"Of these, above what reading them would have cost; absent without a price"`
	Why      string           `json:"why" doc:"The cause, as a clause"`
	// Known is the evidence of the cause.
	Known inspect.Evidence `json:"cause_evidence" enum:"counted,seen,computed,unknown" doc:"How the cause is known"`
	Node  string           `json:"node,omitempty" doc:"The first block that differs, if that is the cause"`
}

// CacheBreakOf returns what broke at a call, nil if nothing did. Where the provider counted what it read and what the
// call before had left, the counts decide. Else the bytes of the requests do.
func CacheBreakOf(p *inspect.Prefix) *CacheBreak {
	if c := p.Call; c != nil && c.Left != nil {
		b := c.CacheBreak
		if b == nil {
			return nil
		}
		made := &CacheBreak{Evidence: b.Evidence, Again: &b.Again, Cost: b.Cost, Why: causeClause(&b.Cause, p), Known: b.Cause.Evidence}
		if b.Cause.Cut != nil {
			made.Node = changed(b.Cause.Cut)
		}
		return made
	}
	if p.Shared == nil {
		return nil
	}
	if _, _, complete := Reused(p); complete {
		return nil
	}
	made := &CacheBreak{Evidence: inspect.SeenInBytes, Why: Why(p), Known: inspect.SeenInBytes}
	switch {
	case p.Call != nil && p.Call.Cut != nil:
		made.Node = changed(p.Call.Cut)
		if p.Call.Cut.Cause == "thinking" {
			made.Known = inspect.Computed
		}
	case p.Break != nil:
		made.Node = p.Break.Node
	}
	if p.Call == nil && p.Break != nil && p.Break.Node == made.Node && p.Break.Cause.Message != "" { // a recorder's is how it found the context
		made.Why += " (" + Visible(p.Break.Cause.Message) + ")"
	}
	return made
}

// changed returns the block whose change is the cause of a cut, "" if the agent compacted the conversation.
func changed(cut *inspect.Cut) string {
	if cut.Cause == "compaction" {
		return ""
	}
	return cut.Node
}

// causeClause says as a clause why a provider read less.
func causeClause(c *inspect.BreakCause, p *inspect.Prefix) string {
	switch c.Kind {
	case "model", "provider":
		return "the " + c.Kind + " changed, " + list(c.Names, " → ")
	case "key":
		return "the key of the cache changed (prompt_cache_key)"
	case "idle":
		return "idle for " + span(c.IdleSeconds) + ", over the lifetime of " + span(c.LifeSeconds)
	case "parallel":
		return "it was sent before the call before it was answered"
	case "reason":
		return "the provider says " + list(c.Names, ", ")
	case "unknown":
		return "nothing that the log shows changed"
	}
	if c.Cycle != 0 {
		return cutClause(c.Cut, nil) + " in " + Cycle(c.Cycle)
	}
	return cutClause(c.Cut, p.Break)
}

// span writes seconds, from a minute on in minutes.
func span(seconds int64) string {
	if d := time.Duration(seconds) * time.Second; d >= time.Minute {
		return strconv.FormatInt(int64(d/time.Minute), 10) + " min"
	}
	return strconv.FormatInt(seconds, 10) + " s"
}

// InWords says what broke, in a sentence without its end: with what it cost in a currency, "" to leave that out.
func (b *CacheBreak) InWords(p *inspect.Prefix, currency string) string {
	text := Cycle(p.Cycle) + " "
	if b.Again == nil {
		return text + "does not repeat the call before: " + b.Why + " (seen)"
	}
	lost := p.Call.CacheBreak
	text += "read " + strconv.FormatInt(lost.Read, 10) + " where " + Cycle(lost.Since) + " had left " + strconv.FormatInt(lost.Left, 10) +
		" tokens (" + string(b.Evidence) + "), " + strconv.FormatInt(*b.Again, 10) + " were sent again"
	if b.Cost != nil && currency != "" {
		text += " for " + Money(*b.Cost) + " " + Visible(currency)
	}
	return text + ": " + b.Why + " (" + string(b.Known) + ")"
}
