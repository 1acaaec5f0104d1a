package transcript

import (
	"fmt"
	"slices"
	"strings"

	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

// limits counts what a snapshot has node by node, and holds the report to it.
func (p *pressure) limits(what string, s *pact.Snapshot, r lifecycle.Report) {
	p.Helper()
	whole := lifecycle.Part{MaxTokens: p.policy.MaxTokens, MaxBytes: p.policy.MaxBytes, MaxNodes: p.policy.MaxNodes,
		MaxTurns: p.policy.MaxTurns}
	var exceeded []string
	for i, part := range append([]lifecycle.Part{whole}, p.policy.Parts...) {
		used := p.modelUse(s, part, i == 0)
		for _, l := range []struct {
			name     string
			max, use int
		}{
			{"max_tokens", part.MaxTokens, used.tokens}, {"max_bytes", part.MaxBytes, used.bytes},
			{"max_nodes", part.MaxNodes, used.nodes}, {"max_turns", part.MaxTurns, used.turns},
		} {
			if l.max > 0 && l.use > l.max {
				exceeded = append(exceeded, fmt.Sprintf("%s %d", l.name, l.max))
				if !strings.Contains(r.Budget, fmt.Sprintf("%s %d", l.name, l.max)) || !strings.Contains(r.Budget,
					fmt.Sprintf("is exceeded by %d", l.use-l.max)) {
					p.Fatalf("%s: %s %d of %+v is %d, and the report says %q", what, l.name, l.max, part, l.use, r.Budget)
				}
			}
		}
	}
	if len(exceeded) == 0 && r.Budget != "" {
		p.Fatalf("%s: every limit is kept, and the report says %q", what, r.Budget)
	}
	if len(exceeded) > 0 {
		p.done["exceeded"]++
	}
	if len(exceeded) > 0 && r.Postponed == nil {
		p.nothingLeft(what, s, r)
	}
	if r.Postponed != nil {
		p.done["waiting"]++
	}
	for _, gone := range r.Removed {
		p.done[string(gone.Reason)]++
		if sure.Get(tree.Of(s).Has(gone.ID)) {
			p.Fatalf("%s: %s is said to be gone", what, gone.ID)
		}
	}
	for _, stub := range r.Stubs {
		p.done["stubs"]++
		if n := sure.Get(tree.Of(s).Node(stub.ID)); n == nil || n.Kind != "stub" {
			p.Fatalf("%s: there is no stub %s", what, stub.ID)
		}
	}
}

// nothingLeft: where a limit of the whole is exceeded and nothing waits, there
// is no block outside cores and no turn but the one that was just sealed and
// those that are protected, or that something in them is paired with.
func (p *pressure) nothingLeft(what string, s *pact.Snapshot, r lifecycle.Report) {
	p.Helper()
	if !strings.HasPrefix(r.Budget, "max_") || strings.HasPrefix(r.Budget, "max_turns") ||
		strings.Contains(strings.SplitN(r.Budget, ";", 2)[0], " in ") ||
		strings.Contains(strings.SplitN(r.Budget, ";", 2)[0], " of kind ") {
		return // a limit of a part may leave others alone
	}
	held := map[string]bool{}
	for _, h := range r.Kept {
		held[h.ID] = true
	}
	turns := slices.Collect(sure.All(tree.Of(s).Region(tree.Seq).Children().All()))
	for _, turn := range turns[:max(0, len(turns)-1-p.policy.ProtectTurns)] {
		if !held[turn.Node().ID] {
			p.Fatalf("%s: %q, and the turn %s is there\n%s", what, r.Budget, turn.Node().ID, snapshotText(s))
		}
	}
}

// modelUsage measures a part of a snapshot.
type modelUsage struct{ tokens, bytes, nodes, turns int }

// modelUse counts it, without any of the sums that trees keep.
func (p *pressure) modelUse(s *pact.Snapshot, part lifecycle.Part, whole bool) (u modelUsage) {
	newest := ""
	for e := range sure.All(tree.Of(s).Region(tree.Seq).Children().All()) {
		newest = e.Node().ID
	}
	for e := range sure.All(tree.Of(s).All()) {
		n := e.Node()
		path := sure.Get(tree.Of(s).Path(n.ID))
		if len(path) < 3 || part.Kind != "" && n.Kind != part.Kind || part.Tag != "" && !slices.Contains(n.Tags, part.Tag) {
			continue
		}
		// What is in ^ah when limits are looked at is the newest turn afterwards.
		switch region := path[1].Class(); part.Region {
		case "^ah":
			if path[2].Node().ID != newest || region != tree.Seq {
				continue
			}
		case "^sys", "^seq":
			if region.String() != part.Region {
				continue
			}
		}
		switch e.Class() {
		case tree.Turn:
			u.turns++
		case tree.Container:
			u.nodes++
		case tree.Block:
			u.nodes++
			v := contentOfNode(n)
			if text, ok := v.Text(); ok {
				u.tokens += p.counter.Count(text)
			} else if v != "" {
				u.tokens += p.counter.Count(string(v))
			}
			object, err := n.AppendRendered(p.Context(), nil, path[1].Class())
			if err != nil {
				p.Fatal(err)
			}
			u.bytes += len(object) + 1
		}
	}
	if whole {
		thread, err := s.Thread(p.Context())
		if err != nil {
			p.Fatal(err)
		}
		u.bytes = len(thread)
	}
	return u
}
