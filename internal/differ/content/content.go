// Package content shows how the content of a node changed: as a unified diff,
// as a JSON Patch, or word by word (04 §4, contentMode). The differences
// themselves are found by libraries; docs/dependencies.md says which and why.
package content

import (
	"bytes"
	"encoding/json"

	"github.com/contexttree/pact/diff"
	"github.com/contexttree/pact/internal/canon"
)

// Side is one of the two contents that are compared.
type Side struct {
	Value canon.Value // "" where the node has no content
	Label string      // of a unified diff, such as "older(@t-1)/block:4-0"
}

// Compare shows what leads from the older content to the newer in a mode, with
// contextLines around each change of a unified diff. A JSON Patch needs two
// contents that are JSON and not text; without them the diff is unified, as its
// Mode then says.
//
// Cost: proportional to the contents and the number of changes between them, up
// to a fixed number of lines or words; beyond it what differs is replaced as a
// whole.
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

// text is what a content looks like as text: itself, nothing where there is
// none, and JSON with a line for each member.
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
