package lifecycle

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
)

// Policy declares what pruning may do at a commit (02 §7, 07 annex). It is data: the log
// records it with the commit, and together with the state before it determines the state
// after (02 §7.3). The zero Policy prunes nothing.
//
// Specification: 02 §7.4.
type Policy struct {
	// The most that the snapshot may have, ^sys included; 0 for no limit. A limit may stay
	// exceeded, because what is protected, pinned, retained, referred to or in a core of this
	// cycle stays: Report.Over has each such limit with what is left, Report.Budget says why. With
	// Strict such a commit fails instead.
	MaxTokens int `json:"max_tokens,omitempty"` // of the contents of its blocks
	MaxBytes  int `json:"max_bytes,omitempty"`  // of its canonical thread
	MaxNodes  int `json:"max_nodes,omitempty"`  // blocks and containers
	MaxTurns  int `json:"max_turns,omitempty"`  // sealed turns, the one being sealed included

	Rules        []Rule `json:"rules,omitempty"`         // the first that finds a node decides about it
	Parts        []Part `json:"parts,omitempty"`         // limits on parts of the snapshot
	Strict       bool   `json:"strict,omitempty"`        // a commit that leaves a limit exceeded fails with E_LIMIT
	ProtectTurns int    `json:"protect_turns,omitempty"` // how many of the most recent sealed turns pruning leaves alone
	ProtectTask  bool   `json:"protect_task,omitempty"`  // whether limits leave alone what Task returns

	// Ranks moves nodes in the order of pruning (docs/policies.md, "Ranks"). The entry for the kind of a
	// sealed block, else that for its role, is added to its priority (02 §3.2.1); a turn has
	// the highest priority of its blocks. With an empty table the headers alone decide.
	Ranks map[string]int64 `json:"ranks,omitempty"`

	// Pruning makes a provider's prompt cache useless from the first removed byte on. So it
	// can wait until it would free at least this much, or until a cycle that is a multiple
	// of Every. Any one of the three is enough; all three 0 for no waiting.
	MinTokens int `json:"min_tokens,omitempty"`
	MinBytes  int `json:"min_bytes,omitempty"`
	Every     int `json:"every,omitempty"`

	// When says when a removal that is due is carried out by those who send the requests of others: a
	// managing proxy, and a simulation. With pays and cold, rules set no ttl, and what is due goes by
	// pruning. A commit carries it out at once unless they hold it back.
	When When `json:"when,omitempty"`

	Stub    string  `json:"stub,omitempty"`    // the text of a block that replaces pruned nodes; "" for none
	Orphans Orphans `json:"orphans,omitempty"` // what to do with calls without results and results without calls
	// WholePairs has pruning take a call and its results together or not at all, as Refuse and Drop do, and as
	// rules always do. Without it only references tie nodes (02 §5.4).
	WholePairs bool   `json:"whole_pairs,omitempty"`
	Tokenizer  string `json:"tokenizer,omitempty"` // the name of the counter of tokens; "" for that of the context
}

// Part limits the nodes of a region, of a kind and with a tag; "" means any. Only a limit
// on ^sys removes blocks of ^sys. ^seq means the sealed turns and the one being sealed, ^ah
// the latter alone.
type Part struct {
	Region string `json:"region,omitempty"`
	Kind   string `json:"kind,omitempty"` // the header
	Tag    string `json:"tag,omitempty"`

	MaxTokens int `json:"max_tokens,omitempty"`
	MaxBytes  int `json:"max_bytes,omitempty"`
	MaxNodes  int `json:"max_nodes,omitempty"`
	MaxTurns  int `json:"max_turns,omitempty"`
}

// When says when a removal that is due is carried out.
type When string

// When a removal that is due is carried out.
const (
	WhenNow  When = "now"  // in the cycle in which it is due; also what "" means for a commit
	WhenPays When = "pays" // when it costs nothing, or pays for itself out of what was saved before
	WhenCold When = "cold" // when it costs nothing, because little or nothing behind the cut is cached
)

// Orphans says what a commit does with a call without a result after it, or a result
// without a call before it (decision 062).
type Orphans string

// What a commit does with orphans.
const (
	Refuse Orphans = "refuse" // it fails and names the node
	Drop   Orphans = "drop"   // it removes the orphan and reports it
	Keep   Orphans = "keep"   // it keeps the orphan and reports it; also what "" means
)

// Empty reports whether the policy says nothing.
func (p *Policy) Empty() bool {
	return len(p.Rules) == 0 && len(p.Parts) == 0 && len(p.Ranks) == 0 && p.equal(Policy{})
}

// equal reports whether two policies are equal except for their rules, parts and ranks.
func (p *Policy) equal(o Policy) bool {
	return p.MaxTokens == o.MaxTokens && p.MaxBytes == o.MaxBytes && p.MaxNodes == o.MaxNodes &&
		p.MaxTurns == o.MaxTurns && p.ProtectTurns == o.ProtectTurns && p.ProtectTask == o.ProtectTask &&
		p.Strict == o.Strict && p.MinTokens == o.MinTokens && p.MinBytes == o.MinBytes && p.Every == o.Every &&
		p.When == o.When && p.Stub == o.Stub && p.Orphans == o.Orphans && p.WholePairs == o.WholePairs &&
		p.Tokenizer == o.Tokenizer
}

