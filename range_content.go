package pact

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/fault"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/differ/content"
	"github.com/contexttree/pact/tree"
)

// rangeOptions are the options of a range, with their defaults in place.
type rangeOptions struct {
	limits      diff.RangeLimits
	content     *contentForm // nil where contents are not compared
	materialize []string
}

// contentForm is how a change of a content is shown.
type contentForm struct {
	mode  diff.Mode
	lines int // of context
}

func (o *RangeOptions) collect() (r rangeOptions, err error) {
	r = rangeOptions{limits: diff.RangeLimits{MaxSnapshots: o.MaxSnapshots, MaxChangesPerSnapshot: o.MaxChangesPerSnapshot}, materialize: o.Materialize}
	if o.Content != nil {
		form, err := o.Content.form()
		if err != nil {
			return r, err
		}
		r.content = &form
	}
	return r, r.check()
}

// form fills the defaults in. It refuses a form or a number of lines that no
// content diff has.
func (o ContentOptions) form() (contentForm, error) {
	f := contentForm{mode: cmp.Or(o.Mode, diff.Unified), lines: 3}
	if o.Lines != nil {
		f.lines = *o.Lines
	}
	if f.lines < 0 {
		return f, fault.New(fault.SelectorInvalid, "a unified diff cannot have "+strconv.Itoa(f.lines)+" lines of context", "allow 0 or more")
	}
	if !slices.Contains([]diff.Mode{diff.Unified, diff.JSONPatch, diff.Tokens}, f.mode) {
		return f, fault.At(fault.SelectorInvalid, fault.NoOffset, string(f.mode), "there is no such form of a content diff", "the forms are unified, jsonpatch and tokens")
	}
	return f, nil
}

// check refuses values that no option can have.
func (o *rangeOptions) check() error {
	for _, h := range o.materialize {
		if !slices.Contains([]string{"content", "mime", "encoding", "content_hash"}, h) {
			return fault.At(fault.SelectorInvalid, fault.NoOffset, h, "this header cannot be materialized", "there are content, mime, encoding and content_hash")
		}
	}
	l := &o.limits
	if l.MaxSnapshots != nil && *l.MaxSnapshots < 1 {
		return fault.New(fault.RangeLimit, "at most "+strconv.Itoa(*l.MaxSnapshots)+" snapshots leave nothing to compare", "allow at least 1")
	}
	if l.MaxChangesPerSnapshot != nil && *l.MaxChangesPerSnapshot < 0 {
		return fault.New(fault.RangeLimit, "a block cannot have "+strconv.Itoa(*l.MaxChangesPerSnapshot)+" changes", "allow 0 or more")
	}
	return nil
}

// addContents adds to a change what the options ask of the contents and headers
// of the node. newer and older are the addresses of the two snapshots. The warning
// says where a content diff has another form than asked for, "" elsewhere.
func (o *rangeOptions) addContents(ctx context.Context, c *diff.NodeChange, d tree.Difference, newer, older string) (warning string, err error) {
	compared := o.content != nil && slices.Contains(c.Fields, "content_hash")
	var is, was tree.JSON
	if compared || slices.Contains(o.materialize, "content") {
		if is, err = d.New.Content.Value(ctx); err != nil {
			return "", err
		}
		if was, err = d.Old.Content.Value(ctx); err != nil {
			return "", err
		}
	}
	if compared {
		result := content.Compare(content.Side{Value: canon.Value(was), Label: "older(" + older + ")/" + c.ID},
			content.Side{Value: canon.Value(is), Label: "newer(" + newer + ")/" + c.ID}, o.content.mode, o.content.lines)
		result.MIME, _ = d.New.Header("mime").Text()
		if result.Mode != o.content.mode {
			warning = newer + " to " + older + ": the content of " + c.ID + " is not JSON on both sides, its diff is unified"
		}
		c.ContentDiff = &result
	}
	if len(o.materialize) > 0 {
		c.Materialized = &diff.HeaderValues{From: o.headers(d.New, canon.Value(is)), To: o.headers(d.Old, canon.Value(was))}
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
			v = canon.Value(n.Header(name))
		}
		if v == "" {
			v = canon.Null
		}
		values[name] = json.RawMessage(v)
	}
	return values
}
