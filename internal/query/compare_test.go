package query_test

import (
	"slices"
	"testing"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/tree"
)

// Comparisons by the rules of 04 §5, each on one node.
func TestComparisons(t *testing.T) {
	n := tree.Node{ID: "b", Type: "cb", Offset: 2, Priority: -3, CreatedNS: 9007199254740993, Expiry: 12}
	for name, v := range map[string]canon.Value{
		"role": `"user"`, "tags": `["a","b"]`, "pinned": `true`, "data_i": `7`, "data_f": `2.5`, "data_s": `"7"`,
		"data_t":   `"x"`,
		"data_big": `123456789012345678901234567890`, "data_list": `[1]`, "data_empty": `""`,
	} {
		n.Headers = append(n.Headers, tree.Header{Name: name, Value: v})
	}
	tr, err := tree.Build(10, []tree.Placed{
		{Node: tree.NewNode(tree.Node{ID: "root", Type: "^root", Expiry: tree.Never}, nil), Parent: -1},
		{Node: tree.NewNode(tree.Node{ID: "ah", Type: "^ah", Expiry: tree.Never}, nil), Parent: 0},
		{Node: tree.NewNode(n, nil), Parent: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	for filter, want := range map[string]bool{
		// Integers as integers, also where a float would lose the last digit.
		"[offset=2]": true, "[offset=2.0]": true, "[offset=2.5]": false, "[offset<2.5]": true, "[offset>1.5]": true,
		"[offset>=2.5]": false,
		"[offset='2']":  true, "[offset=x]": false, "[offset!=x]": true, "[offset<x]": false,
		"[created_at_ns=9007199254740993]": true, "[created_at_ns=9007199254740992]": false,
		"[created_at_ns>9007199254740992]": true,
		"[offset<99999999999999999999999]": true, "[offset>-99999999999999999999999]": true,
		"[offset=99999999999999999999999]": false,
		"[priority<-2]":                    true, "[priority=-3]": true, "[priority=-3.5]": false, "[priority>-3.5]": true,
		"[ttl=2]": true, "[ttl<=2]": true, "[ttl<2]": false, "[ttl=null]": false, "[ttl!=null]": true, "[ttl]": true,
		// Texts as texts; an unknown attribute is null, which has no order.
		"[role='user']": true, "[role=user]": true, "[role!='tool']": true, "[role>'tool']": true, "[role<'tool']": false,
		"[role~'^us']": true, "[role~'^x']": false,
		"[kind]": false, "[kind=null]": true, "[kind!='text']": true, "[kind<'zzz']": false, "[nobody=null]": true,
		"[nobody!=5]": true, "[role=[tool,user]]": true,
		"[data_empty='']": true, "[data_empty=null]": false, "[kind='']": false,
		// Membership, booleans, and types that are kept apart by = and !=.
		"[tag='a']": true, "[tag='c']": false, "[tag!='c']": true, "[tags='b']": true, "[tag<'z']": false,
		"[pinned=true]": true, "[pinned='true']": true, "[pinned=false]": false,
		"[data_i=7]": true, "[data_i='7']": false, "[data_s='7']": true, "[data_s=7]": false, "[data_i!='7']": true,
		"[data_i<7.5]": true, "[data_s<7.5]": true, "[data_s<'70']": true, "[data_t>5]": true, "[data_f=2.5]": true,
		"[data_f>2]": true,
		"[data_big=123456789012345678901234567890]": true, "[data_big>123456789012345678901234567889]": true,
		"[data_list=1]": false, "[data_list]": true, "[data_list<5]": false,
	} {
		if got := slices.Contains(run(t, tr, ".cb"+filter).IDs(), "b"); got != want {
			t.Errorf("%s: %v, want %v", filter, got, want)
		}
	}
}
