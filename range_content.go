package pact

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/differ/content"
	"github.com/contexttree/pact/tree"
)

// contents adds what the options ask of the contents of a changed node.
func (b *rangeBuilder) contents(ctx context.Context, c *NodeChange, d tree.Difference, block *DiffBlock) error {
	wanted := b.contentsOf(c)
	if !wanted && len(b.materialize) == 0 {
		return nil
	}
	var newer, older canon.Value
	var err error
	if wanted || slices.Contains(b.materialize, "content") {
		if newer, err = d.New.Content.Value(ctx); err != nil {
			return err
		}
		if older, err = d.Old.Content.Value(ctx); err != nil {
			return err
		}
	}
	if wanted {
		result := content.Compare(content.Side{Value: older, Label: "older(" + block.To.Label + ")/" + c.ID},
			content.Side{Value: newer, Label: "newer(" + block.From.Label + ")/" + c.ID}, b.mode, b.contextLines)
		result.MIME, _ = d.New.Header("mime").Text()
		if result.Mode != b.mode {
			b.result.Warnings = append(b.result.Warnings, block.From.Label+" to "+block.To.Label+": the content of "+c.ID+" is not JSON on both sides, its diff is unified")
		}
		c.ContentDiff = &result
	}
	if len(b.materialize) > 0 {
		c.Materialized = &Materialized{From: b.headers(d.New, newer), To: b.headers(d.Old, older)}
	}
	return nil
}

// contentsOf reports whether a change has a content diff.
func (b *rangeBuilder) contentsOf(c *NodeChange) bool {
	return b.includeContent && slices.Contains(c.Fields, "content_hash")
}

// headers are the headers of one version that are to be inlined.
func (b *rangeBuilder) headers(n *tree.Node, value canon.Value) map[string]json.RawMessage {
	inlined := make(map[string]json.RawMessage, len(b.materialize))
	for _, name := range b.materialize {
		var v canon.Value
		switch name {
		case "content":
			v = value
		case "content_hash":
			v = canon.String(n.ContentHash())
		default:
			v = n.Header(name)
		}
		if v == "" {
			v = canon.Null
		}
		inlined[name] = json.RawMessage(v)
	}
	return inlined
}
