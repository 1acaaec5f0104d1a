package view_test

import (
	"testing"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/view"
)

// cut is the report on a call of 20 kB that repeats 1000 of 3200 bytes.
func cut(b *inspect.Break, call *inspect.CallPrefix) *inspect.Prefix {
	return &inspect.Prefix{Cycle: 12, Blocks: 9, Bytes: 19_200, Break: b, Call: call,
		Shared: &inspect.SharedPrefix{Blocks: 2, OfBlocks: 5, Bytes: 1000, OfBytes: 3200}}
}

func brokenBy(kind diff.Kind, rule, actor string) *inspect.Break {
	return &inspect.Break{Node: "block:4-2", Role: "tool", Kind: "result",
		Cause: diff.Cause{Kind: kind, Rule: rule, Author: diff.Author{Actor: actor}}}
}

func byRule(cause string, names ...string) *inspect.CallPrefix {
	return &inspect.CallPrefix{Shared: &inspect.CallShared{Blocks: 1, OfBlocks: 5, Bytes: 320, OfBytes: 3200},
		Cut: &inspect.Cut{Cause: cause, Names: names, Node: "block:1-1"}}
}

func TestSentences(t *testing.T) {
	inferred := brokenBy(diff.ByExpiry, "", "")
	inferred.Cause.Inferred = true
	replaced := brokenBy(diff.ByEdit, "", "ann")
	replaced.New = &diff.Range{Start: 1, End: 2}
	for _, c := range []struct {
		p    *inspect.Prefix
		want string
	}{
		{&inspect.Prefix{Cycle: 1, Blocks: 3, Bytes: 812}, "Call 1 is the first: 3 blocks, 812 B."},
		{&inspect.Prefix{Cycle: 12, Bytes: 5100, Shared: &inspect.SharedPrefix{OfBytes: 3000, Bytes: 3000, Complete: true}},
			"Call 12 repeats all of call 11 and adds 2.1 kB."},
		{&inspect.Prefix{Cycle: 2, Bytes: 3000, Shared: &inspect.SharedPrefix{OfBytes: 3000, Bytes: 3000, Complete: true}},
			"Call 2 repeats all of call 1 and adds nothing."},
		{cut(brokenBy(diff.ByPruning, "max_tokens 20000", "ann"), nil),
			"Call 12 repeats 31 % of call 11: result block:4-2 was pruned (max_tokens 20000). " +
				"18.2 kB behind it were sent anew."},
		{cut(brokenBy(diff.ByPruning, "named", ""), nil),
			"Call 12 repeats 31 % of call 11: result block:4-2 was pruned by name. 18.2 kB behind it were sent anew."},
		{cut(inferred, nil),
			"Call 12 repeats 31 % of call 11: result block:4-2 probably expired. 18.2 kB behind it were sent anew."},
		{cut(replaced, nil),
			"Call 12 repeats 31 % of call 11: result block:4-2 was edited by ann. 18.2 kB behind it were sent anew."},
		{cut(brokenBy(diff.ByEdit, "", ""), nil),
			"Call 12 repeats 31 % of call 11: result block:4-2 was removed. 18.2 kB behind it were sent anew."},
		{cut(nil, byRule("model", "small", "large\x1b[1m")),
			"Call 12 repeats 10 % of call 11: the model changed, small → large\uFFFD[1m. 18.9 kB behind it were sent anew."},
		{cut(brokenBy(diff.ByEdit, "", ""), byRule("tools", "ls", "cat")),
			"Call 12 repeats 10 % of call 11: the tools changed: ls, cat. 18.9 kB behind it were sent anew."},
		{cut(nil, byRule("system")),
			"Call 12 repeats 10 % of call 11: the system prompt block:1-1 changed. 18.9 kB behind it were sent anew."},
		{&inspect.Prefix{Cycle: 3, Bytes: 10, Break: brokenBy(diff.ByPruning, "named", ""),
			Shared: &inspect.SharedPrefix{Bytes: 10, OfBytes: 20_000}},
			"Call 3 repeats less than 1 % of call 2: result block:4-2 was pruned by name. Nothing stands behind it."},
		{&inspect.Prefix{Cycle: 15, Bytes: 41105, Break: brokenBy(diff.ByPruning, "named", ""),
			Shared: &inspect.SharedPrefix{Bytes: 4433, OfBytes: 37355}},
			"Call 15 repeats 12 % of call 14: result block:4-2 was pruned by name. 36.7 kB behind it were sent anew."},
		{&inspect.Prefix{Cycle: 4, Bytes: 1998, Break: brokenBy(diff.ByPruning, "named", ""),
			Shared: &inspect.SharedPrefix{Bytes: 1998, OfBytes: 2000}},
			"Call 4 repeats 99 % of call 3: result block:4-2 was pruned by name. Nothing stands behind it."},
	} {
		if got := view.Sentence(c.p); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestSizesAndShares(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 999_949: "999.9 kB", 999_950: "1.0 MB",
		18_200_000: "18.2 MB", 999_949_999: "999.9 MB", 999_950_000: "1.0 GB", 2_000_000_000: "2.0 GB"} {
		if got := view.Size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	for share, want := range map[float64]string{1: "100%", 0.9999: "99.9%", 0: "0.0%"} {
		if got := view.Percent(share); got != want {
			t.Errorf("%v: %s, want %s", share, got, want)
		}
	}
	if one, two := view.Plural(1, "call"), view.Plural(2, "call"); one != "1 call" || two != "2 calls" {
		t.Errorf("%s, %s", one, two)
	}
}

// Where the clock counted from 0 the time is not known, in lists of headers as elsewhere.
func TestACountedTimeIsNoTime(t *testing.T) {
	const known = 1_777_885_200_000_000_130
	if got := view.ISO(130) + view.ISO(known); got != "2026-05-04T09:00:00.000000130Z" || view.Time(130) != "-" {
		t.Errorf("got %s and %s", got, view.Time(130))
	}
}

// No amount that was paid reads as nothing.
func TestASmallAmountIsNotNothing(t *testing.T) {
	for amount, want := range map[float64]string{0: "0.0000", 0.00005: "0.0001", 0.000049: "0.00005", 0.000001: "0.000001",
		-0.00002: "-0.00002", 1.5: "1.5000", 1e-17: "0.0000"} {
		if got := view.Money(amount); got != want {
			t.Errorf("%g is %s, want %s", amount, got, want)
		}
	}
}