// Counts reports whether the policy needs a counter of tokens.
func (p *Policy) Counts() bool {
	return p.MaxTokens > 0 || p.MinTokens > 0 || slices.ContainsFunc(p.Parts,
		func(part Part) bool { return part.MaxTokens > 0 }) || slices.ContainsFunc(p.Rules, Rule.counts)
}

// maxParts bounds the number of limits, which every pruning looks at.
const maxParts = 64

// Check returns E_DOCUMENT_INVALID for a policy that cannot be followed: a negative number,
// an unknown word, more than 64 parts or ranks, a part without a limit, waiting without a limit.
func (p *Policy) Check() error {
	for _, n := range [...]struct {
		name  string
		value int
	}{
		{"max_tokens", p.MaxTokens}, {"max_bytes", p.MaxBytes}, {"max_nodes", p.MaxNodes}, {"max_turns", p.MaxTurns},
		{"protect_turns", p.ProtectTurns}, {"min_tokens", p.MinTokens}, {"min_bytes", p.MinBytes}, {"every", p.Every},
	} {
		if n.value < 0 {
			return invalidPolicy(n.name, n.name+" is negative", "write 0 or more")
		}
	}
	if !slices.Contains([]Orphans{"", Refuse, Drop, Keep}, p.Orphans) {
		return invalidPolicy(string(p.Orphans), "orphans has an unknown value", "write refuse, drop or keep")
	}
	if !slices.Contains([]When{"", WhenNow, WhenPays, WhenCold}, p.When) {
		return invalidPolicy(string(p.When), "when has an unknown value", "write now, pays or cold")
	}
	if !utf8.ValidString(p.Stub) {
		return invalidPolicy("stub", "the text of the stub is not valid UTF-8", "convert it to UTF-8")
	}
	if len(p.Parts) > maxParts {
		return invalidPolicy("parts", "there are more than "+strconv.Itoa(maxParts)+" parts", "limit fewer parts")
	}
	for _, part := range p.Parts {
		if err := part.check(); err != nil {
			return err
		}
	}
	if err := p.checkRules(); err != nil {
		return err
	}
	if err := p.checkRanks(); err != nil {
		return err
	}
	if waits := p.MinTokens > 0 || p.MinBytes > 0 || p.Every > 0; waits && !p.limits() {
		return invalidPolicy("min_tokens, min_bytes, every", "it says when pruning waits, but has no limit to prune for",
			"set a limit, or leave these out")
	}
	return nil
}

func (p *Part) check() error {
	if p.Region != "" && p.Region != tree.Sys.String() && p.Region != tree.Seq.String() && p.Region != tree.Head.String() {
		return invalidPolicy(p.Region, "a part has an unknown region", "write ^sys, ^seq or ^ah")
	}
	for _, n := range [...]int{p.MaxTokens, p.MaxBytes, p.MaxNodes, p.MaxTurns} {
		if n < 0 {
			return invalidPolicy(strconv.Itoa(n), "the limit of a part is negative", "write 1 or more, or leave it out")
		}
	}
	switch {
	case p.MaxTurns > 0 && (p.Kind != "" || p.Tag != "" || p.Region != "" && p.Region != tree.Seq.String()):
		return invalidPolicy("max_turns", "max_turns does not go with a kind, a tag or another region than ^seq",
			"limit nodes, bytes or tokens of that part")
	case *p == Part{Region: p.Region, Kind: p.Kind, Tag: p.Tag}:
		return invalidPolicy("parts", "a part has no limit",
			"give it max_tokens, max_bytes, max_nodes or max_turns, 1 or more")
	}
	return nil
}

// limits reports whether a policy that was checked so far has a limit.
func (p *Policy) limits() bool {
	return p.MaxTokens > 0 || p.MaxBytes > 0 || p.MaxNodes > 0 || p.MaxTurns > 0 || len(p.Parts) > 0
}

func invalidPolicy(token, message, remedy string) error {
	return fault.At(fault.DocumentInvalid, fault.NoOffset, token, "the policy cannot be followed: "+message, remedy)
}

// maxRanks bounds the entries of a policy's table, and maxRank how far one moves a node.
// Priorities stay 2^40 away from the ends of int64, so a sum with a rank does not overflow.
const (
	maxRanks = 64
	maxRank  = 1_000_000_000
)

func (p *Policy) checkRanks() error {
	if len(p.Ranks) > maxRanks {
		return invalidPolicy("ranks", "there are more than "+strconv.Itoa(maxRanks)+" ranks", "rank fewer kinds and roles")
	}
	for name, rank := range p.Ranks {
		if name == "" {
			return invalidPolicy("ranks", "a rank has no name", "name it after a kind or a role, such as result")
		}
		if rank > maxRank || rank < -maxRank {
			return invalidPolicy("ranks", "a rank is not between -"+strconv.Itoa(maxRank)+" and "+strconv.Itoa(maxRank),
				"steps of 10 are enough")
		}
	}
	return nil
}
