package query

import (
	"errors"
	"math/big"
	"reflect"
	"testing"

	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/tree"
	"github.com/contexttree/pact/selector"
)

func TestParseSpec(t *testing.T) {
	for text, want := range map[string]tree.Spec{
		"block:text { key='hero' }":          {NodeType: "block", Kind: "text", Key: "hero"},
		"block":                              {NodeType: "block"},
		"cont {removable, offset=-1}":        {NodeType: "cont", Removable: true, Offset: -1},
		"x:note{data_a=1,data_b=1.5}":        {NodeType: "x:note", Attrs: map[string]any{"data_a": big.NewInt(1), "data_b": 1.5}},
		"cb(ttl=5 priority=-2) +b +a":        {NodeType: "cb", TTL: new(int64(5)), Priority: -2, Tags: []string{"a", "b"}},
		"block {tags=[x,y], ref='a b'} +x":   {NodeType: "block", Tags: []string{"x", "y"}, Refs: []string{"a b"}},
		"block {ttl=null, pinned}":           {NodeType: "block", Pinned: true},
		"block {pinned=false, content=true}": {NodeType: "block", Content: true},
		"block {content='5', role=user}":     {NodeType: "block", Role: "user", Content: "5"},
		"block {data_n=null, sticky}":        {NodeType: "block", Attrs: map[string]any{"data_n": nil}},
		"block {key=null, kind=null, tags=null, priority=null, pinned=null, id=null, role=null}": {NodeType: "block"},
		"block {key='null'}":           {NodeType: "block", Key: "null"},
		"block {ephemeral} [id='own']": {NodeType: "block", TTL: new(int64(0)), ID: "own"},
	} {
		got, err := ParseSpec(text, selector.Canonical)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	if got, _ := ParseSpec("cb:text", selector.V01); got.NodeType != "cb:text" || got.Kind != "" {
		t.Errorf("in v0.1 got %+v", got)
	}
	for _, text := range []string{"", "{key='a'}", "5", "block key", "block {key<'a'}", "block {key}", "block {key=[a,b]}",
		"block {a=1} {a=2}",
		"block {nodeType='x'}", "block:text {kind=call}", "block {offset=1.5}", "block {ttl=x}", "block {tags=[a,null]}",
		"block {pinned=maybe}", "block +", "block .cb"} {
		if got, err := ParseSpec(text, selector.Canonical); !errors.Is(err, fault.SelectorInvalid) {
			t.Errorf("%q: got %+v, %v", text, got, err)
		}
	}
}

// What reads as a node prints as one that reads the same.
func FuzzParseNode(f *testing.F) {
	for _, text := range []string{"block:text { key='hero' }", "cont +a +'b c'", "x:y {a=[1,2], b=null}",
		"block [pinned] (ttl=5 x:y='z')"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := selector.ParseNode(text, selector.Canonical)
		if err != nil {
			return
		}
		again, err := selector.ParseNode(n.String(), selector.Canonical)
		if err != nil || !reflect.DeepEqual(n, again) {
			t.Fatalf("%q prints as %q: %+v, then %+v, %v", text, n, n, again, err)
		}
		_, _ = ParseSpec(text, selector.Canonical)
	})
}
