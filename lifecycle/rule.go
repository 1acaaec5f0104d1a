package lifecycle

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contexttree/pact/internal/tree"
)

// Rule says what holds for the nodes that a selector finds. The first rule of a policy that
// finds a node decides about it. What a commit is about to seal gets the headers of its rule;
// on what is sealed already a rule acts as pruning, and changes no header and no content.
// head, tail and once shape a block before it is first sent, and never afterwards.
type Rule struct {
	// Select is a selector in the edition of the context, of one snapshot: without an address, or
	// with @t0 where a facet needs one. It finds nodes of ^sys only if it names ^sys or an id.
	Select   string `json:"select"`
	TTL      *int64 `json:"ttl,omitempty"`      // cycles until the node goes
	Stub     bool   `json:"stub,omitempty"`     // a block says that the node went
	Priority *int64 `json:"priority,omitempty"` // the header
	Pinned   bool   `json:"pinned,omitempty"`   // limits leave the node alone; its ttl still counts
	Keep     bool   `json:"keep,omitempty"`     // the node stays: pinned, and without a ttl
	Head     int    `json:"head,omitempty"`     // how many bytes of a longer text stay at its beginning
	Tail     int    `json:"tail,omitempty"`     // and at its end
	Once     bool   `json:"once,omitempty"`     // a block equal to an earlier one becomes a reference to it
}

// maxRules bounds the rules of a policy, each of which every commit asks.
const maxRules = 64

func (p *Policy) checkRules() error {
	if len(p.Rules) > maxRules {
		return invalidPolicy("rules", "there are more than "+strconv.Itoa(maxRules)+" rules",
			"join some with a comma in the selector")
	}
	for i := range p.Rules {
		if err := p.Rules[i].check(i + 1); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rule) check(n int) error {
	bad := func(token, message, remedy string) error {
		return invalidPolicy(token, "rule "+strconv.Itoa(n)+" "+message, remedy)
	}
	switch {
	case r.Select == "":
		return bad("select", "has no selector", `write one, such as "select":".cb[kind='result']"`)
	case r.TTL != nil && (*r.TTL < 0 || *r.TTL > tree.MaxInteger/2):
		return bad("ttl", "has a ttl below 0 or too large", "write a number of cycles, or leave it out")
	case r.Priority != nil && (*r.Priority > tree.MaxInteger || *r.Priority < -tree.MaxInteger):
		return bad("priority", "has a priority out of range", "write a smaller number")
	case r.Head < 0 || r.Tail < 0:
		return bad("head, tail", "has a head or a tail below 0", "write a number of bytes")
	case r.Stub && r.TTL == nil:
		return bad("stub", "leaves a stub, and nothing that it finds goes", "add a ttl")
	case r.Keep && (r.TTL != nil || r.Pinned):
		return bad("keep", "keeps what it finds and limits it", "leave out keep, or ttl and pinned")
	case r.TTL == nil && r.Priority == nil && !r.Pinned && !r.Keep && r.Head == 0 && r.Tail == 0 && !r.Once:
		return bad(r.Select, "says nothing about what it finds", "add ttl, priority, pinned, keep, head, tail or once")
	}
	return nil
}

// counts reports whether the selector asks for tokens, which needs a counter.
func (r Rule) counts() bool {
	return slices.ContainsFunc([]string{"[tokens", "{tokens", "(tokens"},
		func(filter string) bool { return strings.Contains(r.Select, filter) })
}
