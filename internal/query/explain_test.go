package query_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/contexttree/pact/inspect"
	"github.com/contexttree/pact/internal/query"
	"github.com/contexttree/pact/selector"
)

func TestExplain(t *testing.T) {
	const text = "(d1, cont, *:block[role=user]), #x > *:first @order=bfs @limit=2 @first"
	plan, err := query.Compile(selector.MustParse(text, depth))
	must(t, err)
	want := inspect.Explanation{
		Selector: text,
		Edition:  "depth",
		Order:    "level by level, oldest turn first",
		Window:   []string{"@limit=2", "@first"},
		Groups: []inspect.ExplainedGroup{
			{Text: "(d1, cont, *:block[role=user])", Steps: []inspect.ExplainedStep{
				{Text: "depth(1)", Reach: "rank look-up of depth 1", Skips: []string{"summaries: type turn",
					"summaries: type block", "summaries: role user"}},
				{Text: "> .cont", Reach: "all children", Skips: []string{"summaries: type block", "summaries: role user"}},
				{Text: "> .block[role=user]", Reach: "all children", Skips: []string{"summaries: type block",
					"summaries: role user"}},
			}},
			{Text: "#x > *:first", Steps: []inspect.ExplainedStep{
				{Text: "#x", Reach: "id index: the path to x", Skips: []string{"summaries: id x"}},
				{Text: "> *:first", Reach: "all children, one of each parent"},
			}},
		},
	}
	if got := plan.Explain(); !reflect.DeepEqual(got, want) {
		a, _ := json.MarshalIndent(got, "", " ")
		t.Errorf("got %s", a)
	}
}

// A list of edition 1.0 is explained as it runs: fragment by fragment.
func TestExplainOfAList(t *testing.T) {
	plan, err := query.Compile(selector.MustParse("((d1) ?? (d2)), #k:first, .a", selector.V1))
	must(t, err)
	x := plan.Explain()
	if x.Order != "in the order of the list, each fragment by itself" || x.Choice != "" || len(x.Groups) != 4 {
		t.Fatalf("%+v", x)
	}
	for i, want := range []string{"rank look-up of depth 1", "rank look-up of depth 2, if nothing was found before",
		"all below, then :first of all of the key", "all below"} {
		if got := x.Groups[i].Steps[0].Reach; got != want {
			t.Errorf("%s is reached by %q, want %q", x.Groups[i].Text, got, want)
		}
	}
}

func TestExplainNamesOrderAndDepths(t *testing.T) {
	for _, c := range []struct {
		edition     selector.Edition
		text        string
		order, path string
	}{
		{v01, ".mt:depth(1,3-4)", "document order, oldest turn first", "rank look-up of depth 1, 3–4"},
		{canonical, ".seg:depth(>2)", "document order, newest turn first", "rank look-up of depth 3 and more"},
		{canonical, "depth(<=0) @order=post", "children before their parent, newest turn first",
			"rank look-up of depth up to 0"},
		{canonical, "^seq @order=turn:asc,pre", "document order, oldest turn first", "the root and its regions"},
		{canonical, "[key=K] @order=path", "by the ids from the root down", "all below"},
		{canonical, "#K", "a same-key set, newest first", "all below"},
		{v01, ":pre .cb", "document order, oldest turn first", "all below, in that part of a turn"},
	} {
		plan, err := query.Compile(selector.MustParse(c.text, c.edition))
		must(t, err)
		x := plan.Explain()
		if x.Order != c.order || x.Groups[0].Steps[0].Reach != c.path {
			t.Errorf("%s: got %q and %q, want %q and %q", c.text, x.Order, x.Groups[0].Steps[0].Reach, c.order, c.path)
		}
	}
}

// What is not looked at was ruled out.
func TestResultCountsEveryNodeOnce(t *testing.T) {
	tr := garden(t)
	for text, visited := range map[string]int{
		"*":             tr.Len(),
		"[id=policy]":   3, // root, sys, policy
		"(d1)":          3, // root, seq, new
		"(d2, *:block)": 6, // root, seq, old and its three blocks: a group is told by the list
		"[kind=nobody]": 1,
	} {
		plan, err := query.Compile(selector.MustParse(text, canonical))
		must(t, err)
		r, err := plan.Run(context.Background(), tr)
		if err != nil || r.Visited != visited || r.Visited+r.Skipped != tr.Len() {
			t.Errorf("%s: got %d visited and %d skipped of %d, want %d visited", text, r.Visited, r.Skipped, tr.Len(), visited)
		}
	}
}
