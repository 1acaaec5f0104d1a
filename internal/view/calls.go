package view

import (
	"iter"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/provenance"
)

// Unit says what the height of a band counts.
type Unit string

// The units.
const (
	Bytes  Unit = "bytes"  // of the canonical thread
	Tokens Unit = "tokens" // of the contents
)

// Call is one cycle of a context as a call of a model: how large its thread was, and how much
// of it the provider could have read from its cache.
type Call struct {
	Cycle   int64  `json:"cycle"`
	At      string `json:"at,omitempty" doc:"When the cycle was committed, as created_at_iso"`
	Actor   string `json:"actor,omitempty" doc:"Who committed it"`
	Message string `json:"message,omitempty" doc:"Of the commit"`
	Blocks  int    `json:"blocks"`
	Bytes   int64  `json:"bytes" doc:"Of the canonical thread"`
	Tokens  *int64 `json:"tokens,omitempty" doc:"Of all contents, absent unless tokens were asked for"`
	Size    int64  `json:"size" doc:"Of the thread in the unit that was asked for"`
	// Shared is how much of the thread, from its beginning, the call before it had in the same
	// place and the provider can reuse, in the unit.
	Shared   int64       `json:"shared" doc:"How much of the size is a prefix of the call before it"`
	Cut      *CallCut    `json:"cut,omitempty" doc:"Absent if the call repeats all of the call before it"`
	Sentence string      `json:"sentence" doc:"Says what the call repeats and why it repeats no more"`
	Broke    *CacheBreak `json:"broke,omitempty" doc:"Absent if the provider read what the call before had left or, where it counted nothing, the request repeats the one before"`
	Attempts *Attempts   `json:"attempts,omitempty" doc:"Absent if no attempt was recorded"`

	common int // blocks at the beginning that render to the same bytes as in the call before
}

// CallCut is the place where a call stops repeating the call before it.
type CallCut struct {
	At     int64  `json:"at" doc:"Height in the unit"`
	Node   string `json:"node,omitempty" doc:"The first node that differs"`
	Kind   string `json:"kind,omitempty" doc:"Kind of the node"`
	Cause  string `json:"cause" doc:"What ended the prefix, as a clause"`
	Resent int64  `json:"lost" doc:"Bytes behind it, which were sent anew"`
}

// Attempts sums up the calls of a provider in one cycle.
type Attempts struct {
	N      int      `json:"n"`
	Failed int      `json:"failed"`
	Model  string   `json:"model,omitempty" doc:"Of the last one"`
	In     *int64   `json:"in,omitempty" doc:"Tokens of the last one that the provider counted"`
	Out    *int64   `json:"out,omitempty" doc:"Tokens that the last one wrote"`
	Cached *int64   `json:"cached,omitempty" doc:"Of the tokens in, those read from the provider's cache"`
	Cost   *float64 `json:"cost,omitempty" doc:"What they cost by the built-in prices, in their currency; absent for a model without one, and if the provider did not count what it read from its cache"`
	Window int64    `json:"window,omitempty" doc:"How many tokens a request to the model may have; absent if no list says"`
}

// callsOf describes the calls that a walk yields, oldest first. The unit Tokens needs a context with a counter. log is that of
// the context.
func callsOf(steps iter.Seq2[*Step, error], unit Unit, log *provenance.Log) ([]Call, error) {
	list := []Call{}
	for s, err := range steps {
		if err != nil {
			return nil, err
		}
		if unit == Tokens && s.Tokens == nil {
			return nil, fault.New(fault.DocumentInvalid, "this context counts no tokens", "ask for bytes")
		}
		call := callOf(&s.Prefix, unit)
		if call.Broke, call.Attempts = s.Broke, attemptsOf(s.Call); s.Broke != nil && s.Broke.Again != nil {
			call.Sentence += " " + s.Broke.InWords(&s.Prefix, currencyOf(s.Call)) + "."
		}
		if e, ok := log.Publication(s.Cycle); ok {
			call.At, call.Actor, call.Message = ISO(e.TimeNS), e.Actor, e.Message
		}
		list = append(list, call)
	}
	return list, nil
}

// currencyOf returns the currency of the cost of a call, "" without one.
func currencyOf(c *inspect.CallPrefix) string {
	if c.Cost == nil {
		return ""
	}
	return c.Cost.Currency
}

// callOf describes the call of a cycle from its prefix report.
func callOf(p *inspect.Prefix, unit Unit) Call {
	c := Call{Cycle: p.Cycle, Blocks: p.Blocks, Bytes: p.Bytes, Tokens: p.Tokens, Size: p.Bytes,
		Sentence: Sentence(p)}
	if unit == Tokens {
		c.Size = *p.Tokens
	}
	if p.Shared == nil {
		return c
	}
	c.common = p.Shared.Blocks
	share, _, complete := Reused(p)
	same, of := p.Shared.Bytes, p.Shared.OfBytes
	if unit == Tokens {
		same, of = *p.Shared.Tokens, *p.Shared.OfTokens
	}
	if p.Shared.Blocks == 0 {
		same = 0 // without the bracket
	}
	switch {
	case complete && p.Shared.Complete:
		c.Shared = same
		return c
	case complete:
		c.Shared = min(of, c.Size)
		return c
	case p.Call != nil && p.Call.Cut != nil:
		same = min(same, int64(share*float64(of)))
	}
	c.Shared = min(same, c.Size)
	c.Cut = &CallCut{At: c.Shared, Cause: Why(p), Resent: resentBytes(p)}
	if p.Break != nil {
		c.Cut.Node, c.Cut.Kind = p.Break.Node, KindOf(p.Break.Role, p.Break.Kind).String()
	}
	if p.Call != nil && p.Call.Cut != nil && (p.Break == nil || p.Call.Cut.Node != p.Break.Node) {
		c.Cut.Node, c.Cut.Kind = p.Call.Cut.Node, ""
	}
	return c
}

// attemptsOf sums up the attempts of a call, nil for none.
func attemptsOf(p *inspect.CallPrefix) *Attempts {
	if p == nil {
		return nil
	}
	t := &Attempts{N: p.Attempts, Failed: p.Failed, Model: p.Model, Window: p.Window}
	if u := p.Provider; u != nil {
		t.In, t.Out, t.Cached = u.In, u.Out, u.Read
	}
	if p.Cost != nil {
		t.Cost = &p.Cost.Paid
	}
	return t
}
