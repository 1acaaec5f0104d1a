package content

import (
	"bytes"
	"encoding/json"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/canon"
)

// Side is one of the two contents to compare.
type Side struct {
	Value canon.Value // "" where the node has no content
	Label string      // of a unified diff, such as "older(@t-1)/block:4-0"
}

// Compare shows the changes from the older content to the newer in a mode, with
// contextLines around each change of a unified diff. A JSON Patch needs two
// contents that are JSON and not text. If one of them is not, Compare returns a
// unified diff, and its Mode says so.
//
// Cost: proportional to the contents and the number of changes between them, up
// to a fixed number of lines or words; beyond that number the diff replaces the
// differing part as a whole.
func Compare(older, newer Side, mode diff.Mode, contextLines int) diff.ContentDiff {
	d := diff.ContentDiff{Mode: mode, Summary: diff.ContentSummary{BytesNewer: size(newer.Value),
		BytesOlder: size(older.Value), Identical: older.Value == newer.Value}}
	if mode == diff.JSONPatch {
		if patch, ok := patch(older.Value, newer.Value); ok {
			d.Patch = patch
			return d
		}
		d.Mode = diff.Unified
	}
	if d.Mode == diff.Tokens {
		d.Hunks = hunks(text(older.Value), text(newer.Value))
		return d
	}
	u := unified(older.Label, newer.Label, text(older.Value), text(newer.Value), contextLines)
	d.Diff = &u
	return d
}

func size(v canon.Value) int {
	if t, ok := v.Text(); ok {
		return len(t)
	}
	return len(v)
}

// text returns a content as text: a string as it is, "" for no content, and other
// JSON with a line for each member.
func text(v canon.Value) string {
	if v == "" {
		return ""
	}
	if t, ok := v.Text(); ok {
		return t
	}
	var b bytes.Buffer
	if json.Indent(&b, []byte(v), "", "  ") != nil {
		return string(v)
	}
	return b.String() + "\n"
}
