package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/history"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/prices"
	"github.com/contexttree/pact/internal/record/provider"
	"github.com/contexttree/pact/internal/toolcall"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/internal/view"
	"github.com/contexttree/pact/record"
)

// Rewrites are the calls of a context at which an agent, a provider or a policy rewrote what the calls before had sent.
type Rewrites struct {
	Run       string    `json:"run"`
	Calls     int       `json:"calls"`
	List      []Rewrite `json:"rewrites"`     // oldest first
	Currency  string    `json:"currency"`     // of the prices
	AsOf      string    `json:"prices_as_of"` // their day
	Tokenizer string    `json:"tokenizer"`    // of computed tokens; an approximation begins with approx:
}

// Who rewrites a context.
const (
	ByAgent    = "agent"    // its log says that it compacted the conversation, or a request leaves out half of it or more
	ByProvider = "provider" // its answer says that the model saw less than was sent
	ByPolicy   = "policy"   // pact managed the conversation, pruned it, or a time to live ran down
)

// Rewrite is a call at which the context was rewritten.
type Rewrite struct {
	Call   int64         `json:"call"`
	By     string        `json:"by"`
	Says   string        `json:"says"`   // how that is seen, as a clause
	Tokens RewriteTokens `json:"tokens"` // of the request
	Price  RewritePrice  `json:"price"`
	Saved  RewriteSaved  `json:"saved"`
	Lines  UserLines     `json:"user_lines"`
	// Again are the calls of tools that asked for what went: nil of a provider, which does not say what that is.
	Again   []Block  `json:"fetched_again"`
	Summary *Summary `json:"summary,omitempty"` // nil unless the agent put a text in the place of what went
}

// RewriteTokens are those of the call before and of this one; of a provider those of one call, with what it says that it
// cleared and without.
type RewriteTokens struct {
	Before *int64 `json:"before,omitempty"` // nil if nobody knows
	After  *int64 `json:"after,omitempty"`
	// Evidence is counted by the provider in both calls, computed by the tokenizer of both threads, or unknown.
	Evidence inspect.Evidence `json:"evidence"`
}

// RewritePrice is what a rewrite cost, by the counts of the provider.
type RewritePrice struct {
	// Again is how many tokens the provider had left in its cache and did not read, 0 if too few for a break: nil if that
	// is not known, or has another cause, such as an idle cache or another model.
	Again    *int64           `json:"again,omitempty"`
	Cache    *float64         `json:"cache,omitempty"`   // of these, above what reading them would have cost
	Evidence inspect.Evidence `json:"evidence"`          // of these, unknown without them
	Calls    []string         `json:"summary_calls"`     // contexts that have recorded the calls for the summary
	Summary  *float64         `json:"summary,omitempty"` // of these calls; nil if none was recorded or one has no price
}

// RewriteSaved is what a rewrite saved, computed by one rule: without it, it and each call behind it would have read
// Before - After tokens more from the cache, up to the next rewrite by the agent (of a provider also by the provider).
type RewriteSaved struct {
	Calls  int      `json:"calls"`
	Tokens *int64   `json:"tokens,omitempty"` // nil if those of the rewrite are unknown; 0 if it is not smaller
	Cost   *float64 `json:"cost,omitempty"`   // of reading these; nil if one of the calls has no price
}

// Summary is the block that the bytes name as one, else the longest text that the call brought and that is not its last
// message, if it brought more than one.
type Summary struct {
	// Evidence is seen in the bytes, or computed by that rule.
	Evidence inspect.Evidence `json:"evidence"`

	Node   string `json:"node"`
	Begins string `json:"begins"` // its first words
	Text   string `json:"text"`
}

// ledger collects the rewrites of a run.
type ledger struct {
	*reader
	db     *pact.DB
	tokens pact.Counter
	prices *record.Prices
	origin *pact.Context  // of a fork that still has one
	parts  int64          // the cycle at which the fork begins there
	older  *pact.Snapshot // of the call that a rewrite goes on behind, if that is not the one before
	made   *Rewrites
	asides map[int64][]history.Info // that asked for a summary, by the call behind which they did
	last   *int64                   // tokens of the call before, nil if nobody counted them
	before int64                    // the cycle of that call
	edits  string                   // what the provider said there of its own
	ended  []int                    // calls of the run at which the provider said nothing more
	rates  []float64                // of reading a token from the cache, summed up to each call
	missed []int                    // how many calls have no price, likewise
	starts []int                    // of the rewrites: which call of the run each is
	lines  userLines
	calls  map[digest]bool // calls of tools that were sent
	lost   map[digest]int  // of these the rewrite that took them or their results
}

