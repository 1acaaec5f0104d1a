package enginetest

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/commit"
	"github.com/contexttree/pact/internal/sure"
	"github.com/contexttree/pact/internal/tree"
)

func testContent(t *testing.T, s Suite) {
	d := drive(t, s, "content")
	texts := []any{
		"", "\x00", "a\x00b\x00", "\u2028 \U0001F600 \x7f é", "\\u0000 \"", strings.Repeat("long ", 20_000),
		json.Number("12345678901234567890"), 0.1, math.Copysign(0, -1), nil, true, []any{}, map[string]any{"\x00": nil,
			"b": []any{1, 2.5}},
	}
	d.edit(func(x *tree.Editor) {
		for _, content := range texts {
			add(t, x, "^ah", tree.Spec{Content: content})
		}
	})
	d.check()
	d.commit()
	d.check()

	odd := []canon.Value{"NaN", "[Infinity,-Infinity]", `{"a":NaN}`, `"\ud800"`, "null", `"NaN"`}
	nodes := make([]listed, len(odd))
	for i := range nodes {
		nodes[i] = listed{id: fmt.Sprint("n", i), nodeType: "cb", parent: "sys", offset: int64(i)}
	}
	first := imported(t, 1, nodes...)
	var placed []tree.Placed
	at := make(map[string]int)
	for p := range sure.All(first.All()) {
		e, parent := p.Entry, p.Parent
		n := *e.Node()
		if i := strings.TrimPrefix(n.ID, "n"); i != n.ID {
			n.Content = tree.InMemory(odd[i[0]-'0'])
		}
		p := tree.Placed{Node: tree.NewNode(n, nil), Parent: -1}
		if parent != "" {
			p.Parent = at[parent]
		}
		at[n.ID] = len(placed)
		placed = append(placed, p)
	}
	first, err := tree.Build(1, placed)
	must(t, err)
	if n := sure.Get(first.Node("n0")); n.HashOK || n.Content.Size() != 3 {
		t.Errorf("NaN has a hash: %+v", n)
	}
	d = driveFrom(t, s, "not JSON", first)
	d.check()
	d.edit(func(x *tree.Editor) { must(t, x.Update("n1", map[string]any{"priority": 1})) })
	d.commit()
	d.check()
}

func testHeaders(t *testing.T, s Suite) {
	d := drive(t, s, "headers")
	d.edit(func(x *tree.Editor) {
		add(t, x, "^ah", tree.Spec{
			NodeType: "x:new\x00type", Offset: -tree.MaxInteger, Priority: tree.MaxInteger, TTL: new(int64(1 << 40)),
			Role: "tool", Kind: "k\"", Key: "\x00", Provenance: "p", MIME: "text/plain", Encoding: "utf-8",
			Tags: []string{"", "a", "é"}, Refs: []string{"root", "nowhere"}, Pinned: true, Content: "c",
			Attrs: map[string]any{"data_n": json.Number("1e400"), "content_x": map[string]any{"z": 1, "a": []any{nil}},
				"x:\x00é": "v", "data_": "1.0"},
		})
		add(t, x, "^ah", tree.Spec{NodeType: "cont", Offset: 1, Removable: true, Tags: []string{"t"}})
	})
	d.check()
	d.commit()
	d.check()
}

// testExtremes stores what an import may bring at the ends of the ranges of integers, and
// beyond them what a store must not mangle, and commits until no cycle is left.
func testExtremes(t *testing.T, s Suite) {
	first := imported(t, tree.MaxInteger-3, listed{id: "t", nodeType: "mt", parent: "seq"},
		listed{id: "low", nodeType: "cb", parent: "sys", content: "low"}, listed{id: "high", nodeType: "cb", parent: "sys",
			content: "high"},
		listed{id: "block:9223372036854775807-9", nodeType: "cb", parent: "sys", content: "named"},
		listed{id: "soon", nodeType: "cb", parent: "t", offset: 1, content: "goes", expiry: tree.MaxInteger - 1})
	var placed []tree.Placed
	at := make(map[string]int)
	for p := range sure.All(first.All()) {
		e, parent := p.Entry, p.Parent
		n := *e.Node()
		switch n.ID {
		case "low":
			n.Offset, n.Priority, n.Cycle, n.Index, n.CreatedNS = math.MinInt64, math.MinInt64, math.MinInt64, math.MinInt64,
				math.MinInt64
		case "high":
			n.Offset, n.Priority, n.Cycle, n.Index, n.CreatedNS = math.MaxInt64, math.MaxInt64, tree.MaxInteger, math.MaxInt64,
				tree.MaxInteger-100
			n.Expiry = math.MaxInt64 - 1
		}
		p := tree.Placed{Node: tree.NewNode(n, nil), Parent: -1}
		if parent != "" {
			p.Parent = at[parent]
		}
		at[n.ID] = len(placed)
		placed = append(placed, p)
	}
	first, err := tree.Build(first.Cycle(), placed)
	must(t, err)
	d := driveFrom(t, s, "extremes", first)
	d.clock = -7 // new stamps must come after those of the import
	d.check()
	d.commitWith(func(x *tree.Editor) { add(t, x, "^ah", block("new")) }, commit.Input{})
	d.check()
	d.commit()
	d.check()
	if sure.Get(d.state.Head.Has("soon")) || !sure.Get(d.state.Head.Has("high")) {
		t.Error("an expiry at the end of all cycles was not kept")
	}
	in := commit.Input{Working: d.state.Working, Stamps: d.state.Stamps, Env: d.env()}
	_, _, _, err = commit.Run(background, in)
	wantCode(t, err, fault.Limit)
	if d.state.Cycle != tree.MaxInteger-1 {
		t.Errorf("the last cycle is %d", d.state.Cycle)
	}
}

func testIDs(t *testing.T, s Suite) {
	d := drive(t, s, "ids")
	ids := []string{
		"\x00", "a\x00", "a\x00b", " ", "'\"\\", "é", "e\u0301", "E\u0301", "\u202e", "\U0010ffff", "a", "A", "%", "_", "?",
		strings.Repeat("x", tree.MaxID), strings.Repeat("x", tree.MaxID-1) + "y", strings.Repeat("\U0001F600", tree.MaxID/4),
		"block:1-0", "-1", "9-9-9",
	}
	d.edit(func(x *tree.Editor) {
		for _, id := range ids {
			spec := block(id)
			spec.ID = id
			add(t, x, "^sys", spec)
		}
	})
	d.check()
	d.commit()
	d.reopen()
	d.edit(func(x *tree.Editor) {
		for _, id := range ids {
			must(t, x.Update(id, map[string]any{"content": "updated " + id}))
		}
	})
	d.commit()
	d.check()
	for _, id := range ids {
		if got, err := d.store.Has(background, d.state.Key, id); err != nil || !got {
			t.Errorf("has %q: %v, %v", id, got, err)
		}
	}
	for _, id := range []string{"b", "a\x00c", "\x00\x00", "e"} {
		if got, err := d.store.Has(background, d.state.Key, id); err != nil || got {
			t.Errorf("has %q: %v, %v", id, got, err)
		}
	}
}
