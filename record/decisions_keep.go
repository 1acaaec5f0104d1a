package record

import (
	pact "github.com/contexttree/pact"
	"github.com/contexttree/pact/internal/canon"
	"github.com/contexttree/pact/internal/record/manage"
)

// Attributes of the blocks that keep decisions. A block without attrWhat, attrSince and another kind than raw is an
// original.
const (
	attrDecided = "wire:decided" // the key of the part
	attrRaw     = "wire:raw"     // the bytes of the result as the client wrote them, where they differ from canonical JSON
	attrWhat    = "wire:what"    // what a decision does that holds for all requests
	attrSince   = "wire:since"   // the id of the newest call in the first request that follows the decision
	attrRefers  = "wire:of"      // the key of the result that a reference leads to
	attrCleared = "wire:cleared" // the provider is asked to clear the result
	kindRaw     = "raw"          // of a block that says that a part goes as it came, and why
)

// What the reason of a decision begins with that ends managing for a conversation: it goes as it came, or what was taken
// stays out; and of one by which a person has a result left alone.
const (
	endedBecause   = "managing ended: "
	stoppedBecause = "managing stopped: "
	pinnedBecause  = "pinned: "
)

// Result is a result of a tool that is about to be sent to a model for the first time.
type Result struct {
	Call    string // the id of the call; a result without one is left alone
	Tool    string // its name
	Content string // canonical JSON: a text, or a list of parts
	Failed  bool
}

func (d *deciding) key() string { return d.of.key() }

// key identifies a result: its call and what it says.
func (r *Result) key() string { return manage.KeyOf(r.Call, canon.Value(r.Content)) }

// deciding is a decision with the part that it is about.
type deciding struct {
	manage.Decision
	of       Result // the call is "" for thinking
	raw      []byte // the bytes that the client wrote
	original *deciding
}

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