// RewritesOf returns the rewrites of a context; prices are the built-in ones if they are nil. Errors: those of [view.Walk]
// and of reading. Cost: that of [view.Walk] with snapshots, each block once, for each rewrite by an agent the lines of
// the user, the list of the contexts, and the calls that asked for summaries.
func RewritesOf(ctx context.Context, db *pact.DB, c *pact.Context, list *record.Prices, counter pact.Counter,
	progress func(done, total int)) (*Rewrites, error) {
	list = cmp.Or(list, prices.BuiltIn())
	l := &ledger{db: db, tokens: counter, prices: list, calls: map[digest]bool{}, lost: map[digest]int{},
		lines:  userLines{by: map[digest]*message{}, stand: map[string]int{}},
		asides: map[int64][]history.Info{},
		made: &Rewrites{Run: c.Info().Name, List: []Rewrite{}, Currency: list.Currency, AsOf: list.AsOf,
			Tokenizer: counter.Name()}}
	all, err := pact.List(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, i := range all {
		if strings.HasPrefix(i.Name, c.Info().Name+"/summary-") && record.AsideOf(i.Name) == c.Info().Name {
			l.asides[i.Origin.Cycle] = append(l.asides[i.Origin.Cycle], i)
		}
	}
	if origins, err := c.Origins(ctx); err != nil {
		return nil, err
	} else if len(origins) > 0 && origins[0].Name != "" {
		l.parts = origins[0].Cycle
		if l.origin, err = pact.Open(ctx, db, origins[0].Name, nil); err != nil {
			return nil, err
		}
	}
	l.reader = &reader{ctx: ctx, keys: map[string]digest{}, watch: l.step}
	of, err := l.walk(c, list, ignoreCall, progress)
	if err != nil {
		return nil, err
	}
	l.made.Calls = len(of.calls)
	l.save()
	return l.made, nil
}

// step adds a call, which left out the blocks gone and brought the blocks added.
func (l *ledger) step(s *view.Step, gone map[digest][]string, added []Block) error {
	l.rate(s)
	from := len(l.made.List)
	if err := l.find(s, gone, added); err != nil {
		return err
	}
	now := l.made.List[from:]
	wholly := slices.ContainsFunc(now, func(r Rewrite) bool { return r.By == ByAgent })
	of := l.lines.all
	touched := l.lines.remove(gone, wholly)
	l.lines.add(added)
	for i := range now {
		l.starts = append(l.starts, len(l.rates)-1)
		now[i].Lines = l.lines.compare(of, touched, added, wholly)
		if now[i].By == ByAgent {
			now[i].Summary = summaryIn(added)
		}
		if now[i].By == ByProvider {
			continue
		}
		now[i].Again = []Block{}
		if err := l.lose(s, gone, from+i); err != nil {
			return err
		}
	}
	for _, b := range added {
		if b.What != toolcall.Call {
			continue
		}
		if i, lost := l.lost[b.key]; lost {
			delete(l.lost, b.key)
			b.says = ""
			l.made.List[i].Again = append(l.made.List[i].Again, b)
		}
		l.calls[b.key] = true
	}
	l.last, l.before = tokensOf(s), s.Cycle
	return nil
}

// find adds the rewrites at a call.
func (l *ledger) find(s *view.Step, gone map[digest][]string, added []Block) error {
	p, b := s.Call, s.Break
	behind, err := l.leavesOutMessage(s, gone, added)
	if err != nil {
		return err
	}
	switch {
	case s.Before == nil:
	case p != nil && p.Compacted:
		l.add(s, ByAgent, "its log says that it compacted the conversation")
	case behind > 0:
		l.add(s, ByAgent, "it goes on behind "+view.Visible(l.origin.Info().Name)+view.Cycle(behind)+" with another message in the place of what was before")
	case p != nil && p.TakenOut > 0:
		l.add(s, ByPolicy, "it takes "+view.Plural(p.TakenOut, "part")+" out of this request and later ones")
	case b != nil && slices.Contains([]diff.Kind{diff.ByPruning, diff.ByExpiry, diff.ByCascade}, b.Cause.Kind):
		l.add(s, ByPolicy, view.Visible(b.Node)+" "+view.DescribeCause(b.Cause, ""))
	case p != nil && p.Cut != nil && p.Cut.Cause == string(provider.CauseCompaction):
		l.add(s, ByAgent, "the request leaves out half of the conversation or more")
	}
	for i := len(l.starts); i < len(l.made.List); i++ {
		if err := l.size(&l.made.List[i], s); err != nil {
			return err
		}
	}
	if p == nil {
		return nil
	}
	var edits, words []string
	cleared, in := int64(0), tokensOf(s)
	for _, change := range p.Seen.Changed {
		text, err := json.Marshal(change)
		if err != nil {
			return err
		}
		var edit struct {
			Type    string `json:"type"`
			Path    string `json:"path"` // of one block, such as an image that it made smaller
			Cleared int64  `json:"cleared_input_tokens"`
		}
		if json.Unmarshal(text, &edit) == nil && edit.Type != "" && edit.Path == "" {
			edits, words, cleared = append(edits, string(text)), append(words, edit.Type), cleared+max(0, edit.Cleared)
		}
	}
	now := strings.Join(edits, "\n")
	switch {
	case now == l.edits:
		return nil
	case now == "":
		l.ended = append(l.ended, len(l.rates)-1)
	default:
		of := l.add(s, ByProvider, "its answer says "+view.Visible(strings.Join(words, ", ")))
		if cleared > 0 && in != nil {
			sum := *in + cleared
			of.Tokens = RewriteTokens{&sum, in, inspect.Counted}
		}
	}
	l.edits = now
	return nil
}

// leavesOutMessage returns the last call of the origin of a fork if the first call of the fork leaves out a message and
// sends answers behind another one in its place, and something behind them: an agent rewrote what was before them, and
// no user took back what came after. An answer with nothing behind it may be begun by the user. Else it is 0.
func (l *ledger) leavesOutMessage(s *view.Step, gone map[digest][]string, added []Block) (int64, error) {
	if l.origin == nil || s.Cycle != l.parts+1 || s.Before == nil || len(gone) == 0 {
		return 0, nil
	}
	last := l.origin.Info().Cycle
	asked := slices.IndexFunc(added, func(b Block) bool { return b.What == view.KindUser.String() })
	if last <= l.parts || asked < 0 {
		return 0, nil
	}
	answered := slices.IndexFunc(added[asked:], func(b Block) bool { return b.What == view.KindAssistant.String() })
	if answered < 0 || asked+answered == len(added)-1 {
		return 0, nil
	}
	var err error
	l.older, err = l.origin.At(l.ctx, pact.Cycle(last))
	return last, err
}

// add adds a rewrite with what the provider did not read from its cache.
func (l *ledger) add(s *view.Step, by, says string) *Rewrite {
	r := Rewrite{Call: s.Cycle, By: by, Says: says, Tokens: RewriteTokens{Evidence: inspect.NotKnown},
		Price: RewritePrice{Evidence: inspect.NotKnown, Calls: []string{}}}
	switch p := s.Call; {
	case p == nil || p.Left == nil:
	case p.CacheBreak != nil && p.CacheBreak.Cause.Cut == nil && p.CacheBreak.Cause.Kind != "reason": // it would have read as little anyhow
	case p.CacheBreak != nil:
		r.Price.Again, r.Price.Cache, r.Price.Evidence = &p.CacheBreak.Again, p.CacheBreak.Cost, p.CacheBreak.Evidence
	default:
		r.Price.Again, r.Price.Evidence = new(int64), inspect.Counted
		if p.Cost != nil {
			r.Price.Cache = new(float64)
		}
	}
	l.made.List = append(l.made.List, r)
	return &l.made.List[len(l.made.List)-1]
}

// lose notes the calls of tools that a rewrite took, or whose results it took or changed.
func (l *ledger) lose(s *view.Step, gone map[digest][]string, rewrite int) error {
	for key, ids := range gone {
		if len(ids) > 0 && l.calls[key] {
			l.lost[key] = rewrite
		}
		for _, id := range ids {
			n, err := tree.Of(s.Before).Node(id)
			if err != nil {
				return err
			}
			if n.Kind != toolcall.Result {
				continue
			}
			calls, err := toolcall.Partners(tree.Of(s.Before), n)
			if err != nil {
				return err
			}
			for _, call := range calls {
				if key, stays := l.keys[call.ID]; stays {
					l.lost[key] = rewrite
				}
			}
		}
	}
	return nil
}
