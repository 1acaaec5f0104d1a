package rules_test

import (
	"slices"
	"testing"

	"github.com/contexttree/pact"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/rules"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/lifecycle"
	"github.com/contexttree/pact/selector"
)

// A rule may find nodes of ^sys if its selector names the region or an id; in edition 1.0 also by its type and its depth.
func TestWhichRulesMeanTheSystemRegion(t *testing.T) {
	for edition, selectors := range map[selector.Edition]map[string]bool{
		selector.V01: {".cb": false, "[role='system']": false, "^sys .cb": true, "^ah .cb, ^sys .cb": true, "#k": true, "[id='k']": true,
			"[id!='k']": false, "[key='k']": false, "^seq .mt:depth(1) .cb": false, "[nodeType='^sys'] .cb": false, "[kind='sys']": false},
		selector.V1: {".block": false, "(d0..d3) .block": false, ".sys .block": true, "^sys .block": true, "(d-1) > .block": true,
			"d-1..d2 .block": true, "depth(-1) .block": true, "depth(1) .block": false, ".seg:depth(1) .block": false, "[nodeType='sys'] .block": true,
			"[nodeType!='sys'] .block": false, "[nodeType='seg'] .block": false, "[kind='sys']": false, "(d-1, 0)": true, "(d2, 0)": false,
			"depth(<=2) .block": false},
	} {
		for text, sys := range selectors {
			made, err := rules.Compile([]lifecycle.Rule{{Select: text}}, edition, nil)
			if err != nil {
				t.Errorf("%s in %s: %v", text, edition, err)
			} else if made[0].Sys != sys {
				t.Errorf("%s in %s means ^sys: %v, want %v", text, edition, made[0].Sys, sys)
			}
		}
	}
	if _, err := rules.Compile([]lifecycle.Rule{{Select: "*"}, {Select: "*["}}, selector.V01, nil); fault.CodeOf(err) != fault.SelectorInvalid {
		t.Errorf("%v", err)
	}
}

// A rule is asked about some nodes and what is below them, or about all; one that chooses among nodes chooses from all
// before it is asked about some.
func TestARuleIsAskedAboutSomeNodes(t *testing.T) {
	c := ruled(t, `{}`)
	edit(t, c, func(b *pact.Batch) {
		for _, group := range []string{"g", "h"} {
			b.Add("^ah", pact.Spec{ID: group, NodeType: "cont", Offset: 1})
			for _, id := range []string{"1", "2"} {
				b.Add(group, pact.Spec{ID: group + id, Kind: "text", Content: id, Key: map[string]string{"h2": "k"}[group+id]})
			}
		}
	})
	for text, want := range map[string]struct {
		all, below []string
		steady     bool
	}{
		".block":              {[]string{"g1", "g2", "h1", "h2"}, []string{"h1", "h2"}, true},
		"#k":                  {[]string{"h2"}, []string{"h2"}, false}, // a key chooses in its family
		"@t0 .block[age>=0]":  {[]string{"g1", "g2", "h1", "h2"}, []string{"h1", "h2"}, false},
		".block @limit=3":     {[]string{"g1", "g2", "h1"}, []string{"h1"}, false},
		".cont > .block:last": {[]string{"g2", "h2"}, []string{"h2"}, false},
	} {
		made, err := rules.Compile([]lifecycle.Rule{{Select: text}}, c.Info().Edition, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		tr := tree.Of(c.Working())
		all, err := made[0].Find(background, tr, nil, true)
		must(t, err)
		below, err := made[0].Find(background, tr, []string{"h"}, false)
		must(t, err)
		slices.Sort(all)
		slices.Sort(below)
		if !slices.Equal(all, want.all) || !slices.Equal(below, want.below) || made[0].Steady != want.steady {
			t.Errorf("%s: %q of all, %q of h, steady %v, want %+v", text, all, below, made[0].Steady, want)
		}
	}
}
