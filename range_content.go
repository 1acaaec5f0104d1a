package pact

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/differ/content"
	"github.com/contexttree/pact/tree"
)

// addContents adds to a change what the options ask of the contents and headers
// of the node. newer and older are the addresses of the two snapshots. The warning
// says where a content diff has another form than asked for, "" elsewhere.
func (o *rangeOptions) addContents(ctx context.Context, c *diff.NodeChange, d tree.Difference, newer, older string) (warning string, err error) {
	compared := o.content != nil && slices.Contains(c.Fields, "content_hash")
	var is, was canon.Value
	if compared || slices.Contains(o.materialize, "content") {
		if is, err = d.New.Content.Value(ctx); err != nil {
			return "", err
		}
		if was, err = d.Old.Content.Value(ctx); err != nil {
			return "", err
		}
	}
	if compared {
		result := content.Compare(content.Side{Value: was, Label: "older(" + older + ")/" + c.ID},
			content.Side{Value: is, Label: "newer(" + newer + ")/" + c.ID}, o.content.mode, o.content.lines)
		result.MIME, _ = d.New.Header("mime").Text()
		if result.Mode != o.content.mode {
			warning = newer + " to " + older + ": the content of " + c.ID + " is not JSON on both sides, its diff is unified"
		}
		c.ContentDiff = &result
	}
	if len(o.materialize) > 0 {
		c.Materialized = &diff.HeaderValues{From: o.headers(d.New, is), To: o.headers(d.Old, was)}
	}
	return warning, nil
}

// headers are the headers of one version that the options ask for, by name.
func (o *rangeOptions) headers(n *tree.Node, content canon.Value) map[string]json.RawMessage {
	values := make(map[string]json.RawMessage, len(o.materialize))
	for _, name := range o.materialize {
		var v canon.Value
		switch name {
		case "content":
			v = content
		case "content_hash":
			v = canon.String(n.ContentHash())
		default:
			v = n.Header(name)
		}
		if v == "" {
			v = canon.Null
		}
		values[name] = json.RawMessage(v)
	}
	return values
}
