package lifecycle_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
)

func ranks(n int) map[string]int64 {
	all := map[string]int64{}
	for i := range n {
		all[strconv.Itoa(i)] = 1
	}
	return all
}

func rule(r lifecycle.Rule) lifecycle.Policy {
	r.Select = "*"
	return lifecycle.Policy{Rules: []lifecycle.Rule{r}}
}

// Each limit of a policy stands where it is said: what is at it can be followed, what is beyond cannot.
func TestPoliciesAreChecked(t *testing.T) {
	type policy = lifecycle.Policy
	type part = lifecycle.Part
	parts := func(list ...part) policy { return policy{Parts: list} }
	huge := tree.MaxInteger
	for _, p := range []policy{
		{}, {MaxTokens: 1, MinTokens: 1}, {MaxBytes: 1, MinBytes: 1}, {MaxNodes: 1, Every: 1}, {MaxTurns: 1, Every: 1},
		{Parts: []part{{MaxNodes: 1}}, Every: 1}, {Orphans: lifecycle.Refuse}, {Orphans: lifecycle.Drop}, {Orphans: lifecycle.Keep},
		{When: lifecycle.WhenNow}, {When: lifecycle.WhenPays}, {When: lifecycle.WhenCold}, {Stub: "é"},
		parts(slices.Repeat([]part{{MaxNodes: 1}}, 64)...), parts(part{Region: "^sys", MaxBytes: 1}), parts(part{Region: "^ah", MaxTokens: 1}),
		parts(part{MaxTurns: 1}), parts(part{Region: "^seq", MaxTurns: 1}),
		{Rules: slices.Repeat([]lifecycle.Rule{{Select: "*", Keep: true}}, 64)},
		{Ranks: ranks(64)}, {Ranks: map[string]int64{"a": 1_000_000_000, "b": -1_000_000_000}},
		rule(lifecycle.Rule{TTL: new(int64(0)), Stub: true}), rule(lifecycle.Rule{TTL: new(huge / 2)}), rule(lifecycle.Rule{Pinned: true}),
		rule(lifecycle.Rule{Priority: new(huge)}), rule(lifecycle.Rule{Priority: new(-huge)}), rule(lifecycle.Rule{Head: 1}),
		rule(lifecycle.Rule{Tail: 1}), rule(lifecycle.Rule{Once: true}), rule(lifecycle.Rule{TTL: new(int64(1)), Pinned: true}),
	} {
		if err := p.Check(); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for _, p := range []policy{
		{MaxTokens: -1}, {MaxBytes: -1}, {MaxNodes: -1}, {MaxTurns: -1}, {ProtectTurns: -1}, {MaxNodes: 1, MinTokens: -1},
		{MaxNodes: 1, MinBytes: -1}, {MaxNodes: 1, Every: -1}, {MinTokens: 1}, {MinBytes: 1}, {Every: 1}, {ProtectTurns: 1, Every: 1},
		{Orphans: "maybe"}, {When: "later"}, {Stub: "\xff"},
		parts(slices.Repeat([]part{{MaxNodes: 1}}, 65)...), parts(part{}), parts(part{Kind: "x", Tag: "y", Region: "^sys"}),
		parts(part{Region: "^root", MaxNodes: 1}), parts(part{MaxTokens: -1}), parts(part{MaxBytes: -1}), parts(part{MaxNodes: -1}),
		parts(part{MaxTurns: -1}), parts(part{Kind: "x", MaxTurns: 1}), parts(part{Tag: "x", MaxTurns: 1}),
		parts(part{Region: "^ah", MaxTurns: 1}), parts(part{Region: "^sys", MaxTurns: 1, MaxNodes: 1}),
		{Rules: slices.Repeat([]lifecycle.Rule{{Select: "*", Keep: true}}, 65)}, {Rules: []lifecycle.Rule{{Keep: true}}},
		{Ranks: ranks(65)}, {Ranks: map[string]int64{"": 1}}, {Ranks: map[string]int64{"a": 1_000_000_001}},
		{Ranks: map[string]int64{"a": -1_000_000_001}},
		rule(lifecycle.Rule{}), rule(lifecycle.Rule{TTL: new(int64(-1))}), rule(lifecycle.Rule{TTL: new(huge/2 + 1)}),
		rule(lifecycle.Rule{Priority: new(huge + 1)}), rule(lifecycle.Rule{Priority: new(-huge - 1)}), rule(lifecycle.Rule{Head: -1, Tail: 1}),
		rule(lifecycle.Rule{Head: 1, Tail: -1}), rule(lifecycle.Rule{Pinned: true, Stub: true}), rule(lifecycle.Rule{Keep: true, Pinned: true}),
		rule(lifecycle.Rule{Keep: true, TTL: new(int64(1))}),
	} {
		if err := p.Check(); !errors.Is(err, fault.DocumentInvalid) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// A policy of a single member is not empty, and needs a counter only if the member speaks of tokens.
func TestWhatAPolicySays(t *testing.T) {
	for text, counts := range map[string]bool{
		`{"max_tokens":1}`: true, `{"max_bytes":1}`: false, `{"max_nodes":1}`: false, `{"max_turns":1}`: false,
		`{"protect_turns":1}`: false, `{"protect_task":true}`: false, `{"strict":true}`: false, `{"when":"pays"}`: false,
		`{"stub":"x"}`: false, `{"orphans":"drop"}`: false, `{"whole_pairs":true}`: false, `{"tokenizer":"x"}`: false,
		`{"ranks":{"a":1}}`: false, `{"parts":[{"max_bytes":1}]}`: false, `{"parts":[{"max_tokens":1}]}`: true,
		`{"max_nodes":1,"min_tokens":1}`: true, `{"max_nodes":1,"min_bytes":1}`: false, `{"max_nodes":1,"every":1}`: false,
		`{"rules":[{"select":"*","keep":true}]}`:              false,
		`{"rules":[{"select":"*[tokens>1]","keep":true}]}`:    true,
		`{"rules":[{"select":"* {tokens>1}","keep":true}]}`:   true,
		`{"rules":[{"select":"*(tokens>1)","keep":true}]}`:    true,
		`{"rules":[{"select":"[tag='tokens']","keep":true}]}`: false,
	} {
		p, err := lifecycle.ParsePolicy([]byte(text))
		if err != nil || p.Empty() || p.Counts() != counts {
			t.Errorf("%s: empty %v, counts %v, %v", text, p.Empty(), p.Counts(), err)
		}
	}
	if p := (lifecycle.Policy{}); !p.Empty() || p.Counts() {
		t.Error("a policy of nothing says something")
	}
}

// A rule that cannot be followed is refused where it comes in, with the place.
func TestRulesAreRefused(t *testing.T) {
	for text, says := range map[string]string{
		`{"rules":[{"select":"*"}]}`:                       "rule 1 says nothing",
		`{"rules":[{"ttl":1}]}`:                            "rule 1 has no selector",
		`{"rules":[{"select":"*","ttl":-1}]}`:              "ttl below 0",
		`{"rules":[{"select":"*","stub":true}]}`:           "leaves a stub",
		`{"rules":[{"select":"*","keep":true,"ttl":1}]}`:   "keeps what it finds and limits it",
		`{"rules":[{"select":"*","ttl":1},{"selct":"*"}]}`: "selct",
		`{"rules":[{"select":"*","ttl":1,"ttl":2}]}`:       "is in it twice",
		`{"rules":[{"select":"*","head":-1}]}`:             "below 0",
	} {
		if _, err := lifecycle.ParsePolicy([]byte(text)); !errors.Is(err, fault.DocumentInvalid) ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", text, err, says)
		}
	}
	_, err := lifecycle.ParsePolicy([]byte(`{"rules":[{"select":"*","ttl":1},{"selct":"*"}]}`))
	var f *fault.Error
	if !errors.As(err, &f) || f.Offset != 34 {
		t.Errorf("got %v, want the place 34", err)
	}
}
