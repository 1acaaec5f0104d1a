package differ

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/differ/content"
	"github.com/contexttree/pact/tree"
)

// Contents says what a range shows of the contents and headers of changed nodes
// (04 §4, options).
type Contents struct {
	Mode        diff.Mode // form of the content diffs, "" for none
	Lines       int       // of context of a unified one
	Materialize []string  // headers to show of both versions
}

// Add adds to a change what the options ask of the contents and headers
// of the node. newer and older are the addresses of the two snapshots. The warning
// says where a content diff has another form than asked for, "" elsewhere.
func (o *Contents) Add(ctx context.Context, c *diff.NodeChange, d tree.Difference, newer, older string) (warning string,
	err error) {
	compared := o.Mode != "" && slices.Contains(c.Fields, "content_hash")
	var is, was tree.JSON
	if compared || slices.Contains(o.Materialize, "content") {
		if is, err = d.New.Content.Value(ctx); err != nil {
			return "", err
		}
		if was, err = d.Old.Content.Value(ctx); err != nil {
			return "", err
		}
	}
	if compared {
		result := content.Compare(content.Side{Value: canon.Value(was), Label: "older(" + older + ")/" + c.ID},
			content.Side{Value: canon.Value(is), Label: "newer(" + newer + ")/" + c.ID}, o.Mode, o.Lines)
		result.MIME, _ = d.New.Header("mime").Text()
		if result.Mode != o.Mode {
			warning = newer + " to " + older + ": the content of " + c.ID + " is not JSON on both sides, its diff is unified"
		}
		c.ContentDiff = &result
	}
	if len(o.Materialize) > 0 {
		c.Materialized = &diff.HeaderValues{From: o.headers(d.New, canon.Value(is)), To: o.headers(d.Old, canon.Value(was))}
	}
	return warning, nil
}

// headers are the headers of one version that the options ask for, by name.
func (o *Contents) headers(n *tree.Node, content canon.Value) map[string]json.RawMessage {
	values := make(map[string]json.RawMessage, len(o.Materialize))
	for _, name := range o.Materialize {
		var v canon.Value
		switch name {
		case "content":
			v = content
		case "content_hash":
			v = canon.String(n.ContentHash())
		default:
			v = canon.Value(n.Header(name))
		}
		if v == "" {
			v = canon.Null
		}
		values[name] = json.RawMessage(v)
	}
	return values
}
