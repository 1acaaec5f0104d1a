package differ

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/differ/content"
	"github.com/contexttree/pact/internal/tree"
)

// Form returns how to show a change of a content: mode "" stands for unified, no lines of context for 3, and a negative
// number for none. It fails with E_SELECTOR_INVALID if no content diff has that form.
func Form(mode diff.Mode, lines int) (diff.Mode, int, error) {
	mode = cmp.Or(mode, diff.Unified)
	if !slices.Contains([]diff.Mode{diff.Unified, diff.JSONPatch, diff.Tokens}, mode) {
		return "", 0, fault.At(fault.SelectorInvalid, fault.NoOffset, string(mode), "there is no such form of a content diff",
			"the forms are unified, jsonpatch and tokens")
	}
	return mode, max(0, cmp.Or(lines, 3)), nil
}

// Contents says what a range shows of the contents and headers of changed nodes
// (04 §4, options).
type Contents struct {
	Mode        diff.Mode // form of the content diffs, "" for none
	Lines       int       // lines of context in a unified diff
	Materialize []string  // headers to show of both versions
}

// Check fails with E_SELECTOR_INVALID if a header cannot be shown.
func (o *Contents) Check() error {
	for _, h := range o.Materialize {
		if !slices.Contains([]string{"content", "mime", "encoding", "content_hash"}, h) {
			return fault.At(fault.SelectorInvalid, fault.NoOffset, h, "the contents of this header cannot be given",
				"the headers are content, mime, encoding and content_hash")
		}
	}
	return nil
}

// Add adds to a change the contents and headers of the node that the options ask
// for. newer and older are the addresses of the two snapshots. The warning says
// that the content diff has another form than asked for; it is "" otherwise.
func (o *Contents) Add(ctx context.Context, c *diff.NodeChange, d tree.Difference, newer, older string) (warning string,
	err error) {
	compared := o.Mode != "" && slices.Contains(c.Fields, "content_hash")
	var is, was canon.Value
	if compared || slices.Contains(o.Materialize, "content") {
		if is, err = d.New.Content.Value(ctx); err != nil {
			return "", err
		}
		if was, err = d.Old.Content.Value(ctx); err != nil {
			return "", err
		}
	}
	if compared {
		result := content.Compare(content.Side{Value: was, Label: "older(" + older + ")/" + c.ID},
			content.Side{Value: is, Label: "newer(" + newer + ")/" + c.ID}, o.Mode, o.Lines)
		result.MIME, _ = d.New.Header("mime").Text()
		if result.Mode != o.Mode {
			warning = newer + " to " + older + ": the content of " + c.ID + " is not JSON on both sides, its diff is unified"
		}
		c.ContentDiff = &result
	}
	if len(o.Materialize) > 0 {
		c.Materialized = &diff.HeaderValues{From: o.headers(d.New, is), To: o.headers(d.Old, was)}
	}
	return warning, nil
}

// headers returns the headers of one version that the options ask for, by name.
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
			v = n.Header(name)
		}
		if v == "" {
			v = canon.Null
		}
		values[name] = json.RawMessage(v)
	}
	return values
}
