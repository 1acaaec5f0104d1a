package lifecycle

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/tree"
)

// Policy declares what pruning may do at a commit (02 §7, 07 annex). It is data:
// the commit that used it records it, and with the state before it decides the
// state after (02 §7.3). The zero Policy prunes nothing.
//
// Specification: 02 §7.4.
type Policy struct {
	// The most that the snapshot may have, ^sys counted; 0 for no limit.
	MaxTokens int `json:"max_tokens,omitempty"` // of the contents of its blocks
	MaxBytes  int `json:"max_bytes,omitempty"`  // of its canonical thread
	MaxNodes  int `json:"max_nodes,omitempty"`  // blocks and containers
	MaxTurns  int `json:"max_turns,omitempty"`  // sealed turns, the one being sealed counted

	Parts        []Part `json:"parts,omitempty"`         // the same for parts of the snapshot
	ProtectTurns int    `json:"protect_turns,omitempty"` // the most recent sealed turns, which stay

	// Pruning breaks what a provider has cached from its first byte on. It waits
	// until it would free as much, or until a cycle that is a multiple of Every
	// comes; all three 0 for no waiting.
	MinTokens int `json:"min_tokens,omitempty"`
	MinBytes  int `json:"min_bytes,omitempty"`
	Every     int `json:"every,omitempty"`

	Stub      string  `json:"stub,omitempty"`      // the text of a block left where something was pruned; "" for none
	Orphans   Orphans `json:"orphans,omitempty"`   // what becomes of calls without results and results without calls
	Tokenizer string  `json:"tokenizer,omitempty"` // the name of the counter that tokens are counted by
}

// Part is a limit for the nodes of a region, a kind and a tag; "" is any. A
// limit for ^sys, and it alone, may take blocks of ^sys. ^seq is the sealed
// turns and the one being sealed, ^ah that one alone.
type Part struct {
	Region string `json:"region,omitempty"`
	Kind   string `json:"kind,omitempty"` // the header
	Tag    string `json:"tag,omitempty"`

	MaxTokens int `json:"max_tokens,omitempty"`
	MaxBytes  int `json:"max_bytes,omitempty"`
	MaxNodes  int `json:"max_nodes,omitempty"`
	MaxTurns  int `json:"max_turns,omitempty"`
}

// Orphans says what a commit does where a call would be sent without a result or
// a result without a call.
type Orphans string

// What it does.
const (
	Refuse Orphans = "refuse" // fails, and names the node; also ""
	Drop   Orphans = "drop"   // removes the orphan, and says so
	Keep   Orphans = "keep"   // leaves it, and says so
)

// Empty reports whether the policy says nothing.
func (p *Policy) Empty() bool { return len(p.Parts) == 0 && p.equal(Policy{}) }

// equal compares everything but the parts.
func (p *Policy) equal(o Policy) bool {
	return p.MaxTokens == o.MaxTokens && p.MaxBytes == o.MaxBytes && p.MaxNodes == o.MaxNodes &&
		p.MaxTurns == o.MaxTurns &&
		p.ProtectTurns == o.ProtectTurns && p.MinTokens == o.MinTokens && p.MinBytes == o.MinBytes && p.Every == o.Every &&
		p.Stub == o.Stub && p.Orphans == o.Orphans && p.Tokenizer == o.Tokenizer
}

// Counts reports whether the policy cannot be followed without counting tokens.
func (p *Policy) Counts() bool {
	return p.MaxTokens > 0 || p.MinTokens > 0 || slices.ContainsFunc(p.Parts,
		func(part Part) bool { return part.MaxTokens > 0 })
}

// maxParts bounds the limits that every pruning has to look at.
const maxParts = 64

// Check refuses a policy that means nothing. E_DOCUMENT_INVALID.
func (p *Policy) Check() error {
	for _, n := range [...]struct {
		name  string
		value int
	}{
		{"max_tokens", p.MaxTokens}, {"max_bytes", p.MaxBytes}, {"max_nodes", p.MaxNodes}, {"max_turns", p.MaxTurns},
		{"protect_turns", p.ProtectTurns}, {"min_tokens", p.MinTokens}, {"min_bytes", p.MinBytes}, {"every", p.Every},
	} {
		if n.value < 0 {
			return unusable(n.name, n.name+" is 0 or more", "")
		}
	}
	if !slices.Contains([]Orphans{"", Refuse, Drop, Keep}, p.Orphans) {
		return unusable(string(p.Orphans), "there is no such way with orphans", "it is refuse, drop or keep")
	}
	if !utf8.ValidString(p.Stub) {
		return unusable("stub", "the text of the stub is not valid UTF-8", "convert it to UTF-8")
	}
	if len(p.Parts) > maxParts {
		return unusable("parts", "a policy has at most "+strconv.Itoa(maxParts)+" parts", "")
	}
	for _, part := range p.Parts {
		if err := part.check(); err != nil {
			return err
		}
	}
	if waits := p.MinTokens > 0 || p.MinBytes > 0 || p.Every > 0; waits && len(p.limits()) == 0 {
		return unusable("min_tokens, min_bytes, every", "there is no limit whose pruning could wait", "set a limit")
	}
	return nil
}

func (p *Part) check() error {
	if p.Region != "" && p.Region != tree.Sys.String() && p.Region != tree.Seq.String() && p.Region != tree.Head.String() {
		return unusable(p.Region, "there is no such region", "it is ^sys, ^seq or ^ah")
	}
	for _, n := range [...]int{p.MaxTokens, p.MaxBytes, p.MaxNodes, p.MaxTurns} {
		if n < 0 {
			return unusable(strconv.Itoa(n), "a limit is 1 or more", "")
		}
	}
	switch {
	case p.MaxTurns > 0 && (p.Kind != "" || p.Tag != "" || p.Region != "" && p.Region != tree.Seq.String()):
		return unusable("max_turns", "turns are limited in ^seq, whatever their kind or tag", "limit nodes, bytes or tokens")
	case *p == Part{Region: p.Region, Kind: p.Kind, Tag: p.Tag}:
		return unusable("parts", "a part has no limit", "set max_tokens, max_bytes, max_nodes or max_turns, 1 or more")
	}
	return nil
}

func unusable(token, message, remedy string) error {
	return fault.At(fault.DocumentInvalid, fault.NoOffset, token, "the policy cannot be followed: "+message, remedy)
}

// limits are the limits one by one, in the order in which they stand.
func (p *Policy) limits() []limit {
	var list []limit
	add := func(of Part) {
		for _, l := range [...]limit{{unit: tokens, max: of.MaxTokens}, {unit: octets, max: of.MaxBytes},
			{unit: nodes, max: of.MaxNodes}, {unit: turns, max: of.MaxTurns}} {
			if l.max > 0 {
				l.region, l.kind, l.tag = of.Region, of.Kind, of.Tag
				list = append(list, l)
			}
		}
	}
	add(Part{MaxTokens: p.MaxTokens, MaxBytes: p.MaxBytes, MaxNodes: p.MaxNodes, MaxTurns: p.MaxTurns})
	for _, part := range p.Parts {
		add(part)
	}
	return list
}

// String names a limit as the policy has it.
func (l *limit) String() string {
	b := []string{"max_" + string(l.unit), strconv.Itoa(l.max)}
	if l.region != "" {
		b = append(b, "in", l.region)
	}
	if l.kind != "" {
		b = append(b, "of kind", l.kind)
	}
	if l.tag != "" {
		b = append(b, "with tag", l.tag)
	}
	return strings.Join(b, " ")
}
