package view

import (
	"context"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/provenance"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/record"
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
	Shared   int64     `json:"shared" doc:"How much of the size is a prefix of the call before it"`
	Cut      *CallCut  `json:"cut,omitempty" doc:"Absent if the call repeats all of the call before it"`
	Sentence string    `json:"sentence" doc:"Says what the call repeats and why it repeats no more"`
	Attempts *Attempts `json:"attempts,omitempty" doc:"Absent if no attempt was recorded"`

	common int // blocks at the beginning that render to the same bytes as in the call before
}

// CallCut is the place where a call stops repeating the call before it.
type CallCut struct {
	At    int64  `json:"at" doc:"Height in the unit"`
	Node  string `json:"node,omitempty" doc:"The first node that differs"`
	Kind  string `json:"kind,omitempty" doc:"Kind of the node"`
	Cause string `json:"cause" doc:"What ended the prefix, as a clause"`
	Lost  int64  `json:"lost" doc:"Bytes behind it, which were sent anew"`
}

// Attempts sums up the calls of a provider in one cycle.
type Attempts struct {
	N      int    `json:"n"`
	Failed int    `json:"failed"`
	Model  string `json:"model,omitempty" doc:"Of the last one"`
	In     *int64 `json:"in,omitempty" doc:"Tokens of the last one that the provider counted"`
	Out    *int64 `json:"out,omitempty" doc:"Tokens that the last one wrote"`
	Cached *int64 `json:"cached,omitempty" doc:"Of the tokens in, those read from the provider's cache"`
	// Expected counts as the provider did in the calls before.
	Expected *int64   `json:"expected,omitempty" doc:"Of the tokens in, those that its rules let expect from its cache, if it counted them"`
	Seen     CutSeen  `json:"seen,omitempty" enum:"agrees,unseen,elsewhere" doc:"Whether the provider's count shows the cut"`
	Cost     *float64 `json:"cost,omitempty" doc:"What the last one cost by the built-in prices, in their currency; absent for a model without one, and if the provider did not count what it read from its cache"`
	Window   int64    `json:"window,omitempty" doc:"How many tokens a request to the model may have; absent if no list says"`
}

// price adds the cost of the last attempt, if the provider counted how much it read from its cache.
func (t *Attempts) price(told *inspect.ProviderCache) {
	list := prices.BuiltIn()
	price, _ := list.Model(t.Model)
	t.Window = price.Window
	if paid := list.Paid(t.Model, told); paid != nil {
		t.Cost = paid
	}
}

// CutSeen says whether the provider's own count of cached tokens shows where the prefix was cut.
type CutSeen string

// The values of CutSeen; "" if the provider did not say.
const (
	Agrees    CutSeen = "agrees"    // it read what its rules let expect
	Unseen    CutSeen = "unseen"    // it read more: it did not see the cut
	Elsewhere CutSeen = "elsewhere" // it read less: the prefix ended for it before the cut
)

// seenOf translates the agreement of a call.
func seenOf(agreement string) CutSeen {
	switch agreement {
	case "agrees":
		return Agrees
	case "read more":
		return Unseen
	case "read less":
		return Elsewhere
	}
	return ""
}

// Calls describes the calls between two addresses, oldest first. E_SNAPSHOT_NOT_FOUND if there
// is no snapshot at an address. The unit Tokens needs a context with a counter. Cost: that of
// [pact.Context.Prefixes]; of a recorded context also that of [record.Prefixes].
func Calls(ctx context.Context, c *pact.Context, from, to pact.Address, unit Unit) ([]Call, error) {
	told, err := Recorded(ctx, c, "", nil)
	if err != nil {
		return nil, err
	}
	log, err := provenance.LogOf(c.Log(ctx, 0))
	if err != nil {
		return nil, err
	}
	return callsOf(ctx, c, from, to, unit, told, log)
}

// callsOf is Calls for a context whose recorded calls were compared already, and its log.
func callsOf(ctx context.Context, c *pact.Context, from, to pact.Address, unit Unit,
	told map[int64]*inspect.CallPrefix, log *provenance.Log) ([]Call, error) {
	list := []Call{}
	for p, err := range c.Prefixes(ctx, from, to) {
		if err != nil {
			return nil, err
		}
		p.Call = told[p.Cycle]
		if unit == Tokens && p.Tokens == nil {
			return nil, fault.New(fault.DocumentInvalid, "this context counts no tokens", "ask for bytes")
		}
		call := callOf(&p, unit)
		if e, ok := log.Publication(p.Cycle); ok {
			call.At, call.Actor, call.Message = tree.ISO(e.TimeNS), e.Actor, e.Message
		}
		list = append(list, call)
	}
	return list, addAttempts(ctx, c, list, told)
}

// Recorded returns what recorded calls repeat by the rules of a provider, by cycle; without a
// dialect by those of the provider that was called; and what they cost, with nil by the built-in prices. Errors
// and cost: those of [record.Prefixes].
func Recorded(ctx context.Context, c *pact.Context, dialect string, list *record.Prices) (
	map[int64]*inspect.CallPrefix, error) {
	calls := map[int64]*inspect.CallPrefix{}
	if !record.Recorded(c.Working()) && dialect == "" {
		return calls, nil
	}
	if list == nil {
		list = prices.BuiltIn()
	}
	var before *inspect.CallPrefix
	for p, err := range record.Prefixes(ctx, c, dialect) {
		if err != nil {
			return nil, err
		}
		price, _ := list.Model(p.Model)
		p.Cost, p.Window = list.Cost(before, &p), price.Window
		if p.Provider != nil {
			before = &p
		}
		calls[p.Cycle] = &p
	}
	return calls, nil
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
	c.Cut = &CallCut{At: c.Shared, Cause: Why(p), Lost: sentAnew(p)}
	if p.Break != nil {
		c.Cut.Node, c.Cut.Kind = p.Break.Node, KindOf(p.Break.Role, p.Break.Kind).String()
	}
	if p.Call != nil && p.Call.Cut != nil && (p.Break == nil || p.Call.Cut.Node != p.Break.Node) {
		c.Cut.Node, c.Cut.Kind = p.Call.Cut.Node, ""
	}
	return c
}

// addAttempts adds the attempts of each call.
func addAttempts(ctx context.Context, c *pact.Context, list []Call, told map[int64]*inspect.CallPrefix) error {
	if len(list) == 0 {
		return nil
	}
	attempts, err := c.Attempts(ctx, list[0].Cycle, list[len(list)-1].Cycle)
	if err != nil {
		return err
	}
	for _, a := range attempts {
		i := a.Cycle - list[0].Cycle
		if i < 0 || i >= int64(len(list)) {
			continue
		}
		if list[i].Attempts == nil {
			list[i].Attempts = &Attempts{}
		}
		t := list[i].Attempts
		t.N++
		if a.Status == history.Failed {
			t.Failed++
		}
		t.Model, t.In, t.Out, t.Cached, t.Cost = a.Model, a.TokenIn, a.TokenOut, nil, nil
		cache, err := record.ReportedCache(a)
		if err != nil {
			return err
		}
		if cache != nil {
			t.Cached = cache.Read
		}
		t.price(cache)
	}
	for i := range list {
		p := told[list[i].Cycle]
		if t := list[i].Attempts; t != nil && p != nil && p.Provider != nil {
			t.In, t.Out, t.Cached, t.Seen = p.Provider.In, p.Provider.Out, p.Provider.Read, seenOf(p.Agreement)
			if p.Expected != nil {
				t.Expected = p.Expected.Tokens
			}
		}
	}
	return nil
}
