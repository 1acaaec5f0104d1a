package record

import (
	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/manage"
)

// writeBlocks adds the blocks of a decision: the original, unless a block has it, and what is sent in its place.
func (d *deciding) writeBlocks(b *pact.Batch) {
	attrs := map[string]any{attrDecided: d.Key}
	if d.Since != "" {
		attrs[attrSince] = d.Since
	}
	if d.of.Call != "" {
		attrs[attrCall] = d.of.Call
	}
	s := pact.Spec{Kind: "result", Role: "tool", Offset: 1, Content: d.Text, Attrs: attrs}
	switch d.Action {
	case manage.Raw:
		s.Kind, s.Role, s.Content = kindRaw, "", d.Why
	case manage.Ended:
		s.Kind, s.Role, s.Content = kindRaw, "", endedBecause+d.Why
	case manage.Stopped:
		s.Kind, s.Role, s.Content = kindRaw, "", stoppedBecause+d.Why
	case manage.Pinned:
		s.Kind, s.Role, s.Content = kindRaw, "", pinnedBecause+d.Why
	case manage.Gone:
		s.Kind, s.Role, s.Content = "thinking", "assistant", canon.Value(d.of.Content)
		d.rawIn(attrs)
	case manage.Cleared:
		attrs[attrCleared] = true
	default:
		if d.original != nil {
			attrs[attrRefers] = d.Of
			if string(d.raw) != string(d.original.raw) {
				attrs[attrRaw] = string(d.raw)
			}
		}
		d.originalOf().keepOriginal(b, d.ID)
		s.Refs = []string{d.ID}
		if d.Action != manage.Left {
			attrs[attrWhat] = string(d.Action)
		}
	}
	d.Block = b.Add(activeHead, s)
}

// originalOf returns what is kept under the id of the decision.
func (d *deciding) originalOf() *deciding {
	if d.original != nil {
		return d.original
	}
	return d
}

func (d *deciding) key() string { return d.of.key() }

// rawIn adds the bytes that the client wrote to the attributes of a block, if its content does not give them.
func (d *deciding) rawIn(attrs map[string]any) {
	if string(d.raw) != d.of.Content {
		attrs[attrRaw] = string(d.raw)
	}
}

// keepOriginal adds the block with the original under an id, unless it is there.
func (d *deciding) keepOriginal(b *pact.Batch, id string) {
	if b.Has(id) {
		return
	}
	attrs := map[string]any{attrCall: d.of.Call, attrDecided: d.of.key()}
	d.rawIn(attrs)
	if d.of.Failed {
		attrs[attrFailed] = true
	}
	call := pact.Spec{Kind: "call", Role: "assistant", Offset: 1, Content: map[string]any{"name": d.of.Tool},
		Attrs: map[string]any{attrCall: d.of.Call, attrName: d.of.Tool}}
	b.AddResult(b.Add(activeHead, call), pact.Spec{ID: id, Kind: "result", Role: "tool", Offset: 1,
		Content: canon.Value(d.of.Content), Attrs: attrs})
}
